"""Platforms are known to their own folders, to one line of wiring and to the settings that hold their tokens."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bot.registry import platforms

ROOT = Path(__file__).parents[3]
KNOWING = {
    ROOT / "bot" / "registry.py",
    *(ROOT / "bot" / "config" / f"{name}.py" for name in ("settings", "tables")),
}
"""A kind of source is called as a platform is, in `tables`."""


def decisions(code: str) -> Iterator[str]:
    """What the code could tell one platform from another by: texts, attributes and imports."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.Attribute(attr=name):
                yield name.replace("_", ":", 1)
            case ast.ImportFrom(module=str(module)) if module.startswith("adapters."):
                yield module.split(".")[1]


def test_nothing_else_tells_one_platform_from_another() -> None:
    names = {platform.name for platform in platforms()}
    files = {file for folder in ("bot", "pipeline", "storage") for file in (ROOT / folder).rglob("*.py")}
    found = {
        f"{file.relative_to(ROOT)}: {text}"
        for file in files - KNOWING
        for text in decisions(file.read_text(encoding="utf-8"))
        if text.partition(":")[0] in names and " " not in text
    }
    assert found == set()


def test_knowing_the_platforms_imports_no_sdk_of_theirs() -> None:
    """Each command would wait for them, and each process would hold them."""
    sdks = {"aiohttp", "discord", "slack_bolt", "slack_sdk", "starlette"}
    code = f"import sys, bot.registry; print({sdks} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
