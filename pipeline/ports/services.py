"""What may be asked of Citewell besides an answer: by buttons, commands and forms."""

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

# --- What somebody in a chat wants to be known, and what came of it -------------------------------


@dataclass(frozen=True)
class Upload:
    """A file of a message, or a link in it."""

    name: str
    """The file's, or the address."""
    link: str
    """The address that a citation opens."""
    fetch: Callable[[], Awaitable[bytes]] | None = None
    """Downloads the file from the platform, raising NotAdded or Unavailable; None for what is read at `link`."""


@dataclass(frozen=True)
class AddedDocument:
    """A document that is in the library now."""

    document: str
    """Its id."""
    title: str
    collection: str
    passages: int
    replaced: bool
    """It was there before, and what it was then is not."""
    flagged: bool
    """It holds instructions to an assistant."""


class UploadRefused(Refused):
    """What was sent cannot be a document; `reason` is for whoever sent it, with `fields` to be filled in."""

    def __init__(self, message: str, reason: TranslatableText, **fields: object) -> None:
        super().__init__(message)
        self.reason = reason
        self.fields = fields


# --- The desk -------------------------------------------------------------------------------------


class PlaceService(Protocol):
    """How the bot behaves where."""

    async def effective_settings(self, chain: Sequence[PlaceId]) -> PlaceSettings:
        """What holds in the last place of `chain`, which begins with the widest: `slack:T1`, `slack:T1:C2`."""
        ...

    async def chat_settings(self, place: PlaceId) -> PlaceSettings:
        """What was set in chat for this very place."""
        ...

    async def update_settings(self, actor: Actor, place: PlaceId, choices: Mapping[str, str]) -> PlaceSettings:
        """Set what is chosen for `place`, and return what holds there now. Raises NotAllowed or Refused."""
        ...


class ChannelService(Protocol):
    """Channels in which what people say is a source of answers."""

    async def indexed_channels(self, space: str) -> frozenset[PlaceId]:
        """Those of a workspace or server (`slack:T1`)."""
        ...

    async def find_indexed(self, chain: Sequence[PlaceId]) -> PlaceId | None:
        """The one that the places of `chain`, the widest first, are or lie in."""
        ...

    async def save_messages(self, said: Sequence[ChannelMessage], *, fresh: bool = False) -> None:
        """Keep messages as they are now; one that is kept out is forgotten. Durable when it returns. `fresh`: they were
        read just now, and not told of."""
        ...

    async def remove_messages(self, channel: PlaceId, messages: Collection[str], *, deleted: bool = False) -> None:
        """Nothing rests on messages any more: they are kept out, or `deleted` for good."""
        ...

    async def remove_thread(self, channel: PlaceId, thread: str) -> None:
        """All that was said in a thread is gone."""
        ...

    async def remove_channel(self, channel: PlaceId) -> None:
        """A channel is gone, or we are not in it any more: nothing is kept of it."""
        ...


class HandoffService(Protocol):
    """What people are asked."""

    async def find_open(self, message: MessageKey) -> Handoff | None:
        """What a message of ours asks people, unless somebody has resolved it."""
        ...

    async def can_keep_replies(self, place: PlaceId) -> bool:
        """Whether replies given in `place` can be kept, by those who may."""
        ...

    async def is_keep_offered(self, actor: Actor, place: PlaceId) -> bool:
        """Whether to offer the actor in `place` that a reply is kept as an answer."""
        ...

    async def resolve(
        self, handoff_id: str, place: PlaceId, actor: Actor, name: str, reply: str, *, keep: bool, link: str
    ) -> TranslatableText:
        """Close what people were asked in `place`; what the actor, who is called `name`, is to be told.

        With `keep`, the reply becomes a document that leads to `link`. Raises NotAllowed; nothing is changed then."""
        ...


