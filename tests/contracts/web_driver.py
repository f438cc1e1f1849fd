"""People before the page: a browser without scripts, and one that watches an answer appear, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, cast

import httpx2 as httpx

from adapters.chat.reply.parts import RenderOptions, ReplyButton
from adapters.http.servers import UvicornServers
from adapters.web.adapter import WebAdapter
from adapters.web.context import WebContext
from adapters.web.platform import SPACE, WEB
from bot.services.reading import StoredQueryService
from pipeline.ports import AdminService, BotServices, ConversationArchive, QueryService, Retriever
from pipeline.values import AnswerStyle, PlaceId, RatingReason
from pipeline.words import wording
from tests.contracts.driver import NO_FILES, Said, Shown, Way
from tests.contracts.rig import Rig
from tests.doubles.browser import Seen
from tests.doubles.icons import with_symbols
from tests.doubles.ports import free_port
from tests.doubles.visitors import CSRF, HEADER, Trusting, person

ABSENT: Mapping[Way, str] = {
    Way.PLACES: "whoever asks reads alone",
    Way.THREADS: "nobody else is in a conversation",
    Way.PRIVATE: "every answer is private",
    Way.MENU: "there are no messages of others",
    Way.SHARE: "there is no channel to share in",
    Way.EDIT: "what was sent stays as it was sent",
    Way.SETUP: "it has no channels; whoever runs it writes citewell.toml",
    Way.INSIGHTS: "admins have a page of their own for it",
    Way.STOP: "nobody is interrupted",
    Way.SUMMARY: "there are no threads",
    Way.WHISPER: "whoever asks reads alone",
    Way.SHARED_CHANNEL: "there are no channels",
    Way.TALK: "nobody says anything to others",
    Way.SEARCH: "there is nothing to search but the documents",
    Way.FILES: "nothing can be attached",
    Way.ATTACHMENTS: "nothing can be attached",
    Way.KNOWLEDGE: "nothing can be attached",
    Way.PRETEND: "who somebody is, their session says and no request",
    Way.NAMES: "a question is plain text",
    Way.FORWARDS: "there are no messages of others",
    Way.TITLES: "a question has none",
    Way.PROGRAMS: "programs have the API",
    Way.WORKFLOWS: "programs have the API",
    Way.FAULTS: "nothing is posted over a network",
}
OWN: Mapping[Way, str] = {
    Way.HANDOFF: "people are asked on another platform: tests/journeys/test_page.py",
    Way.TELL: "nobody is pinged, and nobody else reads along: tests/journeys/test_page.py",
}
"""What it has, and where it is walked: the rows of the suite say what only a platform with channels can."""
FIELDS = ("csrf", "once", "conversation", "question")
NAMES = {"up": "helpful", "down": "not helpful", "passages": "passages", "why": "why", "ask": "ask", "tell": "tell"}


@dataclass
class Asked:
    """A question, and what its asker's browser shows of it."""

    conversation: str
    number: int
    form: dict[str, str]
    html: str = ""
    watching: asyncio.Task[None] | None = field(default=None, repr=False)


