"""What has to be as it was for a link to a source to open."""

from __future__ import annotations

import pytest

from bot.services.link_targets import StoredLinkTargets
from pipeline.rules.access import AccessPolicy, AccessRule


def bound(rule: AccessRule | None, homes: dict[str, frozenset[str]]) -> str:
    named = {"hr": rule} if rule else {}
    return StoredLinkTargets(None, None, AccessPolicy(named, homes=homes)).access_fingerprint("hr")  # type: ignore[arg-type]


def test_links_into_a_collection_without_a_rule_close_when_other_workspaces_are_homes() -> None:
    one, two = frozenset({"slack:T1"}), frozenset({"slack:T1", "slack:T2"})
    said = [bound(None, homes) for homes in ({}, {"slack": frozenset[str]()}, {"slack": one}, {"slack": two})]
    assert len(set(said)) == len(said)
    assert bound(None, {"slack": frozenset(sorted(two, reverse=True))}) == said[-1]


@pytest.mark.parametrize("rule", [AccessRule(only=("slack:T1:S2",)), AccessRule(public=True)])
def test_links_into_a_collection_whose_rule_says_who_may_see_it_stay_open_then(rule: AccessRule) -> None:
    assert bound(rule, {}) == bound(rule, {"slack": frozenset({"slack:T1"})})
