"""Who may see what: readers and rules in, an audience out. What is in doubt is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipeline.values import Audience, Readers, Value


class Rule(Value):
    """Who may see one collection."""

    only: tuple[str, ...] = ()
    """Groups of which every reader must belong to at least one and the same; empty: everyone inside."""
    public: bool = False
    """People outside the organisation may see it too."""


INSIDE = Rule()
"""The rule of a collection that has none."""


def audience(readers: Readers, collections: Iterable[str], rules: Mapping[str, Rule]) -> Audience:
    """The collections that every one of `readers` may see."""
    return Audience(collections=frozenset(name for name in collections if may_see(readers, rules.get(name, INSIDE))))


def may_see(readers: Readers, rule: Rule) -> bool:
    """Outsiders see public collections only; everyone else what is open inside or open to a group all share."""
    if readers.external and not rule.public:
        return False
    return not rule.only or not readers.groups.isdisjoint(rule.only)
