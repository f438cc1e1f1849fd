"""A thread of a channel that is a source, as a document."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat import before
from pipeline.plan.smalltalk import small_talk
from pipeline.unasked import asks
from pipeline.values import Block, Document, Parsed, Said, replace
from storage.documents.said import DueThread


def document(due: DueThread, name: str, said: Sequence[Said], files: Sequence[Sequence[Block]] = ()) -> Parsed | None:
    """A thread as a document, with what each message's files say; None where it tells nothing: it is small talk, or a
    question that nobody answered."""
    told = [one for one in said if not small_talk(one.text)]
    sent = [block for blocks in files for block in blocks]
    if not told or (all(asks(one.text) for one in told) and not sent):
        return None
    solved = any(one.accepted for one in told)
    about = Document(
        id=due.document,
        collection=str(due.channel),
        source=str(due.channel),
        filename=f"#{name}" if name else str(due.channel),
        title=told[0].title or ("" if told[0].text else told[0].files[0].name),
        document_type="thread",
        version=str(due.since),
        metadata={"updated": f"{max(one.at for one in told):%Y-%m-%d}"} | ({"solved": "yes"} if solved else {}),
    )
    parsed = before.parsed(told, about)
    return replace(parsed, blocks=(*parsed.blocks, *sent))
