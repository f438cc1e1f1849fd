"""What is most likely a mistake is said, and nothing else."""

from __future__ import annotations

import socket

import pytest

from bot.doctor.config_warnings import (
    find_missing_collections,
    find_rules_without_collection,
    find_unusable_reply_collections,
    warn_unreachable_server,
)
from pipeline.values import PlaceId, PlaceSettings


@pytest.mark.parametrize(
    ("rules", "collections", "meant"),
    [
        ({"HR"}, {"default", "hr"}, "Did you mean hr? Now every member may see hr."),
        ({"people-ops"}, {"people_ops"}, "Did you mean people_ops?"),
        ({"HR", "hr"}, {"default", "hr"}, ""),
        ({"press"}, {"default"}, ""),
    ],
)
def test_a_rule_that_fits_no_collection_is_named_with_the_one_that_was_meant(
    rules: set[str], collections: set[str], meant: str
) -> None:
    (line,) = find_rules_without_collection(rules, collections)
    assert line.startswith(f"The rule [collections.{min(rules)}] fits no collection; there is ")
    assert (meant in line) if meant else ("Did you mean" not in line)


@pytest.mark.parametrize(("rules", "collections"), [({"hr"}, {"hr", "default"}), ({"HR"}, set()), (set(), {"hr"})])
def test_rules_that_fit_and_rules_before_the_first_document_are_not_mentioned(
    rules: set[str], collections: set[str]
) -> None:
    assert find_rules_without_collection(rules, collections) == []


async def test_a_server_is_mentioned_only_when_nothing_answers_there() -> None:
    assert await warn_unreachable_server(None) == []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert await warn_unreachable_server(f"http://127.0.0.1:{port}") == []
    (line,) = await warn_unreachable_server(f"http://someone:secret@127.0.0.1:{port}")
    assert f"(127.0.0.1:{port}) cannot be reached" in line
    assert "secret" not in line


def test_a_place_that_searches_a_collection_which_is_not_there_is_told_the_nearest() -> None:
    places = {PlaceId.parse("slack:T1:C2"): PlaceSettings(collections=("handbok", "hr"))}
    (line,) = find_missing_collections(places, {"handbook", "hr"})
    assert line == ('[places."slack:T1:C2"] searches handbok, and there is no such collection. Did you mean handbook?')
    assert find_missing_collections(places, set()) == []


def test_a_place_that_keeps_replies_in_a_collection_nobody_has_ruled_is_told() -> None:
    places = {PlaceId.parse("slack:T1:C2"): PlaceSettings(teach="answers")}
    (line,) = find_unusable_reply_collections(places, {"hr"})
    assert "[collections.answers]" in line
    assert find_unusable_reply_collections(places, {"answers"}) == []
