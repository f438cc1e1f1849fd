"""What people, programs and editors do, one step at a time, and all that they are given for it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request

from adapters.chat.reply.parts import Button
from adapters.http.caller import NotSignedIn
from adapters.mcp.server import instructions
from adapters.web.links import CITED
from bot.desks.knowledge import SOURCE
from pipeline.errors import CitewellError
from pipeline.rules.tenancy import NOBODY, bound
from pipeline.values import (
    Block,
    BlockKind,
    ConversationId,
    IncomingMessage,
    Manner,
    PlaceId,
    Press,
    Rating,
    RetrievedChunk,
    Vote,
)
from tests.contracts.sight.model import GONE, LETTERS, REPLACED, WORD, Model, Opened
from tests.contracts.sight.world import ADMINS, CHANNELS, COLLECTIONS, CSRF, PEOPLE, URL, WES, WIM, World
from tests.doubles.page import parsed

NOUNS = ("kite", "lamp", "oven", "boat", "drum", "tent")
MOST = 30
"""Documents at a time."""
FORMS = (
    *("Where is the {noun} kept?",) * 5,
    *("What are the parts of the {noun}?",) * 3,
    "What is new about the {noun} since yesterday?",
    "Compare the {noun} with the {other}.",
    "Where is {slip}?",
    "Is {slip} a part of the {noun}?",
    "And the second one?",
    "What about the {noun}?",
    "What can you do?",
    "hello",
    "Who repairs the moon?",
)


@dataclass
class Linked:
    """A link to a document, as it was when it was made."""

    token: str
    document: str
    word: str
    collection: str
    rule: Opened


@dataclass
class Memory:
    """What is known by everybody who attacks, over all starts: every id there is."""

    number: int = 0
    documents: dict[str, str] = field(default_factory=dict)
    """The word of each."""
    answers: list[str] = field(default_factory=list)
    handoffs: list[str] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    talks: list[tuple[ConversationId, str]] = field(default_factory=list)
    links: list[Linked] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    """The secret of each, by whom it is."""
    revoked: list[str] = field(default_factory=list)
    replies: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Of each handoff its asker, its author and where they are told."""
    surfaces: Counter[str] = field(default_factory=Counter)
    """How many words were rightly given there."""

    def next(self) -> int:
        self.number += 1
        return self.number


