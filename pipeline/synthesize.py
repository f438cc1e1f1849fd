"""A language model as a writer: prompt, stream, sentences."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Sequence

from pipeline.errors import Unusable
from pipeline.markup import Marked, Parser
from pipeline.ports import LanguageModel, StreamEnd
from pipeline.prompts import Prompt, PromptOptions, answer_prompt
from pipeline.streams import closing
from pipeline.text import terms
from pipeline.tokens import estimate
from pipeline.values import Brief, Finished, RetrievedChunk, Sentence, Turn, Usage

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
        """See `Writer`. Raises Unusable when the model wrote nothing at all.

        The draft is not complete when the stream was cut, ran into its limit or was filtered; it ends, complete, at
        the sentence that would pass `brief.max_length`."""
        mark = self._mark()
        prompt = answer_prompt(brief, passages, history, self._options, mark)
        parser = Parser()
        length = written = 0
        end: StreamEnd | None = None
        async with closing(self._model.stream(prompt.messages, max_tokens=self._max_tokens)) as stream:
            async for piece in stream:
                if isinstance(piece, StreamEnd):
                    end = piece
                    marked = parser.close(complete=piece.reason == "stop")
                else:
                    written += estimate(piece.text)
                    marked = parser.feed(piece.text)
                for sentence in _resolved(marked, prompt.chunk_ids, mark):
                    if length and length + len(sentence.text) > brief.max_length:
                        yield Finished(reason="max_length", usage=self._usage(prompt, written, end))
                        return
                    length += len(sentence.text)
                    yield sentence
        usage = self._usage(prompt, written, end)
        if end is None or end.reason != "stop":
            yield Finished(complete=False, reason=end.reason if end and end.reason else "cut off", usage=usage)
        elif parser.missing:
            missing = _missing(parser.missing, brief.question)
            yield Finished(reason="" if length else NOT_IN_DOCUMENTS, usage=usage, missing=missing)
        elif length:
            yield Finished(usage=usage)
        else:
            raise Unusable(f"{self._model.name}: the reply holds no sentence")

    def _usage(self, prompt: Prompt, written: int, end: StreamEnd | None) -> Usage:
        """As the provider counted, or estimated where it did not."""
        return Usage(
            writer=self._model.name,
            input_tokens=(end.input_tokens if end else 0) or prompt.tokens,
            output_tokens=(end.output_tokens if end else 0) or written,
        )


def _resolved(marked: Sequence[Marked], chunk_ids: Sequence[str], mark: str) -> list[Sentence]:
    """Sentences with chunk ids for source numbers; what repeats the prompt's own mark is left out."""
    numbered = dict(enumerate(chunk_ids, start=1))
    return [
        Sentence(
            text=sentence.text,
            kind=sentence.kind,
            chunk_ids=tuple(numbered[number] for number in sentence.numbers if number in numbered),
            opens=sentence.opens,
            language=sentence.language,
            section=sentence.section,
        )
        for sentence in marked
        if mark not in sentence.text and mark not in sentence.language
    ]


def _missing(said: Sequence[str], question: str) -> tuple[str, ...]:
    """What the documents do not hold, kept only where it is said in the question's own words."""
    asked = set(terms(question))
    return tuple(what for what in said if terms(what) and set(terms(what)) <= asked)
