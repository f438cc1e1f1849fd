"""What all have who attack: the world, what is known of it, and the model that judges what they are given."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.rules.tenancy import NO_WORKSPACE, workspace_scope
from tests.contracts.sight.memory import Memory
from tests.contracts.sight.model import GONE, LETTERS, WORD
from tests.contracts.sight.world import World

NOUNS = ("kite", "lamp", "oven", "boat", "drum", "tent")
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


class Attacker:
    def __init__(self, world: World, memory: Memory) -> None:
        self._world = world
        self._memory = memory
        self._dice = world.dice
        self._model = world.model
        self._citewell = world.citewell
        self._storage = world.citewell.storage
        self._desk = world.citewell.services

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

    def _question(self) -> str:
        noun, other = self._dice.sample(NOUNS, 2)
        word = self._dice.choice([*self._memory.documents.values(), "zqabdabdak"])
        at = self._dice.randrange(2, len(word) - 2)
        slip = word[:at] + self._dice.choice("ceh") + word[at + self._dice.randrange(2) :]
        return self._dice.choice(FORMS).format(noun=noun, other=other, slip=slip)

    async def _answered(self) -> None:
        """All that waits is answered, and all that is to be posted is."""
        with workspace_scope(NO_WORKSPACE):
            while work := await self._storage.inbox.lease():
                await self._world.delivery.deliver(work)
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

    async def _noted(self) -> None:
        """Documents that went with something else are gone."""
        there = {document.id for document in await self._storage.library.list_documents()}
        for name in [one for one in self._memory.documents if one not in there]:
            self._model.holds[self._memory.documents.pop(name)] = GONE
