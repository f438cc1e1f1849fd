"""What stands below an answer: its passages, votes, people who are asked, wishes, and what was added."""

from __future__ import annotations

from pipeline.errors import CitewellError
from pipeline.rules.tenancy import workspace_scope
from pipeline.values import AnswerInteraction, ConversationId, PlaceId, Rating, Vote
from tests.contracts.sight.attacker import NOUNS, Attacker
from tests.contracts.sight.model import GONE
from tests.contracts.sight.people import CHANNELS, PEOPLE, workspace


class Below(Attacker):
    async def passages(self) -> None:
        """Some answer, whose ever it was, for one person or for everybody in a channel."""
        person, channel = self._dice.choice(PEOPLE), self._dice.choice(CHANNELS)
        share = self._dice.random() < 0.4
        platform = self._world.platform(person)
        readers = self._world.slack.everyone(channel) if share else platform.alone(person)
        who = platform.reading(channel) if share else {person}
        with workspace_scope(workspace(channel if share else person)):
            answer = await self._desk.find_answer(self._one(self._memory.answers), readers)
        if answer:
            self._given(answer.model_dump_json(), who, "shared" if share else "passages")

    async def rate(self) -> None:
        vote = self._dice.choice((Vote.HELPFUL, Vote.UNHELPFUL))
        rating = Rating(answer_id=self._one(self._memory.answers), person=self._dice.choice(PEOPLE), vote=vote)
        with workspace_scope(workspace(rating.person)):
            await self._desk.rate(rating)

    def _press(self, person: str) -> AnswerInteraction:
        channels = [one for one in CHANNELS if person in self._model.members[one]]
        private = not channels or self._dice.random() < 0.5
        space = workspace(person)
        place = PlaceId.parse(space if private else self._dice.choice(channels))
        channel = place.channel or f"D{person[-3:]}"
        platform, _, team = space.partition(":")
        return AnswerInteraction(
            answer_id=self._one(self._memory.answers),
            person=person,
            chain=place.chain,
            origin=ConversationId(platform=platform, space=team, channel=channel, thread="1"),
            message="" if private else "1",
            private=private,
        )

    async def hand_off(self) -> None:
        person = self._dice.choice(PEOPLE)
        press = self._press(person)
        with workspace_scope(workspace(person)):
            said = await self._desk.hand_off(press, self._world.platform(person).alone(person))
        self._given(said, [person], "handed over")
        before = len(self._memory.handoffs)
        found = await self._storage.database.read(
            lambda db: db.execute("SELECT id, body ->> 'author' FROM handoff ORDER BY at, id").fetchall()
        )
        for name, author in found:
            if name not in self._memory.replies:
                where = str(press.origin.channel) if not press.private else ""
                self._memory.replies[name] = (person, author or "", f"{workspace(person)}:{where}")
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
        teach = (await self._desk.places.effective_settings(place.chain)).teach or ""
        keep = self._dice.random() < 0.7
        word = self._word(GONE)
        self._model.written[word] = {person, asker, author, *self._model.members.get(where, ())}
        noun = self._dice.choice(NOUNS)
        with workspace_scope(workspace(person)):
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
        with workspace_scope(workspace(person)):
            wished = await self._desk.subscribe(self._press(person), self._world.platform(person).alone(person))
            self._given(str(wished), [person], "wished")

    async def tell(self) -> None:
        await self._storage.database.write(lambda db: db.execute("UPDATE wish SET not_before = 0"))
        await self._citewell.retry_subscriptions()
        await self._answered()

    async def take_back(self) -> None:
        """A document that somebody added, or that is none of theirs."""
        person = self._dice.choice(PEOPLE)
        name = self._dice.choice([*self._memory.documents, "d0"])
        with workspace_scope(workspace(person)):
            try:
                title = await self._desk.knowledge.remove(
                    self._world.actor(person), self._world.platform(person).alone(person), name
                )
            except CitewellError as error:
                self._given(str(error), [person], "taken back")
                return
        self._given(title or "", [person], "taken back", again=True)
        await self._noted()
