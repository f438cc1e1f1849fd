"""What says nothing by itself (a header, a heading, a lead-in, `Yes.`): shown with what stands under it, or not."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.compose.compose import CAPTIONS, Checked
from pipeline.values import BlockKind, Cells, Judgement, Sentence, Support, replace
from pipeline.words.text import decides, leads_in

TOO_SHORT = 20
"""Characters below which what a model writes is no answer, unless a passage supports it (specification A)."""


def settled(captions: list[Checked], piece: Checked, *, grounded: bool) -> tuple[list[Checked], list[Checked]]:
    """What may be shown now that `piece` is judged, and the captions that still wait for what stands under them."""
    judgement = piece.judgement
    unread = judgement.support is Support.UNSURE and is_caption(piece.sentence)
    if is_caption(piece.sentence) or (_waits(piece.sentence) and (judgement.supported or grounded)):
        others = [one for one in captions if _form(one.sentence) != _form(piece.sentence)]
        return [], [*others, piece] if judgement.supported or unread else others
    if judgement.supported:
        return [*(_leaning(one, judgement) for one in captions), piece], []
    if not (grounded or judgement.forbidden):
        return [*captions, piece], []
    return [], [one for one in captions if not decides(one.sentence.text)]


def _leaning(caption: Checked, below: Judgement) -> Checked:
    """A caption with what it rests on: what stands `below` it, where it names that too or no words decide."""
    own = caption.judgement
    if own.supported and not is_caption(caption.sentence):
        return caption
    chunk_ids = tuple(one for one in own.chunk_ids if one in below.chunk_ids) or own.chunk_ids or below.chunk_ids
    support = own.support if own.supported else below.support
    return caption._replace(judgement=replace(own, support=support, chunk_ids=chunk_ids, quote=""))


def header_above(sentence: Sentence, before: Sequence[Sentence]) -> Cells:
    """The cells of the header that a row stands under; none for anything else."""
    if sentence.kind is not BlockKind.ROW:
        return ()
    above = next((one for one in reversed(before) if one.kind is not BlockKind.ROW), None)
    return above.cells if above and above.kind is BlockKind.HEADER else ()


def is_caption(sentence: Sentence) -> bool:
    """Whether it says nothing by itself, and stands where what follows does: a header, a heading, `Yes.`"""
    return sentence.kind in CAPTIONS or decides(sentence.text)


def _waits(sentence: Sentence) -> bool:
    """Whether it never stands alone: a caption, or what leads in to a list, a table or code."""
    return is_caption(sentence) or (sentence.kind is BlockKind.PROSE and leads_in(sentence.text))


def _form(sentence: Sentence) -> tuple[BlockKind, bool]:
    """What gives way to its like: one heading to the next, one lead-in to the next, and `Yes.` to neither."""
    return sentence.kind, is_caption(sentence)


def is_answer(pieces: Sequence[Checked]) -> bool:
    """Whether all that was written is one sentence that stands, though it leads in to nothing."""
    return len(pieces) == 1 and pieces[0].judgement.supported and len(pieces[0].sentence.text) >= TOO_SHORT


def says_much(sentence: Sentence) -> bool:
    return len(sentence.text) >= TOO_SHORT and not _waits(sentence)
