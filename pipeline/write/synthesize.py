"""A language model as a writer: prompt, stream, sentences."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass

from pipeline.errors import CitewellError, Unusable
from pipeline.ports import LanguageModel, StreamEnd, TextDelta
from pipeline.values import Brief, Finished, RetrievedChunk, Sentence, Turn, Usage
from pipeline.words.text import terms
from pipeline.words.tokens import estimate
from pipeline.write.addresses import strange
from pipeline.write.markup import Marked, Parser
from pipeline.write.prompts import PromptOptions, answer_prompt

NOT_IN_DOCUMENTS = "not_in_documents"
"""The reason of `Finished` when the model found no answer in the passages."""


@dataclass(frozen=True)
class ModelWriter:
    """A `Writer`. Sentences that name no passage of the prompt come without chunk ids: the check drops them.

    `max_tokens` bounds what the model may write; `mark` makes the prompt's random mark.
    """

    model: LanguageModel
    options: PromptOptions
    _: KW_ONLY
    max_tokens: int = 1000
    mark: Callable[[], str] = lambda: secrets.token_hex(4)

    async def write(
        self, brief: Brief, passages: Sequence[RetrievedChunk], history: Sequence[Turn]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """See `Writer`. Raises Unavailable before the model wrote anything only, Unusable before the first sentence.

        The draft is not complete when the stream failed, was cut, ran into its limit or was filtered; it ends,
        complete, at the sentence that would pass `brief.max_length`."""
        mark = self.mark()
        prompt = answer_prompt(brief, passages, history, self.options, mark)
        parser, end, cut = Parser(), StreamEnd(reason=""), ""
        length = written = 0
        full = False
        try:
            async with aclosing(self.model.stream(prompt.messages, max_tokens=self.max_tokens)) as stream:
                async for piece in stream:
                    if isinstance(piece, StreamEnd):
                        end, marked = piece, parser.close(complete=piece.reason == "stop")
                    elif isinstance(piece, TextDelta):
                        written += estimate(piece.text)
                        marked = parser.feed(piece.text)
                    else:
                        continue
                    for sentence in _resolved(marked, prompt.passages, mark):
                        full = full or bool(length and length + len(sentence.text) > brief.max_length)
                        if not full:
                            length += len(sentence.text)
                            yield sentence
                    if full:
                        break
        except CitewellError as error:
            if not written:
                raise
            cut = str(error)
        usage = Usage(
            writer=self.model.name,
            input_tokens=end.input_tokens or prompt.tokens,
            output_tokens=end.output_tokens or written,
        )
        if full and not cut:
            yield Finished(reason="max_length", usage=usage)
        elif cut or end.reason != "stop":
            yield Finished(complete=False, reason=cut or end.reason or "cut off", usage=usage)
        elif not length and not parser.missing:
            raise Unusable(f"{self.model.name}: the reply holds no sentence")
        else:
            missing = _missing(parser.missing, brief.question)
            yield Finished(reason="" if length else NOT_IN_DOCUMENTS, usage=usage, missing=missing)


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
