"""People in the Slack double, with the real adapter, slack-bolt and slack-sdk between them and the bot."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

import yaml

from adapters.http.servers import UvicornServers
from adapters.slack.adapter import SlackAdapter
from adapters.slack.settings import SlackSettings
from adapters.slack.web_client import SlackClientTimings
from pipeline.values import AnswerStyle, NoticeKind, PlaceId, RatingReason, replace
from pipeline.words import wording
from tests.contracts.driver import NO_FILES, Fault, Said, Shown, Way
from tests.contracts.rig import Rig
from tests.contracts.waiting import eventually, until
from tests.doubles.ports import free_port
from tests.doubles.slack import eyes
from tests.doubles.slack.people import People
from tests.doubles.slack.rules import Json
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN, SECRET, SlackServer
from tests.doubles.slack.workspace import BOT, TEAM, Message

MANIFEST: Json = yaml.safe_load((Path(__file__).parents[2] / "manifest.yml").read_text())
FLOW = "A0FLOW"
"""A workflow that may ask."""
CHANNEL, SHARED, HELP = "C0TEAM", "C0SHARED", "C0HELP"
QUICK = SlackClientTimings(
    message_interval=0.0,
    indicator_delay=0.0,
    streaming_delay=0.05,
    stage_interval=0.0,
    timeout=3.0,
    membership_timeout=30.0,
    history_interval=0.0,
)
WRITES = ("chat.postMessage", "chat.startStream")
VISIBLE = {
    "chat.postMessage",
    "chat.postEphemeral",
    "chat.startStream",
    "chat.update",
    "reactions.add",
    "assistant.threads.setStatus",
    "agents.sessions.setStatus",
}
PRESSED = {
    "passages",
    "why",
    "share",
    "ask",
    "tell",
    "untell",
    "resolve",
    "stop",
    "add",
    "take_back",
    "send",
    "sendkeep",
}
EVERYTHING: Mapping[Way, str] = {Way.TITLES: "Slack's channels and threads begin with a message"}
NOT_OVER_HTTP: Mapping[Way, str] = EVERYTHING | {
    Way.FAULTS: "what follows the intake is the same code, and is not broken twice"
}


class SlackDriver:
    """Over Socket Mode."""

    absent: Mapping[Way, str] = EVERYTHING
    http = False
    pace = QUICK

    def __init__(self, folder: Path, scopes: frozenset[str] | None = None) -> None:
        self.rig = Rig(folder)
        self.slack = SlackServer(scopes or granted())
        self.said: list[str] = []
        self.port = free_port() if self.http else 0
        self.offered: list[str] = []
        self._resolvable = ""
        self._noted: list[Json] = []
        self._buttons: dict[int, tuple[int, str]] = {}
        """Buttons to share that somebody saw, and may press again before they are gone."""

    @classmethod
    async def open(cls, folder: Path) -> Self:
        driver = cls(folder)
        await driver.start()
        return driver

    async def start(self) -> None:
        await self.gather()
        await self.connect()

    @property
    def environment(self) -> dict[str, str]:
        """What points `citewell run` at these people."""
        received = (
            {"SLACK_SIGNING_SECRET": SECRET, "CITEWELL_SLACK_PORT": str(self.port)}
            if self.http
            else {"SLACK_APP_TOKEN": self.slack.app_token}
        )
        return {"SLACK_BOT_TOKEN": self.slack.bot_token, "SLACK_API_URL": self.slack.api_url, **received}

    async def arrived(self) -> None:
        """Wait until a bot is there."""
        await (listening(self.port) if self.http else self.slack.connected.wait())

    async def gone(self) -> None:
        """Wait until none is."""
        await (silent(self.port) if self.http else until(lambda: not self.slack.sockets))

    @asynccontextmanager
    async def double(self) -> AsyncIterator[None]:
        """The people and their workspace, for a bot that somebody else starts."""
        await self.gather()
        try:
            yield
        finally:
            await self.slack.__aexit__(None, None, None)

    async def gather(self) -> None:
        await self.slack.__aenter__()
        events = MANIFEST["settings"]["event_subscriptions"]["bot_events"]
        url = f"http://127.0.0.1:{self.port}/slack/events" if self.http else ""
        self.people = People(self.slack, events, url)
        self.workspace = self.slack.workspace
        self.workspace.add(CHANNEL, name="team")
        self.workspace.add(SHARED, shared=True)
        self.workspace.add(HELP)

    async def connect(self) -> None:
        self.adapter = SlackAdapter(
            SlackSettings(
                bot_token=BOT_TOKEN,
                app_token="" if self.http else APP_TOKEN,
                signing_secret=SECRET if self.http else "",
                api_url=self.slack.api_url,
                port=self.port or 3000,
                workflows=(FLOW,),
            ),
            http_servers=UvicornServers(),
            echo=self.said.append,
            timings=self.pace,
            clock=lambda: self.workspace.clock(),
        )
        await self.rig.start(self.adapter)
        async with asyncio.timeout(60):
            await self.arrived()

    async def close(self) -> None:
        await self.rig.end()
        await self.adapter.close()
        await self.slack.__aexit__(None, None, None)

    async def restart(self) -> None:
        await self.disconnect()
        await self.connect()

    async def disconnect(self) -> None:
        """The bot is gone, and none of its connections is taken for one of the next."""
        await self.rig.end()
        await self.adapter.close()
        await self.gone()

    # --- Asking -------------------------------------------------------------------------------

    async def mention(self, person: str, text: str) -> Said:
        return Said(person, await self.people.mention(user(person), CHANNEL, text))

    async def direct(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        channel = self.workspace.dm(user(person)).id
        return Said(person, await self.people.say(user(person), channel, text, files=self._shared(files)))

    def _shared(self, files: Mapping[str, bytes]) -> list[Json]:
        return [self.workspace.share(self.slack.base, name, content) for name, content in files.items()]

    async def follow_up(self, person: str, text: str, after: Said) -> Said:
        first: Message = after.handle
        thread = first.thread_ts or first.ts
        return Said(person, await self.people.say(user(person), first.channel, text, thread=thread))

    async def aside(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        typed = re.sub(r"https?://\S+[^\s.]", r"<\g<0>>", text)
        return Said(person, await self.people.say(user(person), CHANNEL, typed, files=self._shared(files)))

    async def mention_after(self, person: str, text: str, after: Said) -> Said:
        return await self.follow_up(person, f"<@{BOT}> {text}", after)

    async def point(self, person: str, text: str, at: Said) -> Said:
        return await self.mention_after(person, text, at)

    async def among(self, person: str, text: str, after: Said) -> Said:
        return await self.follow_up(person, text, after)

    async def naming(self, person: str) -> Mapping[str, str]:
        await self.group(person)
        group = next(name for name, users in self.workspace.user_groups.items() if user(person) in users)
        return {
            f"<@{user(person)}>": f"@{person}",
            f"<#{CHANNEL}|>": "#team",
            f"<!subteam^{group}>": f"@{group.removeprefix('S0').lower()}",
            "<!date^1759968000^{date}|Oct 9, 2025>": "Oct 9, 2025",
            "<!date^1759968000^{date}>": "9 October 2025",
        }

    async def forward(self, person: str, text: str, words: str = "") -> Said:
        channel = CHANNEL if words else self.workspace.dm(user(person)).id
        message = self.people.write(user(person), channel, f"<@{BOT}> {words}" if words else "")
        message.attachments = [{"is_share": True, "text": text}]
        for event in self.people.told(message):
            await self.people.event(event)
        return Said(person, message)

    async def post(self, person: str, title: str, text: str) -> Said:
        raise NotImplementedError

    async def by_program(self, text: str, *, allowed: bool = False) -> Said:
        message = self.people.write("", CHANNEL, f"<@{BOT}> {text}")
        told = {"type": "app_mention", "subtype": "bot_message", "bot_id": "B0FLOW", "channel": CHANNEL}
        told |= {"app_id": FLOW if allowed else "A0OTHER", "text": message.text, "ts": message.ts}
        await self.people.event({**told, "event_ts": message.ts})
        return Said("", message)

    async def outside(self, person: str, text: str) -> Said:
        return Said(person, await self.people.mention(user(person), SHARED, text))

    async def again(self, said: Said) -> None:
        for event in self.people.told(said.handle):
            await self.people.event(event)

    async def edit(self, said: Said, text: str) -> None:
        await self.people.edit(said.handle, text)

    async def preview(self, said: Said) -> None:
        said.handle.attachments = [{"from_url": "https://wiki.example/leave", "text": "All about leave"}]
        await self.people.edit(said.handle, said.handle.text)

    async def edit_in_mention(self, said: Said, text: str) -> None:
        await self.people.edit(said.handle, f"<@{BOT}> {text}")

    async def delete(self, said: Said) -> None:
        await self.people.delete(said.handle)

    async def vanish(self, said: Said) -> None:
        del self.workspace.messages[said.handle.channel, said.handle.ts]

    def posted(self) -> list[Shown]:
        return [shown(one) for one in self.workspace.roots(CHANNEL) if one.user == BOT]

    async def before(self, person: str, text: str, below: Said | None = None) -> Said:
        return Said(person, self.people.write(user(person), CHANNEL, text, thread=below.handle.ts if below else ""))

    async def reword(self, said: Said, text: str) -> None:
        await self.people.edit(said.handle, text)

    async def react(self, said: Said, *, solved: bool = False, remove: bool = False) -> None:
        name = "white_check_mark" if solved else "no_entry_sign"
        await self.people.react(user("ann"), said.handle, name, remove=remove)

    async def only_for(self, *people: str) -> None:
        channel = self.workspace.channels[CHANNEL]
        channel.kind = "private"
        for one in channel.members - {BOT, *map(user, people)}:
            await self.people.leave(one, CHANNEL)
        self.workspace.join(CHANNEL, *map(user, people))

    async def leave(self) -> None:
        await self.people.leave(BOT, CHANNEL)

    async def ask(self, person: str, text: str) -> Said:
        return Said(person, await self.people.command(user(person), CHANNEL, text))

    async def answer_this(self, person: str, said: Said) -> Said:
        return Said(person, await self.people.shortcut(user(person), said.handle))

    # --- Seeing -------------------------------------------------------------------------------

    def replies(self, said: Said) -> list[Shown]:
        if isinstance(said.handle, list):
            return [seen(message) for message in said.handle if not message.get("replaced")]
        return [shown(message) for message in self.workspace.replies(said.handle)]

    def told_alone(self, person: str) -> list[Shown]:
        return [shown(message) for message in self._in(self.workspace.dm(user(person)).id)]

    def come_too_late(self, said: Said) -> None:
        self.workspace.responses.clear()

    def at_work(self, said: Said) -> bool:
        message: Message = said.handle
        status = [text for at, thread, text in self.workspace.statuses if (at, thread) == (message.channel, message.ts)]
        reacted = any(ts == message.ts for _, ts, _ in self.workspace.reactions)
        return reacted or bool(status and status[-1])

    def seen_at(self, said: Said) -> str:
        lines = self.workspace.status_lines.get((said.handle.channel, said.handle.ts), [])
        return "\n".join([*lines, *(shown.text for shown in self.replies(said))])

    def signs(self) -> int:
        return sum(method in VISIBLE for method, _ in self.slack.calls)

    def break_next_post(self, fault: Fault) -> None:
        broken = False

        async def hook(method: str, arguments: Json, when: str) -> str | None:
            nonlocal broken
            moment = "after" if fault is Fault.LOST_RESPONSE else "before"
            if broken or method not in WRITES or when != moment:
                return None
            if fault is Fault.REFUSED:
                return "team_access_not_granted" if arguments["channel"] == CHANNEL else None
            broken = fault is not Fault.OUT_OF_REACH
            return "429" if fault is Fault.LIMITED else "drop"

        self.slack.hook = hook

    # --- Acting -------------------------------------------------------------------------------

    async def rate(self, said: Said, person: str, *, helpful: bool, reason: RatingReason | None, comment: str) -> Said:
        message = self._answer(said)
        side = "positive_button" if helpful else "negative_button"
        value = next(one[side]["value"] for one in elements(message.blocks) if one["type"] == "feedback_buttons")
        before = len(self.workspace.ephemerals)
        told = await self.people.click(user(person), "rate", value, message=message)
        if not helpful:
            await until(lambda: self.workspace.modals)
            await self.people.submit(user(person), self.workspace.modals[-1], reason, comment)
            await until(lambda: told or len(self.workspace.ephemerals) > before)
        return Said(person, told or self.workspace.ephemerals[before:])

    async def passages(self, said: Said, person: str, *, clicks: int = 1) -> list[Shown]:
        before = len(self.workspace.ephemerals)
        for _ in range(clicks):
            shown = await self._press(said, person, "passages", wanted=before)
        if clicks > 1:  # what another button shows comes after whatever these clicks show
            await self._press(said, person, "why")
            shown = [seen(message) for message in self.workspace.ephemerals[before:-1]]
        return shown

    async def why(self, said: Said, person: str) -> list[Shown]:
        return await self._press(said, person, "why")

    async def stop(self, said: Said, person: str) -> list[Shown]:
        return await self._press(said, person, "stop")

    async def share(self, said: Said, person: str) -> list[Shown]:
        before = {message.ts for message in self.workspace.messages.values()}
        told = await self._press_share(said, person)

        def posted() -> list[Message]:
            return [message for message in self.workspace.messages.values() if message.ts not in before]

        await until(lambda: posted() or told)
        return [shown(message) for message in posted()]

    async def begin_share(self, said: Said, person: str) -> None:
        await self._press_share(said, person)

    async def _press_share(self, said: Said, person: str) -> list[Json]:
        at, value = self._buttons.setdefault(id(said.handle), share_button(said.handle))
        return await self.people.click_private(user(person), CHANNEL, "share", value, said.handle, at)

    async def share_told(self, said: Said, person: str) -> str:
        told = await self._press_share(said, person)
        await until(lambda: told)
        return str(told[-1]["text"])

    def shared(self) -> list[Shown]:
        return [shown(message) for message in self._in(CHANNEL)]

    async def prefer(self, person: str, style: AnswerStyle) -> None:
        await self.people.click(user(person), "prefer_style", style.value, selected=True)

    async def export(self, person: str) -> str:
        await self.people.click(user(person), "export", "export")
        await until(lambda: self.workspace.files)
        return str(self.workspace.files[-1]["content"])

    async def forget(self, person: str) -> None:
        self.workspace.views.pop(user(person), None)
        await self.people.click(user(person), "forget", "forget")
        await until(lambda: self.workspace.views.get(user(person)))

    async def set_up(self, person: str, **choices: str) -> str:
        before = len(self.workspace.modals)
        await self.people.open_home(user(person))
        await until(lambda: user(person) in self.workspace.views)
        offered = {one["action_id"] for one in elements(self.workspace.views[user(person)]["blocks"])}
        view: Json = {"type": "modal", "callback_id": "setup", "private_metadata": str(self.place)}
        if "setup_channel" in offered:
            await self.people.click(user(person), "setup_channel", CHANNEL, conversation=True)
            await until(lambda: len(self.workspace.modals) > before)
            view = self.workspace.modals[-1]
        shown = {block["block_id"]: block["element"] for block in view.get("blocks", ()) if block["type"] == "input"}
        values = {name: {name: filled(element)} for name, element in shown.items()}
        for name, value in choices.items():
            select = shown.get(name, {}).get("type") == "static_select"
            values[name] = {name: {"selected_option": {"value": value}} if select else {"value": value}}
        answered = await self.people.fill(user(person), view, values)
        return " ".join(answered.get("errors", {}).values())

    async def insights(self, person: str) -> str:
        arrived = await self.people.command(user(person), CHANNEL, "", command="/insights")
        await until(lambda: len(arrived) > 1)
        return "\n".join(seen(message).text for message in arrived if not message.get("replaced"))

    @property
    def place(self) -> PlaceId:
        return PlaceId(platform="slack", space=TEAM, channel=CHANNEL)

    def named(self, person: str) -> str:
        return self.key(person)

    async def group(self, person: str) -> str:
        self.workspace.user_groups.setdefault("S0TEAM", set()).add(user(person))
        return f"slack:{TEAM}:group:S0TEAM"

    @property
    def helpers(self) -> PlaceId:
        return PlaceId(platform="slack", space=TEAM, channel=HELP)

    async def ask_person(self, said: Said, person: str) -> str:
        return str((await self._told(said, person, "ask"))[-1]["text"])

    async def _told(self, said: Said, person: str, action: str) -> list[Json]:
        before = len(self.workspace.ephemerals)
        if isinstance(said.handle, list):
            await until(lambda: any(offers(one, action) for one in said.handle))
            at = [offers(one, action) for one in said.handle].index(True)
            value = value_of(said.handle[at]["blocks"], action)
            told = await self.people.click_private(user(person), CHANNEL, action, value, said.handle, at)
        else:
            message = self._answer(said)
            told = await self.people.click(user(person), action, value_of(message.blocks, action), message=message)
        await until(lambda: told or len(self.workspace.ephemerals) > before)
        return told or self.workspace.ephemerals[before:]

    def whispered(self, said: Said) -> list[Shown]:
        message: Message = said.handle
        there = (message.channel, user(said.person), message.thread_ts)
        shown = self.workspace.ephemerals
        return [seen(one) for one in shown if (one["channel"], one["user"], one.get("thread_ts")) == there]

    async def tell_me(self, said: Said, person: str) -> str:
        self._noted = await self._told(said, person, "tell")
        return str(self._noted[-1]["text"])

    async def tell_me_not(self, person: str) -> str:
        value = value_of(self._noted[-1]["blocks"], "untell")
        told = await self.people.click_private(user(person), CHANNEL, "untell", value, self._noted, 0)
        await until(lambda: told)
        return str(told[-1]["text"])

    def told(self, said: Said) -> list[Shown]:
        if isinstance(said.handle, list):
            there = self._in(self.workspace.dm(user(said.person)).id)
        else:
            there = self.workspace.replies(said.handle)
        return [one for one in map(shown, there) if wording.SUBSCRIPTION_INTRO in one.text]

    def asked(self) -> list[Shown]:
        return [shown(message) for message in self._in(HELP)]

    async def reply_where_asked(self, person: str, text: str) -> None:
        await self.people.say(user(person), HELP, text, thread=self._in(HELP)[-1].ts)

    def advised(self) -> list[Shown]:
        return [seen(one) for one in self._advice()]

    def _advice(self) -> list[Json]:
        return [one for one in self.workspace.ephemerals if one["channel"] == HELP and one.get("thread_ts")]

    async def send_reply(self, person: str, *, keep: bool = False, of: int = -1) -> str:
        held, action = self._advice()[of], "sendkeep" if keep else "send"
        value = value_of(held["blocks"], action)
        told = await self.people.click_private(user(person), HELP, action, value, [held], 0)
        await until(lambda: told)
        return str(told[-1]["text"])

    async def resolve(self, person: str, reply: str, *, keep: bool = False) -> str:
        message, modals = self._in(HELP)[-1], len(self.workspace.modals)
        if "resolve" in pressable(message.blocks):
            self._resolvable = value_of(message.blocks, "resolve")
        told = await self.people.click(user(person), "resolve", self._resolvable, message=message)
        await until(lambda: told or len(self.workspace.modals) > modals)
        if told:
            return str(told[-1]["text"])
        values: Json = {"reply": {"reply": {"value": reply}}}
        values |= {"keep": {"keep": {"selected_option": {"value": "yes"}}}} if keep else {}
        before = len(self.workspace.ephemerals)
        answered = await self.people.fill(user(person), self.workspace.modals[-1], values)
        if "errors" in answered:
            return " ".join(answered["errors"].values())
        await until(lambda: len(self.workspace.ephemerals) > before)
        return str(self.workspace.ephemerals[-1]["text"])

    def heard(self, said: Said) -> list[Shown]:
        if isinstance(said.handle, list):
            return [shown(message) for message in self._in(self.workspace.dm(user(said.person)).id)]
        keys = [
            (one, str((one.metadata or {}).get("event_payload", {}).get("key")))
            for one in self.workspace.replies(said.handle)
        ]
        return [shown(one) for one, key in keys if key.partition(":")[0] in set(NoticeKind)]

    async def add(
        self, person: str, said: Said, *, collection: str = "", only: tuple[int, ...] | None = None
    ) -> list[Shown]:
        def choose() -> Awaitable[list[Json]]:
            return self.people.shortcut(user(person), said.handle, "add_to_knowledge")

        return await self._adding(person, choose, collection, only)

    async def add_offered(self, person: str, said: Said, *, collection: str = "") -> list[Shown]:
        message = self._answer(said)

        def press() -> Awaitable[list[Json]]:
            return self.people.click(user(person), "add", value_of(message.blocks, "add"), message=message)

        return await self._adding(person, press, collection, None)

    async def _adding(
        self,
        person: str,
        choose: Callable[[], Awaitable[list[Json]]],
        collection: str,
        only: tuple[int, ...] | None,
    ) -> list[Shown]:
        before, modals = set(self.workspace.messages), len(self.workspace.modals)

        def read() -> list[Message]:
            new = [one for at, one in self.workspace.messages.items() if at not in before and one.user == BOT]
            return new if all(one.edits for one in new) else []

        told, wanted = await choose(), 1
        await until(lambda: told or read() or len(self.workspace.modals) > modals)
        if len(self.workspace.modals) > modals:
            view = self.workspace.modals[-1]
            fields = {block["block_id"]: block["element"] for block in view["blocks"]}
            values: Json = {}
            if "what" in fields:
                options = fields["what"]["options"]
                chosen = fields["what"]["initial_options"] if only is None else [options[place] for place in only]
                values["what"] = {"what": {"selected_options": chosen}}
                wanted = len(chosen)
            if "where" in fields:
                self.offered = [option["value"] for option in fields["where"]["options"]]
                values["where"] = {"where": {"selected_option": {"value": collection or self.offered[0]}}}
            await self.people.fill(user(person), view, values)
        await until(lambda: told or len(read()) == wanted)
        return [seen(one) for one in told] or [shown(one) for one in read()]

    async def take_back(self, person: str, *, clicks: int = 1) -> str:
        holds = [one for one in self.workspace.messages.values() if "take_back" in pressable(one.blocks)]
        message, edits = holds[-1], holds[-1].edits
        value = value_of(message.blocks, "take_back")
        told = [await self.people.click(user(person), "take_back", value, message=message) for _ in range(clicks)]
        await until(lambda: told[0] or message.edits > edits)
        return str(told[0][-1]["text"]) if told[0] else shown(message).text

    def _in(self, channel: str) -> list[Message]:
        """The bot's messages in a channel, oldest first."""
        return [one for (where, _), one in self.workspace.messages.items() if where == channel and one.user == BOT]

    def key(self, person: str) -> str:
        return f"slack:{TEAM}:{user(person)}"

    def alone(self, person: str) -> str:
        return f"slack:{TEAM}:user:{user(person)}"

    async def reply_to_shared(self, person: str, text: str) -> Said:
        roots = [one for one in self.workspace.messages.values() if one.channel == CHANNEL and not one.thread_ts]
        return Said(person, await self.people.say(user(person), CHANNEL, text, thread=roots[-1].ts))

    async def pretend(self, text: str) -> Said:
        elsewhere = self.workspace.add("C0LOBBY").id
        return Said("nobody", await self.people.command(CHANNEL, elsewhere, text))

    async def _press(self, said: Said, person: str, action: str, wanted: int | None = None) -> list[Shown]:
        before = len(self.workspace.ephemerals) if wanted is None else wanted
        message = self._answer(said)
        await self.people.click(user(person), action, value_of(message.blocks, action), message=message)
        await until(lambda: len(self.workspace.ephemerals) > before)
        return [seen(message) for message in self.workspace.ephemerals[before:]]

    def _answer(self, said: Said) -> Message:
        return next(message for message in reversed(self.workspace.replies(said.handle)) if not message.files)


