"""Texts of every page."""

from __future__ import annotations

from pipeline.translations import TranslatableText

ASK, YOU, HOW_IT_GOES = TranslatableText("Ask"), TranslatableText("You and your data"), TranslatableText("How it goes")
SIGN_OUT = TranslatableText("Sign out")
PAGES, SKIP = TranslatableText("Pages"), TranslatableText("Skip to the content")
SOURCE = TranslatableText("Source {number}")
TABLE = TranslatableText("Table")
CLOSED_HERE = TranslatableText(
    "Open the link that Citewell printed when it started: it signs you in until the next start."
)
TOO_OFTEN = TranslatableText("That was too often. Please wait a minute.")
NOT_DONE, NOT_DONE_WHY = (
    TranslatableText("That was not done"),
    TranslatableText(
        "The page was open for too long, or the request did not come from it. Open it again, and repeat it there."
    ),
)
AGAIN = TranslatableText("Open it again")
