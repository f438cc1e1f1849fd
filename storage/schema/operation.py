"""Tables of the installation: settings, workspaces, budgets, and who did what."""

from __future__ import annotations

from storage.schema.table import Export, Owned, Owner, Personal, StoredTable, TableIndex

TABLES = (
    StoredTable(
        "setting",
        "name word, value text",
        people="numbers, moments and a key of the installation",
        owned="numbers, moments and a key of the installation",
    ),
    StoredTable(
        "installation",
        "space word, sealed text",
        people="tokens of workspaces",
        owned=Owned(Owner.SPACE, "space"),
    ),
    StoredTable(
        "taken_state",
        "state word, at real",
        people="random texts",
        owned="random texts, before a workspace is known",
    ),
    StoredTable(
        "web_session",
        "id word, person word, body json, at real, until real",
        indexes=(TableIndex("web_session_person", "(person)"),),
        people=(Personal("person = $1", Export("sessions", "at, until", "at")),),
        owned=Owned(Owner.OPERATOR, "person"),
    ),
    StoredTable(
        "api_key",
        "id word, digest word UNIQUE, body json, at real, revoked_at real NULL",
        people="programs, by the names that admins gave them",
        owned=Owned(Owner.OPERATOR),
    ),
    StoredTable(
        "api_reply",
        "request word, digest word, body text, at real",
        people=(Personal("substr(request, 1, length($1) + 1) = $1 || ' '"),),
        owned=Owned(Owner.OPERATOR, "request"),
    ),
    StoredTable(
        "place",
        "id word, body json",
        people="what is set for a place, not who set it",
        owned=Owned(Owner.PLACE, "id"),
    ),
    StoredTable(
        "token_use",
        "subject word, day word, tokens bigint",
        key=("subject", "day"),
        people="digests of people and workspaces, and numbers",
        owned="digests of people and workspaces, and numbers",
    ),
    StoredTable(
        "audit",
        "id lasting, at real, actor word, action text, subject word, allowed flag",
        indexes=(TableIndex("audit_actor", "(actor)"),),
        people=(
            Personal(
                "actor = $1",
                Export("decisions", "at, action, subject, allowed", "id"),
                forgotten="actor = '(erased)'",
            ),
            Personal("subject = $1", forgotten="subject = '(erased)'"),
        ),
        owned=Owned(Owner.PERSON, "actor", stays=True),
    ),
)
