"""Texts of the page where people ask."""

from __future__ import annotations

from pipeline.translations import TranslatableText

TITLE = TranslatableText("Ask the documents")
EXPLAINED = TranslatableText("Every sentence of an answer shows the passage that it rests on.")
QUESTION, FOLLOW_UP = TranslatableText("Your question"), TranslatableText("Ask on")
ASK, NEW = TranslatableText("Ask"), TranslatableText("New question")
EARLIER = TranslatableText("Asked before")
PART = TranslatableText("Questions {first} to {last} of {total}")
FURTHER = TranslatableText("Parts of this conversation")
BEFORE, AFTER = TranslatableText("Earlier"), TranslatableText("Later")
YOU = TranslatableText("You and your data")
WAITING = TranslatableText("Looking that up…")
FAILED = TranslatableText("This question was not answered. Please ask it again.")
EMPTY = TranslatableText("Type a question first.")
LONGEST = TranslatableText("That is too long: at most {most} characters.")
OPEN = TranslatableText("Open the source")
PASSED, REPLIED = (
    TranslatableText("People were asked. What they reply appears here."),
    TranslatableText("{who} replied:"),
)
RESOLVED = TranslatableText("{who} resolved this.")
COLLEAGUE = TranslatableText("A colleague")
BACK = TranslatableText("Back to the conversation")
CANNOT = TranslatableText("That cannot be done on this page.")
NOT_THERE = TranslatableText("There is no such conversation")
NOT_THERE_WHY = TranslatableText("It was erased, or it is somebody else's.")
SAVE, SAVED = TranslatableText("Save"), TranslatableText("Saved. It holds for every answer to you.")
HOW, YOURS = TranslatableText("How you are answered"), TranslatableText("Your data")
STYLE, CITATIONS, LANGUAGE = TranslatableText("Style"), TranslatableText("Citations"), TranslatableText("Language")
KEPT = TranslatableText(
    "Kept are your questions and the answers to them, your ratings, and what you choose here. Nobody but the language "
    "model that the operator chose, if any, is given them."
)
CLOSE = TranslatableText("Close")
