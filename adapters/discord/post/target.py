"""Where a reply goes: under the question, or into a thread opened from it."""

from __future__ import annotations

import discord

from adapters.chat.reply.cut import clean
from adapters.discord import limits
from adapters.discord.errors import THREAD_EXISTS
from adapters.discord.events.places import MessagePlace
from adapters.discord.retry import steadily
from pipeline.translations import Message
from pipeline.values import IncomingMessage, Manner

NO_THREADS = Message("I may not open threads here: I lack the permission “Create Public Threads”.")


class Target:
    """The thread of a message has the message's id, so it is found again without any record."""

    def __init__(self, client: discord.Client, message: IncomingMessage, where: MessagePlace) -> None:
        self._client = client
        self._message = message
        self._where = where
        begins = message.conversation.channel == str(where.message_id)
        itself = where.channel_id == where.message_id
        self._threads = begins and not itself and message.manner in (Manner.MENTION, Manner.OVERHEARD)
        self.remarks: list[Message] = []
        """What is to be said about where the reply went."""

    @property
    def begins_thread(self) -> bool:
        """The reply goes into a thread that is opened for it."""
        return self._threads

    @property
    def possible(self) -> tuple[int, ...]:
        """The channels the reply may be in, the likeliest first."""
        return (self._where.message_id, self._where.channel_id) if self._threads else (self._where.channel_id,)

    async def open(self) -> int:
        """The channel to post in. Without the permission to open a thread, the question's own, with a remark."""
        if not self._threads:
            return self._where.channel_id
        channel = self._client.get_partial_messageable(self._where.channel_id, guild_id=self._where.guild_id)
        question = channel.get_partial_message(self._where.message_id)
        try:
            await steadily(lambda: question.create_thread(name=thread_name(self._message.text)))
        except discord.DiscordServerError:
            raise
        except discord.HTTPException as error:
            if error.code == THREAD_EXISTS:
                return self._where.message_id
            if isinstance(error, discord.Forbidden):
                self.remarks.append(NO_THREADS)
            return self._where.channel_id
        return self._where.message_id


def thread_name(question: str) -> str:
    """The question as the name of a thread: one line of at most 100 characters."""
    name = clean(question) or "Question"
    if limits.length(name) <= limits.THREAD_NAME:
        return name
    name = name[: limits.THREAD_NAME]
    while limits.length(name) >= limits.THREAD_NAME:
        name = name[:-1]
    return f"{name.rstrip()}…"
