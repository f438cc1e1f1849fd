"""What is particular to Slack about adding files: stubs, hidden and foreign files, scopes, and who hears of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adapters.chat.words import uploads
from adapters.slack.events.files import files_origin, is_same_origin
from pipeline.rules.access import AccessRule
from pipeline.values import Role
from tests.contracts.driver import Fault, Said
from tests.contracts.slack_driver import CHANNEL, SHARED, SlackDriver, granted, user
from tests.contracts.waiting import until
from tests.doubles.slack.workspace import BOT

PARKING = b"# Parking rules\n\nVisitors park behind the mill.\n"


async def shared(slack: SlackDriver, *, channel: str = CHANNEL, **more: Any) -> Said:
    """A message of bob's with a file, which a contributor finds."""
    slack.rig.roles[Role.CONTRIBUTOR] = frozenset({slack.named("ann")})
    file = slack.workspace.share(slack.slack.base, "parking.md", PARKING, **more)
    return Said("bob", await slack.people.say(user("bob"), channel, "The rules", files=[file]))


async def told(slack: SlackDriver, said: Said) -> str:
    return "\n".join(one.text for one in await slack.add("ann", said))


async def known(slack: SlackDriver) -> int:
    return await slack.rig.storage.library.count()


async def test_a_stub_of_a_file_in_a_shared_channel_is_looked_up(slack: SlackDriver) -> None:
    said = await shared(slack)
    said.handle.files = [{"id": said.handle.files[0]["id"], "file_access": "check_file_info"}]
    assert "Parking rules" in await told(slack, said)


@pytest.mark.parametrize("mode", ["tombstone", "hidden_by_limit"])
async def test_a_deleted_or_hidden_file_is_left_out(slack: SlackDriver, mode: str) -> None:
    assert uploads.FILE_GONE in await told(slack, await shared(slack, mode=mode))
    assert await known(slack) == 0


async def test_a_file_that_slack_does_not_show_us_is_left_out(slack: SlackDriver) -> None:
    said = await shared(slack)
    slack.workspace.shared_files.clear()
    assert uploads.FILE_GONE in await told(slack, said)


async def test_a_file_that_is_kept_elsewhere_is_not_fetched_from_there(slack: SlackDriver) -> None:
    elsewhere = "https://docs.example.invalid/parking.md"
    said = await shared(slack, is_external=True, url_private_download=elsewhere)
    assert "outside Slack" in await told(slack, said)


async def test_the_token_goes_to_no_other_host_whatever_slack_says_where_a_file_is(slack: SlackDriver) -> None:
    said = await shared(slack, url_private_download="http://127.0.0.1:9/parking.md")
    assert "outside Slack" in await told(slack, said)


async def test_a_file_that_is_too_large_is_not_fetched(slack: SlackDriver) -> None:
    assert "larger than 40 MB" in await told(slack, await shared(slack, size=40_000_001))


async def test_without_the_scope_an_admin_is_told_which_one_is_missing(tmp_path: Path) -> None:
    driver = SlackDriver(tmp_path / "data", granted() - {"files:read"})
    await driver.start()
    try:
        assert "files:read" in await told(driver, await shared(driver))
        assert await known(driver) == 0
    finally:
        await driver.close()


async def test_a_page_to_sign_in_is_not_taken_for_the_file(slack: SlackDriver) -> None:
    said = await shared(slack)
    slack.slack.serves_files = False
    assert "files:read" in await told(slack, said)
    assert await known(slack) == 0


async def test_where_others_read_along_whoever_adds_something_is_told_alone(slack: SlackDriver) -> None:
    slack.rig.rules["default"] = AccessRule(public=True)
    said = await shared(slack, channel=SHARED)
    assert "Parking rules" in await told(slack, said)
    assert [one for one in slack.workspace.messages.values() if one.channel == SHARED and one.user == BOT] == []


async def test_in_a_channel_without_the_bot_whoever_adds_something_is_told_alone(slack: SlackDriver) -> None:
    said = await shared(slack)
    slack.workspace.channels[CHANNEL].member = False
    assert "Parking rules" in await told(slack, said)
    assert slack.workspace.replies(said.handle) == []


async def test_people_of_other_organisations_add_nothing_whoever_names_them(slack: SlackDriver) -> None:
    said = await shared(slack)
    slack.people.team = "T0OTHER"
    assert await told(slack, said) == uploads.CONTRIBUTORS_ONLY
    assert await known(slack) == 0


@pytest.mark.parametrize(
    ("api", "files"),
    [
        ("https://slack.com/api/", "https://files.slack.com"),
        ("https://slack-gov.com/api/", "https://files.slack-gov.com"),
        ("http://127.0.0.1:8080/api/", "http://127.0.0.1:8080"),
    ],
)
def test_files_lie_beside_the_web_api(api: str, files: str) -> None:
    assert files_origin(api) == files


@pytest.mark.parametrize(
    "url",
    [
        "https://files.slack.com.example.invalid/a",
        "https://files.slack.com@example.invalid/a",
        "http://files.slack.com/a",
        "https://files.slack.com:444/a",
        "",
    ],
)
def test_what_only_looks_like_slack_is_not_slack(url: str) -> None:
    assert not is_same_origin(url, "https://files.slack.com")


def below(slack: SlackDriver) -> list[str]:
    """What the bot said in the channel."""
    return [one.text for one in slack.workspace.messages.values() if one.channel == CHANNEL and one.user == BOT]


@pytest.mark.parametrize("moment", ["mark_posting", "mark_posted", "mark_done"])
async def test_a_crash_while_it_is_said_that_something_is_read_leaves_that_there_once(
    slack: SlackDriver, moment: str
) -> None:
    said = await shared(slack)
    slack.rig.crash_before = moment
    await slack.people.shortcut(user("ann"), said.handle, "add_to_knowledge")
    await slack.rig.crashed()
    await slack.restart()
    await slack.rig.settled()
    assert len(below(slack)) == 1


@pytest.mark.parametrize("fault", [Fault.LOST_RESPONSE, Fault.LOST_REQUEST])
async def test_what_slack_loses_of_what_comes_of_it_is_there_once_and_whole(slack: SlackDriver, fault: Fault) -> None:
    said = await shared(slack)
    slack.break_next_post(fault)
    await slack.people.shortcut(user("ann"), said.handle, "add_to_knowledge")
    await until(lambda: "Parking rules" in "".join(below(slack)))
    assert len(below(slack)) == 1
