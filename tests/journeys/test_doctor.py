"""`citewell doctor` finds what was planted, and says what mends it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiohttp import web

from adapters.discord.permissions import build_permissions
from adapters.slack.transport.startup import OPTIONAL_SCOPES, REQUIRED_SCOPES
from adapters.web.config import WebConfig
from bot.config.settings import Settings
from bot.config.tables import FolderTable, NotionTable
from bot.doctor.clock import diagnose_clock
from bot.doctor.diagnosis import diagnose
from bot.services.places import closed_channel_state
from pipeline.values import Finding, FindingState, PlaceId
from storage.documents.source_state import SQLSyncOutcomes, SyncOutcome
from storage.open import open_storage
from tests.doubles.discord.server import FakeDiscord
from tests.doubles.llm.faults import Status, Text
from tests.doubles.llm.server import LlmServer
from tests.doubles.oidc import CLIENT, SECRET, Provider
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.journeys.process import indexed

CHANNEL = "C1"
VERDICT = Text('{"verdicts": [{"claim": 1, "words": "The office opens at nine", "verdict": "supported"}]}')


class Installation(NamedTuple):
    """Everything that can be set up, well; `settings` are changed by what is planted."""

    slack: SlackServer
    discord: FakeDiscord
    model: LlmServer
    settings: dict[str, Any]
    folder: Path

    async def examined(self, *, offline: bool = False) -> list[Finding]:
        settings = Settings(_env_file=None, **self.settings)  # type: ignore[call-arg]
        return [finding async for finding in diagnose(settings, offline=offline)]


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "office.md").write_text("# Office\n\nThe office opens at nine.\n")
    await indexed(tmp_path / "data", documents)
    slack, discord = SlackServer(frozenset({*REQUIRED_SCOPES, *OPTIONAL_SCOPES})), FakeDiscord()
    slack.workspace.add(CHANNEL)
    discord.world.guild("Guild", bot_permissions=build_permissions().value)
    async with slack, discord, LlmServer(otherwise=lambda _: VERDICT, key="k").running() as model:
        settings = {
            "data": tmp_path / "data",
            "slack": {"bot_token": BOT_TOKEN, "app_token": APP_TOKEN, "api_url": slack.api_url},
            "discord": {"token": "token", "api_url": discord.api_url, "message_content": True},
            "model": "openai:double",
            "openai_api_key": "k",
            "openai_base_url": f"{model.url}/v1",
            "places": {PlaceId.parse(f"slack:T1:{CHANNEL}"): {}},
        }
        yield Installation(slack, discord, model, settings, tmp_path / "data")


async def test_nothing_is_wrong_where_all_is_well(installation: Installation) -> None:
    found = await installation.examined()
    assert [finding for finding in found if finding.state is FindingState.BAD] == []
    subjects = {finding.subject for finding in found if finding.state is FindingState.GOOD}
    assert {"Slack scopes", "Slack connection", "Discord permissions", "language model", "sentence check"} <= subjects


def _without_scope(installation: Installation) -> None:
    installation.slack.scopes -= {"users:read"}


def _without_permission(installation: Installation) -> None:
    role = next(iter(installation.discord.world.guilds.values()))["roles"][1]
    role["permissions"] = str(build_permissions().value & ~(1 << 11))


def _without_intent(installation: Installation) -> None:
    installation.discord.gateway.content_granted = False


def _out_of_the_channel(installation: Installation) -> None:
    installation.slack.workspace.channels[CHANNEL].member = False


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("auto", "openai:double tells what a passage says, and checks what it writes itself"),
        ("openai:other", "openai:other tells what a passage says, and checks what openai:double writes"),
    ],
)
async def test_who_checks_what_the_model_writes_is_told(installation: Installation, judge: str, said: str) -> None:
    installation.settings["judge"] = judge
    (found,) = [finding for finding in await installation.examined() if finding.subject == "sentence check"]
    assert found.state is FindingState.GOOD
    assert found.said.startswith(said)
    assert ("CITEWELL_JUDGE=" in found.said) is (judge == "auto")


def _empty_database(installation: Installation) -> None:
    for file in installation.folder.glob("citewell.db*"):
        file.write_bytes(b"")


def _damaged_backup(installation: Installation) -> None:
    (installation.folder / "backups" / "citewell-20260101-000000.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)


def _model_that_does_not_read(installation: Installation) -> None:
    installation.model.otherwise = lambda _: Text('{"verdicts": [{"claim": 1, "words": "", "verdict": "not there"}]}')


def _model_down(installation: Installation) -> None:
    installation.model.otherwise = lambda _: Status(500)


def _out_of_credit(installation: Installation) -> None:
    installation.model.otherwise = lambda _: Status(429, kind="insufficient_quota")


def _folder_gone(installation: Installation) -> None:
    (installation.folder.parent / "documents").rename(installation.folder.parent / "elsewhere")


def _set(**settings: object) -> Callable[[Installation], None]:
    return lambda installation: installation.settings.update(settings)


def _of(platform: str, **settings: object) -> Callable[[Installation], None]:
    return lambda installation: installation.settings[platform].update(settings)


@pytest.mark.parametrize(
    ("plant", "subject", "said", "fix"),
    [
        (_of("slack", bot_token="xoxb-wrong"), "Slack token", "invalid_auth", "SLACK_BOT_TOKEN"),
        (_of("slack", app_token="xapp-wrong"), "Slack connection", "SLACK_APP_TOKEN", "connections:write"),
        (_of("slack", app_token=""), "Slack connection", "SLACK_SIGNING_SECRET", "SLACK_APP_TOKEN"),
        (_without_scope, "Slack scopes", "users:read", "manifest.yml"),
        (_out_of_the_channel, "Slack channels", CHANNEL, "/invite"),
        (_of("discord", token="wrong"), "Discord token", "refuses", "DISCORD_TOKEN"),
        (_without_intent, "Discord intents", "message content", "Developer Portal"),
        (_without_permission, "Discord permissions", "Send Messages", "role"),
        (_set(openai_api_key="wrong"), "language model", "invalid_api_key", "OPENAI_API_KEY"),
        (_model_down, "language model", "openai:double", "its log"),
        (_model_that_does_not_read, "sentence check", "does not see", "CITEWELL_JUDGE"),
        (_set(chroma_url="http://127.0.0.1:9"), "Chroma", "127.0.0.1:9", "CITEWELL_CHROMA_URL"),
        (_empty_database, "data folder", "0 bytes", "backup"),
        (_damaged_backup, "backup", "damaged", "citewell backup"),
        (_set(openai_base_url="http://127.0.0.1:9/v1"), "language model", "connection failed", "OPENAI_BASE_URL"),
        (_out_of_credit, "language model", "insufficient_quota", "credit"),
        (_set(digest="slack:T1:C2"), "Slack channels", "C2", "/invite"),
        (_set(sources=[NotionTable(kind="notion", name="wiki")]), "sources", "NOTION_TOKEN", ".env"),
        (_folder_gone, "sources", "does not exist", "citewell sources remove"),
        (_set(data=Path("/dev/null")), "data folder", "file", "CITEWELL_DATA"),
        (_set(data=Path("/tmp", "x" * 300)), "data folder", "cannot be used", "CITEWELL_DATA"),
        (_of("slack", api_url="http://127.0.0.1:9/api/"), "Slack token", "got no response", "network"),
    ],
)
async def test_what_is_wrong_is_found_with_its_remedy(
    installation: Installation, plant: Callable[[Installation], None], subject: str, said: str, fix: str
) -> None:
    plant(installation)
    wrong = [finding for finding in await installation.examined() if finding.state is FindingState.BAD]
    assert [finding.subject for finding in wrong] == [subject]
    assert said in wrong[0].said
    assert fix in wrong[0].fix


def _closed_socket(installation: Installation) -> None:
    installation.settings["slack"]["app_token"] = "xapp-wrong"


def _all(*plants: Callable[[Installation], None]) -> Callable[[Installation], None]:
    def plant(installation: Installation) -> None:
        for one in plants:
            one(installation)

    return plant


NO_FOLDER = _set(data=Path("/dev/null"))
NOTION = NotionTable(kind="notion", name="wiki")
NOT_ONBOARD = FolderTable(kind="folder", name="gone", path=Path("/nowhere"))


@pytest.mark.parametrize(
    ("plant", "subjects"),
    [
        (_all(NO_FOLDER, _of("slack", bot_token="no token")), ["data folder", "Slack token"]),
        (_all(NO_FOLDER, _set(sources=[NOTION])), ["data folder", "sources"]),
        (
            _all(NO_FOLDER, _set(sources=[NOT_ONBOARD, NOTION]), _model_down),
            ["data folder", "sources", "sources", "language model"],
        ),
        (_all(_empty_database, _damaged_backup), ["data folder", "backup"]),
        (_all(_set(embedder="openai:x", openai_api_key=None), _folder_gone), ["sources", "embedder", "language model"]),
        (_all(_of("slack", bot_token="xoxb-wrong"), _closed_socket), ["Slack token", "Slack connection"]),
        (
            _all(_of("slack", bot_token="xoxb-wrong"), _of("discord", token="wrong"), _out_of_credit),
            ["Slack token", "Discord token", "language model"],
        ),
        (
            _all(_of("slack", api_url="http://127.0.0.1:9/api/"), _without_permission, _set(reranker="onnx:/nowhere")),
            ["Slack token", "Discord permissions", "reranker"],
        ),
    ],
)
async def test_no_fault_hides_another(
    installation: Installation, plant: Callable[[Installation], None], subjects: list[str]
) -> None:
    plant(installation)
    wrong = [finding for finding in await installation.examined() if finding.state is FindingState.BAD]
    assert [finding.subject for finding in wrong] == subjects
    assert all(finding.fix for finding in wrong)


@pytest.mark.parametrize(
    ("plant", "subject", "why"),
    [
        (NO_FOLDER, "documents and what is kept", "the data folder cannot be used"),
        (NO_FOLDER, "backup", "the data folder cannot be used"),
        (_of("slack", bot_token="xoxb-wrong"), "Slack scopes", "Slack does not take the bot token"),
        (_of("slack", api_url="http://127.0.0.1:9/api/"), "Slack connection", "Slack cannot be reached"),
        (_of("discord", token="wrong"), "Discord permissions", "Discord does not take the token"),
        (_model_down, "sentence check", "the language model does not answer"),
        (_set(embedder="onnx:/nowhere"), "index", "the embedder cannot be opened"),
    ],
)
async def test_a_check_that_could_not_be_made_says_why(
    installation: Installation, plant: Callable[[Installation], None], subject: str, why: str
) -> None:
    plant(installation)
    left = {
        finding.subject: finding.said
        for finding in await installation.examined()
        if finding.state is FindingState.SKIPPED
    }
    assert left[subject] == f"not checked: {why}"


async def test_a_check_that_breaks_is_told_and_the_others_follow(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("adapters.slack.doctor.fetch_workspace", broken)
    found = await installation.examined()
    assert [(one.subject, one.said) for one in found if one.state is FindingState.BAD] == [
        ("Slack", "this check failed (ZeroDivisionError)")
    ]
    assert any(one.subject == "Discord permissions" for one in found)


async def test_a_token_that_cannot_be_one_is_told_offline_as_well(installation: Installation) -> None:
    installation.settings["slack"]["app_token"] = "xoxb-in-the-wrong-place"
    installation.settings["discord"]["token"] = "Bot abc"
    wrong = [one for one in await installation.examined(offline=True) if one.state is FindingState.BAD]
    assert [one.subject for one in wrong] == ["Slack connection", "Discord token"]
    assert "begins with xapp-" in wrong[0].said
    assert not any("xoxb-in" in one.said or "abc" in one.said for one in wrong)


async def test_documents_that_changed_since_they_were_indexed_are_told_with_the_command_that_takes_them_in(
    installation: Installation,
) -> None:
    documents = installation.folder.parent / "documents"
    (documents / "office.md").write_text("# Office\n\nThe office opens at ten.\n")
    (documents / "canteen.md").write_text("# Canteen\n\nThe canteen opens at noon.\n")
    (told,) = [finding for finding in await installation.examined(offline=True) if finding.subject == "sources"]
    assert "1 new, 1 changed, 0 gone" in told.said
    assert f"citewell index {documents}" in told.fix


@pytest.mark.parametrize(
    ("look", "said"),
    [
        (SyncOutcome(failed=2), "2 documents could not be read"),
        (SyncOutcome(problem="folder: could not be read: /srv"), "could not be read: /srv"),
        (SyncOutcome(), "is due every 0:30:00"),
    ],
)
async def test_a_source_that_is_not_looked_at_any_more_or_not_in_whole_is_told(
    installation: Installation, look: SyncOutcome, said: str
) -> None:
    documents = installation.folder.parent / "documents"
    installation.settings["sync_minutes"] = 30
    async with open_storage(installation.folder) as storage:
        await SQLSyncOutcomes(storage.database).record(documents.as_posix(), look)
        await storage.database.write(lambda db: db.execute("UPDATE source_look SET at = at - 7200"))
    (told,) = [finding for finding in await installation.examined(offline=True) if finding.subject == "sources"]
    assert said in told.said
    assert f"citewell index {documents}" in told.fix


async def test_channels_whose_talk_is_kept_are_named_and_those_that_cannot_be_read(installation: Installation) -> None:
    place = PlaceId.parse("slack:T1:C0TALK")
    installation.settings["places"] = {place: {"index": True}}
    installation.settings["slack"]["index"] = "own-app-under-slack-api-terms"
    async with open_storage(installation.folder) as storage:
        await storage.channel_messages.save((), place, closed_channel_state("talk"))
    kept, shut = [one for one in await installation.examined(offline=True) if one.subject == "channels"]
    assert (kept.state, str(place) in kept.said) == (FindingState.GOOD, True)
    assert "Invite the bot" in shut.fix


async def test_a_server_that_the_bot_is_not_on_is_told_where_the_settings_name_it(installation: Installation) -> None:
    installation.settings["digest"] = "discord:1234:5678"
    assert any("1234" in finding.said for finding in await installation.examined())


async def test_no_service_is_asked_offline(installation: Installation) -> None:
    found = await installation.examined(offline=True)
    assert not installation.slack.calls
    assert not installation.model.requests
    assert {finding.subject for finding in found} >= {"Python", "SQLite", "data folder", "documents", "backup"}


async def test_more_servers_than_one_session_holds_are_told_with_the_setting(installation: Installation) -> None:
    installation.discord.world.shards = 3
    (found,) = [finding for finding in await installation.examined() if finding.subject == "Discord sessions"]
    assert found.state is FindingState.WARNING
    assert "CITEWELL_DISCORD_SHARDS=0-2/3" in found.fix


async def test_a_clock_that_is_off_is_named() -> None:
    async def late(_: web.Request) -> web.Response:
        return web.Response(headers={"Date": formatdate(time.time() - 600, usegmt=True)})

    app = web.Application()
    app.router.add_get("/", late)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        found = await diagnose_clock("Slack", f"http://127.0.0.1:{runner.addresses[0][1]}/")
    finally:
        await runner.cleanup()
    assert found.state is FindingState.BAD
    assert "s ahead of that of Slack" in found.said


async def doctored(folder: Path, **environment: str) -> tuple[list[dict[str, str]], int | None]:
    """What the command says in `folder`, and its exit status."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "doctor", "--offline", "--json"),
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return [json.loads(line) for line in out.splitlines()], process.returncode


