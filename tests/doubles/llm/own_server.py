"""A double of a team's own model server on a small machine: slow, one request at a time, with a window and a cache.

`OwnServer` is an `LlmServer` that serves `Text` as such a machine does; every other act is done as ever.

    async with OwnServer(machine=Machine(reads=50_000, window=1024), otherwise=quoting()).running() as server: ...

`Machine` tells how fast it reads and writes, its window, its slots, its reasoning, and which program runs on it. Tokens
are those of `split_tokens`, about four characters each. A slot reads only what is not the beginning of what it read
last. A request that is given up is read on until the end of its batch, and the next one waits for that long.

`server.jobs` holds what was done for each request that came to a slot, in order: `Job.prompt`, `cached`, `read`,
`written`, `is_given_up`, `is_done`. `server.working` is cleared to stop the machine in its work, and set to let it go
on: with it a test needs no pauses. `server.waiting` is the number of requests that wait for a slot.

The programs differ as they do:
- llama.cpp: `/props`, `/slots`, `/v1/models`; status 400 `exceed_context_size_error` for a prompt that does not fit;
  usage with cached tokens, and `timings` (by the machine's speeds, not by the clock); tools are ignored by a template
  without them; reasoning in `reasoning_content`.
- Ollama: `/api/version`, `/api/show`, `/api/ps`, `/api/tags`; a prompt that does not fit loses its beginning, and
  nobody is told; usage without details; tools are refused where the template has none; reasoning in `reasoning`.
- Anthropic's messages are spoken by both, with `thinking_delta` and `cache_read_input_tokens`.

`reasoning_effort: "low"` halves the reasoning; `"none"` or `chat_template_kwargs.enable_thinking: false` ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.doubles.llm import shapes
from tests.doubles.llm.faults import Act, Ending, Text
from tests.doubles.llm.own_wires import ChatWire, Job, Machine, MessagesWire, Wire, too_long
from tests.doubles.llm.server import LlmServer

_TOKEN = re.compile(r" ?\w{1,5}| ?[^\w\s]|\s")
_EVENT_SECONDS = 0.002
"""Seconds between two events of a stream: the loop's clock is no finer."""


def split_tokens(text: str) -> list[str]:
    """Return the tokens of `text`, as this server counts them."""
    return _TOKEN.findall(text)


@dataclass
class _Slot:
    number: int
    tokens: list[str] = field(default_factory=list)
    """What it read and wrote last."""
    is_busy: bool = False

    def common(self, tokens: list[str]) -> int:
        """Return how many of `tokens` need no reading: never all, as the last one is read again."""
        same = next((n for n, (a, b) in enumerate(zip(self.tokens, tokens, strict=False)) if a != b), None)
        shorter = min(len(self.tokens), len(tokens))
        return min(shorter if same is None else same, len(tokens) - 1)


