"""A language model that writes one known sentence, and as a judge knows whether it is true."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import AsyncGenerator, Sequence

from bench.quality import Row
from bot.citewell import Citewell
from bot.evaluation.scores import content_words
from pipeline.budget import TokenBudget
from pipeline.check.model_judge import ModelJudge
from pipeline.drafting.task import AnswerModel
from pipeline.errors import UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, TextDelta, Tool, ToolCall
from pipeline.ports.models import T
from pipeline.values import Usage
from pipeline.values.model_capacity import UNKNOWN_CAPACITY
from pipeline.write.model_writer import ModelWriter
from pipeline.write.prompt_fitting import PromptFitter
from pipeline.write.prompts import PromptOptions

_PASSAGE = re.compile(r"<passage-\w+ (\d+)>(.*?)</passage-", re.DOTALL)


class KnowingModel:
    """Writes the claim of a row of claims.jsonl, citing the passage of the prompt that has most words of the row's.

    Asked to judge, it says what the label says, or the opposite where it is `mistaken`."""

    capacity = UNKNOWN_CAPACITY

    name = "knowing"

    def __init__(self, row: Row, *, mistaken: bool) -> None:
        self._row = row
        self._mistaken = mistaken

    async def connect(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        wanted = set(content_words(self._row["passage"]))
        found = _PASSAGE.findall(messages[-1].content)
        number, _ = max(found, key=lambda one: len(wanted & set(content_words(one[1]))))
        yield TextDelta(text=f"{self._row['claim'].removesuffix('.')} [{number}].")
        yield StreamEnd(reason="stop")

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        if "verdicts" not in into.model_fields:
            raise UnusableResponse("knowing: writes nothing again")
        supported = self._row["label"] != self._mistaken
        wanted = set(content_words(self._row["passage"]))
        lines = re.split(r"\n| … ", messages[-1].content.partition("<question-")[0])
        row = max(lines, key=lambda line: len(wanted & set(content_words(line))) / (len(line) + 20))
        words = row if self._row["document"].endswith(".csv") else self._row["passage"]
        verdict = "supported" if supported else "contradicted"
        found = {"claim": 1, "words": words if supported else "", "verdict": verdict}
        return into.model_validate({"verdicts": [found]}), Usage()


def written_by(citewell: Citewell, model: KnowingModel, *, judged: bool) -> Citewell:
    """The same with `model` as its writer, and where it is `judged` with one of another name that knows the same."""
    writer = ModelWriter(PromptFitter(model, PromptOptions()))
    budget = TokenBudget(citewell.storage.token_ledger, per_person=0, per_space=0, per_answer=0)
    reading = copy.copy(model)
    reading.name = "reading"
    judge = ModelJudge(reading) if judged else None
    return dataclasses.replace(citewell, model=AnswerModel(name=model.name, writer=writer, budget=budget, judge=judge))
