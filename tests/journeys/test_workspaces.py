"""Several Slack workspaces have one bot: each is spoken to with its own token and sees nothing of the others."""

from __future__ import annotations

import json
import random
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.doctor.diagnosis import diagnose
from bot.platforms import open_installations
from bot.run.outbox_worker import OutboxWorker, queue_weekly_digest
from pipeline.errors import Misconfigured
from pipeline.values import Audience, FindingState, replace
from tests.contracts.slack_driver import granted, value_of
from tests.contracts.waiting import until
from tests.doubles.postgres import Server
from tests.doubles.slack.server import CLIENT_ID, CLIENT_SECRET, SlackServer
from tests.journeys.workspaces import KEY, House, Team, house, opened
from tests.trials import Count, trials

QUESTION = "How many vacation days do employees get?"


@pytest.fixture
async def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setenv("SLACK_CLIENT_ID", CLIENT_ID)  # Bolt looks for them there, too
    monkeypatch.setenv("SLACK_CLIENT_SECRET", CLIENT_SECRET)
    async with house(tmp_path) as opened:
        yield opened


@pytest.fixture
async def shared(home: House) -> House:
    """Both have added it."""
    for team in (home.acme, home.beta):
        await home.add(team)
    return home


@pytest.mark.parametrize("http", [True, False], ids=["HTTP", "Socket Mode"])
async def test_a_second_workspace_adds_the_bot_in_a_browser_and_is_answered_there(tmp_path: Path, http: bool) -> None:
    async with house(tmp_path, http=http) as home:
        assert "Citewell is in Acme" in await home.add(home.acme)
        assert "Citewell is in Beta" in await home.add(home.beta)
        for team, days in ((home.acme, "25"), (home.beta, "31")):
            assert f"{days} vacation days" in await team.answered(QUESTION)


async def test_each_workspace_is_answered_from_what_was_opened_to_it_alone(shared: House) -> None:
    for team, own in ((shared.acme, "25"), (shared.beta, "31")):
        for channel in ("C0TEAM", "D0ANN"):
            said = await team.answered(QUESTION, channel=channel)
            assert [days for days in ("25", "31", "99") if days in said] == [own]


async def test_what_no_rule_names_is_for_no_workspace_that_is_not_a_home(tmp_path: Path) -> None:
    async with house(tmp_path, home_workspaces=["T0TEAM"]) as home:
        for team in (home.acme, home.beta):
            await home.add(team)
        await home.acme.people.open_home("U0ANN")
        await home.beta.people.open_home("U0BEA")
        await until(lambda: "U0ANN" in home.acme.workspace.views and "U0BEA" in home.beta.workspace.views)
        listed = json.dumps(home.acme.workspace.views["U0ANN"]), json.dumps(home.beta.workspace.views["U0BEA"])
        assert ["Leave of Internal" in one for one in listed] == [True, False]
        assert ["Leave of Acme" in one for one in listed] == [True, False]
        assert ["Leave of Beta" in one for one in listed] == [False, True]


async def test_passages_are_shown_to_the_workspace_whose_answer_it_is_and_to_no_other(shared: House) -> None:
    question = await shared.acme.ask(QUESTION)
    await shared.acme.answer(question)
    answer = shared.acme.workspace.replies(question)[-1]
    value = value_of(answer.blocks, "passages")
    await shared.acme.people.click("U0ANN", "passages", value, message=answer)
    await until(lambda: shared.acme.workspace.ephemerals)
    assert "25 vacation days" in json.dumps(shared.acme.workspace.ephemerals)
    theirs = await shared.beta.ask(QUESTION)
    await shared.beta.answer(theirs)
    copied = shared.beta.workspace.replies(theirs)[-1]
    await shared.beta.people.click("U0BEA", "passages", value, message=copied)
    await until(lambda: shared.beta.workspace.ephemerals)
    assert "25 vacation days" not in json.dumps(shared.beta.workspace.ephemerals)


