"""What is kept of people, what is counted, and what is posted by itself."""

from __future__ import annotations

from pipeline.errors import CitewellError
from pipeline.rules.tenancy import workspace_scope
from tests.contracts.sight.attacker import Attacker
from tests.contracts.sight.people import ADMINS, CHANNELS, PEOPLE, workspace


class Kept(Attacker):
    async def export(self) -> None:
        person = self._dice.choice(PEOPLE)
        with workspace_scope(workspace(person)):
            exported = await self._desk.export_person(person, self._world.platform(person).alone(person))
        self._given(exported, [person], "exports")

    async def forget(self) -> None:
        person = self._dice.choice(PEOPLE)
        with workspace_scope(workspace(person)):
            await self._desk.erase_person(person)
        self._model.told[person] = set()
        await self._noted()

    async def insights(self) -> None:
        person = self._dice.choice(PEOPLE)
        with workspace_scope(workspace(person)):
            try:
                readers = self._world.platform(person).alone(person)
                seen = await self._desk.get_insights(self._world.actor(person), readers, 7)
            except CitewellError as error:
                self._given(str(error), [person], "insights")
            else:
                assert person in ADMINS
                self._given(seen.model_dump_json(), [person], "insights")

    async def digest(self) -> None:
        to = self._dice.choice((*CHANNELS, *(one for one in ADMINS if one.startswith("slack"))))
        await self._storage.outbox.queue_digest(f"week {self._memory.next()}", to)
        await self._posted("digests")
