"""Texts of the page where people ask."""

from __future__ import annotations

from pipeline.translations import TranslatableText

TITLE = TranslatableText("Ask the documents")
EXPLAINED = TranslatableText("Every sentence of an answer shows the passage that supports it.")
QUESTION, FOLLOW_UP = TranslatableText("Your question"), TranslatableText("Ask a follow-up")
ASK, NEW = TranslatableText("Ask"), TranslatableText("New question")
EARLIER = TranslatableText("Earlier conversations")
PART = TranslatableText("Questions {first} to {last} of {total}")
FURTHER = TranslatableText("Parts of this conversation")
BEFORE, AFTER = TranslatableText("Earlier"), TranslatableText("Later")
YOU = TranslatableText("Your data")
WAITING = TranslatableText("Looking that up…")
FAILED = TranslatableText("This question was not answered. Please ask it again.")
EMPTY = TranslatableText("Type a question first.")
LONGEST = TranslatableText("The question is too long. It may have at most {most} characters.")
OPEN = TranslatableText("Open the source")
PASSED, REPLIED = (
    TranslatableText("Your question was passed on to people. Their reply appears here."),
    TranslatableText("{who} replied:"),
)
RESOLVED = TranslatableText("{who} resolved this.")
COLLEAGUE = TranslatableText("A colleague")
BACK = TranslatableText("Back to the conversation")
CANNOT = TranslatableText("That cannot be done on this page.")
NOT_THERE = TranslatableText("Conversation not found")
NOT_THERE_WHY = TranslatableText("It was erased, or it belongs to somebody else.")
SAVE, SAVED = TranslatableText("Save"), TranslatableText("Saved. It applies to every answer that you get from now on.")
HOW, YOURS = TranslatableText("Preferences"), TranslatableText("What is kept about you")
STYLE, CITATIONS, LANGUAGE = TranslatableText("Style"), TranslatableText("Citations"), TranslatableText("Language")
KEPT = TranslatableText(
    "Citewell keeps your questions, its answers, your ratings and your preferences. Only the language "
    "model that the operator chose, if there is one, receives any of it."
)
CLOSE = TranslatableText("Close")
