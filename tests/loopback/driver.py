"""Loopback, as a fourth platform has to be written: a driver of `adapters/chat`, and the adapter that connects it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial

from adapters.chat import intake
from adapters.chat.adapter import ChatAdapter, ChatApp
from adapters.chat.announcements import AnnouncementTarget
from adapters.chat.driver import ChatOptions, PlatformDriver
from adapters.chat.messages import NotPosted
from adapters.chat.post.delivery import ReplyPlacement
from adapters.chat.post.streaming import EditTiming, SettleIndicator
from adapters.chat.reply import builder as parts
from adapters.chat.reply.parts import Reply, ReplyButton, ReplyFile
from adapters.chat.words import insights
from adapters.chat.words.handoff import RESOLVE_BUTTON, NoticeText, UnsentReply
from adapters.chat.words.subscriptions import AnswerHeading
from pipeline import values as v
from pipeline.errors import Refused, Unavailable
from pipeline.ports import BotServices, Inbox, PostRecorder
from pipeline.rules.tenancy import workspace_scope
from pipeline.translations import TranslatableText, Translator
from pipeline.values.posting import Announcement, AutoLimitNotice, UploadStatus
from tests.loopback.drawing import drawn
from tests.loopback.events import LOOPBACK, SPACE, asked, conversation, happened, key, said, url
from tests.loopback.presses import LoopbackPresser
from tests.loopback.reads import Reads
from tests.loopback.world import BOT, HOUSE, Lost, Page, Said, World

ADVICE = "advice", 0
GONE = TranslatableText("The channel is gone.")


@contextmanager
def reached() -> Iterator[None]:
    try:
        yield
    except Lost as lost:
        raise Unavailable("Loopback", "is out of reach", retry_after=lost.wait) from lost
    except KeyError as gone:
        raise NotPosted(f"nothing is said at {gone}", why=lambda words: words(GONE), is_obsolete=True) from gone
    except PermissionError as gone:
        raise NotPosted(f"there is no {gone}", why=lambda words: words(GONE), is_permanent=True) from gone


def names(reference: str) -> list[str]:
    return [v.MessageKey.parse(one).message for one in reference.split()]


class Sender:
    """The messages for one key: a `ReplySender`, a `PrivateSender` that is an `EditingSender`, and what announces."""

    edit_timing = EditTiming(first_delay=0.05, interval=0.05)
    is_text_withheld = False
    can_share = can_attach = True

    def __init__(
        self, to: World, where: tuple[str, str], key: str, known: str = "", *, asker: str = "", alone: bool = False
    ) -> None:
        """`where`: the channel and its thread; `alone`: nobody but the asker sees it."""
        self._to = to
        self.place, self._thread = where
        self._key = key
        self._asker = asker
        self._only = asker if alone else ""
        self.recorded_names = names(known)

    async def wait_until_ready(self) -> None: ...

    async def prepare_target(self) -> None: ...

    async def send(self, part: int, page: Page) -> str:
        with reached():
            return self._to.post(self.place, self._thread, page, mark=(self._key, part), only=self._only).id

    async def edit(self, name: str, part: int, page: Page) -> None:
        self._to.change(name, page)

    async def show_progress(self, page: Page, name: str = "") -> None:
        self._to.change(name or (self.found() or [await self.send(0, page)])[0], page)

    async def delete(self, name: str) -> None:
        self._to.messages.pop(name, None)

    async def find_unrecorded(self) -> list[str]:
        return self.found()

    def found(self) -> list[str]:
        ours = [one for one in self._to.messages.values() if one.author == BOT and one.mark[0] == self._key]
        return [one.id for one in sorted(ours, key=lambda one: one.mark[1])]

    def reference(self, names: Sequence[str]) -> str:
        return " ".join(str(key(self.place, one)) for one in names)

    def conversation_of(self, name: str) -> v.ConversationId:
        return conversation(self.place, self._thread or name)

    def placement(self) -> ReplyPlacement:
        return ReplyPlacement(can_stop=not self.place.startswith("~"), can_attach=True)

    @asynccontextmanager
    async def show_working(self, translator: Translator, *, begun: bool) -> AsyncIterator[SettleIndicator]:
        async def settle() -> bool:
            self._to.working.discard(self._thread)
            return True

        if not begun:
            self._to.sign(self._thread)
        try:
            yield settle
        finally:
            await settle()

    def render_line(self, text: str) -> Page:
        return Page(text)

    def render_progress(self, reply: Reply, status: str) -> Page:
        return drawn(reply, status)[0]

    def render_reply(self, reply: Reply, above: AnswerHeading | None = None) -> list[Page]:
        return drawn(reply, f"{above.heading}\n{above.question}", self._asker) if above else drawn(reply)

    def render_plain(self, reply: Reply, above: AnswerHeading | None, *, begun: bool) -> list[Page]:
        return self.render_reply(reply, above)

    async def attach(self, files: Sequence[ReplyFile], *, resumed: bool) -> bool:
        return True

    async def show(self, pages: Sequence[Page], record: Callable[[], Awaitable[None]]) -> None:
        names = self.found()
        for part, page in enumerate(pages):
            await (self.edit(names[part], part, page) if part < len(names) else self.send(part, page))
        await record()


class Replies:
    """The port `Posts`."""

    def __init__(self, to: World) -> None:
        self._to = to

    def open_reply(self, work: v.LeasedMessage, recorder: PostRecorder) -> Sender:
        return self._reply(work)

    def _reply(self, work: v.LeasedMessage) -> Sender:
        asked = work.message
        where = asked.conversation.channel, asked.conversation.thread or asked.below or asked.place.message
        return Sender(self._to, where, work.key, work.reference, asker=asked.asker.user)

    def open_private_reply(self, work: v.LeasedMessage) -> Sender:
        asked = work.message
        where = asked.conversation.channel, asked.place.message
        return Sender(self._to, where, work.key, asker=asked.asker.user, alone=True)

    async def find_posted(self, work: v.LeasedMessage) -> str | None:
        reply = self._reply(work)
        return reply.reference(reply.found()) or None

    async def delete_reply(self, channel: str, reference: str) -> None:
        for name in names(reference):
            self._to.messages.pop(name, None)

    async def send_direct(self, message: v.IncomingMessage, text: str, *, once: str = "") -> None:
        with reached():
            self._to.post(f"~{message.asker.user}", "", Page(text))

    async def is_shared(self, channel: str) -> bool:
        return False

    def upload_button_value(self, message: v.IncomingMessage) -> str:
        return message.place.message


class Notices:
    """The port `AnnouncementPoster`."""

    def __init__(self, to: World) -> None:
        self._to = to

    async def open_sender(self, post: Announcement, target: AnnouncementTarget, recorder: PostRecorder) -> Sender:
        return self._sender(post, target)

    async def find_posted(self, post: Announcement, target: AnnouncementTarget) -> str | None:
        sender = self._sender(post, target)
        return sender.reference(sender.found()) or None

    def _sender(self, post: Announcement, where: AnnouncementTarget) -> Sender:
        channel = f"~{where.user}" if isinstance(where, v.PersonId) else where.channel
        thread = where.thread if isinstance(where, v.ConversationId) else ""
        thread = post.thread if isinstance(post, UploadStatus) else thread
        return Sender(self._to, (channel, thread), post.key, post.reference)

    async def render_handoff_notice(self, notice: v.HandoffNotice, texts: NoticeText) -> Page:
        asks = notice.about is v.NoticeKind.ASKED
        told = [texts.heading, texts.quoted, texts.found, *(one.text for one in texts.sources), texts.note]
        buttons = ((RESOLVE_BUTTON, notice.handoff.id),) if texts.button else ()
        pinged = "" if asks else v.PersonId.parse(notice.handoff.asker).user
        opened = {one.url for one in texts.sources}
        if asks and not notice.handoff.private:
            opened.add(url(notice.handoff.message))
        return Page("\n".join(filter(None, told)), frozenset(opened - {""}), buttons, pinged=pinged)

    def render_line(self, text: str) -> Page:
        return Page(text)

    def render_auto_limit(self, notice: AutoLimitNotice) -> Page:
        return Page(insights.auto_limit_text(notice, notice.place.channel))

    def render_panel(self, reply: Reply, marker: str) -> Page:
        return drawn(reply)[0]

    def render_upload_status(self, status: UploadStatus) -> Page:
        buttons = ((ReplyButton.TAKE_BACK.value, status.document),) if status.document else ()
        return Page(f"{status.text}\n{status.small}".strip(), buttons=buttons)

    def render_shared(self, answer: v.Answer, above: Sequence[str]) -> Sequence[Page]:
        return drawn(parts.build_reply(answer, notes=above, attachable=True))


class Tells:
    """The port `Tells`."""

    def __init__(self, to: World) -> None:
        self._to = to

    async def notify(self, message: v.IncomingMessage, text: str) -> None:
        self._to.post(message.conversation.channel, message.place.message, Page(text), only=message.asker.user)

    async def offer_handoff_reply(self, message: intake.PersonMessage, unsent: UnsentReply) -> None:
        carried = json.dumps([str(unsent.notice), message.key.message])
        page = Page(unsent.text, buttons=tuple((action, carried) for _, action in unsent.buttons))
        only = v.PersonId.parse(message.author).user
        self._to.post(message.key.channel, unsent.notice.message, page, only=only, mark=ADVICE)


class LoopbackAdapter(ChatAdapter[Page]):
    """What happens is told again until it is taken in, so nothing has to be caught up with."""

    name = LOOPBACK.name

    def __init__(self, to: World) -> None:
        self._world = to
        self._reads = reads = Reads(to)
        driver = PlatformDriver(Replies(to), Notices(to), reads, reads, Tells(to))
        self._chat = ChatApp(driver, ChatOptions(LOOPBACK, parts.SHOW_EVERYTHING, patience=2.0))
        self._acting: set[asyncio.Task[None]] = set()

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        self._chat.listen(inbox, services)
        with workspace_scope(str(SPACE)):
            async for event in self._world.events():
                if event.pressed:
                    presser = LoopbackPresser(self._world, self._chat, self._reads, services, event.pressed)
                    self._acting.add(asyncio.create_task(self._chat.handle_interaction(presser)))
                elif event.message and event.message.only:
                    await inbox.accept(asked(event.message))
                elif told := happened(event):
                    await self._chat.event_handler.handle(told, partial(self._look, event.message))

    async def _look(self, message: Said | None, channel: v.PlaceId) -> v.ChannelMessage | None:
        now = self._world.messages.get(message.id) if message else None
        return said(now) if now else None

    def can_serve(self, space: str) -> bool:
        return True

    async def is_connected(self) -> bool:
        return True

    @asynccontextmanager
    async def connect(self, space: str) -> AsyncIterator[ChatApp[Page]]:
        if space != HOUSE:
            raise Refused(f"Loopback has no house {space}")
        yield self._chat

    async def close(self) -> None: ...
