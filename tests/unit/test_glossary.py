"""Each term of the glossary stands where the glossary says, and each is said once."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| (?!term |---)(.+?) \| (.+?) \| (.+?) \|$", (ROOT / "docs/glossary.md").read_text("utf-8"), re.MULTILINE
)


def names_in(path: Path) -> set[str]:
    files = path.glob("*.py") if path.is_dir() else [path]
    nodes = [node for file in files for node in ast.parse(file.read_text("utf-8")).body]
    defined = {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}
    targets = [target for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in nodes if isinstance(node, ast.AnnAssign)]
    return defined | {target.id for target in targets if isinstance(target, ast.Name)}


@pytest.mark.parametrize(("term", "meaning", "where"), ROWS, ids=[row[0] for row in ROWS])
def test_a_term_stands_where_the_glossary_says(term: str, meaning: str, where: str) -> None:
    places = re.findall(r"(?:`([\w.]+)` in )?\[`([\w/.]+)`\]\(\.\./\2\)", where)
    assert places
    assert meaning.endswith(".")
    for name, path in places:
        assert (ROOT / path).exists()
        assert not name or name.partition(".")[0] in names_in(ROOT / path)


def test_a_term_has_one_row() -> None:
    terms = [term.lower() for term, _, _ in ROWS]
    assert len(terms) > 100
    assert len(set(terms)) == len(terms)
