"""What is documented is what there is."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import typer

from bench.make_env_example import example
from bot.commands.app import app
from bot.config.settings import Settings, environment_name, every_setting
from bot.run.schedule import jobs_of
from bot.wiring import open_citewell
from tests.unit.bot.pages import PAGES, ROOT, anchors, links, quotations, runnable

README = (ROOT / "README.md").read_text(encoding="utf-8")
SETUP = (ROOT / "docs" / "init.md").read_text(encoding="utf-8")


def commands(group: Any, above: str = "citewell") -> list[str]:
    found = []
    for name, command in group.commands.items():
        path = above if command.hidden else f"{above} {name}"
        found += commands(command, path) if hasattr(command, "commands") else [path]
    return found


def test_every_command_stands_in_the_readme_or_on_a_page_of_its_own() -> None:
    listed = commands(typer.main.get_command(app))
    assert "citewell ask" in listed
    assert [command for command in listed if f"`{command}" not in README + SETUP] == []


def test_every_option_of_ask_stands_in_the_readme() -> None:
    group: Any = typer.main.get_command(app)
    options = {name for parameter in group.commands["ask"].params for name in parameter.opts if name.startswith("--")}
    assert [name for name in sorted(options - {"--data"}) if f"`{name}`" not in README] == []


def test_the_example_environment_is_the_one_the_settings_make() -> None:
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == example()


def test_every_setting_has_a_description() -> None:
    bare = [environment_name(name) for name, field in every_setting().items() if not field.description]
    assert bare == []


def test_no_other_distribution_owns_the_four_packages() -> None:
    owners = packages_distributions()
    for name in ("bot", "pipeline", "adapters", "storage"):
        assert set(owners.get(name, ["citewell"])) == {"citewell"}


def test_the_snippet_of_the_readme_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_DATA", str(tmp_path / "data"))
    snippet = README.split("```python\n")[1].split("```")[0]
    exec(compile(snippet, "README.md", "exec"), {})
    assert "There are no documents yet" in capsys.readouterr().out


def test_every_make_target_is_documented() -> None:
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [target for target in phony[1].split() if not re.search(rf"\bmake {target}(?![\w-])", contributing)] == []


async def test_every_job_is_documented(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data=tmp_path, digest="slack:T1:C2")  # type: ignore[call-arg]
    page = (ROOT / "docs" / "operations" / "README.md").read_text(encoding="utf-8")
    async with open_citewell(settings) as citewell:
        assert [name for name in jobs_of(settings, citewell) if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    broken = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_what_troubleshooting_quotes_is_what_the_program_says() -> None:
    said = "\n".join(texts())
    quoted = quotations(ROOT / "docs" / "troubleshooting.md")
    parts = [part for text in quoted for part in re.split(r"…|: ", text.strip()) if len(part.strip()) > 3]
    assert "no platform is set up" in parts
    assert [part for part in parts if part.strip(" .") not in said] == []


def texts() -> list[str]:
    """All that is written between quotes in the packages, formatted values left out."""
    packages = [ROOT / name for name in ("bot", "pipeline", "adapters", "storage")]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for package in packages for file in package.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [node.value for node in nodes if isinstance(node.value, str)]


BLOCKS = [(page, block) for page in PAGES for block in runnable(page)]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), BLOCKS, ids=lambda given: getattr(given, "stem", ""))
def test_a_block_that_is_marked_as_runnable_runs_in_an_empty_folder(page: Path, block: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["sh", "-eux", "-c", block]
    done = subprocess.run(command, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_blocks_are_marked_where_an_operator_begins() -> None:
    marked = {page.relative_to(ROOT).as_posix() for page, _ in BLOCKS}
    assert marked >= {"docs/operations/README.md", "docs/operations/backup.md", "docs/sources.md"}
