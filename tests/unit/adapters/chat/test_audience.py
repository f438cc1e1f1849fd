"""From what is known of readers to readers: nothing is opened that was not named, and in doubt nothing at all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat.audience import AudienceFacts, ReadersBuilder, TtlCache, build_readers
from adapters.slack.audience import channel_groups, direct_groups
from adapters.slack.events.incoming import SlackBot
from pipeline.errors import Refused, Unavailable
from pipeline.rules.access import channel_group
from pipeline.values import PlaceId, Readers

SPACES = ["chat:1", "chat:2"]
CHANNELS = [PlaceId(platform="chat", space=space, channel=str(n)) for space in "12" for n in range(4)]
HOPELESS: list[Exception] = [Refused("no"), Unavailable("Chat", "down")]
channels = st.frozensets(st.sampled_from(CHANNELS))
groups = st.frozensets(st.sampled_from([*SPACES, "chat:1:role:4", "chat:user:3", "chat:1:0"]))
facts = st.builds(AudienceFacts, groups, st.booleans(), st.frozensets(st.sampled_from(SPACES)))
answers = st.dictionaries(
    st.sampled_from(CHANNELS), st.sampled_from([True, False, None, *HOPELESS]), max_size=len(CHANNELS)
)
"""What comes of asking whether a channel may be read; None: nothing in time."""


def audience(indexed: frozenset[PlaceId]) -> ReadersBuilder:
    async def of(space: str) -> frozenset[PlaceId]:
        return frozenset(one for one in indexed if f"{one.platform}:{one.space}" == space)

    return ReadersBuilder(of, patience=0.002)


def reading(answers: Mapping[PlaceId, bool | Exception | None]) -> Callable[[PlaceId], Awaitable[bool]]:
    async def reads(channel: PlaceId) -> bool:
        answer = answers.get(channel, False)
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            await asyncio.sleep(3600)
        return bool(answer)

    return reads


def told(
    known: AudienceFacts, indexed: frozenset[PlaceId], answers: Mapping[PlaceId, bool | Exception | None]
) -> Readers:
    return asyncio.run(
        audience(indexed).build(AudienceFacts(known.groups, known.all_inside, known.spaces, reading(answers)))
    )


@given(facts, channels, answers)
def test_readers_are_in_what_the_platform_named_and_may_read_what_it_said(
    known: AudienceFacts, indexed: frozenset[PlaceId], answers: dict[PlaceId, bool | Exception | None]
) -> None:
    there = {one for one in indexed if f"chat:{one.space}" in known.spaces}
    readable = {channel_group(one) for one in there if answers.get(one) is True}
    found = told(known, indexed, answers)
    assert found.external is not known.all_inside
    assert found.groups == known.groups | (readable if known.all_inside else set())


@given(facts, channels, answers, st.sampled_from(["outside", "nothing named", "unanswered"]))
def test_who_knows_less_opens_no_more(
    known: AudienceFacts, indexed: frozenset[PlaceId], answers: dict[PlaceId, bool | Exception | None], doubt: str
) -> None:
    full = told(known, indexed, answers)
    match doubt:
        case "outside":
            less = told(AudienceFacts(known.groups, all_inside=False, spaces=known.spaces), indexed, answers)
        case "nothing named":
            less = told(AudienceFacts(frozenset(), known.all_inside, known.spaces), indexed, answers)
        case _:
            less = told(known, indexed, {one: answers[one] or None for one in list(answers)[::2]})
    assert less.groups <= full.groups
    assert less.external or not full.external


@given(facts, channels)
def test_somebody_outside_may_read_no_channel(known: AudienceFacts, readable: frozenset[PlaceId]) -> None:
    found = build_readers(AudienceFacts(known.groups, all_inside=False), readable)
    assert found == Readers(groups=known.groups, external=True)


def test_what_nobody_looked_into_is_outside_and_reads_nothing() -> None:
    nobody = AudienceFacts(frozenset())
    assert (
        told(AudienceFacts(frozenset(), all_inside=True, spaces=frozenset(SPACES)), frozenset(CHANNELS), {}).groups
        == set()
    )
    assert build_readers(nobody, CHANNELS) == Readers(groups=frozenset(), external=True)


@given(st.from_regex(r"[A-Z0-9:]{0,8}", fullmatch=True), st.from_regex(r"[A-Z0-9:]{0,8}", fullmatch=True))
def test_what_slack_calls_a_person_never_names_a_channel_nor_the_other_way_round(user: str, channel: str) -> None:
    me = SlackBot(team="T1", user="U0BOT")
    alone, there = direct_groups(me, user), channel_groups(me, channel)
    assert not alone & there
    assert there <= {"slack:T1", f"slack:T1:{channel}"}
    assert all(re.fullmatch(r"slack:T1:(user:)?[UW][A-Z0-9]+", group) for group in alone)
    assert all(re.fullmatch(r"slack:T1(:[CG][A-Z0-9]+)?", group) for group in there)


async def test_what_was_found_out_is_believed_for_a_while_and_what_could_not_be_is_asked_again() -> None:
    asked: list[str] = []
    known = TtlCache[str, int](60.0)

    async def ask() -> int:
        asked.append("")
        if len(asked) == 1:
            raise Unavailable("Chat", "down")
        return len(asked)

    with pytest.raises(Unavailable):
        await known.get("a", ask)
    assert [await known.get("a", ask), await known.get("a", ask)] == [2, 2]
    known.forget("a")
    assert [await known.get("a", ask), await known.get("b", ask)] == [3, 4]
    passing = TtlCache[str, int](0.0)
    assert [await passing.get("a", ask), await passing.get("a", ask)] == [5, 6]
