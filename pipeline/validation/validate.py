"""Is a sentence supported by the passages it names? Deterministic, and the same for every writer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pipeline.addresses import strange
from pipeline.extraction.orders import orders
from pipeline.screen import addressed_to_assistant
from pipeline.text import sentences, terms
from pipeline.validation.contradiction import mixed, turned
from pipeline.validation.facts import Date, Quantity
from pipeline.validation.ground import Ground, Said, Vocabulary, Word, read
from pipeline.validation.risk import Risk, assess, likelihood
from pipeline.values import BlockKind, Judgement, RetrievedChunk, Sentence, Value

BEARABLE = 1.0
"""Hazard (see `pipeline.validation.risk`) up to which a reworded sentence counts as supported."""
LOOSE_AT_MOST = 0.5
"""Share of its terms that may be missing from the sentences it rests on, however short it is."""
DOUBTFUL = 2.0
"""Hazard from which a sentence of a response is marked."""
FLAGGED = 5.0
"""Hazard from which a whole response is flagged: a number or date that no source has, and more."""
_CLAUSE = re.compile(r"[,;:()]\s*|\s+(?=(?:and|but|which|while|because|so|such as|including)\b)")
_GROUP = re.compile(r"(?:(?:the|all|our|most|some|both)\s+)?[\w-]+[^\Ws]s\b", re.IGNORECASE)
"""Begins with a noun in the plural: the sentence is about these."""
_NOTHING = Vocabulary(())


def judge(sentence: Sentence, passages: Sequence[RetrievedChunk], *, question: str = "") -> Judgement:
    """Judge one sentence against the passages it names; a passage it does not name cannot support it.

    What stands in a passage word for word, white space aside, is supported; code has to. Of a table row, every cell
    must be supported. A header may also use the words of the `question`. An instruction to an assistant never is."""
    named = [passage for passage in passages if passage.chunk.id in sentence.chunk_ids]
    if not named:
        return _rejected("it names no passage")
    row = sentence.kind in (BlockKind.HEADER, BlockKind.ROW)
    quoted = _quoted(sentence.text, named)
    if addressed_to_assistant(sentence.text, quoted[0][0].chunk.text if quoted else ""):
        return _rejected("it is an instruction to an assistant")
    if quoted:
        return _supported(1.0, [passage for passage, _ in quoted], quoted[0][1])
    if sentence.kind is BlockKind.CODE:
        return _rejected("the passage does not have this code")
    if row:
        return _row(sentence, named, question if sentence.kind is BlockKind.HEADER else "")
    return _reworded(sentence.text, named)


def _rejected(reason: str, score: float = 0.0) -> Judgement:
    return Judgement(supported=False, score=score, reason=reason)


def _supported(score: float, passages: Iterable[RetrievedChunk], quote: str) -> Judgement:
    chunk_ids = tuple(passage.chunk.id for passage in passages)
    return Judgement(supported=True, score=score, chunk_ids=chunk_ids, quote=quote)


def _row(sentence: Sentence, named: Sequence[RetrievedChunk], question: str) -> Judgement:
    asked = set(terms(question))
    cells = [cell for cell in sentence.text.split(" | ") if terms(cell) and not set(terms(cell)) <= asked]
    judged = [_cell(cell, named) for cell in cells]
    if not judged:
        return _supported(1.0, named, "")
    worst = min(judged, key=lambda judgement: (judgement.supported, judgement.score))
    if not worst.supported:
        return worst
    chunk_ids = tuple(dict.fromkeys(chunk_id for judgement in judged for chunk_id in judgement.chunk_ids[:1]))
    quote = " | ".join(judgement.quote for judgement in judged)
    return Judgement(supported=True, score=worst.score, chunk_ids=chunk_ids, quote=quote)


def _cell(text: str, named: Sequence[RetrievedChunk]) -> Judgement:
    quoted = _quoted(text, named)
    if quoted:
        return _supported(1.0, [passage for passage, _ in quoted], quoted[0][1])
    return _reworded(text, named)


def _quoted(claim: str, named: Sequence[RetrievedChunk]) -> list[tuple[RetrievedChunk, str]]:
    """The passages that say the claim word for word to their readers, each with the span."""
    found = ((passage, _verbatim(claim, passage.chunk.text)) for passage in named)
    return [(passage, span) for passage, span in found if span and not _ordered(passage, span)]


def _ordered(passage: RetrievedChunk, span: str) -> bool:
    """Whether `span` stands among the orders that the passage gives to an assistant."""
    begin = passage.chunk.text.find(span)
    end = begin + len(span)
    return any(unit.start < end and begin < unit.end for unit in map(passage.chunk.units.__getitem__, orders(passage)))


def _verbatim(claim: str, text: str) -> str:
    """The span of `text` that is the claim, white space aside."""
    words = claim.split()
    if not words or " ".join(words) not in _spaced_once(text):
        return ""
    start = text.find(claim)
    if start >= 0 and not text[start - 1 : start].isalnum() and not text[start + len(claim) :][:1].isalnum():
        return claim
    pattern = r"\s+".join(map(re.escape, words))
    match = re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", text)
    return match.group() if match else ""


@lru_cache(maxsize=64)
def _spaced_once(text: str) -> str:
    return " ".join(text.split())


def _reworded(text: str, named: Sequence[RetrievedChunk]) -> Judgement:
    said = read(text)
    grounds = [_ground(passage) for passage in named]
    risk = assess(said, grounds, _NOTHING)
    score = 1 - likelihood(risk.hazard, BEARABLE)
    if added := strange(text, [passage.chunk.text for passage in named]):
        return _rejected(f"{added[0]} is not in the passage")
    if not said.words:
        return _rejected("it says nothing that could be checked")
    if risk.facts or any(word.name for word in risk.words):
        return _rejected(f"{_absent(said, risk)} is not in the passage", score)
    ranked = sorted(zip(named, grounds, strict=True), key=lambda pair: -_held(said, pair[1]))
    ground = ranked[0][1]
    _, place = ground.covered(said.terms, 1)
    nearest = ground.window(place, 1)
    if _GROUP.match(text) and not any(ground.knows(term) for ground in grounds for term in said.subject):
        return _rejected("what it speaks of is not in the passage", score)
    if risk.hazard > BEARABLE or risk.loose > LOOSE_AT_MOST:
        return _rejected("too few of its words are in the passage", score)
    if place in orders(ranked[0][0]) or addressed_to_assistant(nearest, ground.text):
        return _rejected("it rests on an instruction to an assistant")
    if reason := turned(said, grounds) or mixed(said, grounds):
        return _rejected(reason, score)
    _, start = ground.covered(said.terms, 2)
    return _supported(score, _needed(said, ranked), ground.window(start, 2))


def _absent(said: Said, risk: Risk) -> str:
    found: list[Quantity | Date | Word] = [*risk.facts, *(word for word in risk.words if word.name)]
    first = found[0]
    return said.text[first.start : first.end]


@lru_cache(maxsize=64)
def _indexed(text: str, units: tuple[tuple[int, int], ...], around: str) -> Ground:
    return Ground(text, units, around)


def _ground(passage: RetrievedChunk) -> Ground:
    chunk = passage.chunk
    around = " ".join((passage.document.title, *chunk.heading))
    return _indexed(chunk.text, tuple((unit.start, unit.end) for unit in chunk.units), around)


def _held(said: Said, ground: Ground) -> int:
    return sum(map(ground.knows, said.terms)) + sum(map(ground.facts.holds, said.facts))


def _needed(said: Said, ranked: Sequence[tuple[RetrievedChunk, Ground]]) -> list[RetrievedChunk]:
    """The best passage, and every other one that has something of the claim which those before it lack."""
    found: list[RetrievedChunk] = []
    have: set[object] = set()
    for passage, ground in ranked:
        held = {term for term in said.terms if ground.knows(term)} | {f for f in said.facts if ground.facts.holds(f)}
        if not found or held - have or len(held) == len(set(said.terms)) + len(said.facts):
            found.append(passage)
            have |= held
    return found


class Checked(Value):
    """A whole response against its sources."""

    score: float
    """0 to 1: how likely something in it is unsupported."""
    flag: bool
    spans: tuple[tuple[int, int], ...]
    """Start and end of what is unsupported."""


def check_response(response: str, sources: Sequence[str], *, question: str = "") -> Checked:
    """Check every sentence of `response` against all of `sources`; the words of the `question` need no source."""
    grounds = [Ground(source, sentences(source), question) for source in sources]
    hazard, spans = 0.0, []
    for start, end in sentences(response):
        said = read(response[start:end])
        risk = assess(said, grounds, _NOTHING)
        hazard += risk.hazard
        if risk.hazard >= DOUBTFUL:
            spans.append(_span(said.text, start, risk))
    return Checked(score=likelihood(hazard, FLAGGED), flag=hazard >= FLAGGED, spans=tuple(spans))


def _span(text: str, start: int, risk: Risk) -> tuple[int, int]:
    """From the first to the last clause that has something unsupported, as places in the response."""
    marks = [found.start for found in (*risk.words, *risk.facts)]
    edges = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text)]
    if not marks:
        return start, start + len(text)
    first = max(edge for edge in edges if edge <= min(marks))
    last = min(edge for edge in edges if edge > max(marks))
    return start + first, start + first + len(text[first:last].rstrip(" ,;:("))
