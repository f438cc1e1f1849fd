"""The thread in which people were asked is a thread like any other: who addressed us there goes on without doing so."""

from __future__ import annotations

from pathlib import Path

from pipeline.values import Place
from tests.contracts.answers import not_found
from tests.contracts.rig import once
from tests.contracts.slack_driver import HELP, SlackDriver, user
from tests.doubles.slack.workspace import BOT


async def test_who_asked_us_where_people_were_asked_goes_on_there(tmp_path: Path) -> None:
    driver = await SlackDriver.open(tmp_path / "data")
    driver.rig.script = lambda asked: once(not_found(asked.text))
    driver.rig.places[driver.place] = Place(ask=driver.helpers)
    said = await driver.mention("bob", "Who won?")
    await driver.rig.settled()
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    notice = driver._in(HELP)[-1].ts
    for text in ("Is that about leave?", f"<@{BOT}> How much leave do I get?", "And part-timers?"):
        await driver.people.say(user("ann"), HELP, text, thread=notice)
        await driver.rig.settled()
    asked = [request.text for request in driver.rig.requests]
    assert asked == ["Who won?", "How much leave do I get?", "And part-timers?"]
    await driver.close()
