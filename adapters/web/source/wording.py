"""Texts around a document, and of a link that opens nothing."""

from __future__ import annotations

from typing import NamedTuple

from adapters.web.links import InvalidLinkReason
from pipeline.translations import TranslatableText
from pipeline.values import require_every

CITED = TranslatableText("Cited passage")
PASSAGE = TranslatableText("Passage {number} of {total}")
PASSAGES = TranslatableText("Passages of the document")
PREVIOUS, NEXT, BACK = (
    TranslatableText("Previous"),
    TranslatableText("Next"),
    TranslatableText("Back to the cited passage"),
)
BEFORE, AFTER = TranslatableText("Earlier text"), TranslatableText("Later text")
ORIGINAL = TranslatableText("Download the original file")
DATED = TranslatableText("Last changed or reviewed on {date}, according to the document.")
INDEXED = TranslatableText("Indexed on {date}.")
FLAGGED = TranslatableText("This document contains instructions to an assistant. Read it with care.")
ROW = TranslatableText("From row {row}")
AS_TEXT = TranslatableText("This is the text of the document as Citewell read it, without pictures and layout.")


class LinkRefusal(NamedTuple):
    """The page that is shown instead of a document."""

    status: int
    title: TranslatableText
    because: TranslatableText
    what_to_do: TranslatableText


_ASK_AGAIN = TranslatableText("Ask the question again. The new answer links to the current documents.")
_ASK_SOMEBODY = TranslatableText("If you need the document, ask the operator of Citewell.")
REFUSALS = {
    InvalidLinkReason.UNKNOWN: LinkRefusal(
        404,
        TranslatableText("This link is not valid"),
        TranslatableText("It is incomplete, or links from that time were withdrawn."),
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
        TranslatableText("It was changed after the answer was written, so the cited passage may be gone."),
        _ASK_AGAIN,
    ),
    InvalidLinkReason.RULE: LinkRefusal(
        403,
        TranslatableText("This link is closed"),
        TranslatableText("The access rules of the document were changed after the answer was written."),
        _ASK_AGAIN,
    ),
    InvalidLinkReason.MOVED: LinkRefusal(
        403,
        TranslatableText("This link is closed"),
        TranslatableText("The document was moved to another collection after the answer was written."),
        _ASK_AGAIN,
    ),
}
require_every(InvalidLinkReason, REFUSALS)
NOT_YOURS = LinkRefusal(
    403,
    TranslatableText("You may not see this document"),
    TranslatableText("It is in a collection that is not open to you."),
    _ASK_SOMEBODY,
)
NO_ORIGINAL = LinkRefusal(
    404,
    TranslatableText("There is no file to download"),
    TranslatableText("The original file was changed or moved after it was indexed, or it may not be downloaded."),
    TranslatableText("Go back and read the text of the document."),
)
