"""Tables of the inbox, its turns and the bot's presence; of conversations, answers and people's reactions to them."""

from __future__ import annotations

from storage.schema.table import ExportSpec, Ownership, PersonalRows, RowOwner, StoredTable, TableIndex

# --- What waits, and where the bot has been -------------------------------------------------------

_WHERE = "where the bot has been is not kept under a person's id: ids of conversations, direct ones among them, stay"

QUEUE_TABLES = (
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
        personal_rows=(
            PersonalRows("author = $1", ExportSpec("messages", "state, body", "sequence"), is_counted=True),
        ),
        ownership=Ownership(RowOwner.SPACE, "space"),
    ),
    StoredTable(
        "known",
        "digest bytes, at real",
        personal_rows="digests of messages' keys, which say nothing about them",
        ownership="digests of messages' keys, which say nothing about them",
    ),
    StoredTable(
        "served",
        "scope word, turn bigint",
        personal_rows=(PersonalRows("substr(scope, length(scope) - length($1)) = ' ' || $1"),),
        ownership=Ownership(RowOwner.SCOPE, "scope"),
    ),
    StoredTable(
        "waiting",
        "scope word, space word, author word, messages bigint, turn bigint, since bigint",
        indexes=(TableIndex("waiting_turn", "(space, turn, since, author)"),),
        personal_rows=(PersonalRows("author = $1"),),
        ownership=Ownership(RowOwner.SCOPE, "scope"),
    ),
    StoredTable(
        "told",
        "author word, at real",
        personal_rows=(PersonalRows("author = $1"),),
        ownership=Ownership(RowOwner.PERSON, "author"),
    ),
    StoredTable(
        "seen",
        "channel word, message word",
        personal_rows=_WHERE,
        ownership=Ownership(RowOwner.PLACE, "channel"),
    ),
    StoredTable(
        "part",
        "conversation word, at real",
        personal_rows=_WHERE,
        ownership=Ownership(RowOwner.PLACE, "conversation"),
    ),
    StoredTable(
        "silenced",
        "conversation word, at real, until real NULL",
        personal_rows=_WHERE,
        ownership=Ownership(RowOwner.PLACE, "conversation"),
    ),
    StoredTable(
        "unasked",
        "key word, place word, at real",
        indexes=(TableIndex("unasked_place", "(place)"),),
        personal_rows=_WHERE,
        ownership=Ownership(RowOwner.PLACE, "key"),
    ),
)


# --- Conversations, answers and what people did with them -----------------------------------------

ASKED_OR_WRITTEN_BY = "$1 IN (asker, body ->> 'author')"

HISTORY_TABLES = (
    StoredTable(
        "turn",
        "id serial, conversation word, author word, asked_at real, body json",
        indexes=(TableIndex("turn_conversation", "(conversation, id)"), TableIndex("turn_author", "(author)")),
        personal_rows=(PersonalRows("author = $1", ExportSpec("turns", "conversation, body", "id"), is_counted=True),),
        ownership=Ownership(RowOwner.PLACE, "conversation"),
    ),
    StoredTable(
        "answer",
        "id word, author word, at real, body json",
        indexes=(TableIndex("answer_author", "(author)"),),
        personal_rows=(PersonalRows("author = $1", ExportSpec("answers", "body", "at")),),
        ownership=Ownership(RowOwner.PERSON, "author"),
    ),
    StoredTable(
        "question",
        "key word, answer word, conversation word",
        indexes=(TableIndex("question_answer", "(answer)"), TableIndex("question_conversation", "(conversation)")),
        personal_rows="keys of messages; it goes with the answer",
        ownership=Ownership(RowOwner.PLACE, "key"),
    ),
    StoredTable(
        "quoting",
        "document word, answer word, gone flag DEFAULT FALSE",
        key=("document", "answer"),
        indexes=(TableIndex("quoting_answer", "(answer)"), TableIndex("quoting_gone", "(answer) WHERE gone")),
        personal_rows="ids of documents and answers; it goes with the answer",
        ownership="ids of documents and answers, and nobody is told of them",
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
        personal_rows=(PersonalRows("author = $1"),),
        ownership=Ownership(RowOwner.PERSON, "author"),
    ),
    StoredTable(
        "rating",
        "answer word, person word, vote text, reason text NULL, comment text, at real, role word DEFAULT ''",
        key=("answer", "person"),
        indexes=(TableIndex("rating_person", "(person)"), TableIndex("rating_role", "(at, role) WHERE role <> ''")),
        personal_rows=(
            PersonalRows(
                "person = $1", ExportSpec("ratings", "answer, vote, reason, comment, role", "at"), is_counted=True
            ),
        ),
        ownership=Ownership(RowOwner.PERSON, "person"),
    ),
    StoredTable(
        "preference",
        "person word, body json",
        personal_rows=(PersonalRows("person = $1", ExportSpec("preferences", "body", "person"), is_counted=True),),
        ownership=Ownership(RowOwner.PERSON, "person"),
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
        personal_rows=(
            PersonalRows(
                "person = $1", ExportSpec("wishes", "question, asked_at, told_at", "asked_at"), is_counted=True
            ),
        ),
        ownership=Ownership(RowOwner.PERSON, "person"),
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
        personal_rows=(
            PersonalRows(ASKED_OR_WRITTEN_BY, ExportSpec("handoffs", "body, reply", "at"), is_counted=True),
            PersonalRows(
                "resolver = $1",
                ExportSpec("replies", "reply, resolved_at", "at"),
                on_forget="resolver = '', name = '', reply = ''",
            ),
        ),
        ownership=Ownership(RowOwner.RULE),
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
        personal_rows=(
            PersonalRows("recipient IN ($1, replace($1, ':', ':user:'))", on_forget="recipient = '', state = 'dead'"),
            PersonalRows("person = $1"),
        ),
        ownership=Ownership(RowOwner.RULE),
    ),
)
