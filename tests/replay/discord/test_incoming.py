"""Gateway payloads, as Discord documents and sends them, become questions or nothing."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from adapters.chat.intake import AppMentioned, QuestionCandidate
from adapters.discord.events.incoming import conversation_root, parse_message, parse_question
from adapters.discord.events.places import message_place
from adapters.discord.events.plain_text import message_to_text
from pipeline.values import ConversationId, IncomingMessage, MessageTrigger
from tests.replay.discord.build import ANN, BOB, BOT, CHANNEL, GUILD, OWN_ROLE, THREAD, client, message, user

ID = "1573625817055887372"
ASK = f"<@{BOT}> How much leave do I get?"
MENTIONS = [user(BOT, "Citewell", bot=True)]


@pytest.fixture
async def made() -> discord.Client:
    return client()


def reading(made: discord.Client, **payload: Any) -> QuestionCandidate | None:
    assert made.user
    return parse_question(message(made, payload), made.user)


def asked(made: discord.Client, **payload: Any) -> IncomingMessage:
    found = reading(made, **payload)
    assert found is not None
    return found.message


def conversation(space: str, channel: str, thread: str = "") -> ConversationId:
    return ConversationId(platform="discord", space=space, channel=channel, thread=thread)


async def test_a_mention_is_a_question_without_the_mention(made: discord.Client) -> None:
    incoming = asked(made, content=ASK, mentions=MENTIONS)
    assert incoming.text == "How much leave do I get?"
    assert incoming.key == f"discord:{GUILD}:{CHANNEL}:{ID}"
    assert incoming.author == f"discord:{ANN}"
    assert incoming.manner is MessageTrigger.MENTION
    assert incoming.conversation == conversation(GUILD, CHANNEL, ID)
    assert message_place(incoming) == (int(GUILD), int(CHANNEL), int(ID))


@pytest.mark.parametrize("thread", [THREAD, "301"])
async def test_a_thread_and_a_forum_post_are_a_conversation(made: discord.Client, thread: str) -> None:
    incoming = asked(made, channel_id=thread, content=ASK, mentions=MENTIONS)
    assert (incoming.conversation, incoming.manner) == (conversation(GUILD, thread), MessageTrigger.MENTION)


async def test_an_unmentioned_message_in_a_thread_is_overheard(made: discord.Client) -> None:
    incoming = asked(made, channel_id=THREAD, content="And part-timers?")
    assert incoming.manner is MessageTrigger.OVERHEARD


@pytest.mark.parametrize(
    "content", [f"<@{BOB}> what do you think?", f"what do you think, <@{BOB}>?", f"<@&{OWN_ROLE}1> look", ""]
)
async def test_a_message_in_a_thread_to_somebody_else_or_withheld_is_not_ours(
    made: discord.Client, content: str
) -> None:
    assert reading(made, channel_id=THREAD, content=content) is None


async def test_a_thread_that_is_not_known_is_still_a_thread(made: discord.Client) -> None:
    incoming = asked(made, channel_id="999", content="And part-timers?")
    assert (incoming.conversation, incoming.manner) == (conversation(GUILD, "999"), MessageTrigger.OVERHEARD)


async def test_what_begins_a_forums_post_is_asked_under_its_title(made: discord.Client) -> None:
    incoming = asked(made, channel_id="301", id="301", content=f"<@{BOT}>", mentions=MENTIONS)
    assert incoming.text == "leave"


async def test_our_own_role_counts_as_a_mention(made: discord.Client) -> None:
    incoming = asked(made, content=f"<@&{OWN_ROLE}> How much leave?", mention_roles=[OWN_ROLE])
    assert incoming.text == "How much leave?"


async def test_a_direct_message_is_a_question(made: discord.Client) -> None:
    incoming = asked(made, guild_id=None, channel_id="400", content="How much leave?")
    assert (incoming.manner, incoming.conversation) == (MessageTrigger.DIRECT, conversation("dm", "400"))
    assert incoming.key == f"discord:dm:400:{ID}"
    assert message_place(incoming).guild_id is None
    assert conversation_root(incoming) == ""


@pytest.mark.parametrize(
    "payload",
    [
        {"content": ASK, "mentions": MENTIONS, "author": user("777", "other", bot=True)},
        {"content": ASK, "mentions": MENTIONS, "author": user(BOT, "Citewell", bot=True)},
        {"content": ASK, "mentions": MENTIONS, "webhook_id": "888"},
        {"content": "leave", "type": 18},
        {"content": "", "type": 21, "channel_id": THREAD},
        {"content": "", "type": 7},
        {"content": f"<@{BOB}> hello", "mentions": [user(BOB, "bob")]},
        {"content": "@everyone hello", "mention_everyone": True},
    ],
    ids=["bot", "ourselves", "webhook", "thread created", "thread starter", "join", "to somebody", "everyone"],
)
async def test_what_is_not_for_us_is_nothing(made: discord.Client, payload: dict[str, Any]) -> None:
    assert reading(made, **payload) is None


async def test_a_program_that_mentions_us_is_told_of_by_its_name(made: discord.Client) -> None:
    assert made.user
    payload = {"content": ASK, "mentions": MENTIONS, "author": user("777", "deploys", bot=True)}
    told = parse_message(message(made, payload), made.user)
    assert isinstance(told, AppMentioned)
    assert told.app == "deploys"


async def test_what_is_said_to_nobody_is_overheard_and_begins_a_conversation(made: discord.Client) -> None:
    incoming = asked(made, content="How much leave?")
    assert (incoming.manner, incoming.starts_conversation) == (MessageTrigger.OVERHEARD, True)


async def test_mentions_in_a_question_are_told_by_name(made: discord.Client) -> None:
    content = f"<@{BOT}> did <@{BOB}> ask <@&700> in <#{CHANNEL}> <:smile:123>?"
    incoming = asked(made, content=content, mentions=[*MENTIONS, user(BOB, "bob")], mention_roles=["700"])
    assert incoming.text == "did @bob ask @hr in #team ?"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("When is <@502> on call?", "When is @bob on call?"),
        ("When is <@!599> on call?", "When is @somebody on call?"),
        ("What may <@&700> do?", "What may @hr do?"),
        ("What is <#200> for?", "What is #team for?"),
        ("What is <#299> for?", "What is #somewhere for?"),
        ("What changed since <t:1759968000:D>?", "What changed since 9 October 2025?"),
        ("What was at <t:1759968000>?", "What was at 9 October 2025 00:00 UTC?"),
        ("What does </ask:123456> do?", "What does /ask do?"),
    ],
)
async def test_an_id_is_a_name_or_a_day(made: discord.Client, said: str, words: str) -> None:
    mentions = [*MENTIONS, user(BOB, "bob")]
    incoming = asked(made, content=f"<@{BOT}> {said}", mentions=mentions)
    assert incoming.text == words


async def test_a_message_that_is_passed_on_is_the_question(made: discord.Client) -> None:
    snapshot = {"message": {"type": 0, "content": "How many days do <@&700> get?", "embeds": [], "attachments": [],
                            "timestamp": "2026-11-20T09:00:00+00:00", "edited_timestamp": None, "flags": 0,
                            "mentions": [], "mention_roles": [], "components": []}}  # fmt: skip
    reference = {"type": 1, "channel_id": CHANNEL, "message_id": "77"}
    passed = message(made, {"message_snapshots": [snapshot], "message_reference": reference, "flags": 1 << 14})
    assert made.user
    assert message_to_text(passed, made.user) == "How many days do @hr get?"
