"""`python -m bench.private_data SET [EVAL]`: what of personal data is found by its form, and what that costs.

SET is `data/synth_dataset_v2.json` of microsoft/presidio-research (MIT); EVAL a folder of public sets as for
`bench.quality`, of whose documents hardly any hold personal data.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.screen.sensitive_data import find_sensitive_data

KINDS = {"EMAIL_ADDRESS": "mail", "PHONE_NUMBER": "phone", "CREDIT_CARD": "card", "IBAN_CODE": "iban"}
PASSAGE = 2000
"""Characters."""


def accuracy(file: Path) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for row in json.loads(file.read_text(encoding="utf-8")):
        found = find_sensitive_data(row["full_text"])
        gold = [
            (KINDS[span["entity_type"]], span["start_position"], span["end_position"])
            for span in row["spans"]
            if span["entity_type"] in KINDS
        ]
        for kind, start, end in gold:
            counts[kind, "there"] += 1
            counts[kind, "found"] += any(one.kind == kind and one.start < end and start < one.end for one in found)
            counts[kind, "whole"] += any(one.start <= start and end <= one.end for one in found)
        for one in found:
            counts[one.kind, "right"] += any(k == one.kind and one.start < b and a < one.end for k, a, b in gold)
            counts[one.kind, "said"] += 1
    for kind in KINDS.values():
        there, said = counts[kind, "there"], counts[kind, "said"]
        print(
            f"{kind}: precision {counts[kind, 'right'] / said:.3f}, recall {counts[kind, 'found'] / there:.3f} of "
            f"{there}, hidden whole {counts[kind, 'whole']}"
        )


def passages(folder: Path) -> Iterator[str]:
    for file in sorted(folder.glob("*/corpus.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            text = json.loads(line)["text"]
            yield from (text[start : start + PASSAGE] for start in range(0, len(text), PASSAGE))


def cost(folder: Path) -> None:
    texts = list(passages(folder))
    kinds = Counter(one.kind for text in texts for one in find_sensitive_data(text))
    seconds = []
    for text in texts:
        started = time.thread_time()
        find_sensitive_data(text)
        seconds.append(time.thread_time() - started)
    seconds.sort()
    median, most = seconds[len(seconds) // 2], seconds[len(seconds) * 99 // 100]
    told = ", ".join(f"{kind} {count / len(texts) * 1000:.1f}" for kind, count in kinds.most_common())
    print(f"in 1,000 of {len(texts)} passages: {told}; {median * 1e6:.0f} µs a passage, p99 {most * 1e6:.0f} µs")


if __name__ == "__main__":
    accuracy(Path(sys.argv[1]))
    if len(sys.argv) > 2:
        cost(Path(sys.argv[2]))