async def test_postgresql_shows_each_workspace_its_own_even_where_all_is_taken_to_be_everybodys(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = Audience(collections=frozenset({"acme", "beta", "internal"}))
    monkeypatch.setattr("bot.services.answers.resolve_audience", lambda *_: everything)
    async with house(tmp_path, database=postgres.empty()) as home:
        for team in (home.acme, home.beta):
            await home.add(team)
        replies = []
        for team, own in ((home.acme, "25"), (home.beta, "31")):
            question = await team.ask(QUESTION)
            said = await team.answer(question)
            assert [days for days in ("25", "31", "99") if days in said] == [own]
            replies.append(team.workspace.replies(question)[-1])
        value = value_of(replies[0].blocks, "passages")
        await home.beta.people.click("U0BEA", "passages", value, message=replies[1])
        await until(lambda: home.beta.workspace.ephemerals)
        assert "25 vacation days" not in json.dumps(home.beta.workspace.ephemerals)


async def test_a_person_exports_and_erases_what_is_kept_of_them_in_that_workspace(shared: House) -> None:
    """Two people may have the same id; what is kept is told apart by the workspace."""
    for team in (shared.acme, shared.beta):
        await team.answered(QUESTION)
    await shared.acme.people.click("U0ANN", "export", "export")
    await until(lambda: shared.acme.workspace.views.pop("U0ANN", None))
    exported = shared.acme.workspace.files[-1]["content"]
    assert "25 vacation days" in exported
    assert "31 vacation days" not in exported
    assert not shared.beta.workspace.files
    await shared.acme.people.click("U0ANN", "forget", "forget")
    await until(lambda: "U0ANN" in shared.acme.workspace.views)
    assert "31 vacation days" in await shared.citewell.services.export_person("slack:T0BETA:U0ANN")
    assert "vacation" not in await shared.citewell.services.export_person("slack:T0TEAM:U0ANN")


async def insights(team: Team, user: str) -> str:
    arrived = await team.people.command(user, "C0TEAM", "", command="/insights")
    await until(lambda: len(arrived) > 1)
    return json.dumps(arrived)


async def test_insights_count_what_was_asked_in_that_workspace(shared: House) -> None:
    await shared.acme.answered("Who won the sailing cup?")
    await shared.beta.answered("Where is the swimming pool?")
    for team, user, own, other in (
        (shared.acme, "U0ANN", "sailing", "swimming"),
        (shared.beta, "U0BEA", "swimming", "sailing"),
    ):
        shown = await insights(team, user)
        assert own in shown
        assert other not in shown


async def test_the_digest_of_a_workspace_is_posted_there_and_tells_of_it_alone(shared: House) -> None:
    await shared.acme.answered("Who won the sailing cup?")
    await shared.beta.answered("Where is the swimming pool?")
    await queue_weekly_digest(shared.citewell.storage.outbox, "slack:T0BETA:C0TEAM")
    before = len(shared.acme.workspace.messages)
    await OutboxWorker(shared.citewell.storage.outbox, shared.citewell.services, {"slack": shared.adapter}).post_due()
    posted = list(shared.beta.workspace.messages.values())[-1].shown
    assert "swimming" in posted
    assert "sailing" not in posted
    assert len(shared.acme.workspace.messages) == before


async def test_removing_the_bot_erases_the_workspace_and_leaves_the_other(shared: House) -> None:
    for team in (shared.acme, shared.beta):
        await team.answered(QUESTION)
    assert await shared.beta.people.remove_the_bot()
    database = shared.citewell.storage.database

    def left(db: object) -> list[str]:
        every = "SELECT body FROM turn UNION ALL SELECT body FROM message UNION ALL SELECT space FROM installation"
        return [str(row) for (row,) in db.execute(every).fetchall()]  # type: ignore[attr-defined]

    kept = " ".join(await database.read(left))
    assert "T0BETA" not in kept
    assert "slack:T0TEAM" in kept
    assert "25 vacation days" in await shared.acme.answered(QUESTION)
    await shared.beta.people.mention("U0ANN", "C0TEAM", QUESTION)
    assert "T0BETA" not in " ".join(await database.read(left))


async def test_a_removal_that_is_told_late_erases_nothing_of_who_added_it_again(shared: House) -> None:
    body = shared.beta.people.body({"type": "app_uninstalled"}) | {"event_time": 1}
    assert await shared.beta.people._send("events_api", body) is not None
    assert "31 vacation days" in await shared.beta.answered(QUESTION)


async def test_somebody_who_takes_back_their_own_token_removes_nothing(shared: House) -> None:
    await shared.beta.people.event({"type": "tokens_revoked", "tokens": {"oauth": ["U0ANN"]}})
    assert "31 vacation days" in await shared.beta.answered(QUESTION)


async def test_after_a_start_the_workspaces_are_still_there(tmp_path: Path) -> None:
    async with SlackServer(granted()) as slack:
        async with opened(tmp_path, slack) as home:
            await home.add(home.acme)
        async with opened(tmp_path, slack) as home:
            assert "25 vacation days" in await home.acme.answered(QUESTION)
            assert any("in Acme (T0TEAM)" in line for line in home.said)


# --- What a browser may bring -----------------------------------------------------------------------


async def added(home: House) -> bool:
    return bool(
        await home.citewell.storage.database.read(lambda db: db.execute("SELECT 1 FROM installation").fetchall())
    )


async def test_a_state_that_another_browser_was_given_adds_nothing(home: House) -> None:
    link, _, _ = await home.invited()
    _, cookie, _ = await home.invited()
    status, page = await home.back(home.slack.allow(link, home.beta.workspace), cookie)
    assert (status, "begin again in one browser" in page, await added(home)) == (400, True, False)


async def test_a_state_brought_a_second_time_adds_nothing(home: House) -> None:
    link, cookie, _ = await home.invited()
    brought = home.slack.allow(link, home.acme.workspace)
    assert (await home.back(brought, cookie))[0] == 200
    again = home.slack.allow(link, home.beta.workspace)
    assert (await home.back(again, cookie))[0] == 401
    assert "xoxb-T0BETA" not in home.slack.installed


async def test_who_refuses_at_slack_is_told_that_nothing_changed(home: House) -> None:
    status, page = await home.back({"error": "access_denied"}, "")
    assert (status, "You did not allow it" in page) == (200, True)


async def test_a_whole_organisation_is_told_to_choose_a_workspace(home: House) -> None:
    assert "one workspace at a time" in await home.add(home.acme, org_wide=True)
    assert not await added(home)


async def test_a_code_that_slack_did_not_give_adds_nothing(home: House) -> None:
    link, cookie, _ = await home.invited()
    brought = home.slack.allow(link, home.acme.workspace) | {"code": "guessed"}
    assert (await home.back(brought, cookie))[0] == 401
    assert not await added(home)


async def test_browsers_add_the_workspace_of_the_code_they_bring_and_no_other(
    home: House, record_property: Count
) -> None:
    """Codes, states and cookies of several browsers and workspaces in any combination, each brought again and again;
    states that expired, that another server gave out and that nobody did."""
    dice, tries, added_by_now = random.Random(1), trials(60), dict[str, str]()
    link, cookie, _ = await home.invited()
    name = cookie.partition("=")[0]
    late = Fernet(KEY).encrypt_at_time(b"state 1", int(time.time()) - 700).decode()
    foreign = Fernet(Fernet.generate_key()).encrypt(b"state 2").decode()
    states, taken = {"": "", late: "", foreign: "", KEY: "", Fernet(KEY).encrypt(b"xoxb-1").decode(): ""}, set[str]()
    codes: dict[str, Team | None] = {"guessed": None}
    for _ in range(tries):
        if dice.random() < 0.4:
            link, _, _ = await home.invited()
        team = dice.choice((home.acme, home.beta))
        allowed = home.slack.allow(link, team.workspace)
        states[allowed["state"]] = link
        codes[allowed["code"]] = team
        state, code = dice.choice([*states][-6:]), dice.choice([*codes][-3:])
        browser = dice.choice((state, state, state, dice.choice([*states]), ""))
        home.slack.org_wide = whole = dice.random() < 0.1
        status, _ = await home.back({"code": code, "state": state}, f"{name}={browser}" if browser else "")
        begun = bool(states[state]) and browser == state and state not in taken
        if begun:
            taken.add(state)
            given = codes.pop(code) if code != "guessed" else None
            if given and not whole:
                added_by_now[f"slack:{given.workspace.team}"] = f"xoxb-{given.workspace.team}"
            assert (status == 200) is bool(given and not whole)
        else:
            assert status in (400, 401)
        there = await open_installations(home.citewell.settings, home.citewell.storage.database).all()
        assert {str(one.space): one.token for one in there} == added_by_now
    record_property("returns from Slack", tries)


async def test_nothing_that_a_visitor_sends_stands_in_the_pages(home: House) -> None:
    evil = '"><script>alert(1)</script>'
    async with aiohttp.ClientSession() as browser:
        for path in ("install", "oauth_redirect"):
            asked = {"team": evil, "error": evil, "state": evil}
            async with browser.get(f"{home.address}/slack/{path}", params=asked) as response:
                assert "script" not in await response.text()
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]


