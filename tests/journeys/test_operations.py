"""`citewell run` with its operations port, while both platforms ask."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from pipeline.values import RatingReason
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.slack_driver import SlackDriver
from tests.contracts.waiting import eventually
from tests.doubles.collector import collecting
from tests.doubles.ports import free_port
from tests.journeys.process import answered, running, stopped

QUESTION = "How many vacation days do employees get?"


async def told(port: int, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as response:
        return response.status, await response.text()


@pytest.mark.slow
async def test_whoever_runs_it_sees_that_it_works_how_much_and_nothing_of_what_was_said(
    indexed_data: Path, tmp_path: Path
) -> None:
    slack, discord = SlackDriver(tmp_path / "unused"), DiscordDriver(tmp_path / "unused too")
    port = free_port()
    with collecting() as collector:
        settings = {"CITEWELL_OPERATIONS": f"127.0.0.1:{port}", "CITEWELL_TRACES": collector.address}
        async with slack.double(), discord.double(), running(indexed_data, slack, discord, **settings) as process:

            async def ready() -> bool:
                return (await told(port, "/readyz"))[0] == 200

            await eventually(ready)
            assert await told(port, "/healthz") == (200, "ok\n")
            for team in (slack, discord):
                mention = await team.mention("ann", QUESTION)
                await answered(team, mention, "25 vacation days", "confidence")
                await answered(
                    team, await team.follow_up("bob", "When do unused vacation days expire?", mention), "31 March"
                )
            await discord.rate(mention, "ann", helpful=False, reason=RatingReason.OUTDATED, comment="It is 26 now")

            async def rated() -> bool:
                return 'citewell_ratings{vote="unhelpful"} 1.0' in (await told(port, "/metrics"))[1]

            await eventually(rated)
            _, page = await told(port, "/metrics")
            assert f"http://127.0.0.1:{port}/healthz" in await stopped(process)
        assert len([span for span in collector.spans if not span.parent_span_id]) == 4
    counted: dict[str, float] = {}
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            if sample.name in ("citewell_answers_total", "citewell_platform_connected"):
                key = f"{sample.name} {sample.labels['platform']}"
                counted[key] = counted.get(key, 0) + sample.value
            elif not sample.labels:
                counted[sample.name] = sample.value
    assert {name: counted[f"citewell_answers_total {name}"] for name in ("slack", "discord")} == {
        "slack": 2,
        "discord": 2,
    }
    assert counted["citewell_platform_connected slack"] == counted["citewell_platform_connected discord"] == 1
    assert counted["citewell_answer_seconds_count"] == 4
    assert counted["citewell_index_documents"] == 2
    assert counted["citewell_queue_questions"] == 0
    assert counted["citewell_healthy"] == 1
    said = [
        "ann",
        "vacation",
        "leave.md",
        "26 now",
        discord.guild,
        discord.channel,
        slack.key("ann"),
        discord.key("ann"),
    ]
    labels = {value for line in page.splitlines() if "{" in line for value in line.split('"')[1::2]}
    assert [word for word in said if any(word in label for label in labels)] == []
