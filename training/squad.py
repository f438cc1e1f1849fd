"""SQuAD 2.0's training half, put together from two public repositories: python -m training.squad OUT TURKU KOU

TurkuNLP/squad2-fi has all its paragraphs and questions, translated to Finnish and back, but not which questions can be
answered. KOU-201270/model-selection has 10,000 original questions with their place in the v1.1 file. A paragraph of
v2.0 lists its answerable questions first; so between two questions whose places are known, the number of answerable
ones is known too. Where the sums do not come out, only a paragraph's first two questions are taken. Both arguments are
git directories.
"""

from __future__ import annotations

import argparse
import gzip
import html
import itertools
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from pipeline.text import sentences, terms
from training.repository import files

SEED = 11
TRAINING = 442
"""Articles; those after them are the development set, which is evaluated on."""
LONGEST = 850
"""Characters of a paragraph."""
MOST = 6
"""Answerable questions of a paragraph, where the article has impossible ones as well."""
WHOLE = 0.93
"""The share of an article's questions that are answerable above which it has no impossible ones."""
_TAG = re.compile(r"<[^>]+>")
_COLOURED = re.compile(r'(<font color="#[0-9a-f]{6}">.*?</font>)')
Row = dict[str, Any]
Place = tuple[int, int]
"""A paragraph of an article, or a question of a paragraph."""


@dataclass
class Paragraph:
    text: str = ""
    answers: list[tuple[int, int]] = field(default_factory=list)
    """Where the answers stand, in no order of the questions."""
    questions: list[str] = field(default_factory=list)


def articles(repository: Path) -> list[list[Paragraph]]:
    found: list[list[Paragraph]] = []
    asking = False
    for page in files(repository, r"en-translated-raw/html/.*\.html$"):
        for piece in re.findall(r"<p\b[^>]*>(.*?)</p>", page.partition("<body")[2], flags=re.DOTALL):
            piece = re.sub(r"\s+", " ", piece).strip()
            plain = html.unescape(_TAG.sub("", piece)).strip()
            if re.fullmatch(r"Document number \d+", plain):
                found.append([])
            elif "<b>" in piece and (title := re.fullmatch(r"(Text|Question) (?:number )?\d+", plain)):
                asking = title.group(1) == "Question"
                if asking:
                    found[-1][-1].questions.append("")
                else:
                    found[-1].append(Paragraph())
            elif plain and found and found[-1]:
                _add(found[-1][-1], piece, plain, asking=asking)
    return found[:TRAINING]


def _add(paragraph: Paragraph, piece: str, plain: str, *, asking: bool) -> None:
    if asking:
        paragraph.questions[-1] = f"{paragraph.questions[-1]} {plain}".strip()
        return
    paragraph.text += " " if paragraph.text else ""
    for part in _COLOURED.split(piece):
        text = html.unescape(_TAG.sub("", part))
        if part.startswith("<font"):
            paragraph.answers.append((len(paragraph.text), len(paragraph.text) + len(text)))
        paragraph.text += text


@dataclass(frozen=True)
class Original:
    """A question of SQuAD 1.1 with the sentence that answers it and its place in that file."""

    question: str
    sentence: str
    number: int


def aligned(every: list[list[Paragraph]], originals: list[Original]) -> dict[tuple[int, int, int], Original]:
    """By article, paragraph and question: which original question each translated one is, where that is clear."""
    places, questions, owner, texts = [], [], [], []
    for a, article in enumerate(every):
        for p, paragraph in enumerate(article):
            texts.append(paragraph.text)
            for q, question in enumerate(paragraph.questions):
                places.append((a, p, q))
                questions.append(question)
                owner.append(len(texts) - 1)
    by_words, by_passage = TfidfVectorizer(sublinear_tf=True), TfidfVectorizer(sublinear_tf=True, stop_words="english")
    asked, passages = by_words.fit_transform(questions), by_passage.fit_transform(texts)
    wanted = by_words.transform([one.question for one in originals])
    sources = by_passage.transform([one.sentence for one in originals])
    found = {}
    for start in range(0, len(originals), 250):
        question = (wanted[start : start + 250] @ asked.T).toarray()
        passage = (sources[start : start + 250] @ passages.T).toarray()[:, owner]
        both = question + passage
        for row in range(len(both)):
            second, first = sorted(np.argpartition(both[row], -2)[-2:], key=both[row].__getitem__)
            clear = both[row, first] - both[row, second] > 0.1
            if clear and question[row, first] > 0.5 and passage[row, first] > 0.2:
                found[places[first]] = originals[start + row]
    return found


