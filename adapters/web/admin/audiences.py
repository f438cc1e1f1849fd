"""For whom a question is tried."""

from __future__ import annotations

from pipeline.values import Readers, Value

ME, EVERYBODY, PUBLIC, GROUPS = "me", "inside", "public", "groups"


class AudienceForm(Value):
    question: str = ""
    who: str = EVERYBODY
    groups: str = ""
    """As `[collections]` names them, with commas."""


def chosen(form: AudienceForm) -> Readers | None:
    """The readers that the form describes; None for who fills it in."""
    if form.who == ME:
        return None
    if form.who == GROUPS:
        return Readers(groups=frozenset(filter(None, (one.strip() for one in form.groups.split(",")))))
    return Readers(groups=frozenset(), external=form.who == PUBLIC)
