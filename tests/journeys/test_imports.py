"""What a command imports: a process that answers one question waits for all of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

OURS = frozenset({"bot", "adapters", "pipeline", "storage"})
NEEDED = frozenset(
    "annotated_types dotenv itsdangerous numpy onnxruntime pydantic pydantic_core pydantic_settings rich simsimd"
    " Stemmer structlog text_to_num tokenizers typer typing_extensions typing_inspection".split()
)
"""Libraries that an answer needs, and those that they need."""
BROUGHT = frozenset({"annotated_doc", "attr", "cython_runtime", "pygments", "shellingham"})
"""What those import wherever it is installed."""

IMPORTED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from bot.__main__ import main
main()
"""


def imported(*words: str | Path) -> list[str]:
    """Return the modules that a command line has imported when it ends."""
    command = [sys.executable, "-c", IMPORTED, *map(str, words)]
    env = {"PATH": os.environ["PATH"], "CITEWELL_MODEL": "extractive"}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=env)
    names: list[str] = json.loads(ended.stderr.splitlines()[-1])
    return [name for name in names if not name.startswith("_")]


def of_ours(modules: list[str]) -> int:
    return sum(name.partition(".")[0] in OURS for name in modules)


@pytest.mark.slow
def test_a_question_imports_what_its_answer_needs_and_nothing_else(indexed_data: Path) -> None:
    modules = imported("ask", "How many days of leave do I get?", "--data", indexed_data)
    assert {name.partition(".")[0] for name in modules} - sys.stdlib_module_names <= OURS | NEEDED | BROUGHT
    assert of_ours(modules) <= 231
    assert len(modules) <= 780


@pytest.mark.slow
@pytest.mark.parametrize(("words", "ours"), [(("--help",), 202), (("--version",), 27), (("index", "--help"), 87)])
def test_help_imports_no_model_no_database_and_no_client(words: tuple[str, ...], ours: int) -> None:
    modules = imported(*words)
    libraries = {name.partition(".")[0] for name in modules}
    assert libraries.isdisjoint({"onnxruntime", "tokenizers", "sqlite3", "sqlite_utils", "httpx2", "aiohttp", "lxml"})
    assert of_ours(modules) <= ours


@pytest.mark.slow
def test_a_service_imports_a_platform_a_model_and_a_source_where_they_are_set_up() -> None:
    code = "import json, sys, bot.run.service; print(json.dumps(sorted(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = json.loads(ended.stdout)
    unused = {
        *("aiohttp", "anthropic", "chromadb", "cryptography", "discord", "fastapi", "google", "httpx2", "lxml", "mcp"),
        *("openai", "psycopg", "slack_bolt", "trio"),
    }
    assert {name.partition(".")[0] for name in modules}.isdisjoint(unused)
    assert of_ours(modules) <= 286
