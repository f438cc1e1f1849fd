"""Whoever presses a button, sends a form or uses a command in Loopback."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from adapters.chat.adapter import Chat
from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.press.offered import Addition, announced
from adapters.chat.press.presser import AmongOthers, Pressed, Then, Written
from adapters.chat.reply import answer as parts
from adapters.chat.reply import labels
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Form
from adapters.chat.words.knowledge import Thing, links
from pipeline import values as v
from pipeline.ports import Desk, Sent
from pipeline.translations import Message, Words
from tests.loopback import world
from tests.loopback.drawing import drawn
from tests.loopback.events import LOOPBACK, conversation, key, person, places, url
from tests.loopback.reads import Reads
from tests.loopback.world import HOUSE, Page, Said, World


def read(press: world.Pressed, at: Said | None) -> Pressed:
    below = "" if at is None else at.beside if at.only else at.id
    where = conversation(press.channel, at.thread if at else "")
    return Pressed(
        action=press.action,
        about=press.about,
        person=person(press.person),
        places=places(press.channel),
        conversation=where,
        message=press.message,
        below=below,
        name=press.person.removeprefix("@"),
        filled=press.filled,
        told_in=where if below else None,
    )


class LoopbackPresser(AmongOthers):
    def __init__(self, to: World, chat: Chat[Page], reads: Reads, desk: Desk, press: world.Pressed) -> None:
        super().__init__(read(press, to.messages.get(press.message)), desk)
        self._to = to
        self._chat = chat
        self._reads = reads
        self._press = press

    async def actor(self) -> v.Actor:
        return self._reads.actor(self._press.person)

    async def reads_alone(self) -> v.Readers:
        return await self._chat.audience.of(self._reads.facts(self._press.person, self._press.channel))

    async def everyone(self) -> v.Readers:
        alone = self._press.channel.startswith("~")
        return await self._chat.audience.of(self._reads.facts(self._press.person if alone else "", self._press.channel))

    async def channel(self) -> v.Readers | Message:
        return await self.everyone()

    async def alone(self) -> v.ConversationId:
        return conversation(f"~{self._press.person}")

    async def link(self) -> str:
        return url(self._press.message)

    async def written(self) -> Written | None:
        notice, name = json.loads(self.pressed.about)
        message = self._to.messages.get(name)
        theirs = message and message.author == self._press.person
        return Written(message.page.text, v.MessageKey.parse(notice), url(name)) if message and theirs else None

    async def offered(self) -> Things | None:
        name = self._press.message if self._press.action == FROM_MENU else self._press.about
        message = self._to.messages.get(name)
        return Things(message, self._desk, self._press.person) if message else None

    async def ack(self, then: Then) -> None: ...

    async def tell(self, text: str) -> None:
        await self.show(parts.plain(text))

    async def show(self, reply: Reply) -> None:
        thread, user = self.pressed.conversation.thread, self._press.person
        for page in drawn(reply):
            self._to.post(self._press.channel, thread, page, only=user, beside=self.pressed.below)

    async def open(self, form: Form) -> None:
        self._to.forms.append((form, self._press))

    async def at_field(self, text: str, field: str) -> bool:
        return False

    async def replace(self, text: str) -> None:
        self._to.change(self._press.message, Page(text))

    async def confirm(self, answer: v.Answer) -> None:
        shown = parts.reply(answer, notes=parts.asked(answer))
        self._to.change(self._press.message, drawn(shown)[-1])

    async def tick(self, heading: str, at: v.MessageKey | None = None) -> None:
        name = at.message if at else self._press.message
        _, *rest = self._to.messages[name].page.text.splitlines()
        self._to.change(name, Page("\n".join([f"✓ {heading}", *rest])))

    async def give(self, data: str) -> None:
        page = Page((await self.words())(labels.EXPORTED), files=(("citewell.json", data),))
        self._to.post(f"~{self._press.person}", "", page)


class Things:
    """The port `Offered`."""

    def __init__(self, message: Said, desk: Desk, user: str) -> None:
        self._message = message
        self._desk = desk
        self._user = user
        self.things = [*(Thing(one, one) for one in message.attached), *links(message.page.text)]
        self.carried = message.id

    async def sent(self, thing: Thing) -> Sent:
        async def fetch() -> bytes:
            return self._message.attached[thing.file]

        return Sent(thing.name, url(self._message.id), fetch) if thing.file else Sent(thing.name, thing.name)

    async def begin(self, reading: str, words: Words, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        who = LOOPBACK.person_id(HOUSE, self._user)
        there = key(self._message.channel, "").where
        to = [(str(who), "")] if alone else [(there, self._message.thread), (str(who), "")]
        return await announced(self._desk.posts, to, str(who), reading, words)
