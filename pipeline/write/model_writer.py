"""A writer that uses a language model: prompt, stream, sentences."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict

from pipeline.errors import CitewellError, PromptTooLong, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, LanguageModel, SearchFunction, StreamEnd, TextDelta, Tool, ToolCall
from pipeline.ports.reply_schema import limit_entries, list_limit, max_reply_tokens, number_limit, text_limit
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
"""A full stop before a sentence without a space: `the machine.It is`."""


def drop_foreign_references(text: str, sources: Iterable[str]) -> str:
    """Return `text` without the sentences with a link, an address, a file name or a mention that no source has, case
    apart. A full stop without a space behind it makes no address: it gets one."""
    if not _ADDRESS.search(text):
        return text
    sources = tuple(sources)
    foreign = find_foreign_references(text, sources)
    for address in foreign:
        text = text.replace(address, _RUN_ON.sub(". ", address)) if address.count(".") == 1 else text
    if not foreign or not find_foreign_references(text, sources):
        return text
    return " ".join(
        text[start:end] for start, end in sentence_spans(text) if not find_foreign_references(text[start:end], sources)
    )


def find_foreign_references(text: str, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the links, addresses, file names and mentions of `text` that stand in none of `sources`."""
    references = [
        (match[match.lastgroup or 0].rstrip(".,;:!?"), _preceding_mark(match)) for match in _ADDRESS.finditer(text)
    ]
    if not references:
        return ()
    all_text = "\n".join(sources)
    present = {reference for reference in set(references) if _contains_address(*reference, all_text)}
    return tuple(address for address, before in references if (address, before) not in present)


def _preceding_mark(match: re.Match[str]) -> str:
    """Return the `/` of a path or the `.` of a domain in front of a name."""
    start = match.start()
    return match.string[start - 1] if match["domain"] and start and match.string[start - 1] in "./" else ""


def _contains_address(address: str, before: str, source_text: str) -> bool:
    """Tell whether an address stands complete in a text: `acme.co` does not stand in `acme.com`, nor `acme.com` in
    `x.acme.com`."""
    opening = re.escape(before) or r"(?<![\w.@/-])"
    return re.search(rf"{opening}{re.escape(address)}(?![\w-]|\.\w)", source_text, re.IGNORECASE) is not None


# --- What does not stand is written again ---------------------------------------------------------

REWRITE_SENTENCE_TOKENS = 150
"""Token limit of a rejected sentence."""
_REWRITE_CHARACTERS = 450
"""Maximum number of characters of its rewrite."""
MAX_REWRITES = 12
"""Maximum number of sentences that are rewritten."""


