"""Who may see what."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.registry import platforms
from pipeline.rules.access import AccessPolicy, AccessRule, resolve_audience
from pipeline.rules.tenancy import VisibleCollections
from pipeline.values import PersonId, Readers

PLATFORMS = platforms()
NAMES = ["open", "hr", "press"]
RULES = {"hr": AccessRule(only=("slack:T1:C2", "discord:G1:role:R4")), "press": AccessRule(public=True)}


def seen(*groups: str, external: bool = False) -> set[str]:
    return set(
        resolve_audience(Readers(groups=frozenset(groups), external=external), NAMES, AccessPolicy(RULES)).collections
    )


def test_a_collection_without_a_rule_is_open_to_everyone_inside() -> None:
    assert seen("slack:T1") == {"open", "press"}


def test_a_restricted_collection_is_open_to_readers_who_share_a_named_group() -> None:
    assert "hr" in seen("slack:T1", "slack:T1:C2")
    assert "hr" not in seen("slack:T1", "slack:T1:C9")


def test_outsiders_see_public_collections_only() -> None:
    assert seen("slack:T1", "slack:T1:C2", external=True) == {"press"}


@pytest.mark.parametrize("check", [PLATFORMS.parse_group, PLATFORMS.parse_role_holder])
def test_what_names_people_in_settings_is_compared_as_platforms_tell_it(check: Callable[[str], str]) -> None:
    assert check("slack:T1:group:S2") == "slack:T1:group:S2"
    told = PersonId(platform="web", user="jörg/ann").group
    assert check("web:user:jörg/ann") == check("web:user:j%c3%b6rg%2fann") == told


groups = st.frozensets(st.sampled_from(["a", "b", "c", "d"]))


@given(
    readers=groups,
    external=st.booleans(),
    rules=st.dictionaries(st.sampled_from(NAMES), st.tuples(groups, st.booleans())),
)
def test_fewer_shared_groups_never_show_more(
    readers: frozenset[str], external: bool, rules: dict[str, tuple[frozenset[str], bool]]
) -> None:
    table = {name: AccessRule(only=tuple(sorted(only)), public=public) for name, (only, public) in rules.items()}
    whole = resolve_audience(Readers(groups=readers, external=external), NAMES, AccessPolicy(table)).collections
    for gone in readers:
        fewer = resolve_audience(
            Readers(groups=readers - {gone}, external=external), NAMES, AccessPolicy(table)
        ).collections
        assert fewer <= whole


MANY = AccessPolicy({**RULES, "theirs": AccessRule(only=("slack:T2",))}, PLATFORMS, {"slack": frozenset({"slack:T1"})})


def seen_by(*groups: str) -> set[str]:
    return set(resolve_audience(Readers(groups=frozenset(groups)), [*NAMES, "theirs"], MANY).collections)


def test_a_workspace_that_is_no_home_sees_what_is_public_and_what_names_it() -> None:
    assert seen_by("slack:T2", "slack:T2:C2") == {"press", "theirs"}
    assert seen_by("slack:T3") == {"press"}


def test_homes_and_other_platforms_see_what_is_open_inside_and_nothing_that_is_a_workspaces_own() -> None:
    assert seen_by("slack:T1", "slack:T1:C2") == {"open", "press", "hr"}
    assert seen_by("discord:1") == {"open", "press"}


GROUPS = {
    "slack:T1": ["slack:T1", "slack:T1:C2", "slack:T1:U3", "slack:T1:user:U3"],
    "slack:T11": ["slack:T11", "slack:T11:C2"],
    "discord:1": ["discord:1", "discord:1:2", "discord:1:role:4", "discord:user:5"],
    "discord:dm": ["discord:1", "discord:1:role:4", "discord:user:5"],
}
anybody = st.lists(st.sampled_from(sorted({group for groups in GROUPS.values() for group in groups})), max_size=2)


@given(
    workspace=st.sampled_from(sorted(GROUPS)),
    rules=st.dictionaries(st.sampled_from(NAMES), st.builds(AccessRule, only=anybody.map(tuple), public=st.booleans())),
    own=st.fixed_dictionaries(
        {},
        optional={
            "slack": st.frozensets(st.sampled_from(["slack:T1", "slack:T11"])),
            "discord": st.sampled_from([frozenset({"discord:1"}), frozenset({"discord:2"})]),
        },
    ),
    data=st.data(),
)
def test_no_readers_of_a_workspace_see_more_than_it_reaches(
    workspace: str,
    rules: dict[str, AccessRule],
    own: dict[str, frozenset[str]],
    data: st.DataObject,
) -> None:
    table = AccessPolicy(rules, PLATFORMS, own)
    groups = data.draw(st.frozensets(st.sampled_from(GROUPS[workspace]), min_size=1))
    servers = own.get("discord")
    external = servers is not None and workspace not in (*servers, "discord:dm") and workspace.startswith("discord")
    names, others, _ = table.visible_collections(workspace)
    for name in resolve_audience(Readers(groups=groups, external=external), NAMES, table).collections:
        assert (name in names) is not others


def test_a_workspace_reaches_what_some_reader_there_may_see_and_nothing_else() -> None:
    assert MANY.visible_collections("slack:T2") == VisibleCollections(
        frozenset({"press", "theirs"}), is_exclusion=False
    )
    assert MANY.visible_collections("slack:T1") == VisibleCollections(frozenset({"theirs"}), is_exclusion=True)
    servers = AccessPolicy(RULES, PLATFORMS, {"discord": frozenset({"discord:G1"})})
    assert (
        servers.visible_collections("discord:G1")
        == servers.visible_collections("discord:dm")
        == VisibleCollections(frozenset(), is_exclusion=True)
    )
    assert servers.visible_collections("discord:G2") == VisibleCollections(frozenset({"press"}), is_exclusion=False)
    assert AccessPolicy(RULES, PLATFORMS).visible_collections("discord:dm") == VisibleCollections(
        frozenset(), is_exclusion=True
    )
    assert AccessPolicy(RULES, PLATFORMS).visible_collections("web:page").all_workspaces, (
        "people of all workspaces ask there"
    )


def test_a_workspace_hears_of_its_own_questions_and_homes_of_those_of_all_homes() -> None:
    def heard(*groups: str) -> list[str]:
        people = ["slack:T1:U1", "slack:T2:U2", "slack:T3:U3", "discord:user:4", "console:local"]
        return [person for person in people if MANY.can_see_question(Readers(groups=frozenset(groups)), person)]

    assert heard("slack:T2", "slack:T2:C2") == ["slack:T2:U2"]
    assert heard("slack:T1") == heard("discord:1") == ["slack:T1:U1", "discord:user:4", "console:local"]


@given(team=st.text("T0123", min_size=1, max_size=4), rules=st.dictionaries(st.sampled_from(NAMES), groups))
def test_no_workspace_that_is_no_home_sees_what_nobody_opened_to_it(
    team: str, rules: dict[str, frozenset[str]]
) -> None:
    table = {name: AccessRule(only=tuple(sorted(only))) for name, only in rules.items()}
    readers = Readers(groups=frozenset({f"slack:{team}", f"slack:{team}:C1"}))
    assert not resolve_audience(readers, NAMES, AccessPolicy(table, PLATFORMS, {"slack": frozenset()})).collections
