"""What of a message can be added to the documents, and how it is said what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol
from uuid import uuid4

from adapters.chat.words.knowledge import Thing
from pipeline.errors import NotTaken
from pipeline.ports import Sent
from pipeline.ports.desk import Posts
from pipeline.translations import Words
from pipeline.values import replace
from pipeline.values.posting import Adding


class Addition(NamedTuple):
    """What came of one thing."""

    text: str
    small: str = ""
    """In small print."""
    document: str = ""
    """Its id, where it can be taken back."""
    back: str = ""
    """What the button says that takes it back."""


class Offered(Protocol):
    """What of one message can be added."""

    @property
    def things(self) -> Sequence[Thing]: ...

    @property
    def carried(self) -> str:
        """What a form carries by which it is found again."""
        ...

    async def sent(self, thing: Thing) -> Sent:
        """Raises NotAdded, or Unavailable."""
        ...

    async def begin(self, reading: str, words: Words, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        """Say for all there that it is being read, or `alone` to whoever adds it; what comes back puts what came of it
        into the place of that."""
        ...


async def announced(
    posts: Posts, places: Sequence[tuple[str, str]], person: str, reading: str, words: Words
) -> Callable[[Addition], Awaitable[None]]:
    """Post that it is being read, as `Offered.begin`, in the first of the `places` that takes it: a channel with the
    thread there, or a person. Raises NotTaken."""
    why: str | None = ""
    for to, thread in places:
        adding = Adding(to=to, id=uuid4().hex, person=person, language=words.language, thread=thread, text=reading)
        await posts.begin(adding)
        why = await posts.ended(adding)
        if not why:
            return partial(_put, posts, adding)
    raise NotTaken(str(why))


async def _put(posts: Posts, adding: Adding, addition: Addition) -> None:
    await posts.change(replace(adding, **addition._asdict()))
    if why := await posts.ended(adding):
        raise NotTaken(why)