class Again(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: Annotated[int, number_limit(999)]
    text: Annotated[str, text_limit(_REWRITE_CHARACTERS)]


class Rewritten(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sentences: Annotated[list[Again], list_limit(MAX_REWRITES)]


def rewritten_schema(count: int) -> type[Rewritten]:
    """Return the schema of a reply that has so many rejected sentences again."""
    return limit_entries(Rewritten, "sentences", min(count, MAX_REWRITES))


_REWRITE_TASK = """These sentences of the draft are not shown, since the passages do not support them as they stand:
{refused}
Write each of them again so that a passage states all of it: in the passage's own words, with its conditions, and with \
the number of that passage [n] at the end. Where no passage states it, give an empty text.
Answer with one JSON object: {{"sentences": [{{"number": the sentence's number, "text": "..."}}]}}"""


def rewrite_messages(draft: Sequence[DraftSentence], refused: Mapping[int, str], mark: str) -> list[ChatMessage]:
    """Return the messages that follow the prompt of a draft: the draft, and the reasons why sentences of it were
    rejected."""
    reasons = "\n".join(
        f"<claim-{mark}> {number}: {reason}\n"
        f"{truncate_to_tokens(draft[number].text, REWRITE_SENTENCE_TOKENS)}\n</claim-{mark}>"
        for number, reason in list(refused.items())[:MAX_REWRITES]
    )
    draft_text = "\n".join(sentence.text for sentence in draft)
    return [
        ChatMessage(role="assistant", content=draft_text),
        ChatMessage(role="user", content=_REWRITE_TASK.format(refused=reasons)),
    ]


def parse_rewrite(
    rewritten: Rewritten, draft: Sequence[DraftSentence], refused: Mapping[int, str]
) -> dict[int, ParsedSentence]:
    """Return the rewritten sentences by the number of the sentence that each replaces and whose kind it keeps."""
    replacements: dict[int, ParsedSentence] = {}
    for sentence in rewritten.sentences:
        text, numbers = split_marks(" ".join(sentence.text.split()))
        if text and sentence.number in refused and sentence.number not in replacements:
            original = draft[sentence.number]
            cells = tuple(cell.strip() for cell in text.strip("| ").split("|")) if original.cells else ()
            replacements[sentence.number] = ParsedSentence(
                text=join_cells(cells) if cells else text,
                kind=original.kind,
                numbers=numbers,
                opens=original.opens,
                section=original.section,
                cells=cells,
            )
    return replacements


# --- The writer -----------------------------------------------------------------------------------

MAX_LENGTH_FACTOR = 2
"""Factor on `brief.max_length` up to which a draft may grow: a model counts no characters, and of 122 people's answers
of mtrag_cloud 13 are longer than was asked for, none twice as long."""
TOOL_CALLS_REASON = "tool_calls"
"""End reason of a reply that asks for a search."""
NOT_IN_DOCUMENTS = "not_in_documents"
"""Reason of a `DraftEnd` when the model found no answer in the passages."""

_AS_OF = re.compile(r"As of (\d{4}-\d{2}-\d{2}): *(?=\S)")


def _nonce_maker() -> Callable[[str], str]:
    """Return a function from a question to a mark that nobody outside can guess: equal questions have equal marks."""
    secret = secrets.token_bytes(16)
    return lambda text: hashlib.blake2b(text.encode(errors="replace"), key=secret, digest_size=4).hexdigest()


@dataclass(frozen=True)
class ModelWriter:
    """A `Writer` that uses a language model. Sentences that name no passage of the prompt come without chunk ids.

    `max_tokens` is the limit of one reply; `make_nonce` makes the mark of a prompt from its question."""

    model: LanguageModel
    options: PromptOptions
    _: KW_ONLY
    max_tokens: int = 1000
    make_nonce: Callable[[str], str] = field(default_factory=_nonce_maker)

    async def write(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        search: SearchFunction | None = None,
    ) -> AsyncGenerator[DraftSentence | AdditionalPassages | DraftEnd, None]:
        """Write an answer; see `Writer`. Raises Unavailable only before the model wrote anything, UnusableResponse
        before the first sentence.

        The draft is not complete when the stream failed, was cut, ran into its limit or was filtered. It ends,
        complete, at the sentence with which it would be `MAX_LENGTH_FACTOR` times as long as asked. Sentences without a
        source before a search are no part of it."""
        mark, spare = (
            self.make_nonce(brief.question),
            self.options.context_tokens // SEARCH_BUDGET_DIVISOR if search else 0,
        )
        prompt = render_answer_prompt(brief, passages, history, self.options, mark, spare=spare)
        yield AdditionalPassages(passages=prompt.passages)
        search_runner = (
            SearchToolRunner(search, brief, mark, tokens_per_search=spare // MAX_SEARCHES) if search else None
        )
        draft = _Draft(self.model.name, brief, mark, list(prompt.passages), prompt.tokens)
        messages = list(prompt.messages)
        for _ in range(MAX_SEARCHES + 2 if search_runner else 1):
            async with aclosing(
                self._stream_reply(draft, messages, (SEARCH_TOOL,) if search_runner else ())
            ) as sentences:
                async for sentence in sentences:
                    yield sentence
            if not (search_runner and draft.searches):
                break
            results, new_passages = await search_runner.run(draft.calls, draft.passages)
            messages += [ChatMessage(role="assistant", content=draft.text, calls=tuple(draft.calls)), *results]
            draft.passages += new_passages
            if new_passages:
                yield AdditionalPassages(passages=tuple(new_passages))
        yield draft.end_draft()

    async def rewrite(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        draft: Sequence[DraftSentence],
        refused: Mapping[int, str],
    ) -> tuple[dict[int, DraftSentence], int]:
        """Rewrite rejected sentences; see `Writer`."""
        mark = self.make_nonce(brief.question)
        request = rewrite_messages(draft, refused, mark)
        spare = sum(estimate_tokens(message.content) for message in request)
        prompt = render_answer_prompt(brief, passages, history, self.options, mark, spare=spare)
        messages = [*prompt.messages, *request]
        schema = rewritten_schema(len(refused))
        max_tokens = max_reply_tokens(schema)
        try:
            rewritten, usage = await self.model.structured(messages, schema, max_tokens=max_tokens)
        except (Unavailable, PromptTooLong):
            return {}, 0
        except CitewellError:
            return {}, prompt.tokens + spare + max_tokens
        replacements = {
            number: sentence
            for number, marked in parse_rewrite(rewritten, draft, refused).items()
            for sentence in _resolve_sources([marked], prompt.passages, mark)
        }
        return replacements, usage.input_tokens + usage.output_tokens

    async def _stream_reply(
        self, draft: _Draft, messages: Sequence[ChatMessage], tools: Sequence[Tool]
    ) -> AsyncGenerator[DraftSentence, None]:
        """Yield the sentences of one reply, without those that name no source before it searches; `draft` records its
        end."""
        parser = draft.start_reply()
        uncited: list[DraftSentence] = []
        cited = not tools
        try:
            stream = self.model.stream(messages, max_tokens=self.max_tokens, tools=tools)
            async with aclosing(stream) as pieces:
                async for piece in pieces:
                    for sentence in draft.feed(piece, parser):
                        uncited.append(sentence)
                        cited = cited or bool(sentence.chunk_ids)
                        while cited and uncited:
                            yield uncited.pop(0)
                    if draft.full:
                        break
        except CitewellError as error:
            if not (draft.written or draft.earlier_input_tokens):
                raise
            draft.cut = str(error)
        if tools and draft.searches:
            draft.length -= sum(len(sentence.text) for sentence in uncited)
        else:
            for sentence in uncited:
                yield sentence


@dataclass
class _Draft:
    """The text of a model so far, over all of its replies."""

    writer: str
    brief: WritingBrief
    mark: str
    passages: list[RetrievedChunk]
    """The passages of the prompts; number n is `passages[n - 1]`."""
    prompt: int
    """Tokens of the first prompt, estimated."""
    missing: list[str] = field(default_factory=list)
    text: str = ""
    """Text of the last reply."""
    calls: list[ToolCall] = field(default_factory=list)
    """Tool calls of the last reply."""
    end: StreamEnd = field(default_factory=lambda: StreamEnd(reason=""))
    length: int = 0
    written: bool = False
    earlier_input_tokens: int = 0
    """Tokens of the prompts before the last, as the provider counts them."""
    earlier_output_tokens: int = 0
    """Tokens of the replies before the last, as the provider counts them."""
    full: bool = False
    cut: str = ""

    @property
    def searches(self) -> bool:
        """True where the last reply ended with the request for a search."""
        return bool(self.calls) and self.end.reason == TOOL_CALLS_REASON

    def start_reply(self) -> DraftParser:
        """Return the parser of the next reply."""
        self.earlier_input_tokens += (self.end.input_tokens or self.prompt) if self.end.reason else 0
        self.earlier_output_tokens += self.end.output_tokens or estimate_tokens(self.text)
        self.end = StreamEnd(reason="")
        self.text, self.calls = "", []
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
                self.written = self.written or bool(piece.text)
                marked = parser.feed(piece.text)
        for sentence in _resolve_sources(marked, self.passages, self.mark):
            longer = self.length + len(sentence.text)
            self.full = self.full or bool(self.length and longer > MAX_LENGTH_FACTOR * self.brief.max_length)
            if not self.full:
                self.length += len(sentence.text)
                yield sentence

    def end_draft(self) -> DraftEnd:
        """Return the end of the draft. Raises UnusableResponse where it holds nothing at all."""
        usage = Usage(
            writer=self.writer,
            input_tokens=self.earlier_input_tokens + (self.end.input_tokens or self.prompt),
            output_tokens=self.earlier_output_tokens + (self.end.output_tokens or estimate_tokens(self.text)),
        )
        if self.full and not self.cut:
            return DraftEnd(reason="max_length", usage=usage)
        if self.cut or self.end.reason != "stop":
            return DraftEnd(is_complete=False, reason=self.cut or self.end.reason or "cut off", usage=usage)
        if not self.length and not self.missing:
            raise UnusableResponse(f"{self.writer}: the reply holds no sentence")
        missing = _confirm_missing(self.missing, self.brief.question)
        return DraftEnd(reason="" if self.length else NOT_IN_DOCUMENTS, usage=usage, missing=missing)


def _resolve_sources(
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
