"""Gateway payloads, as Discord documents and sends them, become questions or nothing."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from adapters.discord import buttons
from adapters.discord.incoming import Reading, read, root
from adapters.discord.places import place
from adapters.replies.parts import Button
from pipeline.values import Attachment, ConversationId, Manner
from tests.replay.discord.build import ANN, BOB, BOT, CHANNEL, GUILD, OWN_ROLE, THREAD, client, message, ours, user

ID = "1573625817055887372"
ASK = f"<@{BOT}> How much leave do I get?"
MENTIONS = [user(BOT, "Citewell", bot=True)]


@pytest.fixture
async def made() -> discord.Client:
    return client()


def reading(made: discord.Client, threads: bool = False, **payload: Any) -> Reading | None:
    assert made.user
    return read(message(made, payload), made.user, threads=threads)


def asked(made: discord.Client, threads: bool = False, **payload: Any) -> Reading:
    found = reading(made, threads, **payload)
    assert found is not None
    return found


def conversation(space: str, channel: str, thread: str = "") -> ConversationId:
    return ConversationId(platform="discord", space=space, channel=channel, thread=thread)


async def test_a_mention_is_a_question_without_the_mention(made: discord.Client) -> None:
    incoming, _ = asked(made, content=ASK, mentions=MENTIONS)
    assert incoming.text == "How much leave do I get?"
    assert incoming.key == f"discord:{GUILD}:{CHANNEL}:{ID}"
    assert incoming.author == f"discord:{ANN}"
    assert incoming.manner is Manner.MENTION
    assert incoming.conversation == conversation(GUILD, CHANNEL, ID)
    assert place(incoming) == (int(GUILD), int(CHANNEL), int(ID))


async def test_where_answers_go_into_threads_the_conversation_is_the_thread_to_be(made: discord.Client) -> None:
    incoming, *_ = asked(made, threads=True, content=ASK, mentions=MENTIONS)
    assert incoming.conversation == conversation(GUILD, ID)


@pytest.mark.parametrize("thread", [THREAD, "301"])
async def test_a_thread_and_a_forum_post_are_a_conversation(made: discord.Client, thread: str) -> None:
    incoming, _ = asked(made, channel_id=thread, content=ASK, mentions=MENTIONS)
    assert (incoming.conversation, incoming.manner) == (conversation(GUILD, thread), Manner.MENTION)


async def test_an_unmentioned_message_in_a_thread_is_overheard(made: discord.Client) -> None:
    incoming, _ = asked(made, channel_id=THREAD, content="And part-timers?")
    assert incoming.manner is Manner.OVERHEARD


@pytest.mark.parametrize(
    "content", [f"<@{BOB}> what do you think?", f"what do you think, <@{BOB}>?", f"<@&{OWN_ROLE}1> look", ""]
)
async def test_a_message_in_a_thread_to_somebody_else_or_withheld_is_not_ours(
    made: discord.Client, content: str
) -> None:
    assert reading(made, channel_id=THREAD, content=content) is None


async def test_a_thread_that_is_not_known_is_still_a_thread(made: discord.Client) -> None:
    incoming, _ = asked(made, channel_id="999", content="And part-timers?")
    assert (incoming.conversation, incoming.manner) == (conversation(GUILD, "999"), Manner.OVERHEARD)


async def test_what_begins_a_forums_post_is_asked_under_its_title(made: discord.Client) -> None:
    incoming, _ = asked(made, channel_id="301", id="301", content=f"<@{BOT}>", mentions=MENTIONS)
    assert incoming.text == "leave"


async def test_our_own_role_counts_as_a_mention(made: discord.Client) -> None:
    incoming, *_ = asked(made, content=f"<@&{OWN_ROLE}> How much leave?", mention_roles=[OWN_ROLE])
    assert incoming.text == "How much leave?"


async def test_a_direct_message_is_a_question(made: discord.Client) -> None:
    incoming, *_ = asked(made, guild_id=None, channel_id="400", content="How much leave?")
    assert (incoming.manner, incoming.conversation) == (Manner.DIRECT, conversation("dm", "400"))
    assert incoming.key == f"discord:dm:400:{ID}"
    assert place(incoming).guild_id is None
    assert root(incoming) == ""


@pytest.mark.parametrize("pinged", [True, False])
async def test_a_reply_to_our_answer_goes_on_in_its_conversation(made: discord.Client, pinged: bool) -> None:
    custom_id = buttons.custom_id(Button.HELPFUL, "a1", "1573625800000000000")
    card = {
        "type": 17,
        "components": [{"type": 1, "components": [{"type": 2, "style": 2, "label": "x", "custom_id": custom_id}]}],
    }
    target = ours(components=[card])
    reference = {"message_id": target["id"], "channel_id": CHANNEL, "guild_id": GUILD}
    incoming, _ = asked(
        made,
        type=19,
        content="And part-timers?",
        mentions=MENTIONS if pinged else [],
        message_reference=reference,
        referenced_message=target,
    )
    assert incoming.manner is Manner.THREAD
    assert incoming.conversation == conversation(GUILD, CHANNEL, "1573625800000000000")
    assert root(incoming) == "1573625800000000000"


async def test_a_reply_to_an_answer_without_buttons_goes_on_from_its_question(made: discord.Client) -> None:
    target = ours(message_reference={"message_id": "1573625800000000001", "channel_id": CHANNEL})
    reference = {"message_id": target["id"], "channel_id": CHANNEL, "guild_id": GUILD}
    incoming, answered = asked(made, type=19, content="And?", message_reference=reference, referenced_message=target)
    assert answered == f"discord:{GUILD}:{CHANNEL}:1573625800000000001"
    assert incoming.conversation == conversation(GUILD, CHANNEL, "1573625800000000001")


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


async def test_what_is_said_to_nobody_is_overheard_and_begins_a_conversation(made: discord.Client) -> None:
    incoming, _ = asked(made, content="How much leave?")
    assert (incoming.manner, incoming.opens) == (Manner.OVERHEARD, True)


async def test_mentions_in_a_question_are_told_by_name(made: discord.Client) -> None:
    content = f"<@{BOT}> did <@{BOB}> ask <@&700> in <#{CHANNEL}> <:smile:123>?"
    incoming, *_ = asked(made, content=content, mentions=[*MENTIONS, user(BOB, "bob")], mention_roles=["700"])
    assert incoming.text == "did @bob ask @hr in #team ?"


async def test_attachments_come_with_the_question(made: discord.Client) -> None:
    file = {"id": "1", "filename": "chart.png", "size": 10, "url": "https://cdn/x", "proxy_url": "https://p/x",
            "content_type": "image/png"}  # fmt: skip
    incoming, *_ = asked(made, content=ASK, mentions=MENTIONS, attachments=[file])
    assert incoming.attachments == (
        Attachment(id="1", name="chart.png", media_type="image/png", size=10, url="https://cdn/x"),
    )
