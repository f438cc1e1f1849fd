"""A language model as a writer: prompt, stream, sentences."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Sequence

from pipeline.addresses import strange
from pipeline.errors import CitewellError, Unusable
from pipeline.ports import LanguageModel, StreamEnd, TextDelta
from pipeline.streams import closing
from pipeline.text import terms
from pipeline.tokens import estimate
from pipeline.values import Brief, Finished, RetrievedChunk, Sentence, Turn, Usage
from pipeline.write.markup import Marked, Parser
from pipeline.write.prompts import Prompt, PromptOptions, answer_prompt

NOT_IN_DOCUMENTS = "not_in_documents"
"""The reason of `Finished` when the model found no answer in the passages."""


class ModelWriter:
    """A `Writer`. Sentences that name no passage of the prompt come without chunk ids; the validator drops them.

    `max_tokens` bounds what the model may write; `mark` makes the prompt's random mark.
    """

    def __init__(
        self,
        model: LanguageModel,
        options: PromptOptions,
        *,
        max_tokens: int = 1000,
        mark: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        self._model = model
        self._options = options
        self._max_tokens = max_tokens
        self._mark = mark

    async def write(
        self, brief: Brief, passages: Sequence[RetrievedChunk], history: Sequence[Turn]
    ) -> AsyncIterator[Sentence | Finished]:
        """See `Writer`. Raises Unavailable before the model wrote anything only, Unusable before the first sentence.

        The draft is not complete when the stream failed, was cut, ran into its limit or was filtered; it ends,
        complete, at the sentence that would pass `brief.max_length`."""
        mark = self._mark()
        prompt = answer_prompt(brief, passages, history, self._options, mark)
        draft = _Draft(self._model.name, prompt, brief, mark)
        try:
            async with closing(self._model.stream(prompt.messages, max_tokens=self._max_tokens)) as stream:
                async for piece in stream:
                    for sentence in draft.take(piece):
                        yield sentence
                    if draft.full:
                        break
        except CitewellError as error:
            if not draft.begun:
                raise
            yield draft.cut(str(error))
            return
        yield draft.finished()


class _Draft:
    """What one stream has given so far."""

    def __init__(self, service: str, prompt: Prompt, brief: Brief, mark: str) -> None:
        self.length = 0
        """Characters of the sentences given on."""
        self.full = False
        self._service = service
        self._prompt = prompt
        self._brief = brief
        self._mark = mark
        self._parser = Parser()
        self._written = 0
        self._end: StreamEnd | None = None

    @property
    def begun(self) -> bool:
        """The model has written something, which is to be paid for."""
        return self._written > 0

    def take(self, piece: TextDelta | StreamEnd) -> list[Sentence]:
        """The sentences that `piece` completes, as far as there is room for them."""
        if isinstance(piece, StreamEnd):
            self._end = piece
            marked = self._parser.close(complete=piece.reason == "stop")
        else:
            self._written += estimate(piece.text)
            marked = self._parser.feed(piece.text)
        fitting: list[Sentence] = []
        for sentence in _resolved(marked, self._prompt.passages, self._mark):
            self.full = self.full or bool(self.length and self.length + len(sentence.text) > self._brief.max_length)
            if not self.full:
                self.length += len(sentence.text)
                fitting.append(sentence)
        return fitting

    def finished(self) -> Finished:
        """How the stream ended. Raises Unusable when it held no sentence."""
        if self.full:
            return Finished(reason="max_length", usage=self._usage)
        if self._end is None or self._end.reason != "stop":
            return self.cut(self._end.reason if self._end and self._end.reason else "cut off")
        if self._parser.missing:
            missing = _missing(self._parser.missing, self._brief.question)
            return Finished(reason="" if self.length else NOT_IN_DOCUMENTS, usage=self._usage, missing=missing)
        if not self.length:
            raise Unusable(f"{self._service}: the reply holds no sentence")
        return Finished(usage=self._usage)

    def cut(self, reason: str) -> Finished:
        return Finished(complete=False, reason=reason, usage=self._usage)

    @property
    def _usage(self) -> Usage:
        """As the provider counted, or estimated where it did not."""
        return Usage(
            writer=self._service,
            input_tokens=(self._end.input_tokens if self._end else 0) or self._prompt.tokens,
            output_tokens=(self._end.output_tokens if self._end else 0) or self._written,
        )


def _resolved(marked: Sequence[Marked], passages: Sequence[RetrievedChunk], mark: str) -> list[Sentence]:
    """Sentences with chunk ids for source numbers. Left out is what repeats the prompt's own mark, and what holds an
    address or a mention that the passages it names do not hold."""
    numbered = dict(enumerate(passages, start=1))
    resolved: list[Sentence] = []
    for sentence in marked:
        named = [numbered[number] for number in sentence.numbers if number in numbered]
        if mark in sentence.text or mark in sentence.language or strange(sentence.text, map(_said, named)):
            continue
        resolved.append(
            Sentence(
                text=sentence.text,
                kind=sentence.kind,
                chunk_ids=tuple(passage.chunk.id for passage in named),
                opens=sentence.opens,
                language=sentence.language,
                section=sentence.section,
                leads=sentence.leads,
            )
        )
    return resolved


def _said(passage: RetrievedChunk) -> str:
    """All that a model was shown of a passage."""
    document, chunk = passage.document, passage.chunk
    return "\n".join((document.title, document.filename, document.url, *chunk.heading, chunk.text))


def _missing(said: Sequence[str], question: str) -> tuple[str, ...]:
    """What the documents do not hold, kept only where it is said in the question's own words."""
    asked = set(terms(question))
    return tuple(what for what in said if terms(what) and set(terms(what)) <= asked)