async def test_no_token_is_in_the_data_folder(shared: House, tmp_path: Path) -> None:
    await shared.beta.answered(QUESTION)
    files = [file for file in (tmp_path / "data").rglob("*") if file.is_file()]
    assert files
    assert [file.name for file in files if b"xoxb-" in file.read_bytes()] == []


async def test_an_event_of_a_workspace_that_nobody_added_is_acknowledged_and_left_alone(home: House) -> None:
    question = await home.beta.ask(QUESTION)
    assert not home.beta.people.unacked
    assert not home.beta.workspace.replies(question)


async def test_a_workspace_that_adds_the_bot_again_is_spoken_to_with_its_new_token(shared: House) -> None:
    await shared.beta.answered(QUESTION)
    shared.slack.installed.pop("xoxb-T0BETA")
    link, cookie, _ = await shared.invited()
    await shared.back(shared.slack.allow(link, shared.beta.workspace), cookie)
    assert "31 vacation days" in await shared.beta.answered(QUESTION)


async def test_the_address_that_slack_verifies_answers_its_challenge(home: House) -> None:
    answer = await home.acme.people._send("events_api", {"type": "url_verification", "challenge": "kite"})
    assert answer == {"challenge": "kite"}


# --- What the operator is told ----------------------------------------------------------------------


