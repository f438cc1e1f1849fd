"""Questions and predictions as JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.evaluation.rows import PredictionFile, read_rows


@pytest.mark.parametrize("within", ["\u2028", "\u2029", "\u0085"], ids=ascii)
def test_a_row_ends_at_the_line_feed_and_nowhere_else(tmp_path: Path, within: str) -> None:
    rows = [{"id": str(number), "text": f"How many{within}days?"} for number in range(3)]
    file = tmp_path / "rows.jsonl"
    file.write_bytes("\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode())
    assert read_rows(file, "text") == rows
    predictions = PredictionFile(tmp_path / "out.jsonl")
    for row in rows:
        predictions.add(row)
    assert list(PredictionFile(tmp_path / "out.jsonl").rows.values()) == rows
