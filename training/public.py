"""Pairs of three public sets of questions: python -m training.public OUT POLICYQA MEDQUAD CLAPNQ (git directories)."""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from pipeline.text import sentences
from training.repository import files

SEED = 11
LONGEST, SHORTEST = 900, 60
"""Characters of a passage."""
POLICIES = 0.45
"""Share of PolicyQA's questions taken: they are about a few dozen policies."""
Row = dict[str, Any]


def policies(repository: Path, draw: random.Random) -> Iterator[Row]:
    """Questions about privacy policies; wrong is another part of the same policy that is about something else."""
    every = [article for text in files(repository, r"^data/(dev|test)\.json$") for article in json.loads(text)["data"]]
    for article in every:
        told = [one for one in article["paragraphs"] if SHORTEST <= len(one["context"]) <= LONGEST]
        kinds = [{asked["type"].split("|||")[0] for asked in one["qas"]} for one in told]
        for one, own in zip(told, kinds, strict=True):
            others = [other["context"] for other, kind in zip(told, kinds, strict=True) if not kind & own]
            for asked in one["qas"]:
                if draw.random() < POLICIES:
                    start = asked["answers"][0]["answer_start"]
                    held = next((list(span) for span in sentences(one["context"]) if span[0] <= start < span[1]), None)
                    yield _row("policyqa", asked["question"], one["context"], 1, held)
                    if others:
                        yield _row("policyqa", asked["question"], draw.choice(others), 0)


def health(repository: Path, draw: random.Random) -> Iterator[Row]:
    """Questions about health with their answers; wrong is another answer about the same subject."""
    for text in files(repository, r"\.xml$"):
        try:
            root = ET.fromstring(text)
        except ET.ParseError:
            continue
        told = [(one.findtext("Question") or "", one.findtext("Answer") or "") for one in root.iter("QAPair")]
        told = [(question.replace(" ?", "?").strip(), _beginning(answer)) for question, answer in told]
        told = [(question, answer) for question, answer in told if question and len(answer) > SHORTEST]
        if len(told) < 2:
            continue
        place = draw.randrange(len(told))
        question, answer = told.pop(place)
        yield _row("medquad", question, answer, 1)
        yield _row("medquad", question, draw.choice(told)[1], 0)


def _beginning(answer: str) -> str:
    """Whole sentences, as many as fit."""
    answer = re.sub(r"\s+", " ", answer).strip()
    end = max((end for _, end in sentences(answer) if end <= LONGEST), default=0)
    return answer[:end]


def search(repository: Path, draw: random.Random) -> Iterator[Row]:
    """Questions that people typed into a search engine, with their answers; wrong is the answer to a similar one."""
    (text,) = files(repository, r"^retrieval/train/question_train_answerable\.tsv$")
    told = [(row["question"], _plain(row["answers"])) for row in csv.DictReader(io.StringIO(text), delimiter="\t")]
    told = [(question, answer) for question, answer in told if SHORTEST <= len(answer) <= LONGEST]
    vectors = TfidfVectorizer(sublinear_tf=True, stop_words="english")
    matrix = vectors.fit_transform([answer for _, answer in told])
    near = (vectors.transform([question for question, _ in told]) @ matrix.T).toarray()
    np.fill_diagonal(near, -1)
    order = np.argsort(-near, axis=1)
    for number, (question, answer) in enumerate(told):
        yield _row("clapnq", question, answer, 1)
        other = order[number][min(5, int(draw.expovariate(0.7)))]
        yield _row("clapnq", question, told[int(other)][1], 0)


def _plain(answer: str) -> str:
    return re.sub(r"\s+", " ", answer.replace("`` ", '"').replace(" ''", '"').replace(" '", "'")).strip()


def _row(name: str, question: str, passage: str, label: int, evidence: list[int] | None = None) -> Row:
    row = {"task": "question", "source": f"{name}-{'pos' if label else 'neg'}", "text": question, "passage": passage}
    return row | {"label": label, "about": label, "evidence": evidence}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    for name in ("policyqa", "medquad", "clapnq"):
        parser.add_argument(name, type=Path)
    chosen = parser.parse_args()
    draw = random.Random(SEED)
    made = [*policies(chosen.policyqa, draw), *health(chosen.medquad, draw), *search(chosen.clapnq, draw)]
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in made)
    print(dict(Counter(row["source"] for row in made)))


if __name__ == "__main__":
    main()