class PostService(Protocol):
    """What is posted, once, for somebody who waits for it."""

    async def enqueue(self, post: SharedAnswer | UploadStatus) -> bool:
        """Let it be posted, durably; False when it is there, or on its way."""
        ...

    async def wait_until_posted(self, post: SharedAnswer | UploadStatus) -> str | None:
        """Wait until it is there. Why it will not be, in the language of whoever waits, empty where it is; None where
        that is not known for minutes."""
        ...

    async def update(self, post: UploadStatus) -> None:
        """Let it say something else, where it is there."""
        ...


class SubscriptionService(Protocol):
    """What people want to be told once it can be answered."""

    async def cancel(self, wish_id: str, person: str) -> TranslatableText:
        """Tell that person nothing; what they are told of that."""
        ...


class KnowledgeService(Protocol):
    """What people add to the documents."""

    async def collections(self, actor: Actor, readers: Readers, chain: Sequence[PlaceId]) -> tuple[str, ...]:
        """Those that the actor may add to in the last place of `chain`, where `readers` read along: the place's own
        first. Raises NotAllowed."""
        ...

    async def add(
        self, actor: Actor, readers: Readers, chain: Sequence[PlaceId], sent: Upload, collection: str
    ) -> AddedDocument:
        """Read what was sent, and keep it as a document of one of these collections.

        Raises NotAllowed, NotAdded and Unavailable; what was there before is as it was then."""
        ...

    async def remove(self, actor: Actor, readers: Readers, document_id: str) -> str | None:
        """Forget what was added; its title, or None where there is none that `readers` may see. Raises NotAllowed."""
        ...


class Authorizer(Protocol):
    """Who may change things."""

    def is_allowed(self, actor: Actor, action: Action) -> bool:
        """Whether to offer it; it is checked again, and written down, when it is done."""
        ...


class BotServices(Protocol):
    """What buttons and commands ask for after the answer. Persons are `platform:...:user id`."""

    @property
    def places(self) -> PlaceService: ...

    @property
    def channels(self) -> ChannelService: ...

    @property
    def handoffs(self) -> HandoffService: ...

    @property
    def posts(self) -> PostService: ...

    @property
    def subscriptions(self) -> SubscriptionService: ...

    @property
    def knowledge(self) -> KnowledgeService: ...

    @property
    def authority(self) -> Authorizer: ...

    async def find_answer(self, answer_id: str, readers: Readers) -> Answer | None:
        """A past answer, if everyone of `readers` may see all that it cites."""
        ...

    async def get_insights(self, actor: Actor, readers: Readers, days: int) -> Insights:
        """What was asked in the last `days`, as far as `readers` may hear of it. Raises NotAllowed."""
        ...

    async def can_rate(self, answer_id: str, readers: Readers) -> bool:
        """Whether an answer is kept, and none of its documents is closed to `readers` by now; what was changed or
        removed since can still be said to be wrong."""
        ...

    async def rate(self, rating: Rating, by: Callable[[], Awaitable[Actor]] | None = None) -> None:
        """Keep it. `by` tells who gave it, where that matters; without, it counts as nobody's with a role."""
        ...

    async def list_documents(self, readers: Readers) -> list[Document]: ...

    async def preferences(self, person: str) -> Preferences: ...

    async def translator_for(self, person: str, *, text: str = "", locale: str = "") -> Translator:
        """Our words to a person: in the language they chose, else that of `text`, else that of their `locale`."""
        ...

    async def save_preferences(self, person: str, preferences: Preferences) -> None: ...

    async def export_person(self, person: str, readers: Readers) -> str:
        """All that is kept about a person, as JSON text, without what was said to them that `readers`, they alone, may
        not see by now."""
        ...

    async def erase_person(self, person: str) -> int:
        """Erase all that is kept about a person; returns how many turns, messages and ratings went."""
        ...

    async def hand_over(self, press: AnswerInteraction, readers: Readers) -> str:
        """Ask the people who are set where it was pressed, once; what the asker is told."""
        ...

    async def subscribe(self, press: AnswerInteraction, readers: Readers) -> SubscriptionResult:
        """Tell the person, once, when this can be answered; what they hear at once."""
        ...