async def examined(home: House, **changed: object) -> dict[str, list[str]]:
    """What `citewell doctor` finds of Slack: by state."""
    settings = replace(home.citewell.settings, **changed)
    found: dict[str, list[str]] = {state.value: [] for state in FindingState}
    async for finding in diagnose(settings, offline=False):
        if "Slack" in finding.subject:
            found[finding.state.value].append(f"{finding.subject}: {finding.said}")
    return found


async def test_the_doctor_names_the_workspaces_and_each_whose_token_does_not_work(shared: House) -> None:
    found = await examined(shared)
    assert "Slack workspaces: added to Beta (T0BETA), Acme (T0TEAM)" in found["good"]
    assert not found["bad"]
    shared.slack.installed.pop("xoxb-T0BETA")
    (dead,) = (await examined(shared))["bad"]
    assert "Beta (T0BETA)" in dead
    assert "invalid_auth" in dead


async def test_the_doctor_names_the_setting_of_a_key_that_does_not_fit(shared: House) -> None:
    (wrong,) = (await examined(shared, encryption_keys=SecretStr(Fernet.generate_key().decode())))["bad"]
    assert "CITEWELL_ENCRYPTION_KEYS" in wrong
    (missing,) = (await examined(shared, encryption_keys=None))["bad"]
    assert "is not set" in missing


async def test_without_a_key_that_fits_slack_is_left_out_with_the_setting_named(tmp_path: Path) -> None:
    async with SlackServer(granted()) as slack:
        async with opened(tmp_path, slack) as home:
            await home.add(home.acme)
        another = Fernet.generate_key().decode()
        with pytest.raises(Misconfigured, match="CITEWELL_ENCRYPTION_KEYS"):
            async with opened(tmp_path, slack, encryption_keys=another):
                pass
        async with opened(tmp_path, slack, encryption_keys=f"{another},{KEY}") as home:
            assert "25 vacation days" in await home.acme.answered(QUESTION)
        async with opened(tmp_path, slack, encryption_keys=another) as home:
            assert "25 vacation days" in await home.acme.answered(QUESTION)
