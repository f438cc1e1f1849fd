"""Who may see what."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.access import Rule, Rules, audience
from pipeline.values import Readers

NAMES = ["open", "hr", "press"]
RULES = {"hr": Rule(only=("slack:T1:C2", "discord:G1:role:R4")), "press": Rule(public=True)}


def seen(*groups: str, external: bool = False) -> set[str]:
    return set(audience(Readers(groups=frozenset(groups), external=external), NAMES, Rules(RULES)).collections)


def test_a_collection_without_a_rule_is_open_to_everyone_inside() -> None:
    assert seen("slack:T1") == {"open", "press"}


def test_a_restricted_collection_is_open_to_readers_who_share_a_named_group() -> None:
    assert "hr" in seen("slack:T1", "slack:T1:C2")
    assert "hr" not in seen("slack:T1", "slack:T1:C9")


def test_outsiders_see_public_collections_only() -> None:
    assert seen("slack:T1", "slack:T1:C2", external=True) == {"press"}


groups = st.frozensets(st.sampled_from(["a", "b", "c", "d"]))


@given(
    readers=groups,
    external=st.booleans(),
    rules=st.dictionaries(st.sampled_from(NAMES), st.tuples(groups, st.booleans())),
)
def test_fewer_shared_groups_never_show_more(
    readers: frozenset[str], external: bool, rules: dict[str, tuple[frozenset[str], bool]]
) -> None:
    table = {name: Rule(only=tuple(sorted(only)), public=public) for name, (only, public) in rules.items()}
    whole = audience(Readers(groups=readers, external=external), NAMES, Rules(table)).collections
    for gone in readers:
        fewer = audience(Readers(groups=readers - {gone}, external=external), NAMES, Rules(table)).collections
        assert fewer <= whole


MANY = Rules({**RULES, "theirs": Rule(only=("slack:T2",))}, homes=frozenset({"slack:T1"}))


def seen_by(*groups: str) -> set[str]:
    return set(audience(Readers(groups=frozenset(groups)), [*NAMES, "theirs"], MANY).collections)


def test_a_workspace_that_is_no_home_sees_what_is_public_and_what_names_it() -> None:
    assert seen_by("slack:T2", "slack:T2:C2") == {"press", "theirs"}
    assert seen_by("slack:T3") == {"press"}


def test_homes_and_other_platforms_see_what_is_open_inside_and_nothing_that_is_a_workspaces_own() -> None:
    assert seen_by("slack:T1", "slack:T1:C2") == {"open", "press", "hr"}
    assert seen_by("discord:1") == {"open", "press"}


def test_a_workspace_hears_of_its_own_questions_and_homes_of_those_of_all_homes() -> None:
    def heard(*groups: str) -> list[str]:
        people = ["slack:T1:U1", "slack:T2:U2", "slack:T3:U3", "discord:user:4", "console:local"]
        return [person for person in people if MANY.hear(Readers(groups=frozenset(groups)), person)]

    assert heard("slack:T2", "slack:T2:C2") == ["slack:T2:U2"]
    assert heard("slack:T1") == heard("discord:1") == ["slack:T1:U1", "discord:user:4", "console:local"]


@given(team=st.text("T0123", min_size=1, max_size=4), rules=st.dictionaries(st.sampled_from(NAMES), groups))
def test_no_workspace_that_is_no_home_sees_what_nobody_opened_to_it(
    team: str, rules: dict[str, frozenset[str]]
) -> None:
    table = {name: Rule(only=tuple(sorted(only))) for name, only in rules.items()}
    readers = Readers(groups=frozenset({f"slack:{team}", f"slack:{team}:C1"}))
    assert not audience(readers, NAMES, Rules(table, homes=frozenset())).collections
