"""What values promise beyond their fields."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.values import (
    Answer,
    CitedSentence,
    ConversationId,
    Document,
    DraftSentence,
    IncomingMessage,
    MessageKey,
    PersonId,
    PlaceId,
    cell_ends,
    cell_spans,
    join_cells,
    replace,
)
from tests.doubles.filled import filled

SHOWN = ("citations", "nearest")
WHICH = {"document_id", "chunk_id", "filename", "url", "date", "said_in"}
"""Fields of a citation that say which document it is."""
STORED = (
    '{"key":"discord:1:2:3","conversation":{"platform":"discord","space":"1","channel":"2","thread":"3"},'
    '"author":"discord:9","text":"hi","pointed":"","attachments":[],"sent_at":"2026-01-01T00:00:00Z",'
    '"manner":"mention","external":false,"event_id":"","locale":"","said_in":["discord:1"],"reply_to":"",'
    '"action_token":"","below":""}'
)
"""A question as databases keep it, and as whoever asked it is given it out."""
cells = st.text(alphabet="ab |∣", max_size=8).map(str.strip)


def test_a_question_is_kept_as_it_was_by_an_earlier_version() -> None:
    message = IncomingMessage.model_validate_json(STORED)
    assert (message.place.message, message.asker.user) == ("3", "9")
    assert message.model_dump_json() == STORED


@given(st.lists(cells, min_size=1, max_size=5))
def test_a_row_gives_its_cells_back_whatever_stands_in_them(given: list[str]) -> None:
    text = join_cells(given)
    assert [text[start:end] for start, end in cell_spans(cell_ends(given))] == given


def test_a_row_of_which_only_the_text_is_known_is_told_by_its_bars() -> None:
    before = {"text": "Friday | Dagny |  | Emeka", "kind": "row"}
    for kept in (DraftSentence, CitedSentence):
        assert kept.model_validate_json(json.dumps(before)).cells == ("Friday", "Dagny", "", "Emeka")
    assert DraftSentence(text="a | b").cells == ()


@pytest.mark.parametrize(
    ("metadata", "day"),
    [
        ({}, ""),
        ({"date": "2024-05-02", "updated": "2025-01-01T08:00:00Z"}, "2025-01-01"),
        ({"updated": "2025-01-01", "reviewed": "2026-03-01"}, "2026-03-01"),
        ({"updated": "2026-03-01", "reviewed": "2025-01-01"}, "2026-03-01"),
        ({"updated": "last spring", "date": "2024-05-02"}, "2024-05-02"),
        ({"review": "2026-03-01"}, ""),
    ],
)
def test_a_document_is_of_the_day_of_its_last_change_or_review(metadata: dict[str, str], day: str) -> None:
    assert Document(id="a", filename="a.md", title="A", metadata=metadata).last_changed == day


def test_of_a_source_that_is_gone_an_answer_says_which_it_was_and_nothing_more() -> None:
    answer = filled(Answer, "said", of_thread=False)
    cited = {part: tuple(replace(one, live=False) for one in getattr(answer, part)) for part in SHOWN}
    answer = replace(answer, **cited)
    left = answer.without_documents(answer.document_ids, "Removed.")
    texts = set(re.findall(r"said ([a-z_ ]+)", left.model_dump_json()))
    of_the_question = {"id", "question", "standalone", "topic", "language", "incident", "ask"}
    of_the_work = {"usage writer", "usage notes", "usage milliseconds"}
    of_our_own = {"reasoning", "abstain_reason", "safety_flags"}
    which = {f"{part} {field}" for part in SHOWN for field in WHICH}
    assert texts == of_the_question | of_the_work | of_our_own | which
    assert left.body == "Removed."


def test_what_is_replaced_is_checked_and_the_rest_kept() -> None:
    answer = filled(Answer, "said")
    other = replace(answer, question="Another one?", citations=answer.citations[:1])
    assert (other.question, len(other.citations)) == ("Another one?", 1)
    assert answer.question != other.question
    assert other.confidence is answer.confidence
    assert all(one is before for one, before in zip(other.sentences, answer.sentences, strict=True))
    assert replace(other, question=answer.question, citations=answer.citations) == answer


@pytest.mark.parametrize(
    ("changes", "error"),
    [({"questoin": "Misspelt?"}, TypeError), ({"question": 7}, ValueError), ({"citations": ("1",)}, ValueError)],
)
def test_what_does_not_fit_is_not_replaced(changes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        replace(filled(Answer, "said"), **changes)


@dataclass(frozen=True)
class _Point:
    x: int = 0
    y: int = 0


def test_a_dataclass_is_replaced_alike() -> None:
    assert replace(_Point(x=1), y=2) == _Point(1, 2)


parts = st.text(max_size=4) | st.text(st.sampled_from("aT1:./%@ \n\0ü\ud800"), max_size=4)
named = parts.filter(bool)
IDS = [
    st.builds(ConversationId, platform=parts, space=parts, channel=parts, thread=parts),
    st.builds(MessageKey, platform=parts, space=parts, channel=parts, message=parts),
    st.builds(PersonId, platform=parts, space=parts, user=parts),
    st.builds(PlaceId, platform=named, space=named, channel=parts),
]


Ids = st.SearchStrategy[ConversationId | MessageKey | PersonId | PlaceId]


@pytest.mark.parametrize("ids", IDS, ids=["conversation", "message", "person", "place"])
@given(data=st.data())
def test_the_text_of_an_id_is_read_back_as_it_was_whatever_characters_it_has(ids: Ids, data: st.DataObject) -> None:
    found = data.draw(ids)
    assert type(found).parse(str(found)) == found
    assert not re.search(r"\s", str(found))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ConversationId, "slack:T0123:C0456:1712345678.000200"),
        (ConversationId, "discord:1234:5678:"),
        (MessageKey, "slack:T0123:C0456:ask-1712345678.000200"),
        (MessageKey, "discord:dm:5678:wish-7f3a"),
        (PersonId, "slack:T0123:U0456"),
        (PersonId, "discord:1234"),
        (PersonId, "web:ann@example.com"),
        (PlaceId, "slack:T0123:C0456"),
        (PlaceId, "discord:1234"),
    ],
)
def test_the_text_of_an_id_is_as_people_write_it(
    kind: type[ConversationId | MessageKey | PersonId | PlaceId], text: str
) -> None:
    assert str(kind.parse(text)) == text


def test_an_id_with_colons_slashes_and_blanks_is_one_part_of_its_text() -> None:
    channel = "19:a/b c@thread.tacv2"
    assert str(PlaceId(platform="teams", space="t", channel=channel)) == "teams:t:19%3Aa%2Fb%20c@thread.tacv2"
    assert PersonId(platform="teams", user="8:orgid").group == "teams:user:8%3Aorgid"
    key = MessageKey(platform="teams", space="t", channel=channel, message="1:2")
    assert str(key) == f"{key.channel_key}:1%3A2"
    assert key.channel_key == f"{key.workspace}:19%3Aa%2Fb%20c@thread.tacv2"
