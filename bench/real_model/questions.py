"""The questions that a real model is asked: over the handbook, over documents from outside, or an operator's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from bench.quality import Row, read
from bench.quality_small import sample_set, sampled

ROOT = Path(__file__).resolve().parents[2]
_HANDBOOK = ROOT / "examples" / "handbook"
_QUALITY = ROOT / "tests" / "quality"
PUBLIC_SET = "clapnq"
"""The public set whose questions are asked, where its data are there: real questions to a search engine."""
TOGETHER = 4
"""Questions that are asked at the same time, at the end."""
_SECOND = {
    "fact-vacation": "And contractors?",
    "fact-office-hours": "And the southern office?",
    "fact-abroad": "Who do I have to ask for that?",
    "fact-invoices": "And where do I send them?",
    "fact-password": "And the VPN, how do I set it up?",
    "fact-warranty": "And the sensors?",
    "fact-lost-device": "Who do I call then?",
    "fact-charging": "And for employees?",
    "row-hotel": "And the limit for a taxi?",
    "row-france": "And in Denmark?",
}
"""The second question of a conversation, by the golden question that opens it."""


class Question(NamedTuple):
    """A question, and the one that follows in its conversation."""

    text: str
    second: str = ""


class QuestionSet(NamedTuple):
    """Questions over a folder or file of documents."""

    name: str
    documents: Path
    questions: list[Question]
    together: list[Question]
    """Asked at the same time when the others are answered."""


def handbook(count: int) -> QuestionSet:
    """Return golden questions that the example handbook answers; ten of them open a conversation."""
    files = {path.name for path in _HANDBOOK.iterdir()}
    rows = [
        row
        for row in read(ROOT / "tests" / "golden" / "questions.jsonl")
        if row["outcome"] == "answered" and row.get("documents") and files.issuperset(row["documents"])
    ]
    alone = [Question(row["question"], _SECOND.get(row["id"], "")) for row in rows if not row.get("history")]
    return QuestionSet("handbook", _HANDBOOK, alone[:count], [Question(one.text) for one in alone[-TOGETHER:]])


def outside(data: Path | None, count: int, folder: Path) -> QuestionSet:
    """Return questions of a public set in `data` with a part of its documents, which is written into `folder`; without
    it, questions over the documents of tests/quality."""
    if data is None or not (data / PUBLIC_SET).is_dir():
        rows = _alone(sampled(read(_QUALITY / "questions.jsonl"), "id"), "answerable")
        return QuestionSet("tests/quality", _QUALITY / "documents", rows[:count], [])
    rows_of_set, documents = sample_set(data, PUBLIC_SET)
    corpus = folder / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
    return QuestionSet(PUBLIC_SET, corpus, _alone(rows_of_set, "gold_doc_ids")[:count], [])


def own(file: Path, documents: Path | None) -> QuestionSet:
    """Return an operator's questions, one a line, with the one that follows after a tab."""
    lines = [line.strip().split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    questions = [Question(line[0].strip(), line[1].strip() if len(line) > 1 else "") for line in lines]
    together = [Question(one.text) for one in questions[:TOGETHER]]
    return QuestionSet(file.name, documents or _HANDBOOK, questions, together)


def _alone(rows: list[Row], answered_by: str) -> list[Question]:
    """Return the questions of rows that documents answer, and that open their conversation."""
    return [Question(row["question"]) for row in rows if row[answered_by] and not row.get("history")]
