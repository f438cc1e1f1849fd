"""What stands on every page."""

from __future__ import annotations

from pipeline.translations import Message

ASK, YOU, HOW_IT_GOES = Message("Ask"), Message("You and your data"), Message("How it goes")
SIGN_OUT = Message("Sign out")
PAGES, SKIP = Message("Pages"), Message("Skip to the content")
SOURCE = Message("Source {number}")
TABLE = Message("Table")
