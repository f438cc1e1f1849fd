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

from bench.make_docs import commands_page, settings_page
from bench.make_env_example import example
from bot.commands.app import app
from bot.config.read import read_settings
from bot.config.settings import Settings, all_settings, environment_name
from bot.run.schedule import scheduled_jobs
from bot.wiring import open_citewell
from pipeline.values import PlaceSettings
from tests.unit.bot.pages import PAGES, ROOT, anchors, links, quotations, runnable

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
MADE = {".env.example": example, "docs/commands.md": commands_page, "docs/settings.md": settings_page}


def commands(group: Any, above: str = "citewell") -> list[str]:
    found = []
    for name, command in group.commands.items():
        path = above if command.hidden else f"{above} {name}"
        found += commands(command, path) if hasattr(command, "commands") else [path]
    return found


def test_every_command_stands_on_its_page() -> None:
    listed = commands(typer.main.get_command(app))
    assert "citewell ask" in listed
    assert [command for command in listed if f"\n## {command}\n" not in COMMANDS] == []


def test_every_option_of_a_command_stands_in_its_section() -> None:
    group: Any = typer.main.get_command(app)
    options = {name for parameter in group.commands["ask"].params for name in parameter.opts if name.startswith("--")}
    section = COMMANDS.split("\n## citewell ask\n")[1].split("\n## ")[0]
    assert "--thread" in options
    assert [name for name in sorted(options - {"--data"}) if f"`{name}" not in section] == []


@pytest.mark.parametrize("page", MADE)
def test_what_is_made_from_the_program_is_what_the_program_makes(page: str) -> None:
    assert (ROOT / page).read_text(encoding="utf-8") == MADE[page](), "make docs makes it anew"


def test_the_example_environment_is_accepted_where_all_of_it_is_uncommented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("\n".join(re.findall(r"^# (\w+=.*)$", example(), re.MULTILINE)))
    assert read_settings().top_k == 5


def test_every_setting_of_a_place_is_described() -> None:
    page = (ROOT / "docs" / "places.md").read_text(encoding="utf-8")
    cells = " ".join(re.findall(r"^\| (`.+?) \|", page, re.MULTILINE))
    assert sorted(re.findall(r"`(\w+)`", cells)) == sorted(PlaceSettings.model_fields)


def test_the_readme_is_a_page_of_two_minutes() -> None:
    """At 240 words a minute, without commands, addresses and the picture."""
    words = re.findall(
        r"[A-Za-z’'-]+", re.sub(r"```.*?```|!\[[^]]*\]|\]\([^)]*\)|<[^>]*>|`[^`]*`", "", README, flags=re.DOTALL)
    )
    assert len(README.splitlines()) <= 120
    assert len(words) <= 600, len(words)


def test_every_setting_has_a_description() -> None:
    bare = [environment_name(name) for name, field in all_settings().items() if not field.description]
    assert bare == []


def test_no_other_distribution_owns_the_four_packages() -> None:
    owners = packages_distributions()
    for name in ("bot", "pipeline", "adapters", "storage"):
        assert set(owners.get(name, ["citewell"])) == {"citewell"}


def test_the_snippet_for_python_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_DATA", str(tmp_path / "data"))
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    exec(compile(page.split("```python\n")[1].split("```")[0], "python.md", "exec"), {})
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
        assert [name for name in scheduled_jobs(settings, citewell) if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    broken = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    ahead = {ROOT / "README.md"}
    while ahead:
        page = ahead.pop()
        reached.add(page)
        targets = {(page.parent / link.partition("#")[0]).resolve() for link in links(page)}
        ahead |= {target for target in targets if target.suffix == ".md"} - reached
    decisions = ROOT / "docs" / "decisions"  # the README links the folder
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.parent != decisions]
    assert [str(page.relative_to(ROOT)) for page in pages if page not in reached] == []


def test_every_page_that_the_program_names_is_there() -> None:
    named = {name for text in texts() for name in re.findall(r"docs/[\w/.-]+\.md(?:#[\w-]+)?", text)}
    assert "docs/sources.md" in named
    targets = [(ROOT / name.partition("#")[0], name.partition("#")[2]) for name in sorted(named)]
    broken = [page for page, anchor in targets if not page.exists() or (anchor and anchor not in anchors(page))]
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
