"""What stands on every page."""

from __future__ import annotations

from pipeline.translations import Message

ASK, YOU, HOW_IT_GOES = Message("Ask"), Message("You and your data"), Message("How it goes")
SIGN_OUT = Message("Sign out")
PAGES, SKIP = Message("Pages"), Message("Skip to the content")
SOURCE = Message("Source {number}")
TABLE = Message("Table")
CLOSED_HERE = Message("Open the link that Citewell printed when it started: it signs you in until the next start.")
TOO_OFTEN = Message("That was too often. Please wait a minute.")
NOT_DONE, NOT_DONE_WHY = (
    Message("That was not done"),
    Message("The page was open for too long, or the request did not come from it. Open it again, and repeat it there."),
)
AGAIN = Message("Open it again")
