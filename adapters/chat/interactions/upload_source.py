"""What of a message can be added to the documents, and how it is said what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol
from uuid import uuid4

from adapters.chat.words.uploads import UploadCandidate
from pipeline.errors import PostRefused
from pipeline.ports import Upload
from pipeline.ports.services import PostService
from pipeline.translations import Translator
from pipeline.values import replace
from pipeline.values.posting import UploadStatus


class UploadResult(NamedTuple):
    """What came of one thing."""

    text: str
    small: str = ""
    """In small print."""
    document: str = ""
    """Its id, where it can be taken back."""
    back: str = ""
    """What the button says that takes it back."""


class UploadSource(Protocol):
    """What of one message can be added."""

    @property
    def candidates(self) -> Sequence[UploadCandidate]: ...

    @property
    def form_state(self) -> str:
        """What a form carries by which it is found again."""
        ...

    async def resolve(self, thing: UploadCandidate) -> Upload:
        """Raises NotAdded, or Unavailable."""
        ...

    async def announce_reading(
        self, reading: str, words: Translator, *, alone: bool
    ) -> Callable[[UploadResult], Awaitable[None]]:
        """Say for all there that it is being read, or `alone` to whoever adds it; what comes back puts what came of it
        into the place of that."""
        ...


async def post_reading_notice(
    posts: PostService, places: Sequence[tuple[str, str]], person: str, reading: str, words: Translator
) -> Callable[[UploadResult], Awaitable[None]]:
    """Post that it is being read in the first of the `places` that takes it: a channel with its thread, or a person.

    Raises PostRefused."""
    why: str | None = ""
    for to, thread in places:
        adding = UploadStatus(
            to=to, id=uuid4().hex, person=person, language=words.language, thread=thread, text=reading
        )
        await posts.enqueue(adding)
        why = await posts.wait_until_posted(adding)
        if not why:
            return partial(_put, posts, adding)
    raise PostRefused(str(why))


async def _put(posts: PostService, adding: UploadStatus, addition: UploadResult) -> None:
    await posts.update(replace(adding, **addition._asdict()))
    if why := await posts.wait_until_posted(adding):
        raise PostRefused(why)
