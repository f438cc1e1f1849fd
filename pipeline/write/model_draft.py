"""The text of a model while it is written: its sentences with their sources, its end, its cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.errors import UnusableResponse
from pipeline.ports import StreamEnd, TextDelta, ToolCall
from pipeline.values import DraftEnd, DraftSentence, RetrievedChunk, Usage, WritingBrief, join_cells
from pipeline.words.text import content_terms, estimate_tokens
from pipeline.write.citation_marks import find_passage_marks
from pipeline.write.draft_failures import DRAFT_WITHOUT_SOURCE, NOT_IN_DOCUMENTS, WINDOW_FULL
from pipeline.write.draft_parser import DraftParser, ParsedSentence
from pipeline.write.foreign_references import drop_foreign_references

MAX_LENGTH_FACTOR = 2
"""Factor on `brief.max_length` up to which a draft may grow: a model counts no characters, and of 122 people's answers
of mtrag_cloud 13 are longer than was asked for, none twice as long."""
TOOL_CALLS_REASON = "tool_calls"
"""End reason of a reply that asks for a search."""
SOURCELESS_TOKENS = 120
"""Estimated tokens (a hundred of a model's own) without a source number after which a slow model is not waited for."""
_WINDOW_REASON = "window"
"""End reason of a reply that ran into the model's window."""

_AS_OF = re.compile(r"As of (\d{4}-\d{2}-\d{2}): *(?=\S)")


@dataclass
class ModelDraft:
    """The text of a model so far, over all of its replies."""

    writer: str
    brief: WritingBrief
    mark: str
    passages: list[RetrievedChunk]
    """The passages of the prompts; number n is `passages[n - 1]`."""
    prompt: int
    """Tokens of the first prompt, estimated."""
    limit: int = 0
    """Token limit of the first prompt."""
    missing: list[str] = field(default_factory=list)
    text: str = ""
    """Text of the last reply."""
    text_tokens: int = 0
    """Tokens of that text, estimated piece by piece."""
    calls: list[ToolCall] = field(default_factory=list)
    """Tool calls of the last reply."""
    end: StreamEnd = field(default_factory=lambda: StreamEnd(reason=""))
    length: int = 0
    written: bool = False
    earlier_input_tokens: int = 0
    """Tokens of the prompts before the last, as the provider counts them."""
    earlier_output_tokens: int = 0
    """Tokens of the replies before the last, as the provider counts them."""
    earlier_cached_tokens: int = 0
    """Tokens of the prompts before the last that the server had cached."""
    full: bool = False
    cited: bool = False
    """True where a sentence names a source."""
    is_sourceless: bool = False
    """True where it was given up, since it names no source."""
    cut: str = ""

    @property
    def searches(self) -> bool:
        """True where the last reply ended with the request for a search."""
        return bool(self.calls) and self.end.reason == TOOL_CALLS_REASON

    def start_reply(self) -> DraftParser:
        """Return the parser of the next reply."""
        self.earlier_input_tokens += (self.end.input_tokens or self.prompt) if self.end.reason else 0
        self.earlier_output_tokens += self.end.output_tokens or self.text_tokens
        self.earlier_cached_tokens += self.end.cached_tokens or 0
        self.end = StreamEnd(reason="")
        self.text, self.text_tokens, self.calls = "", 0, []
        parser = DraftParser({mark for passage in self.passages for mark in find_passage_marks(passage.chunk.text)})
        self.missing = parser.missing
        return parser

    def feed(self, piece: TextDelta | ToolCall | StreamEnd, parser: DraftParser) -> Iterator[DraftSentence]:
        """Yield the sentences that a piece completes, until the answer has its full length."""
        match piece:
            case ToolCall():
                self.calls.append(piece)
                return
            case StreamEnd():
                self.end = piece
                marked = parser.close(complete=piece.reason in ("stop", TOOL_CALLS_REASON))
            case TextDelta():
                self.text += piece.text
                self.text_tokens += estimate_tokens(piece.text)
                self.written = self.written or bool(piece.text)
                marked = parser.feed(piece.text)
        self.cited = self.cited or any(sentence.numbers for sentence in marked)
        for sentence in resolve_sources(marked, self.passages, self.mark):
            longer = self.length + len(sentence.text)
            self.full = self.full or bool(self.length and longer > MAX_LENGTH_FACTOR * self.brief.max_length)
            if not self.full:
                self.length += len(sentence.text)
                yield sentence

    def give_up(self, parser: DraftParser) -> list[DraftSentence]:
        """Return the sentences held for a source, and give the draft up, where so much was written without one."""
        if self.cited or self.text_tokens <= SOURCELESS_TOKENS or parser.is_within_block:
            return []
        self.is_sourceless = True
        return resolve_sources(parser.close(complete=False), self.passages, self.mark)

    @property
    def usage(self) -> Usage:
        """Usage so far, as the provider counts it; estimated where it has not counted. A reply of which nothing came
        costs nothing."""
        has_come = self.text or self.calls or self.end.reason
        return Usage(
            writer=self.writer,
            input_tokens=self.earlier_input_tokens + (self.end.input_tokens or (self.prompt if has_come else 0)),
            output_tokens=self.earlier_output_tokens + (self.end.output_tokens or self.text_tokens),
            cached_tokens=self.earlier_cached_tokens + (self.end.cached_tokens or 0),
            context_tokens=self.limit,
        )

    def end_draft(self) -> DraftEnd:
        """Return the end of the draft. Raises UnusableResponse where it holds nothing at all."""
        usage = self.usage
        if self.is_sourceless:
            return DraftEnd(is_complete=False, reason=DRAFT_WITHOUT_SOURCE, usage=usage)
        if self.full and not self.cut:
            return DraftEnd(reason="max_length", usage=usage)
        if self.cut or self.end.reason != "stop":
            reason = WINDOW_FULL if self.end.reason == _WINDOW_REASON else self.end.reason
            return DraftEnd(is_complete=False, reason=self.cut or reason or "cut off", usage=usage)
        if not self.length and not self.missing:
            raise UnusableResponse(f"{self.writer}: the reply holds no sentence")
        missing = _confirm_missing(self.missing, self.brief.question)
        return DraftEnd(reason="" if self.length else NOT_IN_DOCUMENTS, usage=usage, missing=missing)


def resolve_sources(
    marked: Sequence[ParsedSentence], passages: Sequence[RetrievedChunk], mark: str
) -> list[DraftSentence]:
    """Return the sentences with chunk ids for source numbers, without those that repeat the prompt's own mark."""
    numbered = dict(enumerate(passages, start=1))
    resolved: list[DraftSentence] = []
    for sentence in marked:
        cited = [numbered[number] for number in sentence.numbers if number in numbered]
        as_of, statement = _split_date(sentence.text, cited)
        source_texts = [*map(_source_text, passages)]
        cells = tuple(drop_foreign_references(cell, source_texts) for cell in sentence.cells)
        text = join_cells(cells) if any(cells) else "" if cells else drop_foreign_references(statement, source_texts)
        if mark in text or mark in sentence.language or not text:
            continue
        resolved.append(
            DraftSentence(
                text=text,
                kind=sentence.kind,
                cells=cells,
                chunk_ids=tuple(passage.chunk.id for passage in cited),
                opens=sentence.opens,
                language=sentence.language,
                section=sentence.section,
                as_of=as_of,
            )
        )
    return resolved


def _split_date(text: str, cited: Sequence[RetrievedChunk]) -> tuple[str, str]:
    """Return the day in front of a sentence, where a cited document has that day, and the rest of the sentence."""
    match = _AS_OF.match(text)
    is_cited = match and match[1] in {passage.document.last_changed for passage in cited}
    return (match[1], text[match.end() :]) if match and is_cited else ("", text)


def _source_text(passage: RetrievedChunk) -> str:
    """Return all text of a passage that a model has read."""
    document, chunk = passage.document, passage.chunk
    return "\n".join((document.title, document.filename, document.url, *chunk.heading, chunk.text))


def _confirm_missing(reported: Sequence[str], question: str) -> tuple[str, ...]:
    """Return the reported missing parts that are in the question's own words."""
    question_terms = set(content_terms(question))
    return tuple(part for part in reported if content_terms(part) and set(content_terms(part)) <= question_terms)
