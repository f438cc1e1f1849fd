"""People in the Discord double, with the real adapter and discord.py between them and the bot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from copy import deepcopy
from pathlib import Path
from typing import Self

from adapters.chat.reply import labels as words
from adapters.discord.adapter import DiscordAdapter
from adapters.discord.settings import DiscordSettings, DiscordTimings
from pipeline.values import AnswerStyle, PlaceId, RatingReason
from pipeline.words import wording
from tests.contracts.driver import NO_FILES, Fault, Said, Shown, Way
from tests.contracts.rig import Rig
from tests.contracts.waiting import until
from tests.doubles.discord import eyes
from tests.doubles.discord.faults import Fault as Order
from tests.doubles.discord.interactions import DEFERRED_UPDATE
from tests.doubles.discord.server import FakeDiscord
from tests.doubles.discord.world import FORUM, Interaction, Payload

QUICK = DiscordTimings(
    placeholder_delay=0.05,
    edit_interval=0.05,
    guilds_timeout=0.02,
    identify_interval=0.0,
    lag=5.0,
    checkpoint_interval=0.05,
    drain_timeout=0.2,
)
POSTS = r"^/channels/\d+/messages$"
ASK, RESOLVE = ("Ask ", "Einen Menschen fragen"), ("Reply", "Antworten oder erledigen")
TELL = ("Tell me when", "Sag mir Bescheid")
STOP = ("Stay out of this thread", "Halt dich hier heraus")
PASSAGES, WHY = ("Show passages", "Textstellen zeigen"), ("Why this confidence?", "Warum diese Zuverlässigkeit?")
ADD, TAKE_BACK = ("Add to knowledge", "Zum Wissen hinzufügen"), ("Take it back", "Zurücknehmen")
LABELS = {
    ADD[0]: "add",
    ADD[1]: "add",
    TAKE_BACK[0]: "take_back",
    TAKE_BACK[1]: "take_back",
    "👍 Helpful": "helpful",
    "👎 Not helpful": "not helpful",
    "Show passages": "passages",
    "Why this confidence?": "why",
    "Share in channel": "share",
    STOP[0]: "stop",
    "Send": "send",
    "Send and keep": "sendkeep",
    wording.SUBSCRIBE_BUTTON: "tell",
}
NOT_HERE = {
    Way.SHARED_CHANNEL: "Discord has no channels that two organisations share",
    Way.SEARCH: "Discord lets no bot search",
    Way.WHISPER: "Discord shows nothing to one person who pressed or typed no command",
    Way.WORKFLOWS: "no setting lets a bot or a webhook ask",
    Way.PRETEND: "a gateway that the bot connects to sends what happened; nobody else can",
}
ABSENT: Mapping[Way, str] = NOT_HERE | {
    Way.THREADS: "the bot does not read what is said in a channel",
    Way.STOP: "there is nothing to stop where the bot answers only what is addressed to it",
    Way.SUMMARY: "replies to each other in a channel are no thread",
}


class DiscordDriver:
    """Answers are replies in the channel; a follow-up is a reply to one."""

    absent = ABSENT
    threads = False
    content = True
    """The message content intent."""
    pace = QUICK
    shards: str | None = None

    def __init__(self, folder: Path) -> None:
        self.rig = Rig(folder)
        self.discord = FakeDiscord()
        self.world = self.discord.world
        self.guild = self.world.guild("Acme")
        self.channel = self.world.channel(self.guild, "team")
        self.help = self.world.channel(self.guild, "help")
        self.home = [int(self.guild)]
        self.people: dict[str, Payload] = {}
        self.said: list[str] = []
        self.offered: list[str] = []
        self._added: Payload = {}
        self._noted: Interaction | None = None
        self._resolvable: Payload = {}
        self._shareable: dict[int, Payload] = {}
        """Buttons to share that somebody saw, and may press again before they are gone."""
        self.adapter: DiscordAdapter | None = None

    @classmethod
    async def open(cls, folder: Path) -> Self:
        driver = cls(folder)
        await driver.discord.__aenter__()
        await driver.connect()
        return driver

    @property
    def environment(self) -> dict[str, str]:
        """What points `citewell run` at these people."""
        return {
            "DISCORD_TOKEN": self.discord.token,
            "DISCORD_API_URL": self.discord.api_url,
            "CITEWELL_DISCORD_MESSAGE_CONTENT": "true",
            "CITEWELL_DISCORD_THREADS": str(self.threads),
            "CITEWELL_DISCORD_HOME_GUILDS": self.guild,
        }

    async def arrived(self) -> None:
        """Wait until a bot is there."""
        await self.discord.gateway.connected()

    async def gone(self) -> None:
        """Wait until none is."""
        await until(lambda: not any(session.socket for session in self.discord.gateway.sessions.values()))

    @asynccontextmanager
    async def double(self) -> AsyncIterator[None]:
        """The people and their servers, for a bot that somebody else starts."""
        async with self.discord:
            yield

    async def connect(self) -> None:
        before = self.discord.gateway.identifies
        self.adapter = DiscordAdapter(
            DiscordSettings(
                token=self.discord.token,
                api_url=self.discord.api_url,
                message_content=self.content,
                threads=self.threads,
                shards=self.shards,
                home_guilds=tuple(self.home),
            ),
            folder=self.rig.folder,
            echo=self.said.append,
            timings=self.pace,
        )
        await self.rig.start(self.adapter)
        await until(lambda: self.discord.gateway.identifies > before)
        await self.discord.gateway.connected()
        await self._acknowledged()

    async def close(self) -> None:
        await self.rig.end()
        await self.discord.__aexit__()

    async def restart(self) -> None:
        await self.rig.end()
        await self.discord.gateway.drop(forget=True)
        await self.connect()
        await self.caught_up()

    # --- Asking -------------------------------------------------------------------------------

    async def mention(self, person: str, text: str) -> Said:
        return await self._say(person, self.channel, f"@Citewell {text}")

    async def direct(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        channel = self.world.direct(self._person(person))
        return await self._say(person, channel, text, attachments=self._attached(files))

    def _attached(self, files: Mapping[str, bytes]) -> list[Payload]:
        return [self.discord.attach(name, content) for name, content in files.items()]

    async def follow_up(self, person: str, text: str, after: Said) -> Said:
        answers = self._answers(after)
        target = answers[-1]["id"] if answers else after.handle["id"]
        return await self._say(person, self.channel, text, reply_to=target)

    async def aside(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        return await self._say(person, self.channel, text, attachments=self._attached(files))

    async def mention_after(self, person: str, text: str, after: Said) -> Said:
        return await self.follow_up(person, f"@Citewell {text}", after)

    async def point(self, person: str, text: str, at: Said) -> Said:
        return await self._say(person, at.handle["channel_id"], f"@Citewell {text}", reply_to=at.handle["id"])

    async def among(self, person: str, text: str, after: Said) -> Said:
        return await self._say(person, self.channel, text, reply_to=after.handle["id"])

    async def naming(self, person: str) -> Mapping[str, str]:
        night = self.world.role(self.guild, "night")
        made = {"guild_id": self.guild, "role": self.world.guilds[self.guild]["roles"][-1]}
        await self.discord.gateway.emit("GUILD_ROLE_CREATE", made)
        return {
            f"<@{self._person(person)['id']}>": f"@{person}",
            f"<#{self.channel}>": "#team",
            f"<@&{night}>": "@night",
            "<t:1759968000:D>": "9 October 2025",
        }

    async def forward(self, person: str, text: str, words: str = "") -> Said:
        sent = {"type": 0, "content": text, "timestamp": self.world.timestamp(), "edited_timestamp": None}
        snapshot = {"message": {**sent, "embeds": [], "attachments": [], "mentions": [], "flags": 0}}
        reference = {"type": 1, "channel_id": self.help, "message_id": "77"}
        passed_on = {"message_snapshots": [snapshot], "message_reference": reference, "flags": 1 << 14}
        channel = self.channel if words else self.world.direct(self._person(person))
        forwarded = await self._say(person, channel, "", **passed_on)
        return await self.point(person, words, forwarded) if words else forwarded

    async def post(self, person: str, title: str, text: str) -> Said:
        post = self.world.thread(self.world.channel(self.guild, "questions", kind=FORUM), title)
        await self.restart()
        asked = {"content": text.replace("@Citewell", f"<@{self.world.bot['id']}>"), "mentions": [self.world.bot]}
        message = await self.discord.messages.put(post, self._person(person), asked, id=post)
        await self._acknowledged()
        return Said(person, message)

    async def by_program(self, text: str, *, allowed: bool = False) -> Said:
        deploys = self.discord.someone("deploys", self.guild, bot=True)
        message = await self.discord.say(deploys, self.channel, f"@Citewell {text}")
        await self._acknowledged()
        return Said("", message)

    async def outside(self, person: str, text: str) -> Said:
        raise NotImplementedError

    async def again(self, said: Said) -> None:
        await self.discord.gateway.emit_message("MESSAGE_CREATE", said.handle)
        await self._acknowledged()

    async def edit(self, said: Said, text: str) -> None:
        await self.discord.edit(said.handle, f"@Citewell {text}")
        await self._acknowledged()

    async def preview(self, said: Said) -> None:
        drawn = {"embeds": [{"type": "link", "url": "https://wiki.example/leave"}]}
        await self.discord.gateway.emit_message("MESSAGE_UPDATE", said.handle | drawn)
        await self._acknowledged()

    async def edit_in_mention(self, said: Said, text: str) -> None:
        await self.edit(said, text)

    async def delete(self, said: Said) -> None:
        await self.discord.delete(said.handle)
        await self._acknowledged()

    async def vanish(self, said: Said) -> None:
        del self.world.channels[said.handle["channel_id"]].messages[said.handle["id"]]

    def posted(self) -> list[Shown]:
        return [seen(one) for one in self.discord.replies(self.channel) if not one.get("message_reference")]

    async def before(self, person: str, text: str, below: Said | None = None) -> Said:
        more = {"message_reference": {"message_id": below.handle["id"]}} if below else {}
        return Said(person, self.discord.messages.write(self.channel, self._person(person), {"content": text} | more))

    async def reword(self, said: Said, text: str) -> None:
        await self.discord.edit(said.handle, text)
        await self._acknowledged()

    async def react(self, said: Said, *, solved: bool = False, remove: bool = False) -> None:
        await self.discord.react(self._person("ann"), said.handle, "✅" if solved else "🚫", remove=remove)
        await self._acknowledged()

    async def only_for(self, *people: str) -> None:
        self.world.close(self.channel, *(self._person(one)["id"] for one in people))
        await self.discord.gateway.emit("CHANNEL_UPDATE", self.world.channels[self.channel].payload)
        await self._acknowledged()

    async def leave(self) -> None:
        await self.discord.gateway.emit("CHANNEL_DELETE", self.world.channels.pop(self.channel).payload)
        await self._acknowledged()

    async def ask(self, person: str, text: str) -> Said:
        done = await self.discord.command(self._person(person), self.channel, "ask", question=text)
        await until(lambda: done.acknowledged)
        return Said(person, done)

    async def answer_this(self, person: str, said: Said) -> Said:
        done = await self.discord.message_menu(self._person(person), said.handle, "Answer this message")
        await until(lambda: done.acknowledged)
        return Said(person, done)

    # --- Seeing -------------------------------------------------------------------------------

    def replies(self, said: Said) -> list[Shown]:
        if isinstance(said.handle, Interaction):
            return [seen(message) for message in said.handle.messages.values()]
        return [seen(message) for message in self._answers(said)]

    def told_alone(self, person: str) -> list[Shown]:
        return [seen(message) for message in self.discord.replies(self.world.direct(self._person(person)))]

    def come_too_late(self, said: Said) -> None:
        said.handle.expired = True

    def at_work(self, said: Said) -> bool:
        progress = set(wording.PROGRESS.values())
        placeholder = any(line in shown.text for shown in self.replies(said) for line in progress)
        return said.handle["channel_id"] in self.discord.messages.typing or placeholder

    def seen_at(self, said: Said) -> str:
        return "\n".join(shown.text for shown in self.replies(said))

    def signs(self) -> int:
        return sum(method != "GET" for method, path in self.discord.faults.requests if path.startswith("/channels/"))

    def break_next_post(self, fault: Fault) -> None:
        orders = {
            Fault.LOST_RESPONSE: Order(drop=True, after=True),
            Fault.LOST_REQUEST: Order(drop=True),
            Fault.OUT_OF_REACH: Order(drop=True),
            Fault.LIMITED: Order(status=429, retry_after=0.5),
            Fault.REFUSED: Order(status=400, body={"code": 20016, "message": "Slow mode"}),
        }
        times = -1 if fault in (Fault.OUT_OF_REACH, Fault.REFUSED) else 1
        where = f"^/channels/{self.channel}/messages$" if fault is Fault.REFUSED else POSTS
        self.discord.faults.order("POST", where, orders[fault], times)

    # --- Acting -------------------------------------------------------------------------------

    async def rate(self, said: Said, person: str, *, helpful: bool, reason: RatingReason | None, comment: str) -> Said:
        pressed = await self._press(said, person, "👍" if helpful else "👎")
        if not helpful:
            await until(lambda: pressed.modal)
            sent = await self.discord.submit(self._person(person), pressed, reason or "", comment)
            await until(lambda: sent.texts)
            return Said(person, sent)
        return Said(person, pressed)

    async def passages(self, said: Said, person: str, *, clicks: int = 1) -> list[Shown]:
        pressed = [await self._press(said, person, PASSAGES) for _ in range(clicks)]
        await until(lambda: all(one.acknowledged for one in pressed))
        return [shown for one in pressed if one.acknowledged != DEFERRED_UPDATE for shown in await self._told(one)]

    async def why(self, said: Said, person: str) -> list[Shown]:
        return await self._told(await self._press(said, person, WHY))

    async def stop(self, said: Said, person: str) -> list[Shown]:
        return await self._told(await self._press(said, person, STOP))

    async def share(self, said: Said, person: str) -> list[Shown]:
        before = {message["id"] for message in self.discord.replies(self.channel)}
        pressed = await self._press_share(said, person)
        await until(lambda: pressed.texts or not any("share" in shown.buttons for shown in self.replies(said)))
        return [seen(message) for message in self.discord.replies(self.channel) if message["id"] not in before]

    async def begin_share(self, said: Said, person: str) -> None:
        await self._press_share(said, person)

    async def share_told(self, said: Said, person: str) -> str:
        held = self._shareable.get(id(said.handle)) or list(said.handle.messages.values())[-1]
        pressed = await self.discord.press(self._person(person), deepcopy(held), "Share in channel")
        await until(lambda: pressed.texts)
        return pressed.texts[-1]

    async def _press_share(self, said: Said, person: str) -> Interaction:
        self._shareable.setdefault(id(said.handle), deepcopy(list(said.handle.messages.values())[-1]))
        return await self._press(said, person, "Share in channel")

    def shared(self) -> list[Shown]:
        return [seen(message) for message in self.discord.replies(self.channel)]

    async def prefer(self, person: str, style: AnswerStyle) -> None:
        shown = await self.discord.command(self._person(person), self.channel, "preferences", style=style.value)
        await until(lambda: shown.texts)

    async def export(self, person: str) -> str:
        pressed = await self._own_data(person, words.EXPORT_LABEL)
        await until(lambda: pressed.texts)
        (message,) = pressed.messages.values()
        return str(message["attachments"][0]["body"])

    async def forget(self, person: str) -> None:
        asked = await self._own_data(person, words.FORGET_LABEL)
        await until(lambda: asked.texts)
        (sure,) = asked.messages.values()
        done = await self.discord.press(self._person(person), sure, words.FORGET_NOW_LABEL)
        await until(lambda: done.texts)

    async def set_up(self, person: str, **choices: str) -> str:
        done = await self.discord.command(self._person(person), self.channel, "setup", **choices)
        await until(lambda: done.texts)
        return done.texts[-1]

    async def insights(self, person: str) -> str:
        done = await self.discord.command(self._person(person), self.channel, "insights")
        await until(lambda: done.texts)
        return "\n".join(done.texts)

    @property
    def place(self) -> PlaceId:
        return PlaceId(platform="discord", space=str(self.guild), channel=str(self.channel))

    def named(self, person: str) -> str:
        return f"discord:user:{self._person(person)['id']}"

    async def group(self, person: str) -> str:
        role = self.world.role(self.guild, "Keepers")
        made = self.world.guilds[self.guild]["roles"][-1]
        await self.discord.gateway.emit("GUILD_ROLE_CREATE", {"guild_id": self.guild, "role": made})
        self.world.join(self.guild, self._person(person), roles=(role,))
        return f"discord:{self.guild}:role:{role}"

    @property
    def helpers(self) -> PlaceId:
        return PlaceId(platform="discord", space=str(self.guild), channel=str(self.help))

    def whispered(self, said: Said) -> list[Shown]:
        raise NotImplementedError

    async def tell_me(self, said: Said, person: str) -> str:
        self._noted = await self._press(said, person, TELL)
        await until(lambda: self._noted and self._noted.texts)
        return self._noted.texts[-1]

    async def tell_me_not(self, person: str) -> str:
        (held,) = (self._noted.messages if self._noted else {}).values()
        pressed = await self.discord.press(self._person(person), held, TAKE_BACK)
        await until(lambda: pressed.texts)
        return pressed.texts[-1]

    def told(self, said: Said) -> list[Shown]:
        if isinstance(said.handle, Interaction):
            there = self.discord.replies(self.world.direct(self._person(said.person)))
        else:
            channels = {message["channel_id"] for message in (said.handle, *self._answers(said))}
            there = [message for channel in channels for message in self.discord.replies(channel)]
        return [one for one in map(seen, there) if wording.SUBSCRIPTION_INTRO in one.text]

    async def ask_person(self, said: Said, person: str) -> str:
        pressed = await self._press(said, person, ASK)
        await until(lambda: pressed.texts)
        return pressed.texts[-1]

    def asked(self) -> list[Shown]:
        return [seen(message) for message in self.discord.replies(self.help)]

    async def reply_where_asked(self, person: str, text: str) -> None:
        await self._say(person, self.help, text, reply_to=self._questions()[-1]["id"])

    def _questions(self) -> list[Payload]:
        return [one for one in self.discord.replies(self.help) if not one.get("message_reference")]

    def advised(self) -> list[Shown]:
        return [seen(one) for one in self._advice()]

    def _advice(self) -> list[Payload]:
        return [one for one in self.discord.replies(self.help) if one.get("message_reference")]

    async def send_reply(self, person: str, *, keep: bool = False, of: int = -1) -> str:
        held, label = self._advice()[of], "Send and keep" if keep else "Send"
        pressed = await self.discord.press(self._person(person), deepcopy(held), label)
        await until(lambda: pressed.texts)
        return pressed.texts[-1]

    async def resolve(self, person: str, reply: str, *, keep: bool = False) -> str:
        message = self._questions()[-1]
        if "resolve" in seen(message).buttons:
            self._resolvable = deepcopy(message)
        else:
            message = deepcopy(self._resolvable)
        pressed = await self.discord.press(self._person(person), message, RESOLVE)
        await until(lambda: pressed.modal or pressed.texts)
        if pressed.texts:
            return pressed.texts[-1]
        fields = len((pressed.modal or {})["components"])
        values = [reply, "yes" if keep else "no"][:fields]
        sent = await self.discord.submit(self._person(person), pressed, *values)
        await until(lambda: sent.texts)
        return sent.texts[-1]

    def heard(self, said: Said) -> list[Shown]:
        if isinstance(said.handle, Interaction):
            return [seen(one) for one in self.discord.replies(self.world.direct(self._person(said.person)))]
        ours = {message["id"] for message in self._answers(said)}
        where = {message["channel_id"] for message in self._answers(said)}
        told = [message for channel in where for message in self.discord.replies(channel)]
        return [seen(one) for one in told if one.get("message_reference", {}).get("message_id") in ours]

    async def add(
        self, person: str, said: Said, *, collection: str = "", only: tuple[int, ...] | None = None
    ) -> list[Shown]:
        chosen = await self.discord.message_menu(self._person(person), said.handle, "Add to knowledge")
        return await self._adding(person, chosen, collection, only)

    async def add_offered(self, person: str, said: Said, *, collection: str = "") -> list[Shown]:
        return await self._adding(person, await self._press(said, person, ADD), collection, None)

    async def _adding(
        self, person: str, opened: Interaction, collection: str, only: tuple[int, ...] | None
    ) -> list[Shown]:
        await until(lambda: opened.texts or opened.modal)
        wanted = 1
        if opened.modal:
            fields = {item["component"]["custom_id"]: item["component"] for item in opened.modal["components"]}
            values: list[str | tuple[str, ...]] = []
            if "what" in fields:
                ticked = [one["value"] for one in fields["what"]["options"] if one.get("default")]
                chosen = tuple(ticked) if only is None else tuple(map(str, only))
                values.append(chosen)
                wanted = len(chosen)
            if "where" in fields:
                self.offered = [one["label"] for one in fields["where"]["options"]]
                values.append(collection or self.offered[0])
            opened = await self.discord.submit(self._person(person), opened, *values)
        await until(lambda: len(opened.texts) == wanted)
        holds = [one for one in opened.messages.values() if "take_back" in seen(one).buttons]
        self._added = holds[-1] if holds else {}
        return [seen(message) for message in opened.messages.values()]

    async def take_back(self, person: str, *, clicks: int = 1) -> str:
        held = deepcopy(self._added)
        pressed = [await self.discord.press(self._person(person), held, TAKE_BACK) for _ in range(clicks)]
        before = seen(held)
        await until(lambda: all(one.texts or (one.pressed and seen(one.pressed) != before) for one in pressed))
        return pressed[0].texts[-1] if pressed[0].texts else seen(pressed[0].pressed or {}).text

    def key(self, person: str) -> str:
        return f"discord:{self._person(person)['id']}"

    def alone(self, person: str) -> str:
        return f"discord:user:{self._person(person)['id']}"

    async def reply_to_shared(self, person: str, text: str) -> Said:
        target = self.discord.replies(self.channel)[-1]["id"]
        return await self._say(person, self.channel, text, reply_to=target)

    async def pretend(self, text: str) -> Said:
        raise NotImplementedError

    async def _own_data(self, person: str, label: str) -> Interaction:
        shown = await self.discord.command(self._person(person), self.channel, "privacy")
        await until(lambda: shown.texts)
        (message,) = shown.messages.values()
        return await self.discord.press(self._person(person), message, label)

    async def _press(self, said: Said, person: str, label: str | tuple[str, ...]) -> Interaction:
        private = isinstance(said.handle, Interaction)
        messages = list(said.handle.messages.values()) if private else self._answers(said)
        return await self.discord.press(self._person(person), messages[-1], label)

    async def _told(self, pressed: Interaction) -> list[Shown]:
        await until(lambda: pressed.texts)
        return [seen(message) for message in pressed.messages.values()]

    def _person(self, name: str) -> Payload:
        if name not in self.people:
            self.people[name] = self.discord.someone(name, self.guild)
        return self.people[name]

    async def _say(self, person: str, channel: str, text: str, **more: object) -> Said:
        message = await self.discord.say(self._person(person), channel, text, **more)
        await self._acknowledged()
        return Said(person, message)

    async def _acknowledged(self) -> None:
        """Discord waits for no acknowledgement; so look whether everything sent is in the inbox."""
        await self.discord.gateway.read()
        await asyncio.sleep(0.01)
        line = self.adapter and self.adapter._connection
        await until(lambda: line is None or not line.client.intake.unsaved)

    async def noted(self) -> float:
        """Up to when everything is known to be in the inbox, in Unix seconds."""
        return float(await self.rig.storage.inbox.last_message_id("discord:dm") or 0)

    async def caught_up(self, seconds: float = 60.0) -> None:
        """Wait until what was said before the connection has been read."""
        line = self.adapter and self.adapter._connection
        await until(lambda: line is not None and line.client._caught_up, seconds)

    def _answers(self, said: Said) -> list[Payload]:
        mine = self.discord.replies(said.handle["channel_id"])
        return [m for m in mine if m.get("message_reference", {}).get("message_id") == said.handle["id"]]


class DiscordThreadsDriver(DiscordDriver):
    """Answers go into a thread opened from the question; a follow-up is said there."""

    absent = NOT_HERE
    threads = True

    async def among(self, person: str, text: str, after: Said) -> Said:
        return await self._say(person, after.handle["id"], text)

    async def follow_up(self, person: str, text: str, after: Said) -> Said:
        if after.handle["id"] not in self.world.channels:
            return await super().follow_up(person, text, after)
        return await self._say(person, after.handle["id"], text)

    def _answers(self, said: Said) -> list[Payload]:
        opened = [m for m in self.discord.replies(said.handle["id"]) if not m.get("message_reference")]
        return [*opened, *super()._answers(said)]


def named(label: str) -> str:
    """What a button does."""
    return LABELS.get(label) or ("ask" if label.startswith(ASK) else "resolve" * label.startswith(RESOLVE))


def seen(message: Payload) -> Shown:
    """A message as its reader meets it."""
    looks = [eyes.look(text) for text in eyes.texts(message)]
    return Shown(
        text="\n".join(look.text for look in looks),
        links=frozenset().union(*(look.links for look in looks)),
        pings=frozenset().union(*(look.pings for look in looks)),
        files=tuple(str(one["body"]) for one in message.get("attachments") or () if one.get("body")),
        buttons=frozenset(name for label in eyes.labels(message) if (name := named(label))),
    )
