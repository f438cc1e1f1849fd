"""What people would see of real model answers with a judge that is right 95 times of 100: a double that knows the
labels, right of all sentences and wrong of all, weighed 95 to 5.

    python -m bench.judged ragtruth_qa/dev.jsonl    (docs/quality.md describes the set)
"""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path

from bench.quality import Row, read
from bot.evaluation.grounding import predict_grounding, split_response
from bot.evaluation.scores import EvaluationScores, score_shown_sentences
from pipeline.check.model_judge import ModelJudge
from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.values import UNKNOWN_CAPACITY, Usage
from pipeline.words.text import content_terms, estimate_tokens

WRONG_OF_100 = 5
_FENCED = re.compile(r"<(source|claim)-\w+>[^\n]*\n(.*?)\n</\1-\w+>", re.DOTALL)


class Knowing:
    """A `LanguageModel` that judges by the labels: `labels` has whether a claim is supported, `mistaken` which it gets
    wrong. The words it rests on are the line of a source that has most of the claim's."""

    name = "knowing"
    capacity = UNKNOWN_CAPACITY

    def __init__(self, labels: Mapping[str, bool], mistaken: Callable[[str], bool]) -> None:
        self.labels = labels
        self.spent: list[int] = []
        self._mistaken = mistaken

    async def connect(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        yield StreamEnd(reason="stop")

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        told = _FENCED.findall(messages[-1].content)
        claims = [text for kind, text in told if kind == "claim"]
        lines = [line for kind, text in told if kind == "source" for line in re.split(r"\n| … ", text)]
        found = [self._verdict(number, claim, lines) for number, claim in enumerate(claims, start=1)]
        verdict = into.model_validate({"verdicts": found})
        asked = estimate_tokens("".join(message.content for message in messages))
        self.spent.append(asked + estimate_tokens(verdict.model_dump_json()))
        return verdict, Usage(input_tokens=asked, output_tokens=self.spent[-1] - asked)

    def _verdict(self, number: int, claim: str, lines: Sequence[str]) -> dict[str, object]:
        words = max(lines, key=lambda line: len(set(content_terms(claim)) & set(content_terms(line))), default="")
        supported = self._known(claim) != self._mistaken(claim)
        return {"claim": number, "words": words, "verdict": "supported" if supported else "not there"}

    def _known(self, claim: str) -> bool:
        """The label of the claim; a long one is cut on its way here."""
        return (
            self.labels[claim]
            if claim in self.labels
            else next(label for text, label in self.labels.items() if text.startswith(claim))
        )


def labels(row: Row) -> dict[str, bool]:
    """Whether each sentence of a response is free of what people marked as unsupported."""
    return {
        marked.text: not any(span["start"] < end and start < span["end"] for span in row["spans"])
        for marked, start, end in split_response(row["response"])
    }


async def run(path: Path) -> None:
    rows, spent = read(path), []
    found: dict[str, EvaluationScores] = {"no judge": await measured(rows, None)}
    for name, mistaken in (("right", False), ("wrong", True)):
        double = Knowing({}, lambda _, mistaken=mistaken: mistaken)
        found[name] = await measured(rows, double)
        spent += double.spent
    share = WRONG_OF_100 / 100
    found["a judge"] = {
        name: found["right"][name] * (1 - share) + found["wrong"][name] * share for name in found["right"]
    }
    for name in ("no judge", "a judge"):
        figures = found[name]
        print(f"{name:<10} right kept {figures['right_kept']:.3f}  wrong let through {figures['wrong_through']:.3f}")
    print(f"{len(spent) // 2} readings, {statistics.mean(spent):.0f} tokens each")


async def measured(rows: Sequence[Row], double: Knowing | None) -> EvaluationScores:
    pairs = []
    for row in rows:
        if double:
            double.labels = labels(row)
        pairs.append((row, await predict_grounding(row, ModelJudge(double) if double else None)))
    return score_shown_sentences(pairs)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