class WebDriver:
    absent: Mapping[Way, str] = MappingProxyType({**ABSENT, **OWN})
    own = OWN

    def __init__(self, folder: Path) -> None:
        self.rig = WebRig(folder, self)
        self.asked_here: list[Said] = []

    @classmethod
    async def open(cls, folder: Path) -> Self:
        driver = cls(folder)
        await driver.connect()
        return driver

    async def connect(self) -> None:
        self.port = free_port()
        self.client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.port}", timeout=30, trust_env=False, verify=False
        )
        rig = self.rig
        site = WebContext(
            authenticator=Trusting(),
            services=cast("BotServices", Late(lambda: rig.desk)),
            queries=cast("QueryService", Late(lambda: reading_of(rig))),
            conversations=cast("ConversationArchive", Late(lambda: rig.storage.archive)),
            admin_service=cast("AdminService", Late(lambda: None)),
            render_options=RenderOptions(),
            serves_originals=False,
        )
        self.adapter = WebAdapter(
            f"127.0.0.1:{self.port}", UvicornServers(), site, lambda _: None, lambda: nullcontext(())
        )
        await self.rig.start(self.adapter)
        async with asyncio.timeout(30):
            while not await self.adapter.is_connected():  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.005)

    async def close(self) -> None:
        watching = [said.handle.watching for said in self.asked_here if said.handle.watching]
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
        await self.client.aclose()
        await self.rig.end()

    async def restart(self) -> None:
        await self.close()
        await self.connect()

    # --- Asking -------------------------------------------------------------------------------

    async def mention(self, person: str, text: str) -> Said:
        return await self._ask(person, text, "/")

    async def direct(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        return await self._ask(person, text, "/")

    async def ask(self, person: str, text: str) -> Said:
        return await self._ask(person, text, "/")

    async def follow_up(self, person: str, text: str, after: Said) -> Said:
        """A conversation is its asker's alone: they go on themselves."""
        return await self._ask(after.person, text, f"/c/{after.handle.conversation}")

    async def again(self, said: Said) -> None:
        await self._send(said.person, "/ask", said.handle.form)

    async def _ask(self, person: str, text: str, page: str) -> Said:
        shown = Seen((await self._get(person, page)).text)
        form = {one.name: one.value for one in shown.fields} | {"question": text}
        answer = await self._send(person, "/ask", {key: form[key] for key in FIELDS})
        conversation = answer.headers["location"].removeprefix("/c/").partition("#")[0]
        before = sum(one.handle.conversation == conversation for one in self.asked_here)
        said = Said(person, Asked(conversation, before, {**form, "conversation": conversation}))
        await self._see(said)
        said.handle.watching = asyncio.create_task(self._watch(said))
        self.asked_here.append(said)
        return said

    async def _watch(self, said: Said) -> None:
        """As the script of the page does."""
        path = f"/c/{said.handle.conversation}/events"
        async with self.client.stream("GET", path, headers={HEADER: said.person}) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data:"):
                    said.handle.html = json.loads(line.removeprefix("data:"))

    # --- Seeing -------------------------------------------------------------------------------

    async def look(self) -> None:
        """Open every conversation again."""
        for said in self.asked_here:
            await self._see(said)

    async def _see(self, said: Said) -> None:
        page = (await self._get(said.person, f"/c/{said.handle.conversation}")).text
        articles = page.split("<article")[1:]
        if said.handle.number < len(articles):
            said.handle.html = "<article" + articles[said.handle.number].partition("</article>")[0]

    def replies(self, said: Said) -> list[Shown]:
        html = with_symbols(said.handle.html.partition("</h2>")[2] or said.handle.html)
        shown = Seen(html)
        if not html or self.at_work(said):
            return []
        buttons = {NAMES.get(one.value, one.value) for one in shown.fields if one.name == "action"}
        return [Shown(shown.text.strip(), frozenset(shown.links), buttons=frozenset(buttons))]

    def at_work(self, said: Said) -> bool:
        html = said.handle.html
        return "data-events" in html or any(line in Seen(html).text for line in wording.PROGRESS.values())

    def seen_at(self, said: Said) -> str:
        return Seen(said.handle.html).text

    # --- Acting -------------------------------------------------------------------------------

    async def rate(self, said: Said, person: str, *, helpful: bool, reason: RatingReason | None, comment: str) -> Said:
        pressed = await self._press(said, person, ReplyButton.HELPFUL if helpful else ReplyButton.UNHELPFUL)
        if helpful:
            return Said(person, pressed)
        form = Seen(pressed)
        own = {one.name: one.value for one in form.fields if one.name in ("csrf", "about", "action", "conversation")}
        sent = await self._send(person, "/press", {**own, "reason": reason or "", "comment": comment})
        return Said(person, sent.text)

    async def passages(self, said: Said, person: str, *, clicks: int = 1) -> list[Shown]:
        """Of several clicks a browser shows what the last one led to."""
        pages = [await self._press(said, person, ReplyButton.PASSAGES) for _ in range(clicks)]
        shown = Seen(pages[-1], "panel")
        return [Shown(shown.text, frozenset(shown.links))] if shown.text.strip() else []

    async def why(self, said: Said, person: str) -> list[Shown]:
        return [Shown(Seen(with_symbols(await self._press(said, person, ReplyButton.CONFIDENCE)), "panel").text)]

    async def prefer(self, person: str, style: AnswerStyle) -> None:
        await self._send(person, "/you", {"csrf": CSRF, "style": style.value})

    async def export(self, person: str) -> str:
        return (await self._send(person, "/press", {"csrf": CSRF, "action": ReplyButton.EXPORT})).text

    async def forget(self, person: str) -> None:
        sure = Seen((await self._send(person, "/press", {"csrf": CSRF, "action": ReplyButton.FORGET})).text)
        await self._send(person, "/press", sure.form_with("action", ReplyButton.FORGET_CONFIRMED))

    async def _press(self, said: Said, person: str, button: ReplyButton) -> str:
        await self.look()
        form = Seen(said.handle.html).form_with("action", button.value)
        return (await self._send(person, "/press", form)).text

    async def _get(self, person: str, path: str) -> httpx.Response:
        return await self.client.get(path, headers={HEADER: person})

    async def _send(self, person: str, path: str, form: Mapping[str, str]) -> httpx.Response:
        answer = await self.client.post(path, data=dict(form), headers={HEADER: person})
        assert answer.status_code < 400, answer.text
        return answer

    @property
    def place(self) -> PlaceId:
        return PlaceId(platform=WEB.name, space=SPACE)

    def named(self, person: str) -> str:
        return f"{WEB.name}:user:{person}"

    def key(self, name: str) -> str:
        return str(person(name))

    def alone(self, person: str) -> str:
        return self.named(person)


class WebRig(Rig):
    def __init__(self, folder: Path, driver: WebDriver) -> None:
        super().__init__(folder)
        self._driver = driver

    async def settled(self) -> None:
        await super().settled()
        await self._driver.look()


def reading_of(rig: Rig) -> Any:
    """What a page reads of a rig, which has no retriever."""
    storage: Any = rig.storage
    retriever = cast("Retriever", None)
    return StoredQueryService(
        rig.desk, storage.library, retriever, rig.respond, storage.history, None, storage.api_keys
    )


class Late:
    """What belongs to the rig, which has it once it has started."""

    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        return getattr(self._find(), name)
