"""Which settings hold in a place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.known import platforms
from pipeline.rules.places import asked, in_force, origins
from pipeline.values import (
    EVERYWHERE,
    Audience,
    Chosen,
    ConversationId,
    IncomingMessage,
    Level,
    Manner,
    Place,
    PlaceId,
    Preferences,
    Style,
    WhoWrites,
)
from tests.doubles.samples import message

PLATFORMS = platforms()
SERVER, FORUM, POST = map(PlaceId.parse, ("discord:1", "discord:1:2", "discord:1:3"))
places = st.builds(
    Place,
    auto=st.none() | st.booleans(),
    auto_level=st.none() | st.sampled_from(Level),
    auto_per_hour=st.none() | st.integers(1, 1000),
    style=st.none() | st.sampled_from(Style),
    silent=st.none() | st.booleans(),
)
tables = st.dictionaries(st.sampled_from([SERVER, FORUM, POST]), places)


@given(file=tables, chat=tables)
def test_the_narrowest_place_that_sets_something_decides_and_chat_before_the_file(
    file: dict[PlaceId, Place], chat: dict[PlaceId, Place]
) -> None:
    found = in_force((SERVER, FORUM, POST), file, chat)
    for name in Place.model_fields:
        expected = [
            value
            for place in (POST, FORUM, SERVER)
            for table in (chat, file)
            if (value := getattr(table.get(place, Place()), name)) is not None
        ]
        assert getattr(found, name) == (expected or [getattr(EVERYWHERE, name)])[0]


@given(file=tables, chat=tables)
def test_what_is_said_to_decide_is_what_decides(file: dict[PlaceId, Place], chat: dict[PlaceId, Place]) -> None:
    found = in_force((SERVER, FORUM, POST), file, chat)
    for name, (value, layer) in origins((SERVER, FORUM, POST), file, chat).items():
        assert getattr(found, name) == value == getattr(layer.sets, name)


@pytest.mark.parametrize("name", ["slack:T1", "slack:T1:C2", "discord:1", "discord:1:2"])
def test_a_place_is_a_workspace_a_server_or_a_channel(name: str) -> None:
    place = PLATFORMS.place(name)
    assert str(place) == str(place.chain[-1]) == name
    assert PlaceId.model_validate_json(place.model_dump_json()) == place


@pytest.mark.parametrize("name", ["", "slack", "slack:T1:U2", "slack:T1:D2", "discord:user:1", "discord:1:role:2"])
def test_people_roles_and_direct_messages_are_no_places(name: str) -> None:
    with pytest.raises(ValueError, match="a workspace, server, page or channel"):
        PLATFORMS.place(name)


def posted(space: str, channel: str) -> IncomingMessage:
    return IncomingMessage(
        place=f"discord:{space}:{channel}:9",
        conversation=ConversationId(platform="discord", space=space, channel=channel),
        asker="discord:7",
        text="?",
        sent_at=message().sent_at,
        manner=Manner.MENTION,
    )


def test_a_person_s_choice_goes_before_the_place_s_and_the_audience_only_shrinks() -> None:
    place = Place(style=Style.BULLET, language="de", collections=("hr", "secret"), writer=WhoWrites.EXTRACT)
    audience = Audience(collections=frozenset({"hr", "press"}))
    request = asked(posted("1", "2"), audience, Chosen(preferences=Preferences(style=Style.DETAILED), place=place))
    assert (request.style, request.language, request.extract) == (Style.DETAILED, "de", True)
    assert request.audience.collections == {"hr"}
