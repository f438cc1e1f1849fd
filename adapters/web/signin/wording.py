"""Texts of the sign-in page."""

from __future__ import annotations

from pipeline.translations import TranslatableText

TITLE = TranslatableText("Sign in")
EXPLAINED = TranslatableText("Sign in to ask the documents of your team.")
WITH = TranslatableText("Sign in with {provider}")
PROXY = TranslatableText("Open this page by the address that your team uses for it: you are signed in there.")
AGAIN = TranslatableText("That took too long, or was begun in another browser. Please sign in again.")
REFUSED = TranslatableText("You did not allow it, or may not sign in here.")
UNREACHABLE = TranslatableText("Where you sign in cannot be reached at the moment. Please try again later.")
WRONG = TranslatableText(
    "What came back was not in order, so you are not signed in. Please try again, or tell whoever runs this."
)
STRANGER = TranslatableText("That account is of no workspace or server that this belongs to.")