class OwnServer(LlmServer):
    """See the module."""

    def __init__(
        self,
        script: Sequence[Act] = (),
        *,
        machine: Machine | None = None,
        otherwise: Callable[[dict[str, Any]], Act] | None = None,
        key: str = "",
    ) -> None:
        super().__init__(script, otherwise=(lambda body: otherwise(self._seen(body))) if otherwise else None, key=key)
        self.machine = machine or Machine()
        self.jobs: list[Job] = []
        self.waiting = 0
        self.working = asyncio.Event()
        self.working.set()
        self._slots = [_Slot(number) for number in range(self.machine.slots)]
        self._free = asyncio.Semaphore(self.machine.slots)
        self._tasks: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[OwnServer]:
        async with super().running():
            try:
                yield self
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- The machine ------------------------------------------------------------------------------

    def _seen(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the request as its model sees it: Ollama's loses the beginning of a prompt that does not fit."""
        tokens = split_tokens(_render(body, tools=self.machine.takes_tools))
        if self.machine.program == "llama.cpp" or len(tokens) <= self.machine.window:
            return body
        return {**body, "messages": [{"role": "user", "content": "".join(tokens[-self.machine.window :])}]}

    async def _work(self, job: Job, tokens: list[str], body: dict[str, Any], act: Text | Ending) -> None:
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        slot = max((s for s in self._slots if not s.is_busy), key=lambda s: s.common(tokens))
        slot.is_busy = True
        try:
            if not job.is_given_up:
                self.jobs.append(job)
                await self._read(job, slot, tokens)
                await self._write(job, slot, body, act)
                job.is_done = not job.is_given_up
        finally:
            slot.is_busy = False
            self._free.release()
            job.pieces.put_nowait(None)

    async def _read(self, job: Job, slot: _Slot, tokens: list[str]) -> None:
        job.cached = slot.common(tokens)
        for start in range(job.cached, len(tokens), self.machine.batch):
            if job.is_given_up:
                return
            batch = tokens[start : start + self.machine.batch]
            await self.working.wait()
            await asyncio.sleep(len(batch) / self.machine.reads)
            slot.tokens = tokens[: start + len(batch)]
            job.read += len(batch)

    async def _write(self, job: Job, slot: _Slot, body: dict[str, Any], act: Text | Ending) -> None:
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or self.machine.window
        job.reason = act.reason if isinstance(act, Ending) else "stop"
        size = max(1, int(self.machine.writes * _EVENT_SECONDS))
        for kind, text in self._thought(body, act.text):
            whole = split_tokens(text)
            room = min(limit - job.written, self.machine.window - job.prompt - job.written)
            for start in range(0, min(len(whole), room), size):
                if job.is_given_up:
                    return
                piece = whole[start : min(start + size, room)]
                await self.working.wait()
                await asyncio.sleep(len(piece) / self.machine.writes)
                slot.tokens = [*slot.tokens, *piece]
                job.written += len(piece)
                job.pieces.put_nowait((kind, "".join(piece)))
            if len(whole) > room:
                job.reason = "length"
                return

    def _thought(self, body: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
        effort = body.get("reasoning_effort")
        asked = (body.get("chat_template_kwargs") or {}).get("enable_thinking", True) and effort != "none"
        if self.machine.reasoning and asked:
            half = len(self.machine.reasoning) // 2
            thought = self.machine.reasoning[:half] if effort == "low" else self.machine.reasoning
            if self.machine.reasoning_in == "field":
                yield "reasoning", thought
            else:
                yield "text", ("<think>" if self.machine.reasoning_in == "tags" else "") + thought + "</think>"
        yield "text", text

    # --- Replies ----------------------------------------------------------------------------------

    async def _perform(
        self, act: Act, request: web.Request, shape: shapes.Shape, *, stream: bool
    ) -> web.StreamResponse:
        if not isinstance(act, Text | Ending):
            return await super()._perform(act, request, shape, stream=stream)
        body = await request.json()
        vendor: Wire = MessagesWire(self.machine) if shape is shapes.ANTHROPIC else ChatWire(self.machine)
        if self.machine.program == "ollama" and body.get("tools") and not self.machine.takes_tools:
            message = f"registry.ollama.ai/library/{body['model']} does not support tools"
            return _refusal(400, {"message": message, "type": "api_error", "param": None, "code": None})
        tokens = split_tokens(_render(body, tools=self.machine.takes_tools))
        if len(tokens) >= self.machine.window:
            if self.machine.program == "llama.cpp":
                return _refusal(400, too_long(len(tokens), self.machine.window))
            tokens = tokens[-self.machine.window + 1 :]
        job = Job(len(tokens))
        task = asyncio.create_task(self._work(job, tokens, body, act))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await (_stream if stream else _whole)(vendor, job, request)
        except BaseException:
            job.is_given_up = True
            raise

    # --- What the programs tell of themselves -----------------------------------------------------

    def _add_routes(self, app: web.Application) -> None:
        super()._add_routes(app)
        paths: dict[str, Callable[[], Any]] = {
            "/props": self._props,
            "/slots": self._told_slots,
            "/v1/models": self._llama_models,
        }
        if self.machine.program == "ollama":
            app.router.add_post("/api/show", _teller(self._show))
            paths = {
                "/api/version": lambda: {"version": "0.12.6"},
                "/api/ps": lambda: {"models": [{**self._ollama_model(), "context_length": self.machine.window}]},
                "/api/tags": lambda: {"models": [self._ollama_model()]},
                "/v1/models": lambda: {"object": "list", "data": [_listed("m", "library")]},
            }
        for path, tell in paths.items():
            app.router.add_get(path, _teller(tell))

    def _props(self) -> dict[str, Any]:
        return {
            "default_generation_settings": {
                "params": {"max_tokens": -1, "n_predict": -1},
                "n_ctx": self.machine.window,
            },
            "total_slots": self.machine.slots,
            "model_alias": "m",
            "model_path": "m.gguf",
            "endpoint_slots": True,
            "chat_template": "{% for message in messages %}{{ message['content'] }}{% endfor %}",
            "chat_template_caps": {
                "supports_tools": self.machine.takes_tools,
                "supports_tool_calls": self.machine.takes_tools,
                "supports_system_role": True,
            },
            "build_info": "b0-unknown",
            "is_sleeping": False,
        }

    def _told_slots(self) -> list[dict[str, Any]]:
        return [
            {"id": slot.number, "n_ctx": self.machine.window, "is_processing": slot.is_busy} for slot in self._slots
        ]

    def _llama_models(self) -> dict[str, Any]:
        meta = {"n_vocab": 49152, "n_ctx": self.machine.window, "n_ctx_train": 8192, "n_params": 134515008}
        return {"object": "list", "data": [{**_listed("m", "llamacpp"), "meta": meta}]}

    def _ollama_model(self) -> dict[str, Any]:
        details = {"format": "gguf", "family": "llama", "parameter_size": "134.52M", "quantization_level": "Q4_1"}
        return {"name": "m:latest", "model": "m:latest", "size": 96576768, "digest": "0" * 64, "details": details}

    def _show(self) -> dict[str, Any]:
        return {
            "parameters": f"num_ctx {self.machine.window}",
            "template": "{{ .Prompt }}",
            "details": self._ollama_model()["details"],
            "model_info": {"general.architecture": "llama", "llama.context_length": max(8192, self.machine.window)},
            "capabilities": [
                "completion",
                *(["tools"] if self.machine.takes_tools else []),
                *(["thinking"] if self.machine.reasoning else []),
            ],
        }


def _listed(name: str, owner: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1, "owned_by": owner}


def _teller(tell: Callable[[], Any]) -> Callable[[web.Request], Any]:
    async def handle(_: web.Request) -> web.Response:
        return web.json_response(tell())

    return handle


def _render(body: dict[str, Any], *, tools: bool) -> str:
    """Return the prompt as its template writes it."""
    system = body.get("system") or ""
    blocks = [("system", system)] if system else []
    offered = [("tools", body["tools"])] if tools and body.get("tools") else []
    chat = [(message["role"], message.get("content") or "") for message in body["messages"]]
    return "".join(f"<{role}>\n{_text(content)}\n" for role, content in [*blocks, *offered, *chat]) + "<assistant>\n"


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", part)) if isinstance(part, dict) else str(part) for part in content)


def _refusal(status: int, error: dict[str, Any]) -> web.Response:
    return web.json_response({"type": "error", "error": error}, status=status)


async def _stream(wire: Wire, job: Job, request: web.Request) -> web.StreamResponse:
    """The head of the response comes with the first piece."""
    first = await job.pieces.get()
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for event in wire.begin(job):
        await response.write(event)
    piece = first
    while piece is not None:
        for event in wire.piece(*piece):
            await response.write(event)
        piece = await job.pieces.get()
    await response.write(b"".join(wire.end(job)))
    return response


async def _whole(wire: Wire, job: Job, _: web.Request) -> web.StreamResponse:
    said = {"text": "", "reasoning": ""}
    while (piece := await job.pieces.get()) is not None:
        said[piece[0]] += piece[1]
    return web.json_response(wire.whole(job, said["text"], said["reasoning"]))
