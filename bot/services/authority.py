"""The one place that decides who may change things, for every platform and for the terminal."""

from __future__ import annotations

from datetime import UTC, datetime

import structlog

from pipeline.errors import NotAllowed
from pipeline.rules.access import OPERATOR, RoleGrants, is_permitted
from pipeline.values import Action, Actor, AuditEntry
from storage.people.audit import SQLAudit

OPERATOR_ACTOR = Actor(person=OPERATOR)

log = structlog.get_logger(__name__)


class AuditedAuthorizer:
    """Authorizes by `roles`, and denies all else; every decision is in the audit log before anything is done."""

    def __init__(self, roles: RoleGrants, audit: SQLAudit) -> None:
        self._roles = roles
        self._audit = audit

    def is_allowed(self, actor: Actor, action: Action) -> bool:
        """Return True if an action is to be offered; `require` checks it when it is done."""
        return is_permitted(actor, action, self._roles)

    async def require(self, actor: Actor, action: Action, subject: str = "") -> None:
        """Raise NotAllowed for somebody without a role that may do this. `subject` holds no text of people."""
        allowed = self.is_allowed(actor, action)
        await self._audit.record(
            AuditEntry(at=datetime.now(UTC), actor=actor.person, action=action, subject=subject, allowed=allowed)
        )
        if not allowed:
            log.warning("action_denied", action=action, subject=subject)
            raise NotAllowed(
                f"{actor.person} may not {action}", what_to_do="The operator can give you a role that may."
            )