async def test_the_command_names_wrong_settings_and_ends_with_1(tmp_path: Path) -> None:
    found, status = await doctored(tmp_path, CITEWELL_DATA=str(tmp_path / "data"), CITEWELL_TOPK="3")
    assert status == 1
    assert any("Did you mean CITEWELL_TOP_K?" in finding["said"] for finding in found if finding["state"] == "bad")


async def test_wrong_settings_hide_neither_each_other_nor_what_is_wrong_besides(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    (tmp_path / ".env").write_text("no line\n=3\nSLACK_BOT_TOKEN=nonsense\n")
    (tmp_path / "citewell.toml").write_text(
        'top_k = 900\n[collections.hr]\nonly = ["nowhere"]\n'
        '[[sources]]\nkind = "folder"\nname = "gone"\npath = "/nowhere"\n[[sources]]\nkind = "floppy"\nname = "x"\n'
    )
    wrong = {"CITEWELL_SLACK_PORT": "0", "CITEWELL_CHUNK_OVERLAP": "500", "CITEWELL_ROLES": "{"}
    found, _ = await doctored(tmp_path, CITEWELL_DATA=str(tmp_path / "data"), **wrong)
    said = "\n".join(f"{one['subject']}: {one['said']}" for one in found if one["state"] == "bad")
    for name in (".env: line 1", "top_k", "[collections.hr]", "number 2", *wrong):
        assert name in said
    assert "data folder: " in said
    assert "sources: /nowhere" in said
    assert "Slack token: SLACK_BOT_TOKEN cannot be" in said
    left_out = [one["said"] for one in found if one["state"] == "skipped"]
    assert "not checked: what is wrong in collections" in left_out
    assert "not checked: CITEWELL_ROLES, which is no JSON" in left_out


async def test_files_that_cannot_be_read_are_told_and_what_the_environment_sets_is_examined(tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text("[")
    (tmp_path / ".env").write_bytes(b"\xff\xfe\n")
    found, _ = await doctored(tmp_path, CITEWELL_DATA="citewell.toml", DISCORD_TOKEN="no token")
    wrong = [one["subject"] for one in found if one["state"] == "bad"]
    assert wrong == ["settings", "settings", "data folder", "Discord token"]
    assert sum("because it cannot be read" in one["said"] for one in found if one["state"] == "skipped") == 2


async def test_settings_of_a_platform_that_contradict_each_other_leave_that_platform_out(tmp_path: Path) -> None:
    found, _ = await doctored(
        tmp_path, SLACK_BOT_TOKEN="xoxb-1", SLACK_CLIENT_ID="1", SLACK_CLIENT_SECRET="s", DISCORD_TOKEN="no token"
    )
    assert any(one["said"].startswith("not checked: Slack, because") for one in found)
    assert "Discord token" in [one["subject"] for one in found if one["state"] == "bad"]


async def test_an_openid_provider_beside_a_proxy_is_warned_of(tmp_path: Path) -> None:
    async def page(**set_up: str) -> list[str]:
        config = WebConfig(listen="127.0.0.1:8080", url="http://127.0.0.1:8080", **set_up)  # type: ignore[arg-type] # text
        return [one.said async for one in config.diagnose((), lambda: None) if one.state is FindingState.WARNING]  # type: ignore[arg-type, return-value] # nothing is kept

    async with Provider().serving() as provider:
        openid = {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
        assert any("one person" in said for said in await page(**openid, proxy_secret="p"))
        assert await page(**openid) == await page(proxy_secret="p") == []
