"""People in Loopback, as the contract suite plays them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self
from unittest.mock import patch

from adapters.chat.interactions.personal_data import INSIGHTS_COMMAND
from adapters.chat.interactions.uploads import UPLOAD_COMMAND
from adapters.chat.reply.parts import ReplyButton
from adapters.chat.words.forms import Form
from bot import registry
from pipeline.values import PlaceId, RatingReason
from pipeline.words import wording
from tests.contracts.driver import NO_FILES, Fault, Said, Shown, Way
from tests.contracts.rig import Rig
from tests.contracts.waiting import until
from tests.loopback.driver import ADVICE, LoopbackAdapter
from tests.loopback.events import LOOPBACK, NAME, SPACE, key
from tests.loopback.events import person as author
from tests.loopback.world import BOT, HELP, HOUSE, TEAM, Happened, Pressed, World
from tests.loopback.world import Said as Message

PLAIN = "a message is plain text"
ABSENT: Mapping[Way, str] = {
    Way.SEARCH: "the platform has none",
    Way.WHISPER: "nobody is shown anything alone who pressed nothing",
    Way.SHARED_CHANNEL: "no two organisations share a channel",
    Way.NAMES: PLAIN,
    Way.FORWARDS: PLAIN,
    Way.TITLES: PLAIN,
    Way.WORKFLOWS: "no program may ask",
    Way.PRETEND: "who somebody is, the platform says",
    Way.EXPIRES: "an answer to a command is a message like any other",
    Way.PREFERENCES: "it has no page for them",
    Way.SETUP: "it has no page for it",
}
NAMED = {ReplyButton.HELPFUL: "helpful", ReplyButton.UNHELPFUL: "not helpful", ReplyButton.TAKE_BACK: "take_back"}


class LoopbackDriver:
    """Answers are in the thread of what was asked."""

    absent = ABSENT

    def __init__(self, folder: Path) -> None:
        self.rig = Rig(folder)
        self.world = World()
        self.offered: list[str] = []
        self._patched = ExitStack()
        self._resolvable = ""
        self._shareable: dict[int, Pressed] = {}

    @classmethod
    async def open(cls, folder: Path) -> Self:
        driver = cls(folder)
        wired = (*registry.PLATFORM_CONFIGS, SimpleNamespace(platform=LOOPBACK))
        driver._patched.enter_context(patch.object(registry, "PLATFORM_CONFIGS", wired))  # the line of wiring
        await driver._connect()
        return driver

    async def _connect(self) -> None:
        await self.rig.start(LoopbackAdapter(self.world))
        await self.world.taken()

    async def close(self) -> None:
        await self.rig.end()
        self._patched.close()

    async def restart(self) -> None:
        await self.rig.end()
        await self._connect()

    # --- Asking -------------------------------------------------------------------------------

    async def mention(self, person: str, text: str) -> Said:
        return await self._say(person, TEAM, f"{NAME} {text}")

    async def direct(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        return await self._say(person, f"~@{person}", text, attached=files)

    async def follow_up(self, person: str, text: str, after: Said) -> Said:
        return await self._say(person, after.handle.channel, text, thread=after.handle.thread)

    among = follow_up

    async def aside(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        return await self._say(person, TEAM, text, attached=files)

    async def mention_after(self, person: str, text: str, after: Said) -> Said:
        return await self.follow_up(person, f"{NAME} {text}", after)

    async def point(self, person: str, text: str, at: Said) -> Said:
        return await self.mention_after(person, text, at)

    async def by_program(self, text: str, *, allowed: bool = False) -> Said:
        return await self._say("program", TEAM, f"{NAME} {text}")

    async def again(self, said: Said) -> None:
        await self.world.tell(Happened("said", self.world.messages.get(said.handle.id, said.handle)))

    async def edit(self, said: Said, text: str) -> None:
        await self.reword(said, f"{NAME} {text}")

    edit_in_mention = edit

    async def reword(self, said: Said, text: str) -> None:
        now = self.world.messages[said.handle.id]
        self.world.messages[now.id] = changed = replace(now, page=now.page._replace(text=text))
        await self.world.tell(Happened("edited", changed))

    async def preview(self, said: Said) -> None:
        await self.world.tell(Happened("edited", self.world.messages[said.handle.id]))

    async def vanish(self, said: Said) -> None:
        del self.world.messages[said.handle.id]

    async def delete(self, said: Said) -> None:
        await self.world.tell(Happened("deleted", self.world.messages.pop(said.handle.id)))

    async def before(self, person: str, text: str, below: Said | None = None) -> Said:
        thread = below.handle.id if below else ""
        return Said(person, self.world.write(f"@{person}", TEAM, text, thread=thread))

    async def react(self, said: Said, *, solved: bool = False, remove: bool = False) -> None:
        now = self.world.messages[said.handle.id]
        mark = frozenset({"solved" if solved else "out"})
        marks = now.marks - mark if remove else now.marks | mark
        self.world.messages[now.id] = changed = replace(now, marks=marks)
        await self.world.tell(Happened("reacted", changed))

    async def only_for(self, *people: str) -> None:
        self.world.members[TEAM] = frozenset(f"@{one}" for one in people)

    async def leave(self) -> None:
        self.world.members.pop(TEAM)
        await self.world.tell(Happened("closed", channel=TEAM))

    async def ask(self, person: str, text: str) -> Said:
        return await self._say(person, TEAM, text, only=f"@{person}")

    async def answer_this(self, person: str, said: Said) -> Said:
        text, files = said.handle.page.text, said.handle.attached
        return await self._say(person, TEAM, text, attached=files, only=f"@{person}")

    # --- Seeing -------------------------------------------------------------------------------

    def replies(self, said: Said) -> list[Shown]:
        return [seen(one) for one in self._answers(said)]

    def _answers(self, said: Said) -> list[Message]:
        asked = str(key(said.handle.channel, said.handle.id))
        return [one for one in self.world.messages.values() if one.mark[0] == asked]

    def _in_thread(self, said: Said) -> list[Message]:
        """With whoever asked alone, where they asked alone."""
        asked = said.handle
        if asked.only or asked.channel.startswith("~"):
            return self._ours(f"~{asked.author}")
        return [one for one in self._ours(asked.channel) if one.thread == asked.thread]

    def told_alone(self, person: str) -> list[Shown]:
        return [seen(one) for one in self._ours(f"~@{person}")]

    def at_work(self, said: Said) -> bool:
        return said.handle.thread in self.world.working

    def seen_at(self, said: Said) -> str:
        return "\n".join(shown.text for shown in self.replies(said))

    def signs(self) -> int:
        return self.world.signs

    def break_next_post(self, fault: Fault) -> None:
        self.world.fault = fault.value

    def posted(self) -> list[Shown]:
        return [seen(one) for one in self._ours(TEAM) if one.thread == one.id]

    shared = posted

    def _ours(self, channel: str) -> list[Message]:
        there = self.world.messages.values()
        return [one for one in there if one.author == BOT and one.channel == channel and not one.only]

    # --- Acting -------------------------------------------------------------------------------

    async def rate(self, said: Said, person: str, *, helpful: bool, reason: RatingReason | None, comment: str) -> Said:
        told = await self._pressed(
            said, person, ReplyButton.HELPFUL if helpful else ReplyButton.UNHELPFUL, shown=helpful
        )
        if not helpful:
            form, pressed = await self._form()
            told = await self._told(person, self._submitted(form, pressed, reason=reason or "", comment=comment))
        return Said(person, told[-1])

    async def _form(self) -> tuple[Form, Pressed]:
        await until(lambda: self.world.forms)
        return self.world.forms.pop()  # type: ignore[return-value]

    def _submitted(self, form: Form, pressed: Pressed, **filled: Any) -> Pressed:
        given = {name: value if isinstance(value, tuple) else (value,) for name, value in filled.items()}
        return pressed._replace(action=form.name, about=form.subject_id, filled=given)

    async def passages(self, said: Said, person: str, *, clicks: int = 1) -> list[Shown]:
        for _ in range(clicks - 1):
            await self._press(self._button(said, ReplyButton.PASSAGES, person))
        return [seen(one) for one in await self._pressed(said, person, ReplyButton.PASSAGES)]

    async def why(self, said: Said, person: str) -> list[Shown]:
        return [seen(one) for one in await self._pressed(said, person, ReplyButton.CONFIDENCE)]

    async def stop(self, said: Said, person: str) -> list[Shown]:
        return [seen(one) for one in await self._pressed(said, person, ReplyButton.STOP)]

    async def share(self, said: Said, person: str) -> list[Shown]:
        before = {one.id for one in self._ours(TEAM)}
        told = len(self._alone(person))
        await self.begin_share(said, person)
        await until(lambda: len(self._alone(person)) > told or not self._offers(said, ReplyButton.SHARE))
        return [seen(one) for one in self._ours(TEAM) if one.id not in before]

    async def begin_share(self, said: Said, person: str) -> None:
        first = self._shareable.get(id(said.handle)) or self._button(said, ReplyButton.SHARE, person)
        self._shareable[id(said.handle)] = first
        await self._press(first)

    async def share_told(self, said: Said, person: str) -> str:
        first = self._shareable.get(id(said.handle)) or self._button(said, ReplyButton.SHARE, person)
        self._shareable[id(said.handle)] = first
        return (await self._told(person, first))[-1].page.text

    async def export(self, person: str) -> str:
        await self._press(Pressed(ReplyButton.EXPORT, "", f"@{person}", f"~@{person}"))
        given = lambda: [one for one in self._ours(f"~@{person}") if one.page.files]  # noqa: E731
        await until(given)
        return given()[-1].page.files[0][1]

    async def forget(self, person: str) -> None:
        for action in (ReplyButton.FORGET, ReplyButton.FORGET_CONFIRMED):
            await self._told(person, Pressed(action, "", f"@{person}", f"~@{person}"))

    async def insights(self, person: str) -> str:
        told = await self._told(person, Pressed(INSIGHTS_COMMAND, "", f"@{person}", TEAM))
        return "\n".join(one.page.text for one in told)

    @property
    def place(self) -> PlaceId:
        return PlaceId(platform=LOOPBACK.name, space=HOUSE, channel=TEAM)

    def named(self, name: str) -> str:
        return self.key(name)

    async def group(self, person: str) -> str:
        self.world.groups.setdefault(f"{SPACE}:group:all", set()).add(f"@{person}")
        return f"{SPACE}:group:all"

    @property
    def helpers(self) -> PlaceId:
        return PlaceId(platform=LOOPBACK.name, space=HOUSE, channel=HELP)

    async def ask_person(self, said: Said, person: str) -> str:
        return (await self._pressed(said, person, ReplyButton.ASK))[-1].page.text

    def asked(self) -> list[Shown]:
        return [seen(one) for one in self._ours(HELP)]

    async def resolve(self, person: str, reply: str, *, keep: bool = False) -> str:
        notice = self._ours(HELP)[-1]
        self._resolvable = dict(notice.page.buttons).get("resolve", self._resolvable)
        told = len(self._alone(person))
        await self._press(Pressed("resolve", self._resolvable, f"@{person}", HELP, notice.id))
        await until(lambda: self.world.forms or len(self._alone(person)) > told)
        if not self.world.forms:
            return self._alone(person)[-1].page.text
        form, pressed = await self._form()
        sent = self._submitted(form, pressed, reply=reply, keep="yes" if keep else "no")
        return (await self._told(person, sent))[-1].page.text

    async def reply_where_asked(self, person: str, text: str) -> None:
        await self._say(person, HELP, text, thread=self._ours(HELP)[-1].thread)

    def advised(self) -> list[Shown]:
        return [seen(one) for one in self._advice()]

    def _advice(self) -> list[Message]:
        there = self.world.messages.values()
        return [one for one in there if one.mark == ADVICE]

    async def send_reply(self, person: str, *, keep: bool = False, of: int = -1) -> str:
        held, action = self._advice()[of], "sendkeep" if keep else "send"
        pressed = Pressed(action, dict(held.page.buttons)[action], f"@{person}", HELP, held.id)
        return (await self._told(person, pressed))[-1].page.text

    def heard(self, said: Said) -> list[Shown]:
        return [
            seen(one) for one in self._in_thread(said) if one.mark[0].partition(":")[0] in ("resolved", "undelivered")
        ]

    async def tell_me(self, said: Said, person: str) -> str:
        self._noted = (await self._pressed(said, person, ReplyButton.SUBSCRIBE))[-1]
        return self._noted.page.text

    async def tell_me_not(self, person: str) -> str:
        about = dict(self._noted.page.buttons)[ReplyButton.UNSUBSCRIBE]
        pressed = Pressed(ReplyButton.UNSUBSCRIBE, about, f"@{person}", self._noted.channel, self._noted.id)
        return (await self._told(person, pressed))[-1].page.text

    def told(self, said: Said) -> list[Shown]:
        return [seen(one) for one in self._in_thread(said) if wording.SUBSCRIPTION_INTRO in one.page.text]

    async def add(
        self, person: str, said: Said, *, collection: str = "", only: tuple[int, ...] | None = None
    ) -> list[Shown]:
        chosen = Pressed(UPLOAD_COMMAND, "", f"@{person}", said.handle.channel, said.handle.id)
        return await self._adding(person, chosen, collection, only)

    async def add_offered(self, person: str, said: Said, *, collection: str = "") -> list[Shown]:
        return await self._adding(person, self._button(said, ReplyButton.ADD, person), collection, None)

    async def _adding(
        self, person: str, pressed: Pressed, collection: str, only: tuple[int, ...] | None
    ) -> list[Shown]:
        before, told = set(self.world.messages), len(self._alone(person))

        def read() -> list[Message]:
            new = [one for at, one in self.world.messages.items() if at not in before and one.mark[0]]
            return new if all("…" not in one.page.text for one in new) else []

        def ended() -> bool:
            return len(self._alone(person)) > told or len(read()) == wanted

        wanted = 1
        await self._press(pressed)
        await until(lambda: ended() or self.world.forms)
        if self.world.forms:
            form, opened = await self._form()
            fields: dict[str, Any] = {one.name: one for one in form.fields}
            filled: dict[str, Any] = {}
            if "what" in fields:
                filled["what"] = fields["what"].initial if only is None else tuple(map(str, only))
                wanted = len(filled["what"])
            if "where" in fields:
                self.offered = list(fields["where"].options)
                filled["where"] = collection or self.offered[0]
            await self._press(self._submitted(form, opened, **filled))
        await until(ended)
        return [seen(one) for one in self._alone(person)[told:] or read()]

    async def take_back(self, person: str, *, clicks: int = 1) -> str:
        holds = [one for one in self.world.messages.values() if ReplyButton.TAKE_BACK in dict(one.page.buttons)]
        held, told = holds[-1], len(self._alone(person))
        about = dict(held.page.buttons)[ReplyButton.TAKE_BACK]
        for _ in range(clicks):
            await self._press(Pressed(ReplyButton.TAKE_BACK, about, f"@{person}", held.channel, held.id))
        await until(lambda: len(self._alone(person)) > told or self.world.messages[held.id] != held)
        return (self._alone(person)[told:] or [self.world.messages[held.id]])[0].page.text

    def key(self, person: str) -> str:
        return author(f"@{person}")

    alone = key

    async def reply_to_shared(self, person: str, text: str) -> Said:
        return await self._say(person, TEAM, text, thread=self._ours(TEAM)[-1].thread)

    # --- How ----------------------------------------------------------------------------------

    async def _say(self, name: str, channel: str, text: str, **more: Any) -> Said:
        return Said(name, await self.world.say(f"@{name}", channel, text, **more))

    def _offers(self, said: Said, action: str) -> bool:
        return any(action in dict(one.page.buttons) for one in self._shown_to(said))

    def _shown_to(self, said: Said) -> list[Message]:
        """The answer, and what whoever asked was shown beside it; a panel is pressed itself."""
        return [said.handle] if said.handle.author == BOT else self._answers(said)

    def _button(self, said: Said, action: str, name: str) -> Pressed:
        at = next(one for one in reversed(self._shown_to(said)) if action in dict(one.page.buttons))
        return Pressed(action, dict(at.page.buttons)[action], f"@{name}", at.channel, at.id)

    async def _press(self, pressed: Pressed) -> None:
        await self.world.tell(Happened("pressed", pressed=pressed))

    async def _pressed(self, said: Said, name: str, action: str, *, shown: bool = True) -> list[Message]:
        return await self._told(name, self._button(said, action, name), shown=shown)

    async def _told(self, name: str, pressed: Pressed, *, shown: bool = True) -> list[Message]:
        """What that person alone sees of it."""
        before = len(self._alone(name))
        await self._press(pressed)
        await until(lambda: not shown or len(self._alone(name)) > before)
        return self._alone(name)[before:]

    def _alone(self, name: str) -> list[Message]:
        there = self.world.messages.values()
        return [one for one in there if one.author == BOT and one.only == f"@{name}"]


def seen(message: Message) -> Shown:
    page = message.page
    buttons = {NAMED.get(action, action) for action, _ in page.buttons}  # type: ignore[call-overload]
    pings = frozenset(filter(None, [page.pinged]))
    return Shown(page.text, page.links, pings, tuple(content for _, content in page.files), frozenset(buttons))
