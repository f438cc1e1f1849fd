"""Routing of each interaction to its handler, on every platform. A double click counts once."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Hashable

from adapters.chat.interactions.context import Acknowledgement, InteractionContext
from adapters.chat.interactions.feedback import FeedbackHandlers
from adapters.chat.interactions.handoff import HandoffHandlers
from adapters.chat.interactions.personal_data import PersonalDataHandlers
from adapters.chat.interactions.sharing import SharingHandlers
from adapters.chat.interactions.uploads import UploadHandlers
from adapters.chat.reply.parts import ReplyButton
from adapters.chat.words import forms
from pipeline.ports import BotServices, Inbox

DOUBLE_CLICK_SECONDS = 3.0
"""Seconds in which a second click of the same button is ignored."""


class ClickDeduplicator:
    """Detector of double clicks."""

    def __init__(self) -> None:
        self._latest: dict[Hashable, float] = {}

    def is_repeat(self, *click: Hashable) -> bool:
        """Return True if the same click (person, action, answer, message) was seen a moment ago."""
        now = asyncio.get_running_loop().time()
        self._latest = {earlier: at for earlier, at in self._latest.items() if now - at < DOUBLE_CLICK_SECONDS}
        if click in self._latest:
            return True
        self._latest[click] = now
        return False


ANSWER_ACTIONS = frozenset(
    {
        ReplyButton.HELPFUL,
        ReplyButton.UNHELPFUL,
        forms.REASON_FORM,
        ReplyButton.PASSAGES,
        ReplyButton.CONFIDENCE,
        ReplyButton.ASK,
        ReplyButton.SUBSCRIBE,
        ReplyButton.SHARE,
    }
)
"""Actions that carry the id of an answer. They do nothing for a person who may not see that answer."""
DEDUPLICATED_ACTIONS = frozenset(
    {
        ReplyButton.HELPFUL,
        ReplyButton.UNHELPFUL,
        ReplyButton.PASSAGES,
        ReplyButton.CONFIDENCE,
        ReplyButton.ADD,
        ReplyButton.TAKE_BACK,
        ReplyButton.EXPORT,
    }
)
"""Actions whose double click is ignored: each click shows something that stays."""


class InteractionDispatcher:
    """The router of interactions. The platform decides how they are acknowledged and shown."""

    def __init__(
        self, services: BotServices, inbox: Inbox, *, deduplicated: Collection[str] = DEDUPLICATED_ACTIONS
    ) -> None:
        self._clicks = ClickDeduplicator()
        self._deduplicated = deduplicated
        self._handlers = {
            **FeedbackHandlers(services, inbox).handlers,
            **HandoffHandlers(services).handlers,
            **PersonalDataHandlers(services).handlers,
            **UploadHandlers(services).handlers,
            **SharingHandlers(services).handlers,
        }

    async def dispatch(self, interaction: InteractionContext) -> None:
        """Handle one interaction; ignore an unknown action. Raises CitewellError, which the person has to be told."""
        payload = interaction.payload
        is_repeat = payload.action in self._deduplicated and self._clicks.is_repeat(
            payload.person_id, payload.action, payload.subject_id, payload.message
        )
        if is_repeat:
            await interaction.ack(Acknowledgement.MESSAGE_UPDATE)
        elif handler := self._handlers.get(payload.action):
            await handler(interaction)
