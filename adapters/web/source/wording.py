"""Texts around a document, and of a link that opens nothing."""

from __future__ import annotations

from typing import NamedTuple

from adapters.web.links import InvalidLinkReason
from pipeline.translations import TranslatableText

CITED = TranslatableText("Cited passage")
PASSAGE = TranslatableText("Passage {number} of {total}")
PASSAGES = TranslatableText("Passages of the document")
PREVIOUS, NEXT, BACK = (
    TranslatableText("Previous"),
    TranslatableText("Next"),
    TranslatableText("Back to what was cited"),
)
BEFORE, AFTER = TranslatableText("What stands before"), TranslatableText("What stands behind")
ORIGINAL = TranslatableText("Download the original file")
DATED = TranslatableText("Last changed or reviewed on {date}, as it says itself.")
INDEXED = TranslatableText("Read on {date}.")
FLAGGED = TranslatableText("This document holds instructions addressed to an assistant. Read it with care.")
ROW = TranslatableText("From row {row}")
AS_TEXT = TranslatableText("The text of the document, as Citewell read it. Pictures and layout are left out.")


class LinkRefusal(NamedTuple):
    """The page that is shown instead of a document."""

    status: int
    title: TranslatableText
    because: TranslatableText
    what_to_do: TranslatableText


_ASK_AGAIN = TranslatableText("Ask the question again: the new answer links to what is there now.")
_ASK_SOMEBODY = TranslatableText("If you need the document, ask whoever looks after Citewell where you work.")
REFUSALS = {
    InvalidLinkReason.UNKNOWN: LinkRefusal(
        404,
        TranslatableText("This link leads nowhere"),
        TranslatableText("It is not whole, or links made at that time are not valid any more."),
        _ASK_AGAIN,
    ),
    InvalidLinkReason.EXPIRED: LinkRefusal(
        410,
        TranslatableText("This link has expired"),
        TranslatableText("Links to sources are valid for 30 days."),
        _ASK_AGAIN,
    ),
    InvalidLinkReason.REMOVED: LinkRefusal(
        410,
        TranslatableText("This document is gone"),
        TranslatableText("It was removed after the answer was written."),
        _ASK_AGAIN,
    ),
    InvalidLinkReason.CHANGED: LinkRefusal(
        410,
        TranslatableText("This document has changed"),
        TranslatableText(
            "It was changed after the answer was written, so what was cited may not stand there any more."
        ),
        _ASK_AGAIN,
    ),
    InvalidLinkReason.RULE: LinkRefusal(
        403,
        TranslatableText("This link is closed"),
        TranslatableText("Who may see the document was changed after the answer was written."),
        _ASK_AGAIN,
    ),
    InvalidLinkReason.MOVED: LinkRefusal(
        403,
        TranslatableText("This link is closed"),
        TranslatableText("The document was moved to another collection after the answer was written."),
        _ASK_AGAIN,
    ),
}
NOT_YOURS = LinkRefusal(
    403,
    TranslatableText("You may not see this document"),
    TranslatableText("It is in a collection that is not open to you."),
    _ASK_SOMEBODY,
)
NO_ORIGINAL = LinkRefusal(
    404,
    TranslatableText("There is no file to download"),
    TranslatableText("The original file was changed or moved since it was read, or may not be downloaded."),
    TranslatableText("Go back and read the text of the document."),
)
