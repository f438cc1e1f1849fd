"""Whoever pressed a button, sent a form or used a command."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from enum import Enum, auto
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import structlog

from adapters.chat.interactions.upload_source import UploadSource
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Form, FormValues
from pipeline.errors import CitewellError
from pipeline.ports import BotServices
from pipeline.translations import TranslatableText, Translator
from pipeline.values import Actor, Answer, ConversationId, MessageKey, PlaceId, Readers, replace
from pipeline.words.language import choose_words
from pipeline.words.wording import TRY_AGAIN

log = structlog.get_logger(__name__)

NO_VALUES: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class InteractionPayload(NamedTuple):
    """What they pressed or sent, and where, in no platform's words."""

    action: str
    """A `ReplyButton`, the name of a form, or a command."""
    subject_id: str
    """What it carries: the id of an answer, of a question that people are asked, of a document."""
    person_id: str
    """As the ports name people."""
    places: tuple[PlaceId, ...]
    """Where they are, the widest place first; none in a direct message of no server."""
    conversation: ConversationId
    """That of the answer."""
    message: str = ""
    """The message that was pressed."""
    answer_message: str = ""
    """The message with the answer; empty where they alone see it."""
    name: str = ""
    """Theirs; empty where the platform does not say."""
    external: bool = False
    """They are of another organisation."""
    form_values: FormValues = NO_VALUES
    """What a form says."""
    subscription_conversation: ConversationId | None = None
    """Where others see what they are told of the answer later; None where they alone see it."""
    locale: str = ""
    """The language they set the platform to; empty where that is not known."""


class Acknowledgement(Enum):
    """What follows: a platform wants to know before it is done."""

    PRIVATE_REPLY = auto()
    """Something is shown to them alone."""
    MESSAGE_UPDATE = auto()
    """What they pressed changes, or nothing does."""
    FORM_OR_MESSAGE = auto()
    """A form opens, or a message appears; that acknowledges it."""
    FORM_VALIDATION = auto()
    """The form is taken, or refused."""


class HandoffReply(NamedTuple):
    """What somebody wrote where people were asked."""

    text: str
    notice: MessageKey
    """The message that asks people."""
    link: str
    """Its address; empty where it has none."""


class InteractionContext(ABC):
    """What a platform knows of them and does for them, until it is done. All that it does raises CitewellError only."""

    shows_votes: ClassVar[bool] = False
    """The platform shows by itself that a vote counts; otherwise they are thanked."""

    def __init__(self, pressed: InteractionPayload, desk: BotServices) -> None:
        self.payload = pressed
        self._desk = desk

    @abstractmethod
    async def actor(self) -> Actor: ...

    @abstractmethod
    async def private_readers(self) -> Readers:
        """As what they are shown alone; `readers` knows where they are from, too."""

    @abstractmethod
    async def channel_readers(self) -> Readers:
        """All who read along there."""

    @abstractmethod
    async def ack(self, then: Acknowledgement) -> None:
        """Acknowledge what they did, once, before anything else is done about it."""

    @abstractmethod
    async def reply_privately(self, text: str) -> None:
        """Tell them alone, by the way that needs least."""

    @abstractmethod
    async def show_privately(self, reply: Reply) -> None:
        """Show it to them alone, where the answer is."""

    @abstractmethod
    async def open_form(self, form: Form) -> None: ...

    @abstractmethod
    async def show_field_error(self, text: str, field: str) -> bool:
        """Say at a field of the form that they sent what is wrong with it; False where it is not open any more."""

    @abstractmethod
    async def replace_message(self, text: str) -> None:
        """Put our words in the place of the message that was pressed."""

    @abstractmethod
    async def mark_done(self, heading: str, at: MessageKey | None = None) -> None:
        """Say in the place of the heading of the message that was pressed, or that `at`, that it is done, and take its
        buttons away."""

    @abstractmethod
    async def send_export(self, data: str) -> None:
        """Give them their own data as a file, alone, and say so."""

    def error_text(self, error: CitewellError, words: Translator) -> str:
        """What they are told of what went wrong."""
        return words(TRY_AGAIN)

    # --- The same on every platform ---

    async def words(self, text: str = "") -> Translator:
        """Our words to them, who wrote `text`."""
        return await self._desk.translator_for(self.payload.person_id, text=text, locale=self.payload.locale)

    async def readers(self) -> Readers:
        """Of what they are shown alone."""
        readers = await self.private_readers()
        return replace(readers, external=readers.external or self.payload.external)

    async def subscription_target(self) -> ConversationId:
        """Where they are told of the answer later."""
        return self.payload.subscription_conversation or self.payload.conversation

    async def try_reply_privately(self, text: str) -> None:
        """Tell them alone. Nothing depends on it."""
        try:
            await self.reply_privately(text)
        except CitewellError as error:
            log.warning("interaction_reply_failed", action=self.payload.action, reason=str(error))

    async def show_error(self, text: str, field: str = "") -> None:
        """Say what is wrong with what they sent, at that field if the form is still open."""
        if not await self.show_field_error(text, field):
            await self.try_reply_privately(text)

    @asynccontextmanager
    async def report_errors(self) -> AsyncIterator[None]:
        """When what is done inside goes wrong, they are told so."""
        try:
            yield
        except CitewellError as error:
            log.warning("interaction_failed", action=self.payload.action, reason=str(error))
            await self.show_error(self.error_text(error, await self._words_at_hand()))

    async def _words_at_hand(self) -> Translator:
        try:
            return await self.words()
        except CitewellError:
            return choose_words(None, locale=self.payload.locale)


class ChannelInteractionContext(InteractionContext):
    """Where others write and read, too."""

    @abstractmethod
    async def share_readers(self) -> Readers | TranslatableText:
        """All who would read there what they share, or why nothing is shared there."""

    @abstractmethod
    async def direct_conversation(self) -> ConversationId:
        """That with them alone."""

    @abstractmethod
    async def message_link(self) -> str:
        """The address of the message that was pressed; empty where it has none."""

    @abstractmethod
    async def handoff_reply(self) -> HandoffReply | None:
        """What they wrote, as it is now, that the button offers to send; None where it is gone, or not theirs."""

    @abstractmethod
    async def upload_source(self) -> UploadSource | None:
        """What can be added of the message or the form that was pressed; None where it is not known any more."""

    @abstractmethod
    async def confirm_sharing(self, answer: Answer) -> None:
        """Put in the place of the message that was pressed that the answer is shared."""

    async def subscription_target(self) -> ConversationId:
        """Its conversation, or alone what they alone see."""
        return self.payload.subscription_conversation or await self.direct_conversation()
