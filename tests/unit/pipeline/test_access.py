"""Who may see what."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.access import Rule, audience
from pipeline.values import Readers

NAMES = ["open", "hr", "press"]
RULES = {"hr": Rule(only=("slack:T1:C2", "discord:G1:role:R4")), "press": Rule(public=True)}


def seen(*groups: str, external: bool = False) -> set[str]:
    return set(audience(Readers(groups=frozenset(groups), external=external), NAMES, RULES).collections)


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
    whole = audience(Readers(groups=readers, external=external), NAMES, table).collections
    for gone in readers:
        fewer = audience(Readers(groups=readers - {gone}, external=external), NAMES, table).collections
        assert fewer <= whole
