"""Reading a forum of Discord's as a source: active and archived posts, those that were solved, and nothing private."""

from __future__ import annotations

from pathlib import Path

from pipeline.values import PlaceSettings, replace
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.waiting import eventually
from tests.doubles.discord.world import FORUM, PRIVATE_THREAD


async def test_a_forums_posts_are_documents_under_their_titles(tmp_path: Path) -> None:
    driver = DiscordDriver(tmp_path / "data")
    world, ann = driver.world, driver._person("ann")
    forum = world.channel(driver.guild, "help", kind=FORUM)
    world.channels[forum].payload["available_tags"] = [
        {"id": "77", "name": "Solved", "moderated": False, "emoji_id": None, "emoji_name": None}
    ]
    posts = {name: world.thread(forum, name) for name in ("VPN is slow", "Printer jams", "Old badge")}
    for number, (name, post) in enumerate(posts.items()):
        world.channels[post].messages.clear()
        driver.discord.messages.write(post, ann, {"content": f"{name}: the fix has number {number}."})
    world.channels[posts["Printer jams"]].payload["applied_tags"] = ["77"]
    world.channels[posts["Old badge"]].payload["thread_metadata"]["archived"] = True
    private = world.thread(driver.channel, "salaries", kind=PRIVATE_THREAD)
    driver.discord.messages.write(private, ann, {"content": "Somebody earns 1234."})
    driver.rig.places |= {
        driver.place: PlaceSettings(index=True),
        replace(driver.place, channel=forum): PlaceSettings(index=True),
    }
    await driver.discord.__aenter__()
    await driver.connect()

    async def read() -> bool:
        return len(await driver.rig.storage.library.list_documents()) == len(posts)

    try:
        await eventually(read)
        found = {one.title: one for one in await driver.rig.storage.library.list_documents()}
        assert found.keys() == posts.keys()
        assert [title for title, one in found.items() if "solved" in one.metadata] == ["Printer jams"]
        assert {one.filename for one in found.values()} == {"#help"}
    finally:
        await driver.close()
