"""The walls of pyproject.toml: an import that does not belong is refused, also in a module that nobody has heard of."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
PACKAGES = LINTER["root_packages"]
SHARED = {"Stemmer", "numpy", "pydantic", "structlog", "text_to_num"}
"""Libraries that are no service of anybody's."""

BAD = {
    "bot wires, adapters and storage serve, pipeline thinks": "storage.newcomer -> adapters.fetch.fetcher",
    "inside the pipeline, data flows one way": "pipeline.evidence.newcomer -> pipeline.compose.answer",
    "no two modules need each other": ".evidence -> .compose",
    "pipeline does no I/O": "pipeline.find.newcomer -> subprocess",
    "adapters do not see each other": "adapters.newcomer.one -> adapters.slack.adapter",
    "Slack's libraries have one importer": "adapters.fetch.newcomer -> slack_sdk",
    "Discord's library has one importer": "adapters.fetch.newcomer -> discord",
    "model libraries have one importer": "bot.newcomer -> openai",
    "personal data is known at one place": "bot.newcomer -> phonenumbers",
    "formats of files are read at one place": "adapters.sources.newcomer -> pypdfium2",
    "days that people name are read at one place": "bot.newcomer -> dateparser",
    "sources alone sign in to Google and read rules of what to take": "bot.newcomer -> google",
    "storage alone knows SQLite, PostgreSQL, Chroma and ciphers": "bot.newcomer -> sqlite3",
    "requests go out through adapters.fetch": "adapters.sources.newcomer -> httpx2",
    "platforms are called by aiohttp": "adapters.sources.newcomer -> aiohttp",
    "pages, the API and MCP are served by Starlette": "adapters.sources.newcomer -> starlette",
    "templates are the page's": "bot.newcomer -> jinja2",
    "links are signed by the page": "bot.newcomer -> itsdangerous",
    "one sign-in knows OpenID Connect": "bot.newcomer -> authlib",
    "the API has one importer": "bot.newcomer -> fastapi",
    "MCP has one importer": "bot.newcomer -> mcp",
    "pipeline and storage see no markup and try nothing again": "storage.newcomer -> tenacity",
    "the terminal is drawn by commands and the console": "bot.newcomer -> typer",
    "what is counted and traced is seen at one place": "bot.newcomer -> prometheus_client",
    "settings are read at one place": "bot.newcomer -> pydantic_settings",
    "the schedule has one importer": "bot.newcomer -> apscheduler",
}
"""For each contract an import that breaks it, as the linter tells it; of a circle it tells the two rooms alone."""

UNCHECKED = {"model_copy", "model_construct"}
"""Ways of pydantic to make a value of whatever one likes; `pipeline.values.replace` is ours, which checks it."""


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said about each broken contract of a copy with all of the bad imports in modules of a new name."""
    copy = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=_all_but_code)
    for importer, imported in (bad.split(" -> ") for bad in BAD.values() if not bad.startswith(".")):
        module = (copy / importer.replace(".", "/")).with_suffix(".py")
        module.parent.mkdir(exist_ok=True)
        (module.parent / "__init__.py").touch()
        with module.open("a") as file:
            file.write(f"import {imported}\n")
    linter = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([linter, "--no-cache"], cwd=copy, capture_output=True, text=True, check=False)
    said = re.split(r"^(.+)\n-+\n", run.stdout.partition("Broken contracts")[2], flags=re.MULTILINE)
    return dict(zip(said[1::2], said[2::2], strict=True))


def _all_but_code(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "__pycache__" or ("." in name and not name.endswith(".py"))]


@pytest.mark.parametrize("contract", [contract["name"] for contract in LINTER["contracts"]])
def test_a_new_module_is_inside_of_each_wall(contract: str, refusals: dict[str, str]) -> None:
    assert f"- {BAD[contract]} (" in refusals[contract].replace("-   ", "- ")


def test_every_library_has_its_importers() -> None:
    graph = grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)
    foreign = {name for name in graph.modules if "." not in name} - set(PACKAGES) - sys.stdlib_module_names
    walled = {name for contract in LINTER["contracts"] for name in contract.get("protected_modules", ())}
    assert foreign - walled == SHARED


def test_no_value_is_made_unchecked() -> None:
    folders = [ROOT / folder for folder in (*PACKAGES, "bench", "tests")]
    texts = [(path, path.read_bytes()) for folder in folders for path in folder.rglob("*.py")]
    doubtful = [(path, text) for path, text in texts if any(name.encode() in text for name in UNCHECKED)]
    asked = [(path, node) for path, text in doubtful for node in ast.walk(ast.parse(text, path))]
    assert [path for path, node in asked if isinstance(node, ast.Attribute) and node.attr in UNCHECKED] == []
