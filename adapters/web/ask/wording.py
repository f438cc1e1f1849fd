"""What the page says where people ask."""

from __future__ import annotations

from pipeline.translations import Message

TITLE = Message("Ask the documents")
EXPLAINED = Message("Every sentence of an answer shows the passage that it rests on.")
QUESTION, FOLLOW_UP = Message("Your question"), Message("Ask on")
ASK, NEW = Message("Ask"), Message("New question")
EARLIER = Message("Asked before")
PART = Message("Questions {first} to {last} of {total}")
FURTHER = Message("Parts of this conversation")
BEFORE, AFTER = Message("Earlier"), Message("Later")
YOU = Message("You and your data")
WAITING = Message("Looking that up…")
FAILED = Message("This question was not answered. Please ask it again.")
EMPTY = Message("Type a question first.")
LONGEST = Message("That is too long: at most {most} characters.")
OPEN = Message("Open the source")
PASSED, REPLIED = Message("People were asked. What they reply appears here."), Message("{who} replied:")
RESOLVED = Message("{who} resolved this.")
COLLEAGUE = Message("A colleague")
BACK = Message("Back to the conversation")
CANNOT = Message("That cannot be done on this page.")
NOT_THERE = Message("There is no such conversation")
NOT_THERE_WHY = Message("It was erased, or it is somebody else's.")
SAVE, SAVED = Message("Save"), Message("Saved. It holds for every answer to you.")
HOW, YOURS = Message("How you are answered"), Message("Your data")
STYLE, CITATIONS, LANGUAGE = Message("Style"), Message("Citations"), Message("Language")
KEPT = Message(
    "Kept are your questions and the answers to them, your ratings, and what you choose here. Nobody but the language "
    "model that the operator chose, if any, is given them."
)
CLOSE = Message("Close")
