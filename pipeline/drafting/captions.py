"""Captions of a draft: a header, a heading, a lead-in or `Yes.` states nothing by itself. It is shown with the text
under it, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.compose.answer import CAPTION_KINDS, CheckedSentence
from pipeline.values import BlockKind, Cells, DraftSentence, Judgement, SupportBasis, replace
from pipeline.words.text import is_lead_in, is_yes_or_no

MIN_ANSWER_CHARACTERS = 20
"""Minimum length in characters of a model's answer, unless a passage supports it (specification A)."""


def release_captions(
    captions: list[CheckedSentence], piece: CheckedSentence, *, grounded: bool
) -> tuple[list[CheckedSentence], list[CheckedSentence]]:
    """Return the sentences that may be shown now that `piece` is judged, and the captions that still wait for text
    under them."""
    judgement = piece.judgement
    unread = judgement.support is SupportBasis.UNSURE and is_caption(piece.sentence)
    if is_caption(piece.sentence) or (_needs_following_text(piece.sentence) and (judgement.is_supported or grounded)):
        others = [caption for caption in captions if _caption_form(caption.sentence) != _caption_form(piece.sentence)]
        return [], [*others, piece] if judgement.is_supported or unread else others
    if judgement.is_supported:
        return [*(_with_sources_below(caption, judgement) for caption in captions), piece], []
    if not (grounded or judgement.is_injected):
        return [*captions, piece], []
    return [], [caption for caption in captions if not is_yes_or_no(caption.sentence.text)]


def _with_sources_below(caption: CheckedSentence, below: Judgement) -> CheckedSentence:
    """Return a caption with the sources of the sentence `below` it, where it cites them too or words do not decide."""
    own = caption.judgement
    if own.is_supported and not is_caption(caption.sentence):
        return caption
    chunk_ids = (
        tuple(chunk_id for chunk_id in own.chunk_ids if chunk_id in below.chunk_ids) or own.chunk_ids or below.chunk_ids
    )
    support = own.support if own.is_supported else below.support
    return caption._replace(judgement=replace(own, support=support, chunk_ids=chunk_ids, quote=""))


def header_above(sentence: DraftSentence, before: Sequence[DraftSentence]) -> Cells:
    """Return the cells of the header above a row; none for any other sentence."""
    if sentence.kind is not BlockKind.ROW:
        return ()
    above = next((earlier for earlier in reversed(before) if earlier.kind is not BlockKind.ROW), None)
    return above.cells if above and above.kind is BlockKind.HEADER else ()


def is_caption(sentence: DraftSentence) -> bool:
    """Tell whether a sentence states nothing by itself and is shown with the next one: a header, a heading, `Yes.`"""
    return sentence.kind in CAPTION_KINDS or is_yes_or_no(sentence.text)


def _needs_following_text(sentence: DraftSentence) -> bool:
    """Tell whether a sentence never stands alone: a caption, or the lead-in to a list, a table or code."""
    return is_caption(sentence) or (sentence.kind is BlockKind.PROSE and is_lead_in(sentence.text))


def _caption_form(sentence: DraftSentence) -> tuple[BlockKind, bool]:
    """Return the key by which captions replace each other: one heading the next, one lead-in the next, and `Yes.`
    neither."""
    return sentence.kind, is_caption(sentence)


def is_single_answer(pieces: Sequence[CheckedSentence]) -> bool:
    """Tell whether the whole draft is one supported sentence, though it is the lead-in to nothing."""
    return (
        len(pieces) == 1 and pieces[0].judgement.is_supported and len(pieces[0].sentence.text) >= MIN_ANSWER_CHARACTERS
    )


def is_substantial(sentence: DraftSentence) -> bool:
    """Tell whether a sentence is long enough to answer and can stand alone."""
    return len(sentence.text) >= MIN_ANSWER_CHARACTERS and not _needs_following_text(sentence)
