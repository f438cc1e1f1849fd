"""Translation of Discord's events into chat events. Pure: nothing is asked of Discord.

The key of a message is `discord:GUILD:CHANNEL:MESSAGE`, with `dm` for the guild of a direct message, and the thread's
id for the channel of a message in a thread. A conversation is a DM, a thread, or a chain of replies. The id of a thread
opened from a message is that message's id, so a chain and the thread opened from its first message are the same
conversation where answers go into threads.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import discord

from adapters.chat.intake import (
    AppMentioned,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    PersonMessage,
    QuestionCandidate,
    ReactionChanged,
)
from adapters.discord.events.places import (
    DIRECT_SPACE,
    DISCORD_NAME,
    DiscordMessagePlace,
    guild_id_of,
    message_key,
    message_key_text,
    message_place,
    message_places,
    place_chain,
)
from adapters.discord.events.plain_text import message_to_text
from adapters.discord.platform import DISCORD
from adapters.discord.rendering.custom_ids import find_root
from pipeline.values import Attachment, ConversationId, IncomingMessage, MessageKey, MessageTrigger, PersonId

_ANY_MENTION = re.compile(r"<@[!&]?\d")


def parse_message(message: discord.Message, me: discord.ClientUser) -> MessagePosted | AppMentioned:
    """Return the chat event of a new message by a person or an app."""
    if app := _app_name(message, me):
        return AppMentioned(said_in=message_places(message), app=app)
    return MessagePosted(
        said_in=message_places(message),
        key=_key(message),
        person_message=_person_message(message, me),
        question=parse_question(message, me),
        is_edited=message.edited_at is not None,
    )


def parse_edit(message: discord.Message, me: discord.ClientUser) -> MessageEdited:
    """Return an edit. It has no text for messages of apps and for those that are empty now."""
    text = None if message.author.bot else message_to_text(message, me) or None
    question = parse_question(message, me) if text else None
    return MessageEdited(said_in=message_places(message), key=_key(message), text=text, question=question)


def parse_deletion(guild_id: int | None, channel_id: int, channel: object, message_id: int) -> MessageDeleted:
    key = message_key(guild_id, channel_id, message_id)
    return MessageDeleted(said_in=place_chain(guild_id, channel_id, channel), key=key)


def parse_reaction(payload: discord.RawReactionActionEvent, channel: object) -> ReactionChanged | None:
    """Return the change of a marking reaction; None for any other reaction."""
    if payload.emoji.name not in (ACCEPTED_EMOJI, EXCLUDED_EMOJI):
        return None
    key = message_key(payload.guild_id, payload.channel_id, payload.message_id)
    return ReactionChanged(said_in=place_chain(payload.guild_id, payload.channel_id, channel), key=key)


def parse_question(message: discord.Message, me: discord.ClientUser) -> QuestionCandidate | None:
    """Return `message` as a possible question; None when it is not for the bot."""
    if message.author.bot or message.webhook_id or message.type not in PERSON_MESSAGE_TYPES:
        return None
    own_message = _own_message(message, me)
    addressed = _mentions_bot(message, me) or own_message is not None
    in_thread = isinstance(message.channel, discord.Thread | discord.PartialMessageable)
    if guild_id_of(message) is None:
        manner = MessageTrigger.DIRECT
    elif addressed:
        manner = MessageTrigger.MENTION if own_message is None and message.content else MessageTrigger.THREAD
    elif (in_thread or not message.reference) and message.content and not _mentions_somebody(message):
        manner = MessageTrigger.OVERHEARD
    else:
        return None
    incoming = IncomingMessage(
        place=_key(message),
        conversation=_conversation(message, own_message, in_thread=in_thread, threads=False),
        asker=PersonId(platform=DISCORD_NAME, user=str(message.author.id)),
        text=message_to_text(message, me),
        attachments=parse_attachments(message),
        sent_at=message.created_at,
        manner=manner,
        event_id=str(message.id),
        said_in=message_places(message),
    )
    return QuestionCandidate(
        message=incoming,
        thread_conversation=_conversation(message, own_message, in_thread=in_thread, threads=True),
        replied_question=_replied_question(message, own_message)
        if guild_id_of(message) is not None and not in_thread
        else "",
    )


def _key(message: discord.Message) -> MessageKey:
    return message_key(guild_id_of(message), message.channel.id, message.id)


def _app_name(message: discord.Message, me: discord.ClientUser) -> str:
    """Return the name of the bot or webhook that mentions us, or ""."""
    program = (message.author.bot or message.webhook_id) and message.author.id != me.id
    return message.author.name if program and f"<@{me.id}>" in message.content else ""


def _person_message(message: discord.Message, me: discord.ClientUser) -> PersonMessage | None:
    """Return a person's message, unless it forwards another one."""
    replied = _reply_targets(message)
    if message.author.bot or (message.reference and not replied):
        return None
    return PersonMessage(
        key=_key(message),
        author=str(PersonId(platform=DISCORD_NAME, user=str(message.author.id))),
        text=message.content,
        reply_targets=replied,
        is_for_bot=f"<@{me.id}>" in message.content,
    )


def _mentions_somebody(message: discord.Message) -> bool:
    return message.mention_everyone or _ANY_MENTION.search(message.content) is not None


def _reply_targets(message: discord.Message) -> tuple[str, ...]:
    """Return the keys of the messages that this one may reply to: the one it refers to, and the first of its thread."""
    guild_id, channel = guild_id_of(message), message.channel
    replied_id = message.reference.message_id if message.reference else None
    keys = [message_key_text(guild_id, channel.id, replied_id)] if replied_id else []
    if isinstance(channel, discord.Thread) and channel.id != message.id:
        keys += [message_key_text(guild_id, channel_id, channel.id) for channel_id in (channel.id, channel.parent_id)]
    return tuple(keys)


