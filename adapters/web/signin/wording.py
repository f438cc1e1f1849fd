"""Texts of the sign-in page."""

from __future__ import annotations

from pipeline.translations import TranslatableText

TITLE = TranslatableText("Sign in")
EXPLAINED = TranslatableText("Sign in to ask your team's documents.")
WITH = TranslatableText("Sign in with {provider}")
PROXY = TranslatableText("Open this page at the address that your team uses for it. You are signed in there.")
AGAIN = TranslatableText("Signing in took too long, or it began in another browser. Please sign in again.")
REFUSED = TranslatableText("You declined, or your account may not sign in here.")
UNREACHABLE = TranslatableText("The sign-in service cannot be reached at the moment. Please try again later.")
WRONG = TranslatableText(
    "The sign-in service sent an invalid reply, so you are not signed in. Please try again, or tell the operator."
)
STRANGER = TranslatableText("That account belongs to no workspace or server of this Citewell.")
