"""Whoever presses a button, sends a form or uses a command in Loopback."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from adapters.chat.adapter import ChatApp
from adapters.chat.interactions.context import (
    Acknowledgement,
    ChannelInteractionContext,
    HandoffReply,
    InteractionPayload,
)
from adapters.chat.interactions.upload_source import UploadResult, post_reading_notice
from adapters.chat.interactions.uploads import UPLOAD_COMMAND
from adapters.chat.reply import builder as parts
from adapters.chat.reply import labels
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Form
from adapters.chat.words.uploads import UploadCandidate, find_urls
from pipeline import values as v
from pipeline.ports import BotServices, Upload
from pipeline.translations import TranslatableText, Translator
from tests.loopback import world
from tests.loopback.drawing import drawn
from tests.loopback.events import LOOPBACK, conversation, key, person, places, url
from tests.loopback.reads import Reads
from tests.loopback.world import HOUSE, Page, Said, World


def read(press: world.Pressed, at: Said | None) -> InteractionPayload:
    below = "" if at is None else at.beside if at.only else at.id
    where = conversation(press.channel, at.thread if at else "")
    return InteractionPayload(
        action=press.action,
        subject_id=press.about,
        person_id=person(press.person),
        places=places(press.channel),
        conversation=where,
        message=press.message,
        answer_message=below,
        name=press.person.removeprefix("@"),
        form_values=press.filled,
        subscription_conversation=where if below else None,
    )


class LoopbackPresser(ChannelInteractionContext):
    def __init__(self, to: World, chat: ChatApp[Page], reads: Reads, desk: BotServices, press: world.Pressed) -> None:
        super().__init__(read(press, to.messages.get(press.message)), desk)
        self._to = to
        self._chat = chat
        self._reads = reads
        self._press = press

    async def actor(self) -> v.Actor:
        return self._reads.actor(self._press.person)

    async def private_readers(self) -> v.Readers:
        return await self._chat.audience.build(self._reads.facts(self._press.person, self._press.channel))

    async def channel_readers(self) -> v.Readers:
        alone = self._press.channel.startswith("~")
        return await self._chat.audience.build(
            self._reads.facts(self._press.person if alone else "", self._press.channel)
        )

    async def share_readers(self) -> v.Readers | TranslatableText:
        return await self.channel_readers()

    async def direct_conversation(self) -> v.ConversationId:
        return conversation(f"~{self._press.person}")

    async def message_link(self) -> str:
        return url(self._press.message)

    async def handoff_reply(self) -> HandoffReply | None:
        notice, name = json.loads(self.payload.subject_id)
        message = self._to.messages.get(name)
        theirs = message and message.author == self._press.person
        return HandoffReply(message.page.text, v.MessageKey.parse(notice), url(name)) if message and theirs else None

    async def upload_source(self) -> Things | None:
        name = self._press.message if self._press.action == UPLOAD_COMMAND else self._press.about
        message = self._to.messages.get(name)
        return Things(message, self._services, self._press.person) if message else None

    async def ack(self, kind: Acknowledgement) -> None: ...

    async def reply_privately(self, text: str) -> None:
        await self.show_privately(parts.text_reply(text))

    async def show_privately(self, reply: Reply) -> None:
        thread, user = self.payload.conversation.thread, self._press.person
        for page in drawn(reply):
            self._to.post(self._press.channel, thread, page, only=user, beside=self.payload.answer_message)

    async def open_form(self, form: Form) -> None:
        self._to.forms.append((form, self._press))

    async def show_field_error(self, text: str, field: str) -> bool:
        return False

    async def replace_message(self, text: str) -> None:
        self._to.change(self._press.message, Page(text))

    async def show_shared_note(self, answer: v.Answer) -> None:
        shown = parts.build_reply(answer, notes=parts.question_lines(answer))
        self._to.change(self._press.message, drawn(shown)[-1])

    async def mark_done(self, heading: str, at: v.MessageKey | None = None) -> None:
        name = at.message if at else self._press.message
        _, *rest = self._to.messages[name].page.text.splitlines()
        self._to.change(name, Page("\n".join([f"✓ {heading}", *rest])))

    async def send_export(self, data: str) -> None:
        page = Page((await self.words())(labels.EXPORTED), files=(("citewell.json", data),))
        self._to.post(f"~{self._press.person}", "", page)


class Things:
    """The port `UploadSource`."""

    def __init__(self, message: Said, desk: BotServices, user: str) -> None:
        self._message = message
        self._desk = desk
        self._user = user
        self.candidates = [*(UploadCandidate(one, one) for one in message.attached), *find_urls(message.page.text)]
        self.form_state = message.id

    async def resolve(self, candidate: UploadCandidate) -> Upload:
        async def fetch() -> bytes:
            return self._message.attached[candidate.file_id]

        return (
            Upload(candidate.name, url(self._message.id), fetch)
            if candidate.file_id
            else Upload(candidate.name, candidate.name)
        )

    async def announce_reading(
        self, notice: str, translator: Translator, *, privately: bool
    ) -> Callable[[UploadResult], Awaitable[None]]:
        who = LOOPBACK.person_id(HOUSE, self._user)
        there = key(self._message.channel, "").channel_key
        to = [(str(who), "")] if privately else [(there, self._message.thread), (str(who), "")]
        return await post_reading_notice(self._desk.posts, to, str(who), notice, translator)
