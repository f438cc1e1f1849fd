"""Files and links of a message that can be added to the documents, and the notice about each upload."""

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
    """The result of adding one file or link."""

    text: str
    small: str = ""
    """Text in small print."""
    document: str = ""
    """The id of the new document, where it can be removed again."""
    back: str = ""
    """The label of the button that removes it again."""


class UploadSource(Protocol):
    """A message whose files and links can be added."""

    @property
    def candidates(self) -> Sequence[UploadCandidate]: ...

    @property
    def form_state(self) -> str:
        """The state that a form carries to find the message again."""
        ...

    async def resolve(self, candidate: UploadCandidate) -> Upload:
        """Return the file or link to be read. Raises UploadRefused, or Unavailable."""
        ...

    async def announce_reading(
        self, notice: str, translator: Translator, *, privately: bool
    ) -> Callable[[UploadResult], Awaitable[None]]:
        """Say that it is being read, to all there or, with `privately`, to the person who adds it. Return a function
        that replaces this notice by the result."""
        ...


async def post_reading_notice(
    post_service: PostService, places: Sequence[tuple[str, str]], person: str, notice: str, translator: Translator
) -> Callable[[UploadResult], Awaitable[None]]:
    """Post that it is being read, for `UploadSource.announce_reading`, in the first of the `places` that accepts it: a
    channel with the thread there, or a person. Raises PostRefused."""
    refusal: str | None = ""
    for to, thread in places:
        status = UploadStatus(
            to=to, id=uuid4().hex, person=person, language=translator.language, thread=thread, text=notice
        )
        await post_service.enqueue(status)
        refusal = await post_service.wait_until_posted(status)
        if not refusal:
            return partial(_update_notice, post_service, status)
    raise PostRefused(str(refusal))


async def _update_notice(post_service: PostService, status: UploadStatus, addition: UploadResult) -> None:
    await post_service.update(replace(status, **addition._asdict()))
    if refusal := await post_service.wait_until_posted(status):
        raise PostRefused(refusal)
