"""The messages of one reply or notice: the intent is recorded before the first, each is recorded once sent, and edited
from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from pipeline.errors import Refused
from pipeline.ports import PostRecorder
from pipeline.translations import Translator

P = TypeVar("P")
"""The type that a platform shows as one message."""
P_contra = TypeVar("P_contra", contravariant=True)


class NotPosted(Refused):
    """Raised where a platform does not accept a post."""

    def __init__(
        self,
        message: str,
        *,
        why: Callable[[Translator], str],
        is_obsolete: bool = False,
        is_permanent: bool = False,
        retry_plain: bool = False,
        what_to_do: str = "",
    ) -> None:
        """Create it. `why` renders the reason as the end of a sentence for the person who waits."""
        super().__init__(message, what_to_do=what_to_do)
        self.why = why
        self.is_obsolete = is_obsolete
        """True where nobody waits for it any more: the question is gone, or somebody stopped the answer."""
        self.is_permanent = is_permanent
        """True where another try would fail, too."""
        self.retry_plain = retry_plain
        """True where a plainer form may be accepted."""


class MessageSender(Protocol[P_contra]):
    """A platform's port that sends and edits messages in one place, for one key. All methods raise NotPosted where the
    platform refuses."""

    recorded_names: Sequence[str]
    """The names of the messages recorded so far."""

    async def wait_until_ready(self) -> None:
        """Wait until something may be posted there."""
        ...

    async def prepare_target(self) -> None:
        """Create the place of the first message, such as a thread."""
        ...

    async def send(self, part: int, post: P_contra) -> str:
        """Send a new message. Return its name."""
        ...

    async def edit(self, name: str, part: int, post: P_contra) -> None:
        """Edit a message. One that somebody deleted stays deleted."""
        ...

    async def delete(self, name: str) -> None: ...

    async def find_unrecorded(self) -> list[str]:
        """Return the names of messages that a crash left unrecorded, once none can appear any more."""
        ...

    def reference(self, names: Sequence[str]) -> str: ...


class MessageSequence(Generic[P]):
    def __init__(self, sender: MessageSender[P], recorder: PostRecorder) -> None:
        self._sender = sender
        self._recorder = recorder
        self.names = list(sender.recorded_names)
        self.begun = False
        """True where something may be visible."""
        self.resumed = bool(self.names)

    async def begin(self) -> None:
        """Record the intent, once, before the first visible write."""
        if self.begun:
            return
        if not self.names:
            await self._sender.wait_until_ready()
        await self._recorder.record_intent()
        self.begun = True
        if not self.names:
            await self._sender.prepare_target()

    async def add_names(self, *names: str) -> None:
        """Record further messages."""
        self.names += names
        await self._record()

    async def show(self, posts: Sequence[P], *, already: int = 0, complete: bool = False) -> None:
        """Make the messages exactly `posts`; the first `already` of them are shown. `complete`: nothing follows the
        last."""
        await self.begin()
        if self.resumed and len(posts) > len(self.names):
            unrecorded = [name for name in await self._sender.find_unrecorded() if name not in self.names]
            await self.add_names(*unrecorded)
        for part, post in list(enumerate(posts))[already:]:
            if part < len(self.names):
                await self._sender.edit(self.names[part], part, post)
            else:
                self.names.append(await self._sender.send(part, post))
                await self._record(complete=complete and part + 1 == len(posts))
        for name in self.names[len(posts) :]:
            await self._sender.delete(name)
            self.names.remove(name)
            await self._record()

    async def _record(self, *, complete: bool = False) -> None:
        await self._recorder.record_posted(self._sender.reference(self.names), complete=complete)
