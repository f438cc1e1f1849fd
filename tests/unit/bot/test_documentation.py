"""What is documented is what there is."""

from __future__ import annotations

from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import typer

from bench.make_env_example import example
from bot.commands.app import app
from bot.settings import Settings, environment_name

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands(group: Any, above: str = "citewell") -> list[str]:
    found = []
    for name, command in group.commands.items():
        path = f"{above} {name}"
        found += commands(command, path) if hasattr(command, "commands") else [path]
    return found


def test_every_command_stands_in_the_readme() -> None:
    listed = commands(typer.main.get_command(app))
    assert "citewell ask" in listed
    assert [command for command in listed if f"`{command}" not in README] == []


def test_every_option_of_ask_stands_in_the_readme() -> None:
    group: Any = typer.main.get_command(app)
    options = {name for parameter in group.commands["ask"].params for name in parameter.opts if name.startswith("--")}
    assert [name for name in sorted(options - {"--data"}) if f"`{name}`" not in README] == []


def test_the_example_environment_is_the_one_the_settings_make() -> None:
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == example()


def test_every_setting_has_a_description() -> None:
    bare = [environment_name(name) for name, field in Settings.model_fields.items() if not field.description]
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
