"""Application services behind buttons, commands and forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pipeline.errors import Refused
from pipeline.translations import TranslatableText, Translator
from pipeline.values import (
    Action,
    Actor,
    Answer,
    AnswerInteraction,
    ChannelMessage,
    Document,
    Handoff,
    MessageKey,
    PlaceId,
    PlaceSettings,
    Preferences,
    Rating,
    Readers,
    SubscriptionResult,
)
from pipeline.values.insights import Insights
from pipeline.values.posting import SharedAnswer, UploadStatus

# --- Uploads --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Upload:
    """A file of a message, or a link in it."""

    name: str
    """Name of the file, or the address."""
    link: str
    """Address that a citation opens."""
    fetch: Callable[[], Awaitable[bytes]] | None = None
    """Downloads the file from the platform, raising UploadRefused or Unavailable; None for a page that is read at
    `link`."""


@dataclass(frozen=True)
class AddedDocument:
    """A document that was just added to the library."""

    document: str
    """Id of the document."""
    title: str
    collection: str
    passages: int
    replaced: bool
    """True where it replaced an earlier version with other content."""
    flagged: bool
    """True where it holds instructions to an assistant."""


class UploadRefused(Refused):
    """An upload that cannot become a document; `reason`, with `fields` filled in, is for the person who sent it."""

    def __init__(self, message: str, reason: TranslatableText, **fields: object) -> None:
        super().__init__(message)
        self.reason = reason
        self.fields = fields


# --- Services -------------------------------------------------------------------------------------


class PlaceService(Protocol):
    """Settings of places."""

    async def effective_settings(self, chain: Sequence[PlaceId]) -> PlaceSettings:
        """Return the settings in force in the last place of `chain`, which begins with the widest: `slack:T1`,
        `slack:T1:C2`."""
        ...

    async def chat_settings(self, place: PlaceId) -> PlaceSettings:
        """Return the settings that were made in chat for exactly this place."""
        ...

    async def update_settings(self, actor: Actor, place: PlaceId, choices: Mapping[str, str]) -> PlaceSettings:
        """Change settings of `place`, and return those in force there now. Raises NotAllowed or Refused."""
        ...


class ChannelService(Protocol):
    """Channels whose messages are indexed as a source of answers."""

    async def indexed_channels(self, space: str) -> frozenset[PlaceId]:
        """Return the indexed channels of a workspace or server (`slack:T1`)."""
        ...

    async def find_indexed(self, chain: Sequence[PlaceId]) -> PlaceId | None:
        """Return the indexed channel that the places of `chain`, the widest first, are or lie in."""
        ...

    async def save_messages(self, messages: Sequence[ChannelMessage], *, fresh: bool = False) -> None:
        """Store the current state of messages, durably; a message that opts out is removed. `fresh`: they were just
        read from the history, not received as events."""
        ...

    async def remove_messages(self, channel: PlaceId, messages: Collection[str], *, deleted: bool = False) -> None:
        """Remove messages from the source: they opted out, or were `deleted` for good."""
        ...

    async def remove_thread(self, channel: PlaceId, thread: str) -> None:
        """Remove all messages of a thread."""
        ...

    async def remove_channel(self, channel: PlaceId) -> None:
        """Remove all messages of a channel that is gone, or that the bot has left."""
        ...


class HandoffService(Protocol):
    """Questions that are handed to people."""

    async def find_open(self, message: MessageKey) -> Handoff | None:
        """Return the open handoff that one of the bot's messages asks about."""
        ...

    async def can_keep_replies(self, place: PlaceId) -> bool:
        """Return whether people with a role may keep replies given in `place`."""
        ...

    async def is_keep_offered(self, actor: Actor, place: PlaceId) -> bool:
        """Return whether the actor is to be offered, in `place`, to keep a reply as an answer."""
        ...

    async def resolve(
        self, handoff_id: str, place: PlaceId, actor: Actor, name: str, reply: str, *, keep: bool, link: str
    ) -> TranslatableText:
        """Close a handoff in `place`; return the text for the actor, whose display name is `name`.

        With `keep`, the reply becomes a document that leads to `link`. Raises NotAllowed, and changes nothing then."""
        ...


