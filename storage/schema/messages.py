"""Tables of what waits to be answered, whose turn it is and where the bot has been; of conversations, answers and what
people did with them."""

from __future__ import annotations

from storage.schema.table import Export, Owned, Owner, Personal, StoredTable, TableIndex

# --- What waits, and where the bot has been -------------------------------------------------------

_WHERE = "where the bot has been is not kept under a person's id: ids of conversations, direct ones among them, stay"

WAITING = (
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


# --- Conversations, answers and what people did with them -----------------------------------------

ASKED_OR_WRITTEN_BY = "$1 IN (asker, body ->> 'author')"

ANSWERED = (
    StoredTable(
        "turn",
        "id serial, conversation word, author word, asked_at real, body json",
        indexes=(TableIndex("turn_conversation", "(conversation, id)"), TableIndex("turn_author", "(author)")),
        people=(Personal("author = $1", Export("turns", "conversation, body", "id"), counted=True),),
        owned=Owned(Owner.PLACE, "conversation"),
    ),
    StoredTable(
        "answer",
        "id word, author word, at real, body json",
        indexes=(TableIndex("answer_author", "(author)"),),
        people=(Personal("author = $1", Export("answers", "body", "at")),),
        owned=Owned(Owner.PERSON, "author"),
    ),
    StoredTable(
        "question",
        "key word, answer word, conversation word",
        indexes=(TableIndex("question_answer", "(answer)"), TableIndex("question_conversation", "(conversation)")),
        people="keys of messages; it goes with the answer",
        owned=Owned(Owner.PLACE, "key"),
    ),
    StoredTable(
        "quoting",
        "document word, answer word, gone flag DEFAULT FALSE",
        key=("document", "answer"),
        indexes=(TableIndex("quoting_answer", "(answer)"), TableIndex("quoting_gone", "(answer) WHERE gone")),
        people="ids of documents and answers; it goes with the answer",
        owned="ids of documents and answers, and nobody is told of them",
    ),
    StoredTable(
        "asked",
        """
        answer word,
        author word,
        at real,
        question text,
        outcome text,
        level text,
        differing int,
        cited text,
        nearest word
        """,
        people=(Personal("author = $1"),),
        owned=Owned(Owner.PERSON, "author"),
    ),
    StoredTable(
        "rating",
        "answer word, person word, vote text, reason text NULL, comment text, at real, role word DEFAULT ''",
        key=("answer", "person"),
        indexes=(TableIndex("rating_person", "(person)"), TableIndex("rating_role", "(at, role) WHERE role <> ''")),
        people=(Personal("person = $1", Export("ratings", "answer, vote, reason, comment, role", "at"), counted=True),),
        owned=Owned(Owner.PERSON, "person"),
    ),
    StoredTable(
        "preference",
        "person word, body json",
        people=(Personal("person = $1", Export("preferences", "body", "person"), counted=True),),
        owned=Owned(Owner.PERSON, "person"),
    ),
    StoredTable(
        "wish",
        """
        id word,
        key word UNIQUE,
        answer word,
        person word,
        question word,
        body json,
        asked_at real,
        tried bigint NULL,
        told_at real NULL,
        not_before real DEFAULT 0
        """,
        indexes=(TableIndex("wish_answer", "(answer)"),),
        people=(Personal("person = $1", Export("wishes", "question, asked_at, told_at", "asked_at"), counted=True),),
        owned=Owned(Owner.PERSON, "person"),
    ),
    StoredTable(
        "handoff",
        """
        id word,
        answer word UNIQUE,
        asker word,
        body json,
        at real,
        resolver word DEFAULT '',
        name text DEFAULT '',
        reply text DEFAULT '',
        resolved_at real NULL
        """,
        indexes=(TableIndex("handoff_asker", "(asker)"),),
        people=(
            Personal(ASKED_OR_WRITTEN_BY, Export("handoffs", "body, reply", "at"), counted=True),
            Personal(
                "resolver = $1",
                Export("replies", "reply, resolved_at", "at"),
                forgotten="resolver = '', name = '', reply = ''",
            ),
        ),
        owned=Owned(Owner.RULE),
    ),
    StoredTable(
        "outbox",
        """
        sequence lasting,
        key word UNIQUE,
        about text,
        handoff word NULL REFERENCES handoff (id) ON DELETE CASCADE,
        recipient word DEFAULT '',
        person word DEFAULT '',
        post text DEFAULT '',
        state text DEFAULT 'open' CHECK (state IN ('open', 'done', 'dead')),
        attempt int DEFAULT 0,
        not_before real DEFAULT 0,
        holder int DEFAULT 0,
        posting_since real NULL,
        reference text DEFAULT '',
        why text DEFAULT '',
        closed_at real NULL
        """,
        indexes=(
            TableIndex("outbox_open", "(not_before) WHERE state = 'open'"),
            TableIndex("outbox_handoff", "(handoff)"),
        ),
        people=(
            Personal("recipient IN ($1, replace($1, ':', ':user:'))", forgotten="recipient = '', state = 'dead'"),
            Personal("person = $1"),
        ),
        owned=Owned(Owner.RULE),
    ),
)
