"""The page, its forms, and links to documents."""

from __future__ import annotations

from adapters.chat.reply.parts import ReplyButton
from adapters.web.links import CITED_FRAGMENT
from pipeline.values import RetrievedChunk
from tests.contracts.sight.attacker import Attacker
from tests.contracts.sight.memory import Linked
from tests.contracts.sight.model import Opened
from tests.contracts.sight.people import PEOPLE, WES, WIM
from tests.contracts.sight.platforms import CSRF
from tests.contracts.sight.world import URL


class Pages(Attacker):
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
        if address == "/admin/trial":
            answer = await self._world.client.post(address, data={**params, "csrf": CSRF}, headers=headers)
        else:
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
                ReplyButton.PASSAGES,
                ReplyButton.CONFIDENCE,
                ReplyButton.TAKE_BACK,
                ReplyButton.SUBSCRIBE,
                ReplyButton.EXPORT,
                "sources",
                "insights",
                ReplyButton.ASK,
            )
        )
        about = self._dice.choice([self._one(memory.answers), *memory.documents])
        talk = self._dice.choice([one.channel for one, of in memory.talks if of.startswith("web")] or [""])
        form = {"action": action, "about": about, "csrf": CSRF, "conversation": talk, "fragment": "1"}
        answer = await self._world.client.post("/press", data=form, headers={"x-person": person})
        assert answer.status_code < 500, answer.text
        self._given(answer.text, [person], f"pressed {action}", again=action == ReplyButton.TAKE_BACK)
        if action == ReplyButton.TAKE_BACK:
            await self._noted()

    async def link(self) -> None:
        """One that is made now, or one of before, opened by whoever has it."""
        memory, model = self._memory, self._model
        if memory.documents and (not memory.links or self._dice.random() < 0.4):
            name = self._dice.choice(list(memory.documents))
            if found := await self._storage.library.excerpt(name, 0, 50):
                chunk = self._dice.choice(found.chunks)
                passage = RetrievedChunk(chunk=chunk, document=found.document, score=1.0)
                made = (await self._world.links.load_key()).build_url(passage)
                token = made.removeprefix(f"{URL}/s/").removesuffix(f"#{CITED_FRAGMENT}")
                collection = found.document.collection
                rule = model.rules.get(collection, Opened())
                memory.links.append(Linked(token, memory.documents[name], collection, rule))
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
