"""What a platform offers to people, in the words of the port `PlatformAdapter`: one driver for each platform.

A driver holds the real adapter, connected with its real client to the platform's double, and plays the people.
`tests/contracts/test_adapter.py` is written against it alone, so every platform keeps the same promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, Self

from pipeline.values import AnswerStyle, PlaceId, RatingReason
from tests.contracts.rig import Rig


class Way(StrEnum):
    """Ways to ask and to act that not every platform has; a driver says which it has not, and why."""

    MENTION = "mention"
    DIRECT = "direct"
    FOLLOW_UP = "follow_up"
    PRIVATE = "private"
    MENU = "menu"
    EDIT = "edit"
    RATE = "rate"
    PASSAGES = "passages"
    SHARE = "share"
    PREFERENCES = "preferences"
    PRIVACY = "privacy"
    SETUP = "setup"
    HANDOFF = "handoff"
    TELL = "tell"
    INSIGHTS = "insights"
    KNOWLEDGE = "knowledge"
    STOP = "stop"
    SUMMARY = "summary"
    WHISPER = "whisper"
    """One person can be shown something who asked for nothing."""
    SHARED_CHANNEL = "shared_channel"
    TALK = "talk"
    """What people say in channels is a source."""
    SEARCH = "search"
    """The platform has a search of its own, which bots may use: `tests/journeys/test_live_search.py`."""
    PRETEND = "pretend"
    """Whoever can sign a request can put any id into it."""
    ATTACHMENTS = "attachments"
    """A message can carry a file."""
    FILES = "files"
    PLACES = "places"
    """There are places where others read along."""
    THREADS = "threads"
    """People speak with each other in the conversations of the bot, and it reads them."""
    BUTTONS = "buttons"
    """What can be asked for after an answer is pressed below it."""
    INBOX = "inbox"
    """Questions pass through the inbox: told again, or cut off by a crash, they are answered once."""
    NAMES = "names"
    """A message can name people, places and days in a way of the platform's own."""
    FORWARDS = "forwards"
    """A message can pass on what was said elsewhere."""
    TITLES = "titles"
    """A conversation can begin under a title."""
    PROGRAMS = "programs"
    """Programs write among people."""
    WORKFLOWS = "workflows"
    """The operator can let one of them ask."""
    EXPIRES = "expires"
    """What is asked with a command can be answered for a while only, and the answer is not found again."""
    FAULTS = "faults"
    """What goes wrong while posting can be brought about here."""


class Fault(StrEnum):
    """What can happen to the next message that the bot posts."""

    LOST_RESPONSE = "lost_response"
    """It is posted, and the bot never hears so."""
    LOST_REQUEST = "lost_request"
    """It is not posted, and the bot never hears so."""
    OUT_OF_REACH = "out_of_reach"
    """It is not posted, and no later one either."""
    LIMITED = "limited"
    """The platform asks to wait a second."""
    REFUSED = "refused"
    """The platform never takes what is posted in the team's channel."""


NO_FILES: Mapping[str, bytes] = {}


@dataclass(frozen=True)
class Said:
    """Something a person said."""

    person: str
    handle: Any
    """Whatever the driver needs to find it again."""


@dataclass(frozen=True)
class Shown:
    """One message of the bot, as a person meets it."""

    text: str
    """Everything that can be read in it."""
    links: frozenset[str] = frozenset()
    """Addresses that a click would open."""
    pings: frozenset[str] = frozenset()
    """Mentions that would notify somebody."""
    files: tuple[str, ...] = ()
    """The contents of the files that came with it."""
    buttons: frozenset[str] = frozenset()
    """What can be pressed: `helpful`, `not helpful`, `passages`, `why`, `share`, `stop`."""


