"""What is said around the text of a document, and of a link that opens nothing."""

from __future__ import annotations

from typing import NamedTuple

from adapters.web.links import Why
from pipeline.translations import Message

CITED = Message("Cited passage")
PASSAGE = Message("Passage {number} of {total}")
PASSAGES = Message("Passages of the document")
PREVIOUS, NEXT, BACK = Message("Previous"), Message("Next"), Message("Back to what was cited")
BEFORE, AFTER = Message("What stands before"), Message("What stands behind")
ORIGINAL = Message("Download the original file")
DATED = Message("Last changed or reviewed on {date}, as it says itself.")
INDEXED = Message("Read on {date}.")
FLAGGED = Message("This document holds instructions addressed to an assistant. Read it with care.")
ROW = Message("From row {row}")
AS_TEXT = Message("The text of the document, as Citewell read it. Pictures and layout are left out.")


class Refusal(NamedTuple):
    """What is said instead of a document."""

    status: int
    title: Message
    because: Message
    what_to_do: Message


_ASK_AGAIN = Message("Ask the question again: the new answer links to what is there now.")
_ASK_SOMEBODY = Message("If you need the document, ask whoever looks after Citewell where you work.")
REFUSALS = {
    Why.UNKNOWN: Refusal(
        404,
        Message("This link leads nowhere"),
        Message("It is not whole, or links made at that time are not valid any more."),
        _ASK_AGAIN,
    ),
    Why.EXPIRED: Refusal(
        410, Message("This link has expired"), Message("Links to sources are valid for 30 days."), _ASK_AGAIN
    ),
    Why.REMOVED: Refusal(
        410,
        Message("This document is gone"),
        Message("It was removed after the answer was written."),
        _ASK_AGAIN,
    ),
    Why.CHANGED: Refusal(
        410,
        Message("This document has changed"),
        Message("It was changed after the answer was written, so what was cited may not stand there any more."),
        _ASK_AGAIN,
    ),
    Why.RULE: Refusal(
        403,
        Message("This link is closed"),
        Message("Who may see the document was changed after the answer was written."),
        _ASK_AGAIN,
    ),
    Why.MOVED: Refusal(
        403,
        Message("This link is closed"),
        Message("The document was moved to another collection after the answer was written."),
        _ASK_AGAIN,
    ),
}
NOT_YOURS = Refusal(
    403,
    Message("You may not see this document"),
    Message("It is in a collection that is not open to you."),
    _ASK_SOMEBODY,
)
NO_ORIGINAL = Refusal(
    404,
    Message("There is no file to download"),
    Message("The original file was changed or moved since it was read, or may not be downloaded."),
    Message("Go back and read the text of the document."),
)
