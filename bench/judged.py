"""What people would see of real model answers with a judge that is right 95 times of 100: a double that knows the
labels. `python -m bench.judged ragtruth_qa/dev.jsonl` (the set is described in docs/quality.md)."""

from __future__ import annotations

import asyncio
import hashlib
import re
import statistics
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

from bench.quality import Row, read
from bot.evaluation.grounding import parsed, predict_grounding
from bot.evaluation.scores import shown_sentences
from pipeline.check.model import ModelJudge
from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta
from pipeline.text import terms
from pipeline.tokens import estimate
from pipeline.values import Usage

WRONG_OF_100 = 5
_FENCED = re.compile(r"<(source|claim)-\w+>[^\n]*\n(.*?)\n</\1-\w+>", re.DOTALL)


class Knowing:
    """A `LanguageModel` that judges by the labels: `labels` has whether a claim is supported, `mistaken` which it gets
    wrong. The words it rests on are the line of a source that has most of the claim's."""

    name = "knowing"

    def __init__(self, labels: Mapping[str, bool], mistaken: Callable[[str], bool]) -> None:
        self.labels = labels
        self.spent: list[int] = []
        self._mistaken = mistaken

    async def connect(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[TextDelta | StreamEnd]:
        yield StreamEnd(reason="stop")

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        told = _FENCED.findall(messages[-1].content)
        claim = next(text for kind, text in told if kind == "claim")
        lines = [line for kind, text in told if kind == "source" for line in re.split(r"\n| … ", text)]
        words = max(lines, key=lambda line: len(set(terms(claim)) & set(terms(line))), default="")
        supported = self._known(claim) != self._mistaken(claim)
        verdict = into.model_validate({"words": words, "verdict": "supported" if supported else "not there"})
        asked = estimate("".join(message.content for message in messages))
        self.spent.append(asked + estimate(verdict.model_dump_json()))
        return verdict, Usage(input_tokens=asked, output_tokens=self.spent[-1] - asked)

    def _known(self, claim: str) -> bool:
        """The label of the claim; a long one is cut on its way here."""
        return (
            self.labels[claim]
            if claim in self.labels
            else next(label for text, label in self.labels.items() if text.startswith(claim))
        )


def sometimes(claim: str) -> bool:
    """The same claims on every machine, without meaning."""
    return int(hashlib.sha256(claim.encode()).hexdigest(), 16) % 100 < WRONG_OF_100


def labels(row: Row) -> dict[str, bool]:
    """Whether each sentence of a response is free of what people marked as unsupported."""
    return {
        marked.text: not any(span["start"] < end and start < span["end"] for span in row["spans"])
        for marked, start, end in parsed(row["response"])
    }


async def run(path: Path) -> None:
    rows, double = read(path), Knowing({}, sometimes)
    found = {}
    for name, judge in (("no judge", None), ("a judge", ModelJudge(double))):
        pairs = []
        for row in rows:
            double.labels = labels(row)
            pairs.append((row, await predict_grounding(row, judge)))
        found[name] = shown_sentences(pairs)
    for name, figures in found.items():
        print(f"{name:<10} right kept {figures['right_kept']:.3f}  wrong let through {figures['wrong_through']:.3f}")
    print(f"{len(double.spent)} sentences read, {statistics.mean(double.spent):.0f} tokens each")


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