ACCEPTED_EMOJI, EXCLUDED_EMOJI = "✅", "🚫"
"""Reactions to a message: it solved the question; it is off the record."""
PERSON_MESSAGE_TYPES = (discord.MessageType.default, discord.MessageType.reply)


class CommandReplyTarget(NamedTuple):
    """The target of the answer to a command."""

    token: str
    """The interaction's token."""
    is_private: bool
    """True where only the asker sees the answer."""

    def __str__(self) -> str:
        return f"{'private' if self.is_private else 'shared'}:{self.token}"

    @classmethod
    def parse(cls, text: str) -> CommandReplyTarget:
        # As `__str__` writes it.
        way, _, token = text.partition(":")
        return cls(token, way == "private")


def parse_command(
    interaction: discord.Interaction[Any], question: str, *, private: bool, files: tuple[Attachment, ...]
) -> IncomingMessage:
    """Return a command as a question. A person's private ones in a channel are a conversation of their own."""
    guild_id, channel_id, user_id = interaction.guild_id, interaction.channel_id or 0, interaction.user.id
    key = message_key(guild_id, channel_id, interaction.id)
    thread = f"{DISCORD.private_thread}{user_id}" if private else f"command-{interaction.id}"
    space = str(guild_id or DIRECT_SPACE)
    return IncomingMessage(
        place=key,
        conversation=ConversationId(platform=DISCORD_NAME, space=space, channel=str(channel_id), thread=thread),
        asker=PersonId(platform=DISCORD_NAME, user=str(user_id)),
        text=question.strip(),
        attachments=files,
        sent_at=interaction.created_at,
        manner=MessageTrigger.COMMAND,
        event_id=str(interaction.id),
        locale=str(interaction.locale),
        said_in=place_chain(guild_id, channel_id, interaction.channel),
        reply_to=str(CommandReplyTarget(interaction.token, private)),
    )


def _mentions_bot(message: discord.Message, me: discord.ClientUser) -> bool:
    own_role = message.guild.self_role if message.guild else None
    return any(user.id == me.id for user in message.mentions) or (
        own_role is not None and any(role.id == own_role.id for role in message.role_mentions)
    )


def _own_message(message: discord.Message, me: discord.ClientUser) -> discord.Message | None:
    """Return our own message that `message` replies to, or None."""
    target = message.reference.resolved if message.reference else None
    return target if isinstance(target, discord.Message) and target.author.id == me.id else None


def _replied_question(message: discord.Message, own_message: discord.Message | None) -> str:
    question_id = own_message.reference.message_id if own_message and own_message.reference else None
    return message_key_text(guild_id_of(message), message.channel.id, question_id) if question_id else ""


def _conversation(
    message: discord.Message, own_message: discord.Message | None, *, in_thread: bool, threads: bool
) -> ConversationId:
    guild_id = guild_id_of(message)
    if guild_id is None:
        return ConversationId(platform=DISCORD_NAME, space=DIRECT_SPACE, channel=str(message.channel.id))
    root = str(message.id)
    if own_message is not None:
        question_id = own_message.reference.message_id if own_message.reference else None
        root = find_root(own_message.components) or str(question_id or own_message.id)
    return _guild_conversation(guild_id, message.channel.id, root, in_thread=in_thread, threads=threads)


def shared_conversation(
    place: DiscordMessagePlace, message_id: int, *, in_thread: bool, threads: bool
) -> ConversationId:
    """Return the conversation that replies to a message belong to, in which an answer was shared at `place`."""
    return _guild_conversation(
        place.guild_id or 0, place.channel_id, str(message_id), in_thread=in_thread, threads=threads
    )


def _guild_conversation(guild_id: int, channel_id: int, root: str, *, in_thread: bool, threads: bool) -> ConversationId:
    """Return the conversation of a server that begins with the message `root`; a thread is one conversation."""
    if in_thread:
        root = ""
    channel, thread = (root, "") if threads and root else (str(channel_id), root)
    return ConversationId(platform=DISCORD_NAME, space=str(guild_id), channel=channel, thread=thread)


def conversation_root(message: IncomingMessage) -> str:
    """Return the root that the reply's buttons carry, so that a reply to it belongs to the same conversation."""
    conversation = message.conversation
    place = message_place(message)
    if conversation.space == DIRECT_SPACE or message.manner is MessageTrigger.COMMAND:
        return ""
    if conversation.thread:
        return conversation.thread
    return conversation.channel if conversation.channel != str(place.channel_id) else ""


def is_in_thread(message: IncomingMessage, channel_id: int) -> bool:
    """Return True if a reply in that channel stands in a thread that is the conversation of `message`."""
    conversation = message.conversation
    return conversation.space != DIRECT_SPACE and not conversation.thread and conversation.channel == str(channel_id)


def parse_attachments(message: discord.Message) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(
            id=str(attachment.id),
            name=attachment.filename,
            media_type=attachment.content_type or "",
            size=attachment.size,
            url=attachment.url,
        )
        for attachment in message.attachments
    )


def is_text_withheld(message: IncomingMessage) -> bool:
    """Return True if Discord withheld the text of a message to the bot, which lacks the message content intent. That
    happens for a reply to the bot whose ping was switched off; Discord shows the text of a real mention."""
    return message.manner is MessageTrigger.THREAD and not message.text and not message.attachments
