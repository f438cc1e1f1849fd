"""The check of a claim as people get it, and a model that knows which claims are true."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from pipeline.check.judge import ModelJudge
from pipeline.check.validate import judge
from pipeline.ports import ChatMessage, StreamEnd, TextDelta
from pipeline.ports.models import T
from pipeline.values import RetrievedChunk, Sentence, Usage


class KnowingModel:
    """A judging model that knows the label of every claim, and says the opposite of the `mistaken` ones."""

    name = "knowing"

    def __init__(self, labels: Mapping[str, bool], mistaken: frozenset[str]) -> None:
        self._labels = labels
        self._mistaken = mistaken

    async def connect(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[TextDelta | StreamEnd]:
        yield StreamEnd(reason="stop")

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        claim = max((one for one in self._labels if one in messages[-1].content), key=len)
        true = self._labels[claim] != (claim in self._mistaken)
        return into.model_validate({"missing": "" if true else "all of it", "supported": true}), Usage()


async def shown(claim: str, passage: RetrievedChunk, model: KnowingModel | None) -> bool:
    """Whether a reader sees the claim, made of that passage by a model."""
    sentence = Sentence(text=claim, chunk_ids=(passage.chunk.id,))
    judgement = judge(sentence, [passage])
    if model:
        judgement, _ = await ModelJudge(model).review(sentence, judgement, [passage])
    return judgement.supported