class Driver(Protocol):
    """People on one platform, and what they see. Persons are plain names: `ann`, `bob`.

    Everything a person does returns once the bot has acknowledged it; wait for the answer with `rig.settled()`."""

    absent: Mapping[Way, str]
    """What this platform has not, and why; everything else it has."""
    rig: Rig

    @classmethod
    async def open(cls, folder: Path) -> Self:
        """Start the double, the bot over a data folder, and connect them."""
        ...

    async def close(self) -> None: ...

    async def restart(self) -> None:
        """The bot's process ended without warning; start a new one on the same data folder."""
        ...

    async def mention(self, person: str, text: str) -> Said:
        """Address the bot in the team's channel."""
        ...

    async def direct(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        """Write to the bot alone, with files attached: name -> content."""
        ...

    async def follow_up(self, person: str, text: str, after: Said) -> Said:
        """Go on in the same thread without addressing the bot."""
        ...

    async def aside(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        """Say something in the team's channel that is not for the bot."""
        ...

    async def mention_after(self, person: str, text: str, after: Said) -> Said:
        """Address the bot in the conversation of `after`."""
        ...

    async def point(self, person: str, text: str, at: Said) -> Said:
        """Address the bot in reply to what somebody said."""
        ...

    async def among(self, person: str, text: str, after: Said) -> Said:
        """Say something to the others in the conversation of `after`: no mention of the bot, no reply to it."""
        ...

    async def naming(self, person: str) -> Mapping[str, str]:
        """How a message names that person, the team's channel, a group and a day, and what people read there."""
        ...

    async def forward(self, person: str, text: str, words: str = "") -> Said:
        """Pass on to the bot what was said elsewhere: alone in a direct message, with `words` in the team's channel."""
        ...

    async def post(self, person: str, title: str, text: str) -> Said:
        """Begin a conversation under a title, and address the bot in it."""
        ...

    async def by_program(self, text: str, *, allowed: bool = False) -> Said:
        """A program addresses the bot in the team's channel."""
        ...

    async def outside(self, person: str, text: str) -> Said:
        """Address the bot in a channel that people of another organisation read."""
        ...

    async def again(self, said: Said) -> None:
        """The platform delivers the same message once more."""
        ...

    async def edit(self, said: Said, text: str) -> None: ...

    async def preview(self, said: Said) -> None:
        """The platform adds what a link in it leads to, and tells the bot of an edit."""
        ...

    async def edit_in_mention(self, said: Said, text: str) -> None:
        """Edit what was said so that it addresses the bot."""
        ...

    async def delete(self, said: Said) -> None: ...

    async def vanish(self, said: Said) -> None:
        """What was said is deleted, and the bot never hears of it."""
        ...

    def posted(self) -> list[Shown]:
        """What the bot said by itself in the team's channel."""
        ...

    async def before(self, person: str, text: str, below: Said | None = None) -> Said:
        """Said in the team's channel while the bot was not told of it, as a reply to something or not."""
        ...

    async def reword(self, said: Said, text: str) -> None:
        """Edit what was said to the others."""
        ...

    async def react(self, said: Said, *, solved: bool = False, remove: bool = False) -> None:
        """React to what was said with the mark of what is kept out, or of what solved it."""
        ...

    async def only_for(self, *people: str) -> None:
        """From now on nobody but the bot and these people is in the team's channel, nor sees it."""
        ...

    async def leave(self) -> None:
        """The bot is taken out of the team's channel, or that is deleted."""
        ...

    async def ask(self, person: str, text: str) -> Said:
        """Ask with a command in the team's channel, so that only the asker sees the answer."""
        ...

    async def answer_this(self, person: str, said: Said) -> Said:
        """Choose `Answer this message` from the menu of what somebody said."""
        ...

    def replies(self, said: Said) -> list[Shown]:
        """What the bot answered, where it was asked; for `ask` and `answer_this`, what the asker alone sees."""
        ...

    def told_alone(self, person: str) -> list[Shown]:
        """What the bot wrote to a person in a direct message."""
        ...

    def come_too_late(self, said: Said) -> None:
        """A command can be answered no more where it was used."""
        ...

    def at_work(self, said: Said) -> bool:
        """Whether the platform shows that the bot is still working on it."""
        ...

    def seen_at(self, said: Said) -> str:
        """All that is to be seen of the reply to it, and of the work on it."""
        ...

    def signs(self) -> int:
        """How much of the bot was ever to be seen: messages, edits, reactions, signs that it works or types."""
        ...

    def break_next_post(self, fault: Fault) -> None: ...

    async def rate(self, said: Said, person: str, *, helpful: bool, reason: RatingReason | None, comment: str) -> Said:
        """Press a thumb under the answer, and fill in the form that a thumbs-down opens; what that person is shown."""
        ...

    async def passages(self, said: Said, person: str, *, clicks: int = 1) -> list[Shown]:
        """Press `Show passages`, more than once in a row if asked to; what that person alone sees."""
        ...

    async def why(self, said: Said, person: str) -> list[Shown]: ...

    async def share(self, said: Said, person: str) -> list[Shown]:
        """Share a private answer in its channel; what the channel then shows, or nothing."""
        ...

    async def begin_share(self, said: Said, person: str) -> None:
        """Press the button to share without waiting for what comes of it."""
        ...

    async def share_told(self, said: Said, person: str) -> str:
        """Press the button to share as it stood there at first; what that person is told."""
        ...

    def shared(self) -> list[Shown]:
        """What the bot posted in the team's channel."""
        ...

    async def stop(self, said: Said, person: str) -> list[Shown]:
        """Press `Stay out of this thread` under the answer; what that person alone sees."""
        ...

    async def prefer(self, person: str, style: AnswerStyle) -> None:
        """Choose how much is said in the answers to this person."""
        ...

    async def export(self, person: str) -> str:
        """Ask for one's own data; what arrives."""
        ...

    async def forget(self, person: str) -> None: ...

    async def set_up(self, person: str, **choices: str) -> str:
        """Set how the bot behaves in the team's channel; what that person is told."""
        ...

    async def insights(self, person: str) -> str:
        """Ask what was asked lately and what the documents lack; what that person alone sees."""
        ...

    @property
    def place(self) -> PlaceId:
        """The team's channel."""
        ...

    def named(self, person: str) -> str:
        """The person as `[roles]` names them."""
        ...

    async def group(self, person: str) -> str:
        """A user group or role that the person is in from now on, as `[roles]` names it."""
        ...

    @property
    def helpers(self) -> PlaceId:
        """A channel where people are asked."""
        ...

    async def ask_person(self, said: Said, person: str) -> str:
        """Press `Ask a person` under the answer; what that person is told."""
        ...

    def asked(self) -> list[Shown]:
        """What stands in the channel where people are asked."""
        ...

    async def resolve(self, person: str, reply: str, *, keep: bool = False) -> str:
        """Press the button below the last question there, and send the form; what that person is told."""
        ...

    async def reply_where_asked(self, person: str, text: str) -> None:
        """Reply to the last question there instead of pressing its button."""
        ...

    def advised(self) -> list[Shown]:
        """What whoever replied there was told, alone or in reply."""
        ...

    async def send_reply(self, person: str, *, keep: bool = False, of: int = -1) -> str:
        """Press `Send`, or `Send and keep`, below that; what that person is told."""
        ...

    def heard(self, said: Said) -> list[Shown]:
        """What its asker heard of a question that people were asked."""
        ...

    def whispered(self, said: Said) -> list[Shown]:
        """What whoever said something was shown alone, without having asked for it."""
        ...

    async def tell_me(self, said: Said, person: str) -> str:
        """Press `Tell me when this can be answered` under the answer; what that person is told."""
        ...

    async def tell_me_not(self, person: str) -> str:
        """Press `Take it back` in what they were told last; what stands there then."""
        ...

    def told(self, said: Said) -> list[Shown]:
        """What its asker was told later, when it could be answered."""
        ...

    offered: list[str]
    """The collections that the last form to add something offered, and that it came with first."""

    async def add(
        self, person: str, said: Said, *, collection: str = "", only: tuple[int, ...] | None = None
    ) -> list[Shown]:
        """Choose `Add to knowledge` from the menu of what somebody said, and send the form if one opens: `only` the
        things with these numbers; what that person is then shown."""
        ...

    async def add_offered(self, person: str, said: Said, *, collection: str = "") -> list[Shown]:
        """The same with the button under the answer."""
        ...

    async def take_back(self, person: str, *, clicks: int = 1) -> str:
        """Press `Take it back` under what was added last; what is said there, or to that person alone."""
        ...

    def key(self, person: str) -> str:
        """The person as the ports name them."""
        ...

    def alone(self, person: str) -> str:
        """The group that is this person alone."""
        ...

    async def reply_to_shared(self, person: str, text: str) -> Said:
        """Reply to what was shared last in the team's channel."""
        ...

    async def pretend(self, text: str) -> Said:
        """Ask in private under an id that is no person's but the team's channel's."""
        ...
