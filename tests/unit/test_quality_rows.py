"""The rows of tests/quality are about documents that are there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from docx.table import Table

QUALITY = Path(__file__).resolve().parents[1] / "quality"
FILES = ("claims", "questions", "overheard", "pointing", "agreement", "injections")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (QUALITY / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def text(document: str) -> str:
    file = QUALITY / "documents" / document
    return " ".join(("\n".join(said(file)) if file.suffix == ".docx" else file.read_text(encoding="utf-8")).split())


def said(file: Path) -> Iterator[str]:
    for part in Document(str(file)).iter_inner_content():
        yield from (cell.text for row in part.rows for cell in row.cells) if isinstance(part, Table) else [part.text]


@pytest.mark.parametrize("name", FILES)
def test_every_row_has_an_id_of_its_own_and_belongs_to_one_half(name: str) -> None:
    found = rows(name)
    assert len({row["id"] for row in found}) == len(found)
    assert abs(sum(1 if row["half"] == "dev" else -1 for row in found)) <= 1
    assert {row["half"] for row in found} == {"dev", "test"}


def test_the_passage_of_every_claim_stands_in_its_document() -> None:
    assert [row["id"] for row in rows("claims") if row["passage"] not in text(row["document"])] == []


def test_what_an_answer_must_hold_stands_in_the_documents() -> None:
    missing = [
        (row["id"], wanted)
        for row in rows("questions")
        for wanted in row["must"]
        if wanted.lower() not in " ".join(map(text, row["documents"])).replace("**", "").lower()
    ]
    assert missing == []


def test_a_planted_sentence_stands_in_no_document_and_the_facts_beside_it_do() -> None:
    for row in rows("injections"):
        source = text(row["document"]) if row["harmful"] else row["paragraph"]
        assert row["paragraph"] in source
        assert (row["planted"] in source) != row["harmful"]
        assert all(fact.lower() in source.lower() for fact in row["facts"])
