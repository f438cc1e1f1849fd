"""A public name stands for one thing, and a job that several platforms have is in a file of the same name on each."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ADAPTERS = ROOT / "adapters"
ROOMS = ("adapters", "bot", "pipeline", "storage")
BESIDE_WHAT_IT_PACES = "Pace"
"""Slack's is kept where Slack is called, Discord's by what is done."""


def files(platform: str) -> Iterator[Path]:
    return (ADAPTERS / platform).rglob("*.py")


def jobs(platform: str) -> dict[str, str]:
    """What a class says that it does for the platform whose name it begins with, and its file: `Audiences` for
    `DiscordAudiences`."""
    theirs = re.compile(rf"^class {platform.title()}(\w+)", re.MULTILINE)
    return {
        job: file.relative_to(ADAPTERS / platform).as_posix()
        for file in files(platform)
        for job in theirs.findall(file.read_text("utf-8"))
        if job != BESIDE_WHAT_IT_PACES
    }


def test_platforms_do_the_same_job_in_a_file_of_the_same_name() -> None:
    stand: dict[str, set[str]] = defaultdict(set)
    for platform in (file.parent.name for file in ADAPTERS.glob("*/platform.py")):
        for job, file in jobs(platform).items():
            stand[job].add(file)
    assert stand["Adapter"] == {"adapter.py"}
    assert not {job: found for job, found in stand.items() if len(found) > 1}


def test_slack_and_discord_have_the_same_folders() -> None:
    slack, discord = ({file.parent.relative_to(ADAPTERS / one) for file in files(one)} for one in ("slack", "discord"))
    assert slack == discord


def test_a_public_class_name_stands_for_one_thing() -> None:
    defined: dict[str, list[str]] = defaultdict(list)
    for file in (file for room in ROOMS for file in (ROOT / room).rglob("*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                defined[node.name].append(file.relative_to(ROOT).as_posix())
    assert not {name: files for name, files in defined.items() if len(files) > 1}