class SlackHTTPDriver(SlackDriver):
    """The same over signed HTTP."""

    absent = NOT_OVER_HTTP
    http = True


def granted() -> frozenset[str]:
    """Every bot scope of the manifest, the optional ones included."""
    scopes = MANIFEST["oauth_config"]["scopes"]
    return frozenset(scopes["bot"]) | frozenset(scopes["bot_optional"])


def user(person: str) -> str:
    return f"U0{person.upper()}"


def elements(blocks: Iterable[Json]) -> list[Json]:
    """Everything that can be pressed."""
    return [element for block in blocks if "action" in block["type"] for element in block["elements"]]


def filled(element: Json) -> Json:
    """A field as it is sent when nobody touches it."""
    return {"selected_option": element.get("initial_option"), "value": element.get("initial_value")}


def pressable(blocks: Iterable[Json]) -> set[str]:
    return {str(element.get("action_id")) for element in elements(blocks)}


def offers(message: Json, action: str) -> bool:
    return action in pressable(message.get("blocks", ()))


def value_of(blocks: Iterable[Json], action: str) -> str:
    return next(str(element["value"]) for element in elements(blocks) if element["action_id"] == action)


def share_button(messages: Sequence[Json]) -> tuple[int, str]:
    """Which of the messages has it, and its value; an empty one where none has it any more."""
    found = [
        (at, str(element["value"]))
        for at, message in enumerate(messages)
        for element in elements(message.get("blocks", ()))
        if element.get("action_id") == "share"
    ]
    return (*found, (0, ""))[0]


def shown(message: Message) -> Shown:
    files = tuple(str(file["content"]) for file in message.files if "content" in file)
    return replace(seen({"text": message.text, "blocks": message.blocks}), files=files)


def seen(message: Json) -> Shown:
    """A message as its reader meets it."""
    blocks = message.get("blocks") or [{"type": "markdown", "text": message["text"]}]
    pressed = {one["action_id"] for one in elements(blocks)} & PRESSED
    if any(one["type"] == "feedback_buttons" for one in elements(blocks)):
        pressed |= {"helpful", "not helpful"}
    return Shown(
        text=eyes.readable([block for block in blocks if "action" not in block["type"]]),
        links=frozenset(eyes.links(blocks)),
        pings=frozenset(eyes.pings(blocks, message["text"])),
        buttons=frozenset(pressed),
    )


async def listening(port: int) -> None:
    """Wait until somebody takes connections there."""
    await eventually(lambda: takes_connections(port))


async def silent(port: int) -> None:
    """Wait until nobody does."""

    async def closed() -> bool:
        return not await takes_connections(port)

    await eventually(closed)


async def takes_connections(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
