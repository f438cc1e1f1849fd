"""Whom the claims of a checked token name. A claim may be anything: what is of an odd kind counts as not said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from adapters.web.signin import wording
from adapters.web.signin.provider import NotVouched, inside
from pipeline.values import PersonId
from pipeline.values.keys import SignedIn

Whom = Callable[[Mapping[str, Any]], SignedIn]

TEAM, USER = "https://slack.com/team_id", "https://slack.com/user_id"
_TEAM, _USER = re.compile(r"[TE][A-Z0-9]+"), re.compile(r"[UW][A-Z0-9]+")
"""The forms of Slack's ids."""

log = structlog.get_logger(__name__)


def whom_by(groups: str) -> Whom:
    """A person of the page's own, in the groups that the claim of that name says. Raises NotVouched."""

    def whom(claims: Mapping[str, Any]) -> SignedIn:
        name = next(filter(None, (text(claims.get(one)) for one in ("name", "preferred_username", "email"))), "")
        return inside(text(claims.get("sub")), name, _listed(claims, groups))

    return whom


def whom_in_slack(claims: Mapping[str, Any]) -> SignedIn:
    """The same person as in Slack. Raises NotVouched."""
    team, user = text(claims.get(TEAM)), text(claims.get(USER))
    if not _TEAM.fullmatch(team) or not _USER.fullmatch(user):
        raise NotVouched(wording.WRONG, "no workspace or person of Slack's")
    return SignedIn(
        person=str(PersonId(platform="slack", space=team, user=user)), name=text(claims.get("name")) or user
    )


def meant_for(claims: Mapping[str, Any]) -> frozenset[str]:
    """The audience."""
    said = claims.get("aud")
    return frozenset(one for one in (said if isinstance(said, list) else [said]) if isinstance(one, str))


def text(said: object) -> str:
    """What was said, where it is text that can be written down; else nothing."""
    if not isinstance(said, str):
        return ""
    try:
        said.encode()
    except UnicodeEncodeError:
        return ""
    return said


def _listed(claims: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The groups of a claim that is text or a list of texts; none of any other."""
    said = claims.get(name, [])
    groups = said if isinstance(said, list) else [said]
    if not all(isinstance(one, str) and text(one) == one for one in groups):
        log.warning("groups_not_read", claim=name, reason="it is no text and no list of texts")
        return ()
    return tuple(filter(None, groups))
