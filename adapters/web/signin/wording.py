"""What the page says where people sign in."""

from __future__ import annotations

from pipeline.translations import Message

TITLE = Message("Sign in")
EXPLAINED = Message("Sign in to ask the documents of your team.")
WITH = Message("Sign in with {provider}")
PROXY = Message("Open this page by the address that your team uses for it: you are signed in there.")
AGAIN = Message("That took too long, or was begun in another browser. Please sign in again.")
REFUSED = Message("You did not allow it, or may not sign in here.")
UNREACHABLE = Message("Where you sign in cannot be reached at the moment. Please try again later.")
WRONG = Message(
    "What came back was not in order, so you are not signed in. Please try again, or tell whoever runs this."
)
STRANGER = Message("That account is of no workspace or server that this belongs to.")
