"""Texts of every page."""

from __future__ import annotations

from pipeline.translations import TranslatableText

ASK, YOU, HOW_IT_GOES = TranslatableText("Ask"), TranslatableText("Your data"), TranslatableText("Admin")
SIGN_OUT = TranslatableText("Sign out")
PAGES, SKIP = TranslatableText("Pages"), TranslatableText("Skip to the content")
SOURCE = TranslatableText("Source {number}")
TABLE = TranslatableText("Table")
CLOSED_HERE = TranslatableText(
    "Open the link that Citewell printed when it started. It signs you in until Citewell starts again."
)
TOO_OFTEN = TranslatableText("Too many requests. Please wait a minute.")
NOT_DONE, NOT_DONE_WHY = (
    TranslatableText("Request refused"),
    TranslatableText(
        "The page was open for too long, or the request came from another page. Open the page again and "
        "repeat the request."
    ),
)
AGAIN = TranslatableText("Open the page again")
