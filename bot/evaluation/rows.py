"""Reads questions and writes predictions: JSON Lines that can be resumed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pipeline.errors import Refused
from pipeline.values import Turn, replace


def read_rows(
    path: Path, *fields: str, allowed: Mapping[str, Collection[object]] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """Return the rows of a file, at least one.

    Raises Refused naming the line that is not a JSON object with an `id` and all of `fields`, or whose field has a
    value that is not `allowed`; null counts as missing.
    """
    rows = []
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or "id" not in row:
            raise Refused(f"{path}, line {number}: not a JSON object with an id", what_to_do="Give one object a line.")
        if missing := [field for field in fields if field not in row]:
            raise Refused(f"{path}, line {number}: {', '.join(missing)} missing", what_to_do="Add it to every row.")
        for field, values in allowed.items():
            if row.get(field) is not None and row[field] not in values:
                problem = f"{path}, line {number}: {field} is {json.dumps(row[field])}"
                raise Refused(
                    problem, what_to_do=f"Allowed are {', '.join(map(json.dumps, values))}, or no such field."
                )
        rows.append(row)
    if not rows:
        raise Refused(f"{path} holds no rows", what_to_do="Give one JSON object a line.")
    return rows


def _text(path: Path) -> str:
    """Return the text of a file. Raises Refused if it cannot be read or is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", what_to_do="Check the path.") from error
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not text in UTF-8", what_to_do="Name a file of JSON Lines.") from error


class PredictionFile:
    """An output file that grows row by row; rows of an interrupted run are kept and not predicted again.

    Raises Refused for a file with other content.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows: dict[str, dict[str, Any]] = {}
        if path.exists():
            lines = [line for line in _text(path).split("\n")[:-1] if line]
            try:
                self.rows = {str(row["id"]): row for row in map(json.loads, lines)}
            except (ValueError, TypeError, KeyError) as error:
                raise Refused(f"{path} holds no predictions", what_to_do="Name another file to write to.") from error
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def missing_rows(self, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        return (row for row in rows if str(row["id"]) not in self.rows)

    def add(self, row: dict[str, Any]) -> None:
        self.rows[str(row["id"])] = row
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")

    def pairs(self, rows: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Return each gold row with its prediction."""
        return [(row, self.rows[str(row["id"])]) for row in rows if str(row["id"]) in self.rows]


def parse_turns(history: list[dict[str, str]]) -> tuple[Turn, ...]:
    """Return `[{role: user|agent, text}]` as turns: a turn begins with each user text and holds the agent texts after
    it."""
    turns: list[Turn] = []
    for entry in history:
        if entry["role"] == "user" or not turns:
            question = entry["text"] if entry["role"] == "user" else ""
            answer = "" if question else entry["text"]
            turns.append(Turn(question=question, answer=answer, asked_at=datetime.now(UTC)))
        else:
            last = turns.pop()
            turns.append(replace(last, answer=f"{last.answer} {entry['text']}".strip()))
    return tuple(turns)
