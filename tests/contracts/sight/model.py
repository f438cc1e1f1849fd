"""Who may see what, as plainly as it can be written: the model that a whole Citewell is held against.

Nothing here is shared with what it judges. Every document, and every reply that a person writes, holds a word of its
own; one that turns up where somebody reads who may not see its document is a leak."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

LETTERS = "abdfgmoptuv"
WORD = re.compile(rf"zq[{LETTERS}]{{7}}k")
HOME = "slack:T1"
GONE, REPLACED = "(gone)", "(replaced)"
"""In the place of a collection: a word of a document that was removed is in nothing any more, one of an earlier version
in nothing but what people were given of it."""


@dataclass(frozen=True)
class Opened:
    """The rule of a collection."""

    only: frozenset[str] = frozenset()
    public: bool = False


@dataclass
class Model:
    """People are named as ports name them, by workspace: `slack:T1:UANN`, `web:ann`, `key:7f3a`."""

    members: dict[str, set[str]]
    """Of each channel, and of each group of the page."""
    guests: set[str]
    rules: dict[str, Opened] = field(default_factory=dict)
    grants: dict[str, frozenset[str]] = field(default_factory=dict)
    """What a key was given, where it is not what any member may see."""
    holds: dict[str, str] = field(default_factory=dict)
    """The collection of each word."""
    written: dict[str, set[str]] = field(default_factory=dict)
    """Those who wrote a reply, or are told it because it is theirs, by its word."""
    told: dict[str, set[str]] = field(default_factory=dict)
    """The words that each person was rightly given."""

    def may_see(self, person: str, collection: str) -> bool:
        if collection in (GONE, REPLACED):
            return False
        if person in self.grants:
            return collection in self.grants[person]
        if collection in self.members:
            return person in self.members[collection] and person not in self.guests
        rule = self.rules.get(collection, Opened())
        if person in self.guests and not rule.public:
            return False
        if rule.only:
            return any(self._is_in(person, group) for group in rule.only)
        another_organisation = person.startswith("slack:") and not person.startswith(f"{HOME}:")
        return rule.public or not another_organisation

    def _is_in(self, person: str, group: str) -> bool:
        space, _, name = person.rpartition(":")
        whole = "web:page" if space == "web" else space
        return group in (person, f"{space}:user:{name}", whole) or person in self.members.get(group, ())

    def given(self, text: str, readers: Iterable[str], surface: str, again: bool = False) -> int:
        """How many words of documents `text` holds, each of which all `readers` may see. `again`: what is kept of them
        is given back to them, so that it may hold what they were given before."""
        found = set(WORD.findall(text.lower()))
        for person in readers:
            told = self.told.setdefault(person, set())
            for word in found:
                held = self.holds.get(word, GONE)
                before = again and held != GONE and word in told
                allowed = self.may_see(person, held) or person in self.written.get(word, ()) or before
                assert allowed, f"{surface}: {person} is shown {word} of {held}: {_around(word, text)}"
            told |= found
        return len(found)


def _around(word: str, text: str) -> str:
    said = " ".join(text.split())
    at = said.lower().index(word)
    return said[max(0, at - 600) : at + 300]
