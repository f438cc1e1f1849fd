"""A platform that nobody knows but its own folder and one line of wiring is served like any other."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot import registry
from bot.commands.app import app
from bot.config.read import read_settings
from bot.doctor.diagnosis import diagnose_platforms
from bot.insights.analysis import compute_insights
from bot.run.service import run_service
from bot.wiring import open_citewell
from pipeline.errors import Misconfigured
from pipeline.values import Action, Actor, AnswerOutcome, PlaceId
from tests.doubles.kiosk import KioskConfig

VACATION = "How many vacation days do employees get?"
VISITOR = "kiosk:acme:7"
TOML = """
model = "extractive"
embedder = "none"
[collections.hr]
only = ["kiosk:acme:help"]
[places."kiosk:acme:help"]
style = "detailed"
[roles]
admin = ["kiosk:acme:7"]
"""


@pytest.fixture(autouse=True)
async def _page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of wiring, and two documents, one of which only one page may show."""
    monkeypatch.setattr(registry, "PLATFORM_CONFIGS", (*registry.PLATFORM_CONFIGS, KioskConfig))
    monkeypatch.setattr(KioskConfig, "answers", {})
    monkeypatch.setattr(KioskConfig, "asked", (("help", VACATION), ("home", VACATION), ("~", VACATION)))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "citewell.toml").write_text(TOML)
    (tmp_path / "leave.md").write_text("# Leave\n\nEmployees get 25 vacation days a year.\n")
    (tmp_path / "office.md").write_text("# Office\n\nThe office opens at nine.\n")
    async with open_citewell(read_settings()) as citewell:
        await citewell.index([tmp_path / "leave.md"], collection="hr")
        await citewell.index([tmp_path / "office.md"], collection="open")


async def test_its_readers_see_what_the_rules_open_to_them_and_nobody_else_does() -> None:
    assert await run_service(read_settings(), lambda _: None) == 1  # it is no use any more
    outcomes = {place: answer.outcome for place, answer in KioskConfig.answers.items()}
    assert outcomes == {"help": AnswerOutcome.ANSWERED, "home": AnswerOutcome.NOT_FOUND, "~": AnswerOutcome.NOT_FOUND}
    assert "25 vacation days" in KioskConfig.answers["help"].body


async def test_what_was_asked_there_is_counted_by_its_places_and_forgotten_with_its_people() -> None:
    await run_service(read_settings(), lambda _: None)
    async with open_citewell(read_settings()) as citewell:
        seen = await compute_insights(citewell.storage, citewell.embedder, citewell.rules.platforms, 30)
        assert {place.place for place in seen.places} == {
            "kiosk:acme:help",
            "kiosk:acme:home",
            "kiosk: direct messages",
        }
        assert VACATION in await citewell.services.export_person(VISITOR)
        assert await citewell.services.erase_person(VISITOR) > 0
        assert VACATION not in await citewell.services.export_person(VISITOR)


async def test_its_ids_stand_for_places_and_people_in_the_settings() -> None:
    async with open_citewell(read_settings()) as citewell:
        assert (
            await citewell.services.places.effective_settings(PlaceId.parse("kiosk:acme:help").chain)
        ).style == "detailed"
        admin = Actor(person=VISITOR, groups=frozenset({VISITOR}))
        assert citewell.authority.is_allowed(admin, Action.SET_UP)


def test_what_is_none_of_its_ids_is_refused_with_one_that_is(tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text('[places."kiosk:acme:7"]\nauto = true\n')
    with pytest.raises(
        Misconfigured, match=r"must be a workspace, server, page, site, channel or screen: .*kiosk:acme:help"
    ):
        read_settings()


def test_the_operator_is_told_what_a_visitor_sees() -> None:
    done = CliRunner().invoke(app, ["audience", "explain", "--place", "kiosk:acme:home", "--person", "7"])
    assert "hr    hidden  only for kiosk:acme:help" in done.output
    assert "Roles given to 7 by name: admin" in done.output


async def test_the_doctor_examines_it() -> None:
    assert [finding.said async for finding in diagnose_platforms(read_settings())] == [
        "it is served with kiosk:acme:help"
    ]
