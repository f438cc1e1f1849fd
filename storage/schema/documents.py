"""Tables of documents and of their sources.

A passage is numbered `revision * 2**20 + position`: the number alone gives its revision, so changing one row makes a
document's new version visible and its old one invisible. Each engine keeps the index of passages in its own way.

A revision `beside` the live one is complete and has the same text: its vectors are those of another embedder.
"""

from __future__ import annotations

from storage.schema.table import BY_PROGRAM, ExportSpec, Ownership, PersonalRows, RowOwner, StoredTable, TableIndex

ADDED_BY_PERSON = "substr(source, 1, 5) = 'chat:' AND body -> 'metadata' ->> 'author' = $1"
"""Matches documents that a person added from a chat: they belong to the team, and lose the name when the person is
forgotten."""
_TEXTS = "what documents say; those that hold what a person asked or replied are hidden when it is forgotten"

DOCUMENT_TABLES = (
    StoredTable(
        "collection",
        "id smallserial, name word UNIQUE",
        personal_rows="names of collections",
        ownership=Ownership(RowOwner.RULE),
    ),
    StoredTable(
        "revision",
        """
        id lasting,
        document word,
        collection int REFERENCES collection (id),
        source word,
        filename word,
        version text,
        embedder word,
        dimensions int,
        state text CHECK (state IN ('staged', 'live', 'retired')),
        body json,
        created_at real,
        beside flag DEFAULT FALSE,
        dated word DEFAULT ''
        """,
        indexes=(
            TableIndex("revision_live", "(document) WHERE state = 'live'", unique=True),
            TableIndex("revision_hidden", "(id) WHERE state <> 'live'"),
            TableIndex("revision_source", "(source)"),
            TableIndex("revision_dated", "(dated) WHERE state = 'live'"),
            TableIndex("revision_collection", "(collection) WHERE state = 'live'"),
        ),
        personal_rows=(
            PersonalRows(
                f"state = 'live' AND {ADDED_BY_PERSON}", ExportSpec("added", "body", "id"), on_forget=BY_PROGRAM
            ),
        ),
        ownership=Ownership(RowOwner.RULE),
    ),
    StoredTable(
        "unit_vectors",
        "number bigint, matrix bytes",
        personal_rows=_TEXTS,
        ownership=Ownership(RowOwner.RULE),
    ),
    StoredTable(
        "chunk",
        "number bigint, id word, body json",
        indexes=(TableIndex("chunk_id", "(id)"),),
        personal_rows=_TEXTS,
        ownership=Ownership(RowOwner.RULE),
    ),
    StoredTable(
        "source",
        "name word, collection word",
        personal_rows="names of sources",
        ownership=Ownership(RowOwner.OPERATOR),
    ),
    StoredTable(
        "source_memory",
        "source word, key word, value text",
        key=("source", "key"),
        personal_rows="what a source keeps about its service between two looks",
        ownership=Ownership(RowOwner.OPERATOR),
    ),
    StoredTable(
        "source_look",
        "source word, at real, body json",
        personal_rows="how the last look at a source ended, in numbers",
        ownership=Ownership(RowOwner.OPERATOR),
    ),
    StoredTable(
        "said",
        "channel word, message word, thread word, author word, at real, seen real, body json",
        key=("channel", "message"),
        indexes=(TableIndex("said_thread", "(channel, thread, at)"), TableIndex("said_author", "(author)")),
        personal_rows=(PersonalRows("author = $1", ExportSpec("said", "channel, body", "at"), on_forget=BY_PROGRAM),),
        ownership=Ownership(RowOwner.PLACE, "channel"),
    ),
    StoredTable(
        "said_due",
        "channel word, thread word, since bigint",
        key=("channel", "thread"),
        personal_rows="ids of messages, as said holds them",
        ownership=Ownership(RowOwner.PLACE, "channel"),
    ),
    StoredTable(
        "channel_look",
        "channel word, body json",
        personal_rows="how far a channel is read",
        ownership=Ownership(RowOwner.PLACE, "channel"),
    ),
)
LIVE_VIEW = """
    CREATE VIEW live AS
        SELECT revision.id, document, collection AS collection_id, collection.name AS collection, source, filename,
            version, embedder, dimensions, body, dated
        FROM revision JOIN collection ON collection.id = revision.collection WHERE state = 'live'
"""
