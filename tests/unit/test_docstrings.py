"""Docstrings open with a noun or a verb: a reader of a tooltip sees their first words alone."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("adapters", "bot", "pipeline", "storage")
HEADLESS = ("What ", "Whether ", "The same ")
"""First words after which a reader still has to ask what the thing is."""


def docstrings(source: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each module (`""`), class and function that has a docstring, and the docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                yield getattr(node, "name", ""), text


def test_a_headless_docstring_is_seen() -> None:
    source = '"""What."""\ndef f():\n    """Whether\n    it is."""\nclass A:\n    """The same, again."""\n'
    assert [name for name, text in docstrings(source) if is_headless(text)] == ["", "f", "A"]


def is_headless(text: str) -> bool:
    words = [word.strip(".,:;") for word in text.split()[:2]]
    return f"{' '.join(words)} ".startswith(HEADLESS)


def test_no_docstring_opens_with_what_whether_or_the_same() -> None:
    assert not [
        f"{file.relative_to(ROOT).as_posix()}: {name}: {text.splitlines()[0]}"
        for room in ROOMS
        for file in sorted((ROOT / room).rglob("*.py"))
        for name, text in docstrings(file.read_text("utf-8"))
        if is_headless(text)
    ]
