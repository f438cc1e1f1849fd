"""Which settings hold in a place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.registry import platforms
from pipeline.rules.place_settings import build_request, effective_settings, setting_origins
from pipeline.values import (
    DEFAULT_PLACE_SETTINGS,
    AnswerSettings,
    AnswerStyle,
    Audience,
    ConfidenceLevel,
    ConversationId,
    IncomingMessage,
    MessageTrigger,
    PlaceId,
    PlaceSettings,
    Preferences,
    WriterKind,
)
from tests.doubles.samples import message

PLATFORMS = platforms()
SERVER, FORUM, POST = map(PlaceId.parse, ("discord:1", "discord:1:2", "discord:1:3"))
places = st.builds(
    PlaceSettings,
    auto=st.none() | st.booleans(),
    auto_level=st.none() | st.sampled_from(ConfidenceLevel),
    auto_per_hour=st.none() | st.integers(1, 1000),
    style=st.none() | st.sampled_from(AnswerStyle),
    silent=st.none() | st.booleans(),
)
tables = st.dictionaries(st.sampled_from([SERVER, FORUM, POST]), places)


@given(file=tables, chat=tables)
def test_the_narrowest_place_that_sets_something_decides_and_chat_before_the_file(
    file: dict[PlaceId, PlaceSettings], chat: dict[PlaceId, PlaceSettings]
) -> None:
    found = effective_settings((SERVER, FORUM, POST), file, chat)
    for name in PlaceSettings.model_fields:
        expected = [
            value
            for place in (POST, FORUM, SERVER)
            for table in (chat, file)
            if (value := getattr(table.get(place, PlaceSettings()), name)) is not None
        ]
        assert getattr(found, name) == (expected or [getattr(DEFAULT_PLACE_SETTINGS, name)])[0]


@given(file=tables, chat=tables)
def test_what_is_said_to_decide_is_what_decides(
    file: dict[PlaceId, PlaceSettings], chat: dict[PlaceId, PlaceSettings]
) -> None:
    found = effective_settings((SERVER, FORUM, POST), file, chat)
    for name, (value, layer) in setting_origins((SERVER, FORUM, POST), file, chat).items():
        assert getattr(found, name) == value == getattr(layer.sets, name)


@pytest.mark.parametrize("name", ["slack:T1", "slack:T1:C2", "discord:1", "discord:1:2"])
def test_a_place_is_a_workspace_a_server_or_a_channel(name: str) -> None:
    place = PLATFORMS.parse_place(name)
    assert str(place) == str(place.chain[-1]) == name
    assert PlaceId.model_validate_json(place.model_dump_json()) == place


@pytest.mark.parametrize("name", ["", "slack", "slack:T1:U2", "slack:T1:D2", "discord:user:1", "discord:1:role:2"])
def test_people_roles_and_direct_messages_are_no_places(name: str) -> None:
    with pytest.raises(ValueError, match="a workspace, server, page or channel"):
        PLATFORMS.parse_place(name)


def posted(space: str, channel: str) -> IncomingMessage:
    return IncomingMessage(
        place=f"discord:{space}:{channel}:9",
        conversation=ConversationId(platform="discord", space=space, channel=channel),
        asker="discord:7",
        text="?",
        sent_at=message().sent_at,
        manner=MessageTrigger.MENTION,
    )


def test_a_person_s_choice_goes_before_the_place_s_and_the_audience_only_shrinks() -> None:
    place = PlaceSettings(
        style=AnswerStyle.BULLET, language="de", collections=("hr", "secret"), writer=WriterKind.EXTRACT
    )
    audience = Audience(collections=frozenset({"hr", "press"}))
    request = build_request(
        posted("1", "2"), audience, AnswerSettings(preferences=Preferences(style=AnswerStyle.DETAILED), place=place)
    )
    assert (request.style, request.language, request.extract) == (AnswerStyle.DETAILED, "de", True)
    assert request.audience.collections == {"hr"}
