"""The second wall between workspaces: row-level security, which holds whatever a statement forgets.

A transaction says for which workspace it is, and sees and writes rows of that one alone; one that says nothing sees
none. FORCE: the owner of the tables, as whom Citewell connects, keeps to it as well. Superusers do not.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.rules.tenancy import ALL, EVERYTHING, NOBODY, NONE, Reach, Reaches
from pipeline.values.ids import DIRECT
from storage.schema.table import Owned, Owner
from storage.schema.tables import TABLES

BIND = """
    SELECT set_config('citewell.workspace', $1, TRUE), set_config('citewell.collections', ($2::text[])::text, TRUE),
        set_config('citewell.others', $3, TRUE)
"""
LOOK_FOR = "SELECT set_config('citewell.words', $1, TRUE)"
"""Names the words that rows of `words` are looked for by: see `words_bound`."""
HOLDS = "SELECT row_security_active('words')"
"""Whether it does so for the role that is connected."""

OWNERS: Mapping[Owner, str] = {
    Owner.SPACE: "{}",
    Owner.PLACE: "workspace({})",
    Owner.PERSON: "person_workspace({})",
    Owner.SCOPE: "split_part({}, ' ', 1)",
}
"""Whose a row is. Where people are the same in every space, what is kept under a person's id alone, answers among it,
is not one space's but the platform's."""
_BOUND = "= ANY ((SELECT bound())::text[])"
BEHIND: Mapping[str, str] = {
    "collection": f"""
        CASE WHEN name LIKE '%:%' THEN workspace(name) = (SELECT named()) OR
            split_part(name, ':', 1) || ':{DIRECT}' = (SELECT named())
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
"""Rows that are a collection's or of two workspaces; `Owner.RULE`, and of `mean_vector`, which is not declared."""
FUNCTIONS = f"""
    CREATE OR REPLACE FUNCTION workspace(id text) RETURNS text IMMUTABLE PARALLEL SAFE
        RETURN split_part(id, ':', 1) || ':' || split_part(id, ':', 2);
    CREATE OR REPLACE FUNCTION person_workspace(id text) RETURNS text IMMUTABLE PARALLEL SAFE
        RETURN CASE WHEN split_part(id, ':', 3) = '' THEN split_part(id, ':', 1) ELSE workspace(id) END;
    CREATE OR REPLACE FUNCTION named() RETURNS text STABLE PARALLEL SAFE
        RETURN nullif(current_setting('citewell.workspace', TRUE), '{NOBODY}');
    CREATE OR REPLACE FUNCTION bound() RETURNS text[] STABLE PARALLEL SAFE
        RETURN ARRAY[named(), split_part(named(), ':', 1)];
    CREATE OR REPLACE FUNCTION unbound() RETURNS boolean STABLE PARALLEL SAFE
        RETURN current_setting('citewell.workspace', TRUE) IS NOT DISTINCT FROM '{EVERYTHING}';
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
"""`words_bound`: what rows of `words` have to hold to be seen, the words that are looked for and a collection of the
reach. Both are in the policy because, of what a statement asks besides, an index answers only what the server knows to
tell nothing (LEAKPROOF), as it does not of a search for words."""


def walls() -> str:
    """Statements that make the policy of every declared table, in the place of an older one."""
    rules = {table.name: _rule(table.name, table.owned) for table in TABLES if isinstance(table.owned, Owned)}
    rules["mean_vector"] = BEHIND["mean_vector"]
    made = {table: f"(SELECT unbound()) OR ({rule})" for table, rule in rules.items()}
    made["words"] = "terms @@ (SELECT words_bound())"
    policies = "\n".join(
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
        f" DROP POLICY IF EXISTS workspace ON {table}; CREATE POLICY workspace ON {table} USING ({rule});"
        for table, rule in made.items()
    )
    return f"{FUNCTIONS}{policies}{SUMS}"


def _rule(table: str, owned: Owned) -> str:
    if owned.by is Owner.RULE:
        return BEHIND[table]
    return "FALSE" if owned.by is Owner.OPERATOR else f"{OWNERS[owned.by].format(owned.column)} {_BOUND}"


SUMS = """
    DROP POLICY IF EXISTS sums ON waiting;
    CREATE POLICY sums ON waiting FOR SELECT USING ((SELECT named()) IS NOT NULL AND space = '');
"""


Binding = tuple[str, list[str], str]
"""The values of BIND."""


class Bindings:
    """What a transaction says, for each workspace."""

    def __init__(self, reaches: Reaches) -> None:
        self._reaches = reaches
        self._made: dict[str, Binding] = {}

    def of(self, workspace: str) -> Binding:
        if workspace not in self._made:
            reach = self._reach(workspace)
            said = EVERYTHING if reach.rows else workspace
            self._made[workspace] = (said, sorted(reach.names), "on" if reach.others else "off")
        return self._made[workspace]

    def _reach(self, workspace: str) -> Reach:
        if workspace == EVERYTHING:
            return ALL
        return NONE if workspace == NOBODY else self._reaches(workspace)
