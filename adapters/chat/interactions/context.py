"""The context of one interaction: a button, a form or a command."""

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
    """An action with its person and its place, in no platform's words."""

    action: str
    """A `ReplyButton`, the name of a form, or a command."""
    subject_id: str
    """The id it carries: of an answer, a handoff or a document."""
    person_id: str
    """The person who acted, as the ports name people."""
    places: tuple[PlaceId, ...]
    """The places of the interaction, the widest first; empty in a direct message outside a server."""
    conversation: ConversationId
    """The conversation of the answer."""
    message: str = ""
    """The message that was pressed."""
    answer_message: str = ""
    """The message with the answer; empty where only the person sees it."""
    name: str = ""
    """The person's name; empty where the platform does not say."""
    external: bool = False
    """True where the person belongs to another organisation."""
    form_values: FormValues = NO_VALUES
    """Submitted values of a form."""
    subscription_conversation: ConversationId | None = None
    """The conversation where others see a later answer; None where only the person sees it."""
    locale: str = ""
    """The language that the person set on the platform; empty if unknown."""


class Acknowledgement(Enum):
    """The kind of response that follows. Platforms want to know before the work is done."""

    PRIVATE_REPLY = auto()
    """Something is shown to the person alone."""
    MESSAGE_UPDATE = auto()
    """The pressed message changes, or nothing does."""
    FORM_OR_MESSAGE = auto()
    """A form opens or a message appears; that acknowledges the interaction."""
    FORM_VALIDATION = auto()
    """The form is accepted or refused."""


class HandoffReply(NamedTuple):
    """A message that somebody wrote as the reply to a handoff."""

    text: str
    notice: MessageKey
    """The handoff notice that it replies to."""
    link: str
    """The message's address; empty where it has none."""


class InteractionContext(ABC):
    """One interaction: the person who acted, and ways to respond to them. All methods raise only CitewellError."""

    shows_votes: ClassVar[bool] = False
    """True where the platform itself shows that a vote counts; otherwise the person is thanked."""

    def __init__(self, payload: InteractionPayload, services: BotServices) -> None:
        self.payload = payload
        self._services = services

    @abstractmethod
    async def actor(self) -> Actor: ...

    @abstractmethod
    async def private_readers(self) -> Readers:
        """Return the readers of a private response; `readers` adds whether the person is external."""

    @abstractmethod
    async def channel_readers(self) -> Readers:
        """Return all who read along there."""

    @abstractmethod
    async def ack(self, kind: Acknowledgement) -> None:
        """Acknowledge the interaction, once, before anything else is done."""

    @abstractmethod
    async def reply_privately(self, text: str) -> None:
        """Tell the person alone, by the way that needs the fewest permissions."""

    @abstractmethod
    async def show_privately(self, reply: Reply) -> None:
        """Show a reply to the person alone, beside the answer."""

    @abstractmethod
    async def open_form(self, form: Form) -> None: ...

    @abstractmethod
    async def show_field_error(self, text: str, field: str) -> bool:
        """Show an error at a form field. Return False where the form is not open any more."""

    @abstractmethod
    async def replace_message(self, text: str) -> None:
        """Replace the pressed message by our own text."""

    @abstractmethod
    async def mark_done(self, heading: str, at: MessageKey | None = None) -> None:
        """Replace the heading of the pressed message, or of the message `at`, and remove its buttons."""

    @abstractmethod
    async def send_export(self, data: str) -> None:
        """Send the person their own data as a file, in private, and say so."""

    def error_text(self, error: CitewellError, translator: Translator) -> str:
        """Return the text for a failed interaction."""
        return translator(TRY_AGAIN)

    # --- The same on every platform ---

    async def words(self, text: str = "") -> Translator:
        """Return the translator for the person, who wrote `text`."""
        return await self._services.translator_for(self.payload.person_id, text=text, locale=self.payload.locale)

    async def readers(self) -> Readers:
        """Return the readers of a private response."""
        readers = await self.private_readers()
        return replace(readers, external=readers.external or self.payload.external)

    async def subscription_target(self) -> ConversationId:
        """Return the conversation in which a later answer is posted."""
        return self.payload.subscription_conversation or self.payload.conversation

    async def try_reply_privately(self, text: str) -> None:
        """Tell the person alone, best effort."""
        try:
            await self.reply_privately(text)
        except CitewellError as error:
            log.warning("interaction_reply_failed", action=self.payload.action, reason=str(error))

    async def show_error(self, text: str, field: str = "") -> None:
        """Show what is wrong with the input: at the field while the form is open, else in private."""
        if not await self.show_field_error(text, field):
            await self.try_reply_privately(text)

    @asynccontextmanager
    async def report_errors(self) -> AsyncIterator[None]:
        """Tell the person if something inside the context fails."""
        try:
            yield
        except CitewellError as error:
            log.warning("interaction_failed", action=self.payload.action, reason=str(error))
            await self.show_error(self.error_text(error, await self._fallback_translator()))

    async def _fallback_translator(self) -> Translator:
        try:
            return await self.words()
        except CitewellError:
            return choose_words(None, locale=self.payload.locale)


class ChannelInteractionContext(InteractionContext):
    """An interaction in a place where other people write and read, too."""

    @abstractmethod
    async def share_readers(self) -> Readers | TranslatableText:
        """Return the readers of what would be shared there, or the reason why nothing is."""

    @abstractmethod
    async def direct_conversation(self) -> ConversationId:
        """Return the direct conversation with the person."""

    @abstractmethod
    async def message_link(self) -> str:
        """Return the address of the pressed message; empty where it has none."""

    @abstractmethod
    async def handoff_reply(self) -> HandoffReply | None:
        """Return the current text of the message that the button offers to send; None where it is gone or not the
        person's."""

    @abstractmethod
    async def upload_source(self) -> UploadSource | None:
        """Return the message or form whose files and links can be added; None where it is not known any more."""

    @abstractmethod
    async def show_shared_note(self, answer: Answer) -> None:
        """Replace the pressed message by the note that the answer is shared."""

    async def subscription_target(self) -> ConversationId:
        """Return the answer's conversation, or the direct one where only the person sees the answer."""
        return self.payload.subscription_conversation or await self.direct_conversation()
