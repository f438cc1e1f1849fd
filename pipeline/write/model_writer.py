"""A language model as a writer: prompt, stream, sentences."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, field

from pydantic import BaseModel, ConfigDict

from pipeline.errors import CitewellError, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, LanguageModel, SearchFunction, StreamEnd, TextDelta, Tool, ToolCall
from pipeline.values import (
    AdditionalPassages,
    DraftEnd,
    DraftSentence,
    RetrievedChunk,
    Turn,
    Usage,
    WritingBrief,
    join_cells,
)
from pipeline.words.text import content_terms, estimate_tokens, sentence_spans, truncate_to_tokens
from pipeline.write.citation_marks import find_passage_marks, split_marks
from pipeline.write.draft_parser import DraftParser, ParsedSentence
from pipeline.write.prompts import PromptOptions, render_answer_prompt
from pipeline.write.search_tool import MAX_SEARCHES, SEARCH_BUDGET_DIVISOR, SEARCH_TOOL, SearchToolRunner

# --- Links, addresses and mentions: none may appear that the sources do not hold ------------------

_ADDRESS = re.compile(
    r"\]\s?\(\s*<?(?P<target>[^()\s>]+)"
    r"|(?P<scheme>\b(?:[a-z][a-z0-9+.-]{1,20}://|(?:javascript|vbscript|data|mailto|tel|sms|file):)[^\s<>\"'|)\]`]+)"
    r"|(?P<mention><[@#!&:a-z][^<>\n]{0,300}>|@(?:everyone|here|channel)\b)"
    r"|(?P<mail>[\w.+-]{1,80}@[\w.-]{1,80}\.[a-z]{2,24}\b)"
    r"|(?P<domain>\b(?:[\w-]{1,63}(?:\.|\[\.\])){1,32}[a-z]{2,24}\b(?:/[^\s<>\"')\]`]*)?)",
    re.IGNORECASE,
)
_RUN_ON = re.compile(r"(?<=[a-z\d])\.(?=[A-Z][a-z]*$)")
"""Where a sentence begins without a space before it: `the machine.It is`."""


def drop_foreign_references(text: str, sources: Iterable[str]) -> str:
    """`text` without the sentences that hold a link, an address, a file name or a mention that no source has, case
    apart. A full stop without a space behind it makes no address: it gets one."""
    if not _ADDRESS.search(text):
        return text
    sources = tuple(sources)
    found = find_foreign_references(text, sources)
    for address in found:
        text = text.replace(address, _RUN_ON.sub(". ", address)) if address.count(".") == 1 else text
    if not found or not find_foreign_references(text, sources):
        return text
    return " ".join(
        text[start:end] for start, end in sentence_spans(text) if not find_foreign_references(text[start:end], sources)
    )


def find_foreign_references(text: str, sources: Sequence[str]) -> tuple[str, ...]:
    """The links, addresses, file names and mentions of `text` that stand in none of `sources`."""
    found = [(match[match.lastgroup or 0].rstrip(".,;:!?"), _before(match)) for match in _ADDRESS.finditer(text)]
    if not found:
        return ()
    everything = "\n".join(sources)
    standing = {one for one in set(found) if _stands(*one, everything)}
    return tuple(address for address, before in found if (address, before) not in standing)


def _before(found: re.Match[str]) -> str:
    """The `/` of a path or the `.` of a part that a name begins behind."""
    start = found.start()
    return found.string[start - 1] if found["domain"] and start and found.string[start - 1] in "./" else ""


def _stands(address: str, before: str, known: str) -> bool:
    """As a whole: `acme.co` does not stand in `acme.com`, nor `acme.com` in `x.acme.com`."""
    begins = re.escape(before) or r"(?<![\w.@/-])"
    return re.search(rf"{begins}{re.escape(address)}(?![\w-]|\.\w)", known, re.IGNORECASE) is not None


# --- What does not stand is written again ---------------------------------------------------------

REWRITE_SENTENCE_TOKENS = 150
"""Tokens of a sentence, as it was and as it is written again."""
MAX_REWRITES = 12
"""Sentences that are written again."""


class Again(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int
    text: str


class Rewritten(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sentences: list[Again]


_TASK = """These sentences of the draft are not shown, since the passages do not support them as they stand:
{refused}
Write each of them again so that a passage states all of it: in the passage's own words, with its conditions, and with \
the number of that passage [n] at the end. Where no passage states it, give an empty text.
Answer with one JSON object: {{"sentences": [{{"number": the sentence's number, "text": "..."}}]}}"""


def rewrite_messages(draft: Sequence[DraftSentence], refused: Mapping[int, str], mark: str) -> list[ChatMessage]:
    """The draft, and what is wrong with it, behind the prompt that it was written for."""
    told = "\n".join(
        f"<claim-{mark}> {number}: {reason}\n"
        f"{truncate_to_tokens(draft[number].text, REWRITE_SENTENCE_TOKENS)}\n</claim-{mark}>"
        for number, reason in list(refused.items())[:MAX_REWRITES]
    )
    written = "\n".join(sentence.text for sentence in draft)
    return [
        ChatMessage(role="assistant", content=written),
        ChatMessage(role="user", content=_TASK.format(refused=told)),
    ]


def parse_rewrite(
    found: Rewritten, draft: Sequence[DraftSentence], refused: Mapping[int, str]
) -> dict[int, ParsedSentence]:
    """What was written again, by the number of the sentence that it stands for, which it is of one kind with."""
    again: dict[int, ParsedSentence] = {}
    for one in found.sentences:
        text, numbers = split_marks(" ".join(one.text.split()))
        if text and one.number in refused and one.number not in again:
            before = draft[one.number]
            cells = tuple(cell.strip() for cell in text.strip("| ").split("|")) if before.cells else ()
            again[one.number] = ParsedSentence(
                text=join_cells(cells) if cells else text,
                kind=before.kind,
                numbers=numbers,
                opens=before.opens,
                section=before.section,
                cells=cells,
            )
    return again


# --- The writer -----------------------------------------------------------------------------------

MAX_LENGTH_FACTOR = 2
"""How many times `brief.max_length` a draft may be: a model counts no characters, and of 122 people's answers of
mtrag_cloud 13 are longer than was asked for, none twice as long."""
TOOL_CALLS_REASON = "tool_calls"
"""How a reply ends that asks for a search."""
NOT_IN_DOCUMENTS = "not_in_documents"
"""The reason of `DraftEnd` when the model found no answer in the passages."""

_AS_OF = re.compile(r"As of (\d{4}-\d{2}-\d{2}): *(?=\S)")


def _marks() -> Callable[[str], str]:
    """A mark for each question that nobody outside can know: the same again for the same question."""
    secret = secrets.token_bytes(16)
    return lambda text: hashlib.blake2b(text.encode(errors="replace"), key=secret, digest_size=4).hexdigest()


@dataclass(frozen=True)
class ModelWriter:
    """A `Writer`. Sentences that name no passage of the prompt come without chunk ids.

    `max_tokens` bounds what the model may write at a time; `mark` makes the mark of a prompt from its question."""

    model: LanguageModel
    options: PromptOptions
    _: KW_ONLY
    max_tokens: int = 1000
    make_nonce: Callable[[str], str] = field(default_factory=_marks)

    async def write(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        look: SearchFunction | None = None,
    ) -> AsyncGenerator[DraftSentence | AdditionalPassages | DraftEnd, None]:
        """See `Writer`. Raises Unavailable before the model wrote anything only, Unusable before the first sentence.

        The draft is not complete when the stream failed, was cut, ran into its limit or was filtered; it ends,
        complete, at the sentence with which it would be LONGER times what was asked for. What names no source before it
        searches is no part of it."""
        mark, spare = (
            self.make_nonce(brief.question),
            self.options.context_tokens // SEARCH_BUDGET_DIVISOR if look else 0,
        )
        prompt = render_answer_prompt(brief, passages, history, self.options, mark, spare=spare)
        yield AdditionalPassages(passages=prompt.passages)
        looking = SearchToolRunner(look, brief, mark, tokens_per_search=spare // MAX_SEARCHES) if look else None
        draft = _Draft(self.model.name, brief, mark, list(prompt.passages), prompt.tokens)
        messages = list(prompt.messages)
        for _ in range(MAX_SEARCHES + 2 if looking else 1):
            async with aclosing(self._streamed(draft, messages, (SEARCH_TOOL,) if looking else ())) as sentences:
                async for sentence in sentences:
                    yield sentence
            if not (looking and draft.searches):
                break
            results, found = await looking.run(draft.calls, draft.passages)
            messages += [ChatMessage(role="assistant", content=draft.said, calls=tuple(draft.calls)), *results]
            draft.passages += found
            if found:
                yield AdditionalPassages(passages=tuple(found))
        yield draft.finished()

    async def rewrite(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        draft: Sequence[DraftSentence],
        refused: Mapping[int, str],
    ) -> tuple[dict[int, DraftSentence], int]:
        """See `Writer`."""
        mark = self.make_nonce(brief.question)
        asked = rewrite_messages(draft, refused, mark)
        spare = sum(estimate_tokens(one.content) for one in asked)
        prompt = render_answer_prompt(brief, passages, history, self.options, mark, spare=spare)
        messages = [*prompt.messages, *asked]
        try:
            found, usage = await self.model.structured(
                messages, Rewritten, max_tokens=REWRITE_SENTENCE_TOKENS * min(len(refused), MAX_REWRITES)
            )
        except Unavailable:
            return {}, 0
        except CitewellError:
            return {}, prompt.tokens + 2 * REWRITE_SENTENCE_TOKENS * len(refused)
        again = {
            number: sentence
            for number, marked in parse_rewrite(found, draft, refused).items()
            for sentence in _resolved([marked], prompt.passages, mark)
        }
        return again, usage.input_tokens + usage.output_tokens

    async def _streamed(
        self, draft: _Draft, messages: Sequence[ChatMessage], tools: Sequence[Tool]
    ) -> AsyncGenerator[DraftSentence, None]:
        """The sentences of one reply, but for those that name no source before it searches; `draft` is told how it
        ended."""
        parser = draft.begins()
        aside: list[DraftSentence] = []
        cited = not tools
        try:
            stream = self.model.stream(messages, max_tokens=self.max_tokens, tools=tools)
            async with aclosing(stream) as pieces:
                async for piece in pieces:
                    for sentence in draft.takes(piece, parser):
                        aside.append(sentence)
                        cited = cited or bool(sentence.chunk_ids)
                        while cited and aside:
                            yield aside.pop(0)
                    if draft.full:
                        break
        except CitewellError as error:
            if not (draft.written or draft.read):
                raise
            draft.cut = str(error)
        if tools and draft.searches:
            draft.length -= sum(len(sentence.text) for sentence in aside)
        else:
            for sentence in aside:
                yield sentence


@dataclass
class _Draft:
    """What a model has written so far, over all of its replies."""

    writer: str
    brief: WritingBrief
    mark: str
    passages: list[RetrievedChunk]
    """The one with number n is `passages[n - 1]`."""
    prompt: int
    """Tokens of the first prompt, estimated."""
    missing: list[str] = field(default_factory=list)
    said: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    """Text and calls of the last reply."""
    end: StreamEnd = field(default_factory=lambda: StreamEnd(reason=""))
    length: int = 0
    written: bool = False
    read: int = 0
    told: int = 0
    """Tokens of the prompts before the last and of the replies to them, as the provider counts them."""
    full: bool = False
    cut: str = ""

    @property
    def searches(self) -> bool:
        """Whether the last reply ended with asking for a search."""
        return bool(self.calls) and self.end.reason == TOOL_CALLS_REASON

    def begins(self) -> DraftParser:
        """The parser of the next reply."""
        self.read += (self.end.input_tokens or self.prompt) if self.end.reason else 0
        self.told += self.end.output_tokens or estimate_tokens(self.said)
        self.end = StreamEnd(reason="")
        self.said, self.calls = "", []
        parser = DraftParser({mark for passage in self.passages for mark in find_passage_marks(passage.chunk.text)})
        self.missing = parser.missing
        return parser

    def takes(self, piece: TextDelta | ToolCall | StreamEnd, parser: DraftParser) -> Iterator[DraftSentence]:
        """The sentences that a piece completes, until the answer is as long as it may be."""
        match piece:
            case ToolCall():
                self.calls.append(piece)
                return
            case StreamEnd():
                self.end = piece
                marked = parser.close(complete=piece.reason in ("stop", TOOL_CALLS_REASON))
            case TextDelta():
                self.said += piece.text
                self.written = self.written or bool(piece.text)
                marked = parser.feed(piece.text)
        for sentence in _resolved(marked, self.passages, self.mark):
            longer = self.length + len(sentence.text)
            self.full = self.full or bool(self.length and longer > MAX_LENGTH_FACTOR * self.brief.max_length)
            if not self.full:
                self.length += len(sentence.text)
                yield sentence

    def finished(self) -> DraftEnd:
        """Raises Unusable where nothing was said at all."""
        usage = Usage(
            writer=self.writer,
            input_tokens=self.read + (self.end.input_tokens or self.prompt),
            output_tokens=self.told + (self.end.output_tokens or estimate_tokens(self.said)),
        )
        if self.full and not self.cut:
            return DraftEnd(reason="max_length", usage=usage)
        if self.cut or self.end.reason != "stop":
            return DraftEnd(is_complete=False, reason=self.cut or self.end.reason or "cut off", usage=usage)
        if not self.length and not self.missing:
            raise UnusableResponse(f"{self.writer}: the reply holds no sentence")
        missing = _missing(self.missing, self.brief.question)
        return DraftEnd(reason="" if self.length else NOT_IN_DOCUMENTS, usage=usage, missing=missing)


def _resolved(marked: Sequence[ParsedSentence], passages: Sequence[RetrievedChunk], mark: str) -> list[DraftSentence]:
    """Sentences with chunk ids for source numbers. Left out is what repeats the prompt's own mark."""
    numbered = dict(enumerate(passages, start=1))
    resolved: list[DraftSentence] = []
    for sentence in marked:
        named = [numbered[number] for number in sentence.numbers if number in numbered]
        as_of, said = _dated(sentence.text, named)
        shown = [*map(_said, passages)]
        cells = tuple(drop_foreign_references(cell, shown) for cell in sentence.cells)
        text = join_cells(cells) if any(cells) else "" if cells else drop_foreign_references(said, shown)
        if mark in text or mark in sentence.language or not text:
            continue
        resolved.append(
            DraftSentence(
                text=text,
                kind=sentence.kind,
                cells=cells,
                chunk_ids=tuple(passage.chunk.id for passage in named),
                opens=sentence.opens,
                language=sentence.language,
                section=sentence.section,
                as_of=as_of,
            )
        )
    return resolved


def _dated(text: str, named: Sequence[RetrievedChunk]) -> tuple[str, str]:
    """The day in front of a sentence, where a document is of it that the sentence names, and the rest."""
    found = _AS_OF.match(text)
    known = found and found[1] in {passage.document.last_changed for passage in named}
    return (found[1], text[found.end() :]) if found and known else ("", text)


def _said(passage: RetrievedChunk) -> str:
    """All that a model was shown of a passage."""
    document, chunk = passage.document, passage.chunk
    return "\n".join((document.title, document.filename, document.url, *chunk.heading, chunk.text))


def _missing(said: Sequence[str], question: str) -> tuple[str, ...]:
    """What the documents do not hold, kept only where it is said in the question's own words."""
    asked = set(content_terms(question))
    return tuple(what for what in said if content_terms(what) and set(content_terms(what)) <= asked)
