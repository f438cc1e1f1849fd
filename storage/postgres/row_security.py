"""Row-level security, the second wall between workspaces, which holds whatever a statement forgets.

A transaction names its workspace, and sees and writes rows of that one alone; one that names none sees none. FORCE: it
binds the owner of the tables as well, as whom Citewell connects. It does not bind superusers.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.rules.tenancy import (
    ALL_COLLECTIONS,
    ALL_WORKSPACES,
    NO_COLLECTIONS,
    NO_WORKSPACE,
    VisibilityResolver,
    VisibleCollections,
)
from pipeline.values.ids import DIRECT_MESSAGE_SPACE
from storage.schema.table import Ownership, RowOwner
from storage.schema.tables import TABLES

SET_WORKSPACE = """
    SELECT set_config('citewell.workspace', $1, TRUE), set_config('citewell.collections', ($2::text[])::text, TRUE),
        set_config('citewell.others', $3, TRUE)
"""
SET_SEARCH_WORDS = "SELECT set_config('citewell.words', $1, TRUE)"
"""Sets the words by which rows of `words` are searched: see `words_bound`."""
ROW_SECURITY_ACTIVE = "SELECT row_security_active('words')"
"""True where policies bind the connected role."""

OWNER_EXPRESSIONS: Mapping[RowOwner, str] = {
    RowOwner.SPACE: "{}",
    RowOwner.PLACE: "workspace({})",
    RowOwner.PERSON: "person_workspace({})",
    RowOwner.SCOPE: "split_part({}, ' ', 1)",
}
"""The workspace of a row. Where people are the same in every space, rows under a person's id alone, answers among them,
belong to the platform instead of one space."""
_BOUND = "= ANY ((SELECT bound())::text[])"
CUSTOM_POLICIES: Mapping[str, str] = {
    "collection": f"""
        CASE WHEN name LIKE '%:%' THEN workspace(name) = (SELECT named()) OR
            split_part(name, ':', 1) || ':{DIRECT_MESSAGE_SPACE}' = (SELECT named())
        ELSE (name = ANY ((SELECT nullif(current_setting('citewell.collections', TRUE), ''))::text[])) <>
            (SELECT nullif(current_setting('citewell.others', TRUE), '')::boolean) END
    """,
    "revision": "collection IN (SELECT id FROM collection)",
    "mean_vector": "collection IN (SELECT id FROM collection)",
    "chunk": "EXISTS (SELECT 1 FROM revision WHERE revision.id = number >> 20)",
    "unit_vectors": "EXISTS (SELECT 1 FROM revision WHERE revision.id = number >> 20)",
    "handoff": f"person_workspace(asker) {_BOUND} OR workspace(body ->> 'target') {_BOUND}",
    "outbox": f"workspace(recipient) {_BOUND} OR handoff IN (SELECT id FROM handoff)",  # noqa: S608 - our own words
}
"""Policies of rows that belong to a collection or to two workspaces: tables of `RowOwner.RULE`, and `mean_vector`,
which is not declared."""
POLICY_FUNCTIONS = f"""
    CREATE OR REPLACE FUNCTION workspace(id text) RETURNS text IMMUTABLE PARALLEL SAFE
        RETURN split_part(id, ':', 1) || ':' || split_part(id, ':', 2);
    CREATE OR REPLACE FUNCTION person_workspace(id text) RETURNS text IMMUTABLE PARALLEL SAFE
        RETURN CASE WHEN split_part(id, ':', 3) = '' THEN split_part(id, ':', 1) ELSE workspace(id) END;
    CREATE OR REPLACE FUNCTION named() RETURNS text STABLE PARALLEL SAFE
        RETURN nullif(current_setting('citewell.workspace', TRUE), '{NO_WORKSPACE}');
    CREATE OR REPLACE FUNCTION bound() RETURNS text[] STABLE PARALLEL SAFE
        RETURN ARRAY[named(), split_part(named(), ':', 1)];
    CREATE OR REPLACE FUNCTION unbound() RETURNS boolean STABLE PARALLEL SAFE
        RETURN current_setting('citewell.workspace', TRUE) IS NOT DISTINCT FROM '{ALL_WORKSPACES}';
    CREATE OR REPLACE FUNCTION words_bound() RETURNS tsquery STABLE BEGIN ATOMIC
        SELECT CASE
            WHEN unbound() OR reach = '{{}} on' THEN coalesce(asked, U&'''\\E000'':*'::tsquery)
            ELSE coalesce(asked && within, within) END
        FROM (SELECT
            current_setting('citewell.collections', TRUE) || ' ' || current_setting('citewell.others', TRUE) AS reach,
            nullif(current_setting('citewell.words', TRUE), '')::tsquery AS asked,
            (SELECT string_agg(format(U&'''\\E000%s''', id), ' | ')::tsquery FROM collection) AS within) AS said;
    END;
"""  # noqa: S608 - our own words
"""SQL functions of the policies.

`words_bound` returns the query that a row of `words` must match to be seen: the words searched, and a collection that
is visible. Both are in the policy: an index serves a statement's other conditions only if the server knows them to leak
nothing (LEAKPROOF), which a full-text search is not.
"""


def row_security_policies() -> str:
    """Return statements that make the policy of every declared table, in place of an older one."""
    rules = {
        table.name: _rule(table.name, table.ownership) for table in TABLES if isinstance(table.ownership, Ownership)
    }
    rules["mean_vector"] = CUSTOM_POLICIES["mean_vector"]
    conditions = {table: f"(SELECT unbound()) OR ({rule})" for table, rule in rules.items()}
    conditions["words"] = "terms @@ (SELECT words_bound())"
    policies = "\n".join(
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
        f" DROP POLICY IF EXISTS workspace ON {table}; CREATE POLICY workspace ON {table} USING ({rule});"
        for table, rule in conditions.items()
    )
    return f"{POLICY_FUNCTIONS}{policies}{WAITING_TOTALS_POLICY}"


def _rule(table: str, ownership: Ownership) -> str:
    if ownership.by is RowOwner.RULE:
        return CUSTOM_POLICIES[table]
    return (
        "FALSE"
        if ownership.by is RowOwner.OPERATOR
        else f"{OWNER_EXPRESSIONS[ownership.by].format(ownership.column)} {_BOUND}"
    )


WAITING_TOTALS_POLICY = """
    DROP POLICY IF EXISTS sums ON waiting;
    CREATE POLICY sums ON waiting FOR SELECT USING ((SELECT named()) IS NOT NULL AND space = '');
"""


WorkspaceBinding = tuple[str, list[str], str]
"""The values of SET_WORKSPACE.
"""


class WorkspaceBindings:
    """The settings by which a transaction names each workspace."""

    def __init__(self, visible_to: VisibilityResolver) -> None:
        self._visible_to = visible_to
        self._bindings: dict[str, WorkspaceBinding] = {}

    def for_workspace(self, workspace: str) -> WorkspaceBinding:
        if workspace not in self._bindings:
            reach = self._visible_collections(workspace)
            setting = ALL_WORKSPACES if reach.all_workspaces else workspace
            self._bindings[workspace] = (setting, sorted(reach.names), "on" if reach.is_exclusion else "off")
        return self._bindings[workspace]

    def _visible_collections(self, workspace: str) -> VisibleCollections:
        if workspace == ALL_WORKSPACES:
            return ALL_COLLECTIONS
        return NO_COLLECTIONS if workspace == NO_WORKSPACE else self._visible_to(workspace)
