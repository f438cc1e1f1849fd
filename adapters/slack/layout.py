"""The text of an answer as Markdown in parts: whole while it fits, cut between sentences where it does not. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adapters.slack import markup
from pipeline.compose import cite
from pipeline.values import Answer, BlockKind, Citation, CitationStyle, CitedSentence

PART = 3_500
"""Characters of Markdown in one message: its plain-text twin then fits `chat.update` (4,000) as well."""
UNIT = 3_000
"""Longest piece that is never split; a longer one is first cut at words into pieces of `RAW`."""
RAW = 700
NAME = 300
"""Longest title or heading of a source within the text."""


class Draft:
    """The text of an answer as it grows, for a stream: what was added is never changed later."""

    def __init__(self, notes: Sequence[str] = ()) -> None:
        self._before = [markup.block(note, ()) for note in notes]
        self._units: list[CitedSentence] = []

    def add(self, sentence: CitedSentence, preface: str = "") -> None:
        if preface:
            self._before.append(markup.block(preface, ()))
        self._units += _units([sentence], frozenset())

    @property
    def text(self) -> str:
        """All Markdown so far, citation marks numbered; empty before the first sentence."""
        body, _ = cite.body(self._units, (), CitationStyle.NUMBERED)
        return _joined([*self._before, body.lstrip("\n ")]) if body else ""

    def parts(self, closing: str) -> list[str]:
        """All Markdown so far, with a last line of ours, as Markdown of at most `PART` characters a piece."""
        before = _gather(self._before) if self._units else []
        body = _split(self._units, (), CitationStyle.NUMBERED, _room_after(before))
        return _gather([*before, *body, markup.block(closing, ())])


def parts(answer: Answer, notes: Sequence[str]) -> list[str]:
    """The answer from preface to closing, as Markdown of at most `PART` characters a piece."""
    links = _links(answer)
    before = _gather(piece for text in (*notes, answer.preface) if text for piece in _lines(text, frozenset()))
    if answer.sentences:
        units = _units(answer.sentences, links)
        texts = _split(units, _inert(answer.citations), answer.citation_style, _room_after(before))
    else:
        texts = _lines(answer.body, links)
    after = _lines(answer.closing, frozenset()) if answer.closing else []
    return _gather([*before, *texts, *after]) or [""]


def _gather(texts: Iterable[str]) -> list[str]:
    """Neighbours put into one message where both fit."""
    gathered: list[str] = []
    for text in texts:
        if gathered and len(gathered[-1]) + len(text) + 2 <= PART:
            gathered[-1] = _joined([gathered[-1], text])
        else:
            gathered.append(text)
    return gathered


def _room_after(before: Sequence[str]) -> int:
    """How much may follow in the message that the last of `before` stands in."""
    return PART - len(before[-1]) - 2 if before else PART


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def _split(units: Sequence[CitedSentence], citations: Sequence[Citation], style: CitationStyle, room: int) -> list[str]:
    """The body in parts of at most `PART` characters, cut between sentences, rows and code blocks only.

    The first one has at most `room` characters, unless its first sentence has more."""
    style = CitationStyle.NUMBERED if style is CitationStyle.ENDNOTE else style  # the footer is the end note

    def upto(count: int) -> str:
        return cite.body(units[:count], citations, style)[0]

    parts: list[str] = []
    start = 0
    while start < len(units):
        head, shown = _header(units, start, citations, style), len(upto(start))
        low, high = start + 1, len(units)
        while low < high:
            middle = (low + high + 1) // 2
            fits = len(head) + len(upto(middle)[shown:].strip("\n ")) <= room
            low, high = (middle, high) if fits else (low, middle - 1)
        parts.append(head + upto(low)[shown:].strip("\n "))
        start, room = low, PART
    return parts


def _header(units: Sequence[CitedSentence], start: int, citations: Sequence[Citation], style: CitationStyle) -> str:
    """The header of the table that a part starting at `start` goes on with."""
    if units[start].kind is not BlockKind.ROW:
        return ""
    for unit in reversed(units[:start]):
        if unit.kind is BlockKind.HEADER:
            return cite.body([unit.model_copy(update={"section": ""})], citations, style)[0] + "\n"
        if unit.kind is not BlockKind.ROW:
            break
    return ""


def _units(sentences: Iterable[CitedSentence], links: frozenset[str]) -> list[CitedSentence]:
    """Sentences made inert, each at most `UNIT` characters long."""
    return [unit for sentence in sentences for unit in _inert_units(sentence, links)]


def _inert_units(sentence: CitedSentence, links: frozenset[str]) -> list[CitedSentence]:
    if sentence.kind is BlockKind.CODE:
        texts = [markup.code(piece, sentence.language) for piece in _code_pieces(sentence.text)]
        units = [sentence.model_copy(update={"text": text, "language": language}) for text, language in texts]
    elif len(whole := _whole(sentence, links)) <= UNIT:
        units = [sentence.model_copy(update={"text": whole})]
    else:
        pieces = [markup.inline(piece, links) for piece in _pieces(sentence.text)]
        units = [sentence.model_copy(update={"text": text, "kind": _not_a_row(sentence.kind)}) for text in pieces]
        units = units[:1] + [unit.model_copy(update={"kind": BlockKind.PROSE, "opens": False}) for unit in units[1:]]
    last = units[-1:]
    return [unit.model_copy(update={"numbers": ()}) for unit in units[:-1]] + last


def _whole(sentence: CitedSentence, links: frozenset[str]) -> str:
    """The sentence in one piece; what is too long for that is returned as it is, only to be measured."""
    if len(sentence.text) > UNIT:
        return sentence.text
    is_row = sentence.kind in (BlockKind.ROW, BlockKind.HEADER)
    return (markup.cell if is_row else markup.inline)(sentence.text, links)


def _not_a_row(kind: BlockKind) -> BlockKind:
    return BlockKind.PROSE if kind in (BlockKind.ROW, BlockKind.HEADER) else kind


def _pieces(text: str) -> list[str]:
    """One line cut at white space, or where there is none at a character, into at most `RAW` characters each."""
    text = markup.one_line(text)
    pieces: list[str] = []
    while len(text) > RAW:
        cut = text.rfind(" ", 1, RAW)
        cut = cut if cut > 0 else RAW
        pieces.append(text[:cut])
        text = text[cut:].lstrip()
    return [*pieces, text] if text else pieces


def _code_pieces(text: str) -> list[str]:
    """Code cut at line ends, or a line too long at a character, into pieces of at most `UNIT` characters."""
    lines = [row[at : at + RAW] for row in markup.clean(text).split("\n") for at in range(0, max(len(row), 1), RAW)]
    pieces: list[str] = []
    for row in lines:
        if pieces and len(markup.code(pieces[-1])[0]) + len(markup.code(row)[0]) < UNIT:
            pieces[-1] = f"{pieces[-1]}\n{row}"
        else:
            pieces.append(row)
    return pieces


def _lines(text: str, links: frozenset[str]) -> list[str]:
    """Lines of Markdown made inert, in parts of at most `PART` characters."""
    parts: list[str] = []
    pieces = (piece for row in text.split("\n") for piece in _pieces(row) or [""])
    for row in (markup.inline(piece, links) for piece in pieces):
        if parts and len(parts[-1]) + len(row) + 1 <= PART:
            parts[-1] = f"{parts[-1]}\n{row}"
        else:
            parts.append(row)
    return [part.strip("\n") for part in parts]


def _links(answer: Answer) -> frozenset[str]:
    return frozenset(citation.url for citation in answer.citations if citation.url)


def _inert(citations: Iterable[Citation]) -> list[Citation]:
    """Citations whose words can stand in the text, in a table too."""

    def words(text: str) -> str:
        return markup.inline(markup.cut(text, NAME), ()).replace("|", "∣")

    return [
        citation.model_copy(
            update={
                "title": words(citation.title),
                "product": words(citation.product),
                "document_type": words(citation.document_type),
                "sheet": citation.sheet and words(citation.sheet),
                "heading": tuple(words(part) for part in citation.heading),
            }
        )
        for citation in citations
    ]