class PostService(Protocol):
    """Posts that are made once, for somebody who waits for them."""

    async def enqueue(self, post: SharedAnswer | UploadStatus) -> bool:
        """Queue a post durably; return False when it is already posted or queued."""
        ...

    async def wait_until_posted(self, post: SharedAnswer | UploadStatus) -> str | None:
        """Wait until a post is visible. Return "" where it is, the reason in the person's language where it failed, and
        None where neither is known after minutes."""
        ...

    async def update(self, post: UploadStatus) -> None:
        """Change the text of a post that is visible."""
        ...


class SubscriptionService(Protocol):
    """Subscriptions to questions that could not be answered."""

    async def cancel(self, wish_id: str, person: str) -> TranslatableText:
        """Cancel a subscription of that person; return the text that confirms it."""
        ...


class KnowledgeService(Protocol):
    """Documents that people add in chat."""

    async def collections(self, actor: Actor, readers: Readers, chain: Sequence[PlaceId]) -> tuple[str, ...]:
        """Return the collections that the actor may add to in the last place of `chain`, with `readers` present: the
        place's own first. Raises NotAllowed."""
        ...

    async def add(
        self, actor: Actor, readers: Readers, chain: Sequence[PlaceId], sent: Upload, collection: str
    ) -> AddedDocument:
        """Read an upload, and save it as a document of a collection that `collections` offers.

        Raises NotAllowed, UploadRefused and Unavailable, and leaves what was there before as it was."""
        ...

    async def remove(self, actor: Actor, readers: Readers, document_id: str) -> str | None:
        """Remove a document that was added; return its title, or None where there is none that `readers` may see.
        Raises NotAllowed."""
        ...


class Authorizer(Protocol):
    """Permissions of people."""

    def is_allowed(self, actor: Actor, action: Action) -> bool:
        """Return whether an action is to be offered to the actor; it is checked and audited again when it is done."""
        ...


class BotServices(Protocol):
    """Application services that adapters call. People are named `platform:...:user id`."""

    @property
    def places(self) -> PlaceService:
        """Settings of places."""
        ...

    @property
    def channels(self) -> ChannelService:
        """Indexed channels."""
        ...

    @property
    def handoffs(self) -> HandoffService:
        """Questions handed to people."""
        ...

    @property
    def posts(self) -> PostService:
        """Posts that somebody waits for."""
        ...

    @property
    def subscriptions(self) -> SubscriptionService:
        """Subscriptions to unanswered questions."""
        ...

    @property
    def knowledge(self) -> KnowledgeService:
        """Documents that people add."""
        ...

    @property
    def authority(self) -> Authorizer:
        """Permissions of people."""
        ...

    async def find_answer(self, answer_id: str, readers: Readers) -> Answer | None:
        """Return a past answer, if all of `readers` may see everything that it cites."""
        ...

    async def get_insights(self, actor: Actor, readers: Readers, days: int) -> Insights:
        """Return usage insights of the last `days` days, limited to what `readers` may see. Raises NotAllowed."""
        ...

    async def can_rate(self, answer_id: str, readers: Readers) -> bool:
        """Return whether an answer is kept, and `readers` may still see all of its documents. An answer whose documents
        were changed or removed can still be rated."""
        ...

    async def rate(self, rating: Rating, load_actor: Callable[[], Awaitable[Actor]] | None = None) -> None:
        """Save a rating. `load_actor` looks up who gave it, where roles matter; without it the rater has no role."""
        ...

    async def list_documents(self, readers: Readers) -> list[Document]:
        """Return the documents that `readers` may see."""
        ...

    async def preferences(self, person: str) -> Preferences:
        """Return what a person chose."""
        ...

    async def translator_for(self, person: str, *, text: str = "", locale: str = "") -> Translator:
        """Return a translator to the language that the person chose, else that of `text`, else that of their
        `locale`."""
        ...

    async def save_preferences(self, person: str, preferences: Preferences) -> None:
        """Save what a person chose."""
        ...

    async def export_person(self, person: str, readers: Readers) -> str:
        """Return all that is kept about a person, as JSON text, without answers from documents that `readers` (this
        person alone) may not see any more."""
        ...

    async def erase_person(self, person: str) -> int:
        """Erase all that is kept about a person; return the number of turns, messages and ratings erased."""
        ...

    async def hand_off(self, interaction: AnswerInteraction, readers: Readers) -> str:
        """Ask people about a question, once, as set for the place of the interaction; return the text for the asker."""
        ...

    async def subscribe(self, interaction: AnswerInteraction, readers: Readers) -> SubscriptionResult:
        """Notify the person, once, when the question can be answered; return the immediate reply."""
        ...
