"""Loopback, as a fourth platform has to be written: a driver of `adapters/chat`, and the adapter that connects it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial

from adapters.chat import hear
from adapters.chat.adapter import Chat, ChatAdapter
from adapters.chat.announce import Where
from adapters.chat.driver import ChatOptions, Driver
from adapters.chat.messages import NotPosted
from adapters.chat.post.deliver import Standing
from adapters.chat.post.growth import Pace, Settle
from adapters.chat.reply import answer as parts
from adapters.chat.reply.parts import Button, File, Reply
from adapters.chat.words import insights
from adapters.chat.words.handoff import RESOLVE_BUTTON, Told, Unsent
from adapters.chat.words.wishes import AboveAnswer
from pipeline import values as v
from pipeline.errors import Refused, Unavailable
from pipeline.ports import Desk, Inbox, Receipt
from pipeline.rules.tenancy import bound
from pipeline.translations import Message, Words
from pipeline.values.posting import Adding, Announcement, Spent
from pipeline.words import wording
from tests.loopback.drawing import drawn
from tests.loopback.events import LOOPBACK, SPACE, asked, conversation, happened, key, said, url
from tests.loopback.presses import LoopbackPresser
from tests.loopback.reads import Reads
from tests.loopback.world import BOT, HOUSE, Lost, Page, Said, World

ADVICE = "advice", 0
GONE = Message("The channel is gone.")


@contextmanager
def reached() -> Iterator[None]:
    try:
        yield
    except Lost as lost:
        raise Unavailable("Loopback", "is out of reach", retry_after=lost.wait) from lost
    except KeyError as gone:
        raise NotPosted(f"nothing is said at {gone}", why=lambda words: words(GONE), over=True) from gone
    except PermissionError as gone:
        raise NotPosted(f"there is no {gone}", why=lambda words: words(GONE), hopeless=True) from gone


def names(reference: str) -> list[str]:
    return [v.MessageKey.parse(one).message for one in reference.split()]


class Sender:
    """The messages for one key: a `ReplySender` and a `PrivateSender` that is one of `Edits`, and what announces."""

    pace = Pace(first=0.05, every=0.05)
    withheld = False
    shareable = attachable = True

    def __init__(
        self, to: World, where: tuple[str, str], key: str, known: str = "", *, asker: str = "", alone: bool = False
    ) -> None:
        """`where`: the channel and its thread; `alone`: nobody but the asker sees it."""
        self._to = to
        self.place, self._thread = where
        self._key = key
        self._asker = asker
        self._only = asker if alone else ""
        self.known = names(known)

    async def ready(self) -> None: ...

    async def open(self) -> None: ...

    async def send(self, part: int, page: Page) -> str:
        with reached():
            return self._to.post(self.place, self._thread, page, mark=(self._key, part), only=self._only).id

    async def edit(self, name: str, part: int, page: Page) -> None:
        self._to.change(name, page)

    async def glimpse(self, page: Page, name: str = "") -> None:
        self._to.change(name or (self.found() or [await self.send(0, page)])[0], page)

    async def delete(self, name: str) -> None:
        self._to.messages.pop(name, None)

    async def left(self) -> list[str]:
        return self.found()

    def found(self) -> list[str]:
        ours = [one for one in self._to.messages.values() if one.author == BOT and one.mark[0] == self._key]
        return [one.id for one in sorted(ours, key=lambda one: one.mark[1])]

    def reference(self, names: Sequence[str]) -> str:
        return " ".join(str(key(self.place, one)) for one in names)

    def conversation(self, name: str) -> v.ConversationId:
        return conversation(self.place, self._thread or name)

    def standing(self) -> Standing:
        return Standing(stoppable=not self.place.startswith("~"), attachable=True)

    @asynccontextmanager
    async def working(self, words: Words, *, begun: bool) -> AsyncIterator[Settle]:
        async def settle() -> None:
            self._to.working.discard(self._thread)

        if not begun:
            self._to.sign(self._thread)
        try:
            yield settle
        finally:
            await settle()

    def line(self, text: str) -> Page:
        return Page(text)

    def progress(self, reply: Reply, stage: v.Stage, words: Words) -> Page:
        return drawn(reply, words(wording.PROGRESS[stage]))[0]

    def drawn(self, reply: Reply, above: AboveAnswer | None = None) -> list[Page]:
        return drawn(reply, f"{above.heading}\n{above.quoted}", self._asker) if above else drawn(reply)

    def plainly(self, reply: Reply, above: AboveAnswer | None, *, begun: bool) -> list[Page]:
        return self.drawn(reply, above)

    async def attach(self, files: Sequence[File], *, again: bool) -> bool:
        return True

    async def show(self, pages: Sequence[Page], shown: Callable[[], Awaitable[None]]) -> None:
        names = self.found()
        for part, page in enumerate(pages):
            await (self.edit(names[part], part, page) if part < len(names) else self.send(part, page))
        await shown()


class Replies:
    """The port `Posts`."""

    def __init__(self, to: World) -> None:
        self._to = to

    def reply(self, work: v.Work, receipt: Receipt) -> Sender:
        return self._reply(work)

    def _reply(self, work: v.Work) -> Sender:
        asked = work.message
        where = asked.conversation.channel, asked.conversation.thread or asked.below or asked.place.message
        return Sender(self._to, where, work.key, work.reference, asker=asked.asker.user)

    def private(self, work: v.Work) -> Sender:
        asked = work.message
        where = asked.conversation.channel, asked.place.message
        return Sender(self._to, where, work.key, asker=asked.asker.user, alone=True)

    async def find(self, work: v.Work) -> str | None:
        reply = self._reply(work)
        return reply.reference(reply.found()) or None

    async def delete(self, channel: str, reference: str) -> None:
        for name in names(reference):
            self._to.messages.pop(name, None)

    async def tell(self, message: v.IncomingMessage, text: str, *, once: str = "") -> None:
        with reached():
            self._to.post(f"~{message.asker.user}", "", Page(text))

    async def shared(self, channel: str) -> bool:
        return False

    def adds(self, message: v.IncomingMessage) -> str:
        return message.place.message


class Notices:
    """The port `Announces`."""

    def __init__(self, to: World) -> None:
        self._to = to

    async def sender(self, post: Announcement, where: Where, receipt: Receipt) -> Sender:
        return self._sender(post, where)

    async def find(self, post: Announcement, where: Where) -> str | None:
        sender = self._sender(post, where)
        return sender.reference(sender.found()) or None

    def _sender(self, post: Announcement, where: Where) -> Sender:
        channel = f"~{where.user}" if isinstance(where, v.PersonId) else where.channel
        thread = where.thread if isinstance(where, v.ConversationId) else ""
        thread = post.thread if isinstance(post, Adding) else thread
        return Sender(self._to, (channel, thread), post.key, post.reference)

    async def notice(self, notice: v.Notice, shown: Told) -> Page:
        asks = notice.about is v.About.ASKED
        told = [shown.heading, shown.quoted, shown.found, *(one.text for one in shown.sources), shown.note]
        buttons = ((RESOLVE_BUTTON, notice.handoff.id),) if shown.button else ()
        pinged = "" if asks else v.PersonId.parse(notice.handoff.asker).user
        opened = {one.url for one in shown.sources}
        if asks and not notice.handoff.private:
            opened.add(url(notice.handoff.message))
        return Page("\n".join(filter(None, told)), frozenset(opened - {""}), buttons, pinged=pinged)

    def line(self, text: str) -> Page:
        return Page(text)

    def spent(self, report: Spent) -> Page:
        return Page(insights.spent(report, report.place.channel))

    def panel(self, reply: Reply, mark: str) -> Page:
        return drawn(reply)[0]

    def adding(self, adding: Adding) -> Page:
        buttons = ((Button.TAKE_BACK.value, adding.document),) if adding.document else ()
        return Page(f"{adding.text}\n{adding.small}".strip(), buttons=buttons)

    def shared(self, answer: v.Answer, above: Sequence[str]) -> Sequence[Page]:
        return drawn(parts.reply(answer, notes=above, attachable=True))


class Tells:
    """The port `Tells`."""

    def __init__(self, to: World) -> None:
        self._to = to

    async def tell(self, message: v.IncomingMessage, text: str) -> None:
        self._to.post(message.conversation.channel, message.place.message, Page(text), only=message.asker.user)

    async def offer(self, remark: hear.Remark, unsent: Unsent) -> None:
        carried = json.dumps([str(unsent.notice), remark.key.message])
        page = Page(unsent.text, buttons=tuple((action, carried) for _, action in unsent.buttons))
        only = v.PersonId.parse(remark.author).user
        self._to.post(remark.key.channel, unsent.notice.message, page, only=only, mark=ADVICE)


class LoopbackAdapter(ChatAdapter[Page]):
    """What happens is told again until it is taken in, so nothing has to be caught up with."""

    name = LOOPBACK.name

    def __init__(self, to: World) -> None:
        self._world = to
        self._reads = reads = Reads(to)
        driver = Driver(Replies(to), Notices(to), reads, reads, Tells(to))
        self._chat = Chat(driver, ChatOptions(LOOPBACK, parts.EVERYTHING, patience=2.0))
        self._acting: set[asyncio.Task[None]] = set()

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        self._chat.listen(inbox, desk)
        with bound(str(SPACE)):
            async for event in self._world.events():
                if event.pressed:
                    presser = LoopbackPresser(self._world, self._chat, self._reads, desk, event.pressed)
                    self._acting.add(asyncio.create_task(self._chat.press(presser)))
                elif event.message and event.message.only:
                    await inbox.accept(asked(event.message))
                elif told := happened(event):
                    await self._chat.hearing.hear(told, partial(self._look, event.message))

    async def _look(self, message: Said | None, channel: v.PlaceId) -> v.Said | None:
        now = self._world.messages.get(message.id) if message else None
        return said(now) if now else None

    def serves(self, space: str) -> bool:
        return True

    async def connected(self) -> bool:
        return True

    @asynccontextmanager
    async def chat(self, space: str) -> AsyncIterator[Chat[Page]]:
        if space != HOUSE:
            raise Refused(f"Loopback has no house {space}")
        yield self._chat

    async def close(self) -> None: ...