class Steps:
    def __init__(self, world: World, memory: Memory) -> None:
        self._world = world
        self._memory = memory
        self._dice: random.Random = world.dice
        self._model: Model = world.model
        self._citewell = world.citewell
        self._storage = world.citewell.storage
        self._desk = world.citewell.desk

    async def step(self) -> None:
        """One of them."""
        (act,) = self._dice.choices([one for one, _ in ACTS], [weight for _, weight in ACTS])
        await act(self)

    def _given(self, text: str, readers: Iterable[str], surface: str, *, again: bool = False) -> None:
        self._memory.surfaces[surface] += self._model.given(text, readers, surface, again)

    def _word(self, collection: str) -> str:
        """One that nothing else holds."""
        while (word := f"zq{''.join(self._dice.choices(LETTERS, k=7))}k") in self._model.holds:
            pass
        self._model.holds[word] = collection
        return word

    def _one(self, known: list[str]) -> str:
        """One of the latest, or one that is none."""
        return self._dice.choice(known[-40:]) if known else "0123456789abcdef"

    # --- Documents, rules and people ---------------------------------------------------------------

    async def index(self) -> None:
        """A new document, or a new version of one, wherever that goes."""
        memory, documents = self._memory, self._memory.documents
        again = documents and (len(documents) >= MOST or self._dice.random() < 0.3)
        name = self._dice.choice(list(documents)) if again else f"d{memory.next()}"
        if before := documents.get(name):
            self._model.holds[before] = REPLACED
        collection = self._dice.choice(COLLECTIONS)
        word, noun = self._word(collection), self._dice.choice(NOUNS)
        documents[name] = word
        blocks = [
            Block(kind=BlockKind.PROSE, text=f"The {noun} is kept in {word}. It was bought for the garden."),
            *(
                Block(
                    kind=BlockKind.ITEM, text=f"{part} of {word}: a part of the {noun}", heading=(f"Parts of {word}",)
                )
                for part in ("The handle", "The string", "The frame")
            ),
        ]
        today = datetime.now(UTC).date().isoformat()
        more: dict[str, Any] = {"collection": collection, "title": f"The {noun} {word}", "version": word}
        more["metadata"] = {"updated": today}
        if self._dice.random() < 0.3:
            person = self._dice.choice(PEOPLE)
            more["source"] = f"{SOURCE}{_space(person)}"
            more["metadata"] = {"updated": today, "author": person}
            self._model.told.setdefault(person, set()).add(word)
        await self._citewell.indexer.keep(parsed(name, blocks, **more))

    async def move(self) -> None:
        """The same document, in another collection."""
        if not self._memory.documents:
            return
        name = self._dice.choice(list(self._memory.documents))
        word, collection = self._memory.documents[name], self._dice.choice(COLLECTIONS)
        found = await self._storage.library.excerpt(name, 0, 100)
        if found:
            self._model.holds[word] = collection
            document = found.document.model_copy(update={"collection": collection})
            await self._storage.library.put(document, found.chunks, None, "")

    async def remove(self) -> None:
        if not self._memory.documents:
            return
        name = self._dice.choice(list(self._memory.documents))
        self._model.holds[self._memory.documents.pop(name)] = GONE
        await self._storage.library.remove([name])

    async def join_or_leave(self) -> None:
        channel = self._dice.choice(CHANNELS)
        person = self._dice.choice([one for one in PEOPLE if one.startswith(channel.rpartition(":")[0])])
        self._model.members[channel] ^= {person}

    # --- Asking ------------------------------------------------------------------------------------

    def _question(self) -> str:
        noun, other = self._dice.sample(NOUNS, 2)
        word = self._dice.choice([*self._memory.documents.values(), "zqabdabdak"])
        at = self._dice.randrange(2, len(word) - 2)
        slip = word[:at] + self._dice.choice("ceh") + word[at + self._dice.randrange(2) :]
        return self._dice.choice(FORMS).format(noun=noun, other=other, slip=slip)

    async def ask(self) -> None:
        """In a channel, in a command there, or alone; a new conversation, or one that goes on."""
        person = self._dice.choice(PEOPLE)
        space = person.rpartition(":")[0]
        channels = [one for one in CHANNELS if person in self._model.members[one]]
        number = self._memory.next()
        manner = self._dice.choice((Manner.MENTION, Manner.COMMAND, Manner.DIRECT, Manner.DIRECT))
        if not channels or manner is Manner.DIRECT:
            manner = Manner.DIRECT
            space, channel = ("web:page", f"{number:032x}") if space == "web" else (space, f"D{person[-3:]}")
            places: tuple[PlaceId, ...] = () if space != "web:page" else PlaceId.parse(space).chain
        else:
            place = PlaceId.parse(self._dice.choice(channels))
            channel, places = place.channel, place.chain
        platform, _, team = space.partition(":")
        thread = f"ask-{number}" if manner is Manner.COMMAND else "" if platform == "web" else str(number)
        where = ConversationId(platform=platform, space=team, channel=channel, thread=thread)
        mine = [one for one, of in self._memory.talks[-60:] if of == f"{person} {manner} {space}:{channel[:5]}"]
        if mine and self._dice.random() < 0.5:
            where, manner = self._dice.choice(mine), Manner.THREAD if manner is Manner.MENTION else manner
        else:
            self._memory.talks.append((where, f"{person} {manner} {space}:{channel[:5]}"))
        message = IncomingMessage(
            key=f"{where.workspace}:{where.channel}:{number}",
            conversation=where,
            author=person,
            text=self._question(),
            sent_at=datetime.now(UTC),
            manner=manner,
            said_in=places,
        )
        with bound(where.workspace):
            await self._storage.inbox.accept(message)
        await self._answered()

    async def _answered(self) -> None:
        """All that waits is answered, and all that is to be posted is."""
        with bound(NOBODY):
            while work := await self._storage.inbox.lease():
                await self._world.delivery.bring_to_an_end(work)
        for platform in (self._world.slack, self._world.web):
            for text, readers in platform.shown:
                self._given(text, readers, "answers")
            self._memory.answers += [one.id for one in platform.answers]
            for text, author in platform.owed:
                self._model.told.setdefault(author, set()).update(WORD.findall(text))
            platform.shown.clear()
            platform.owed.clear()
            platform.answers.clear()

    async def _posted(self, surface: str) -> None:
        await self._world.courier.post_due()
        for platform in (self._world.slack, self._world.web):
            for text, readers in platform.shown:
                self._given(text, readers, surface)
            platform.shown.clear()

    # --- Below an answer ---------------------------------------------------------------------------

    async def passages(self) -> None:
        """Some answer, whose ever it was, for one person or for everybody in a channel."""
        person, channel = self._dice.choice(PEOPLE), self._dice.choice(CHANNELS)
        share = self._dice.random() < 0.4
        platform = self._world.platform(person)
        readers = self._world.slack.everyone(channel) if share else platform.alone(person)
        who = platform.reading(channel) if share else {person}
        with bound(_space(channel if share else person)):
            answer = await self._desk.answer(self._one(self._memory.answers), readers)
        if answer:
            self._given(answer.model_dump_json(), who, "shared" if share else "passages")

    async def rate(self) -> None:
        vote = self._dice.choice((Vote.HELPFUL, Vote.UNHELPFUL))
        rating = Rating(answer_id=self._one(self._memory.answers), person=self._dice.choice(PEOPLE), vote=vote)
        with bound(_space(rating.person)):
            await self._desk.rate(rating)

    def _press(self, person: str) -> Press:
        channels = [one for one in CHANNELS if person in self._model.members[one]]
        private = not channels or self._dice.random() < 0.5
        space = _space(person)
        place = PlaceId.parse(space if private else self._dice.choice(channels))
        channel = place.channel or f"D{person[-3:]}"
        platform, _, team = space.partition(":")
        return Press(
            answer_id=self._one(self._memory.answers),
            person=person,
            chain=place.chain,
            origin=ConversationId(platform=platform, space=team, channel=channel, thread="1"),
            message="" if private else "1",
            private=private,
        )

    async def hand_over(self) -> None:
        person = self._dice.choice(PEOPLE)
        press = self._press(person)
        with bound(_space(person)):
            said = await self._desk.hand_over(press, self._world.platform(person).alone(person))
        self._given(said, [person], "handed over")
        before = len(self._memory.handoffs)
        found = await self._storage.database.read(
            lambda db: db.execute("SELECT id, body ->> 'author' FROM handoff ORDER BY at, id").fetchall()
        )
        for name, author in found:
            if name not in self._memory.replies:
                where = str(press.origin.channel) if not press.private else ""
                self._memory.replies[name] = (person, author or "", f"{_space(person)}:{where}")
                self._memory.handoffs.append(name)
        if len(self._memory.handoffs) > before:
            await self._posted("notices")

    async def resolve(self) -> None:
        """Somebody replies, and may keep that."""
        name = self._one(self._memory.handoffs)
        channel = self._dice.choice(CHANNELS)
        person = self._dice.choice([one for one in PEOPLE if one.startswith(channel.rpartition(":")[0])])
        asker, author, where = self._memory.replies.get(name, ("", "", ""))
        place = PlaceId.parse(channel)
        teach = (await self._desk.places.of(place.chain)).teach or ""
        keep = self._dice.random() < 0.7
        word = self._word(GONE)
        self._model.written[word] = {person, asker, author, *self._model.members.get(where, ())}
        noun = self._dice.choice(NOUNS)
        with bound(_space(person)):
            try:
                said = await self._desk.handoffs.resolve(
                    name, place, self._world.actor(person), "Ann", f"The {noun} is kept in {word}.", keep=keep, link=""
                )
            except CitewellError as error:
                said = str(error)  # type: ignore[assignment]
        self._given(str(said), [person], "resolved")
        if keep and await self._storage.library.document(f"taught/{name}"):
            found = await self._storage.library.excerpt(f"taught/{name}", 0, 5)
            if found and word in found.chunks[0].text:
                self._model.holds[word] = teach
                self._memory.documents[f"taught/{name}"] = word
        await self._posted("told the reply")

    async def wish(self) -> None:
        person = self._dice.choice(PEOPLE)
        with bound(_space(person)):
            wished = await self._desk.wish(self._press(person), self._world.platform(person).alone(person))
            self._given(str(wished), [person], "wished")
        if wished.wish_id:
            self._memory.wishes.append(wished.wish_id)

    async def tell(self) -> None:
        await self._storage.database.write(lambda db: db.execute("UPDATE wish SET not_before = 0"))
        await self._citewell.tell()
        await self._answered()

    async def take_back(self) -> None:
        """A document that somebody added, or that is none of theirs."""
        person = self._dice.choice(PEOPLE)
        name = self._dice.choice([*self._memory.documents, "d0"])
        with bound(_space(person)):
            try:
                title = await self._desk.knowledge.take_back(
                    self._world.actor(person), self._world.platform(person).alone(person), name
                )
            except CitewellError as error:
                self._given(str(error), [person], "taken back")
                return
        self._given(title or "", [person], "taken back", again=True)
        await self._noted()

    # --- Kept, counted, and posted by itself -------------------------------------------------------

    async def export(self) -> None:
        person = self._dice.choice(PEOPLE)
        with bound(_space(person)):
            exported = await self._desk.export(person)
        self._given(exported, [person], "exports", again=True)

    async def forget(self) -> None:
        person = self._dice.choice(PEOPLE)
        with bound(_space(person)):
            await self._desk.forget(person)
        self._model.told[person] = set()
        await self._noted()

    async def _noted(self) -> None:
        """Documents that went with something else are gone."""
        there = {document.id for document in await self._storage.library.documents()}
        for name in [one for one in self._memory.documents if one not in there]:
            self._model.holds[self._memory.documents.pop(name)] = GONE

    async def insights(self) -> None:
        person = self._dice.choice(PEOPLE)
        with bound(_space(person)):
            try:
                readers = self._world.platform(person).alone(person)
                seen = await self._desk.insights(self._world.actor(person), readers, 7)
            except CitewellError as error:
                self._given(str(error), [person], "insights")
            else:
                assert person in ADMINS
                self._given(seen.model_dump_json(), [person], "insights")

    async def digest(self) -> None:
        to = self._dice.choice((*CHANNELS, *(one for one in ADMINS if one.startswith("slack"))))
        await self._storage.outbox.begin_digest(f"week {self._memory.next()}", to)
        await self._posted("digests")

    # --- The page, links, the API and MCP ----------------------------------------------------------

    async def page(self) -> None:
        """Any page, by anybody, with any id that there is."""
        person, memory = self._dice.choice((*PEOPLE, WIM, WES, WIM, WES, "")), self._memory
        headers = {"x-person": person} if person else {}
        talk = self._dice.choice([one.channel for one, of in memory.talks if of.startswith(person or "slack")] or [""])
        document = self._dice.choice([*memory.documents, "d0"])
        question = self._question()
        address, params = self._dice.choice(
            (
                ("/", {}),
                (f"/c/{talk}", {}),
                (f"/c/{talk}", {}),
                ("/you", {}),
                ("/admin", {}),
                ("/admin/questions", {"days": "7"}),
                ("/admin/left", {}),
                ("/admin/documents", {}),
                ("/admin/passages", {"document": document}),
                ("/admin/trial", {"question": question, "who": "groups", "groups": "console:local, slack:T1"}),
            )
        )
        answer = await self._world.client.get(address, params=params, headers=headers)
        assert answer.status_code < 500, answer.text
        if person:
            self._given(answer.text, [person], "admin pages" if "admin" in address else "pages")
        else:
            self._given(answer.text, ["nobody"], "pages")

    async def pressed(self) -> None:
        """A form of the page, with what it carries made up."""
        person, memory = self._dice.choice(PEOPLE), self._memory
        action = self._dice.choice(
            (
                Button.PASSAGES,
                Button.WHY,
                Button.TAKE_BACK,
                Button.TELL,
                Button.EXPORT,
                "sources",
                "insights",
                Button.ASK,
            )
        )
        about = self._dice.choice([self._one(memory.answers), *memory.documents])
        form = {"action": action, "about": about, "csrf": CSRF, "conversation": "", "fragment": "1"}
        answer = await self._world.client.post("/press", data=form, headers={"x-person": person})
        assert answer.status_code < 500, answer.text
        own = action in (Button.EXPORT, Button.TAKE_BACK)
        self._given(answer.text, [person], f"pressed {action}", again=own)
        if action == Button.TAKE_BACK:
            await self._noted()

    async def link(self) -> None:
        """One that is made now, or one of before, opened by whoever has it."""
        memory, model = self._memory, self._model
        if memory.documents and (not memory.links or self._dice.random() < 0.4):
            name = self._dice.choice(list(memory.documents))
            if found := await self._storage.library.excerpt(name, 0, 50):
                chunk = self._dice.choice(found.chunks)
                passage = RetrievedChunk(chunk=chunk, document=found.document, score=1.0)
                made = (await self._world.links.ready()).link(passage)
                token = made.removeprefix(f"{URL}/s/").removesuffix(f"#{CITED}")
                collection = found.document.collection
                rule = model.rules.get(collection, Opened())
                memory.links.append(Linked(token, name, memory.documents[name], collection, rule))
        if not memory.links:
            return
        one = self._dice.choice(memory.links[-50:])
        person = self._dice.choice(("", *PEOPLE))
        answer = await self._world.client.get(f"/s/{one.token}", headers={"x-person": person} if person else {})
        assert answer.status_code < 500, answer.text
        if person:
            self._given(answer.text, [person], "links")
            return
        now = model.holds[one.word], model.rules.get(one.collection, Opened())
        if now == (one.collection, one.rule):
            memory.surfaces["links without a name"] += one.word in answer.text
            self._given(answer.text.replace(one.word, ""), ["nobody"], "links")
        else:
            self._given(answer.text, ["nobody"], "links")

    async def key(self) -> None:
        """A program is let in, or out."""
        keys = self._storage.keys
        if len(self._memory.keys) < 4 or self._dice.random() < 0.3:
            grant = tuple(self._dice.sample(COLLECTIONS, self._dice.choice((0, 2, 4))))
            key, secret = await keys.add(f"program {self._memory.next()}", grant, 6000)
            self._memory.keys[key.person] = secret
            if grant:
                self._model.grants[key.person] = frozenset(grant)
        else:
            person = next(iter(self._memory.keys))
            await keys.revoke(person.removeprefix("key:"))
            self._model.grants[person] = frozenset()
            self._memory.revoked.append(self._memory.keys.pop(person))

    def _program(self) -> tuple[str, dict[str, str]]:
        person, secret = self._dice.choice(list(self._memory.keys.items()))
        if self._memory.revoked and self._dice.random() < 0.05:
            person, secret = "nobody", self._dice.choice(self._memory.revoked)
        return person, {"Authorization": f"Bearer {secret}"}

    async def api(self) -> None:
        if not self._memory.keys:
            await self.key()
            return
        person, headers = self._program()
        document = self._dice.choice([*self._memory.documents, "d0"])
        question = self._question()
        if self._dice.random() < 0.5:
            call, sent = self._dice.choice(
                (
                    ("ask", {"question": question, "conversation": f"talk{self._dice.randrange(4)}"}),
                    ("ask", {"question": question}),
                    ("search", {"text": question}),
                )
            )
            once = {"Idempotency-Key": f"once {self._dice.randrange(3)}"} if self._dice.random() < 0.5 else {}
            if once:
                sent = {"question": f"Where is the {NOUNS[int(once['Idempotency-Key'][-1])]} kept?"}
                call = "ask"
            if self._dice.random() < 0.2 and call == "ask":
                headers["Accept"] = "text/event-stream"
            answer = await self._world.client.post(f"/api/v1/{call}", json=sent, headers=headers | once)
        else:
            call, params = self._dice.choice(
                (("documents", {}), ("sources", {}), ("passages", {"document": document}), ("health", {}))
            )
            answer = await self._world.client.get(f"/api/v1/{call}", params=params, headers=headers)
        assert answer.status_code < 500, answer.text
        self._given(answer.text, [person], f"API {call}")

    async def mcp(self) -> None:
        if not self._memory.keys:
            await self.key()
            return
        person, headers = self._program()
        raw = [(b"authorization", headers["Authorization"].encode())]
        request = Request(
            {"type": "http", "headers": raw, "method": "POST", "path": "/mcp", "client": ("127.0.0.1", 1)}
        )
        told: list[str] = []

        async def tell(far: float, what: str) -> None:
            told.append(what)

        document = self._dice.choice([*self._memory.documents, "d0"])
        name, arguments = self._dice.choice(
            (
                ("ask", {"question": self._question()}),
                ("search", {"query": self._question()}),
                ("read", {"document": document}),
            )
        )
        try:
            caller = await self._world.callers.caller(request)
        except NotSignedIn as error:
            self._given(str(error), [person], "MCP")
            return
        told.append(await instructions(self._citewell.reading, caller))
        result = await self._world.calls.call(name, arguments, caller, tell)
        self._given("\n".join([*told, result.model_dump_json()]), [person], f"MCP {name}")


def _space(name: str) -> str:
    """The workspace of a person or a channel."""
    return "web:page" if name.startswith("web:") else name.rpartition(":")[0]


Act = Callable[[Steps], Awaitable[None]]
ACTS: tuple[tuple[Act, int], ...] = (
    (Steps.index, 8),
    (Steps.move, 2),
    (Steps.remove, 2),
    (Steps.join_or_leave, 4),
    (Steps.ask, 20),
    (Steps.passages, 12),
    (Steps.rate, 3),
    (Steps.hand_over, 3),
    (Steps.resolve, 2),
    (Steps.wish, 2),
    (Steps.tell, 1),
    (Steps.take_back, 2),
    (Steps.export, 4),
    (Steps.forget, 1),
    (Steps.insights, 2),
    (Steps.digest, 1),
    (Steps.page, 10),
    (Steps.pressed, 8),
    (Steps.link, 12),
    (Steps.key, 1),
    (Steps.api, 14),
    (Steps.mcp, 10),
)
