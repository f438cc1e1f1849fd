"""What somebody passes on is what is asked."""

from __future__ import annotations

from pathlib import Path

from tests.contracts.discord_driver import DiscordDriver

ASKED = "How much leave do I get?"


async def test_a_forwarded_message_is_the_question_alone_and_above_what_points_at_it(tmp_path: Path) -> None:
    driver = await DiscordDriver.open(tmp_path / "data")
    try:
        ann = driver.discord.someone("ann", driver.guild)
        passed_on = {
            "message_snapshots": [{"message": {"type": 0, "content": ASKED, "timestamp": "2026-11-20T09:00:00+00:00",
                "edited_timestamp": None, "embeds": [], "attachments": [], "mentions": [], "flags": 0}}],
            "message_reference": {"type": 1, "channel_id": driver.help, "message_id": "77"},
            "flags": 1 << 14,
        }  # fmt: skip
        await driver.discord.direct(ann, "", **passed_on)
        forwarded = await driver.discord.say(ann, driver.channel, "", **passed_on)
        await driver.discord.say(ann, driver.channel, "@Citewell can you answer this?", reply_to=forwarded["id"])
        await driver._acknowledged()
        await driver.rig.settled()
        asked = {one.text: one.around.pointed for one in driver.rig.requests}
        assert asked == {ASKED: "", "can you answer this?": ASKED}
    finally:
        await driver.close()
