"""Tables of what waits to be answered, whose turn it is, and where the bot has been."""

from __future__ import annotations

from storage.schema.table import Export, Owned, Owner, Personal, StoredTable, TableIndex

_WHERE = "where the bot has been is not kept under a person's id: ids of conversations, direct ones among them, stay"

TABLES = (
    StoredTable(
        "message",
        """
        sequence lasting,
        key word UNIQUE,
        space word,
        author word,
        conversation word,
        state text DEFAULT 'open' CHECK (state IN ('open', 'done', 'expired', 'dead', 'cancelled')),
        sent_at real,
        body json,
        attempt int DEFAULT 0,
        not_before real DEFAULT 0,
        leased_until real DEFAULT 0,
        withdrawn flag DEFAULT FALSE,
        answer word DEFAULT '',
        posting_since real NULL,
        reference text DEFAULT '',
        why text DEFAULT '',
        closed_at real NULL,
        ends int DEFAULT 0,
        alone_until real DEFAULT 0,
        holder int DEFAULT 0,
        stopped flag DEFAULT FALSE
        """,
        indexes=(
            TableIndex("message_open", "(space, author, sequence) WHERE state = 'open'"),
            TableIndex("message_order", "(conversation, sequence) WHERE state = 'open'"),
            TableIndex("message_author", "(author)"),
            TableIndex("message_closed", "(closed_at) WHERE state <> 'open'"),
            TableIndex("message_leased", "(leased_until) WHERE state = 'open' AND leased_until > 0"),
            TableIndex("message_suspect", "(not_before, sequence) WHERE state = 'open' AND ends >= 2"),
        ),
        people=(Personal("author = $1", Export("messages", "state, body", "sequence"), counted=True),),
        owned=Owned(Owner.SPACE, "space"),
    ),
    StoredTable(
        "known",
        "digest bytes, at real",
        people="digests of messages' keys, which say nothing about them",
        owned="digests of messages' keys, which say nothing about them",
    ),
    StoredTable(
        "served",
        "scope word, turn bigint",
        people=(Personal("substr(scope, length(scope) - length($1)) = ' ' || $1"),),
        owned=Owned(Owner.SCOPE, "scope"),
    ),
    StoredTable(
        "waiting",
        "scope word, space word, author word, messages bigint, turn bigint, since bigint",
        indexes=(TableIndex("waiting_turn", "(space, turn, since, author)"),),
        people=(Personal("author = $1"),),
        owned=Owned(Owner.SCOPE, "scope"),
    ),
    StoredTable(
        "told",
        "author word, at real",
        people=(Personal("author = $1"),),
        owned=Owned(Owner.PERSON, "author"),
    ),
    StoredTable(
        "seen",
        "channel word, message word",
        people=_WHERE,
        owned=Owned(Owner.PLACE, "channel"),
    ),
    StoredTable(
        "part",
        "conversation word, at real",
        people=_WHERE,
        owned=Owned(Owner.PLACE, "conversation"),
    ),
    StoredTable(
        "silenced",
        "conversation word, at real, until real NULL",
        people=_WHERE,
        owned=Owned(Owner.PLACE, "conversation"),
    ),
    StoredTable(
        "unasked",
        "key word, place word, at real",
        indexes=(TableIndex("unasked_place", "(place)"),),
        people=_WHERE,
        owned=Owned(Owner.PLACE, "key"),
    ),
)