def answerable(article: list[Paragraph], known: dict[Place, int]) -> dict[int, int]:
    """How many of the first questions of a paragraph can be answered, where that is certain.

    `known`: places in the v1.1 file by paragraph and question."""
    ordered = sorted(known.items())
    kept = [
        one
        for n, one in enumerate(ordered)
        if (n == 0 or one[1] > ordered[n - 1][1]) and (n == len(ordered) - 1 or one[1] < ordered[n + 1][1])
    ]
    if len(kept) < 2:
        return {}
    counts = [len(paragraph.questions) for paragraph in article]
    (first, low), (last, high) = kept[0], kept[-1]
    whole = (high - low) / max(1, sum(counts[first[0] : last[0]]) - first[1] + last[1]) > WHOLE
    found: dict[int, int] = {}
    for cap in (max(counts),) if whole else (5, MOST, 4, 3):
        for (before, low), (after, high) in itertools.pairwise(kept):
            some = range(before[0], after[0])
            total = sum(min(counts[p], cap) for p in some) - before[1] + after[1]
            if some and abs(total - (high - low)) <= whole and before[1] < min(counts[before[0]], cap):
                for p in some:
                    found.setdefault(p, min(counts[p], cap))
    return found


def rows(article: list[Paragraph], originals: dict[Place, Original], draw: random.Random) -> Iterator[Row]:
    sure = answerable(article, {place: one.number for place, one in originals.items()})
    if len(article) < 4:
        return
    vectors = TfidfVectorizer(sublinear_tf=True, stop_words="english")
    matrix = vectors.fit_transform([paragraph.text for paragraph in article])
    for p, paragraph in enumerate(article):
        near = (
            (vectors.transform(paragraph.questions) @ matrix.T).toarray() if paragraph.questions else np.zeros((0, 0))
        )
        for q, question in enumerate(paragraph.questions):
            original = originals.get((p, q))
            known = original is not None or p in sure or q < 2
            if len(question) < 12 or not known:
                continue
            label = int(original is not None or q < sure.get(p, 2))
            asked = original.question if original else question
            if len(paragraph.text) <= LONGEST:
                evidence = _evidence(paragraph, asked, original) if label else None
                yield _row("pos" if label else "imp", asked, paragraph.text, label, 1, evidence)
            if draw.random() < (0.6 if label else 0.25):
                near[q, p] = -1
                other = article[int(np.argsort(-near[q])[min(3, int(draw.expovariate(1.2)))])]
                if other is not paragraph and len(other.text) <= LONGEST:
                    yield _row("neg", asked, other.text, 0, 0, None)


def _evidence(paragraph: Paragraph, question: str, original: Original | None) -> list[int] | None:
    """The sentence that answers: the one most like the original, or with an answer and clearly most of the question."""
    spans = sentences(paragraph.text)
    held = [set(terms(paragraph.text[start:end])) for start, end in spans]
    wanted = set(terms(original.sentence if original else question))
    if original:
        scores = [len(wanted & own) / (1 + len(wanted | own)) for own in held]
        clear = max(scores) > 0.25
    else:
        answers = [any(start < b and a < end for a, b in paragraph.answers) for start, end in spans]
        scores = [len(wanted & own) * (1.0 if has else 0.3) for own, has in zip(held, answers, strict=True)]
        ordered = sorted(scores, reverse=True)
        clear = len(ordered) == 1 or ordered[0] > 1.6 * ordered[1] + 0.5
    return list(spans[int(np.argmax(scores))]) if clear else None


def _row(kind: str, question: str, passage: str, label: int, about: int, evidence: list[int] | None) -> Row:
    row = {"task": "question", "source": f"squad2-{kind}", "text": question, "passage": passage}
    return row | {"label": label, "about": about, "evidence": evidence}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("turku", type=Path)
    parser.add_argument("kou", type=Path)
    chosen = parser.parse_args()
    every = articles(chosen.turku)
    told = json.loads(next(files(chosen.kou, r"^data/squad/train\.json$")))
    given = zip(told["questions"], told["answers"], told["question_ids"], strict=True)
    found: dict[int, dict[Place, Original]] = defaultdict(dict)
    for (a, p, q), original in aligned(every, [Original(*one) for one in given]).items():
        found[a][p, q] = original
    draw = random.Random(SEED)
    made = [row for a, article in enumerate(every) for row in rows(article, found[a], draw)]
    draw.shuffle(made)
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in made)
    print(sum(map(len, found.values())), "questions aligned;", dict(Counter(row["source"] for row in made)))


if __name__ == "__main__":
    main()
