"""Programs that hold a key: the API and MCP."""

from __future__ import annotations

from starlette.requests import Request

from adapters.http.auth import NotAuthenticated
from adapters.mcp.server import server_instructions
from tests.contracts.sight.attacker import NOUNS, Attacker
from tests.contracts.sight.people import COLLECTIONS


class Programs(Attacker):
    async def key(self) -> None:
        """A program is let in, or out."""
        keys = self._storage.api_keys
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
            caller = await self._world.callers.authenticate(request)
        except NotAuthenticated as error:
            self._given(str(error), [person], "MCP")
            return
        told.append(await server_instructions(self._citewell.reading, caller))
        result = await self._world.calls.call(name, arguments, caller, tell)
        self._given("\n".join([*told, result.model_dump_json()]), [person], f"MCP {name}")
