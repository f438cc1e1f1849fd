"""A language model with what is learnt of its server: opened, examined, measured, and its queue."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field, replace

import structlog

from adapters.models.factory import find_address, make_model
from adapters.models.meter import MeteredModel
from adapters.models.resilience import GuardedModel
from adapters.models.server_facts import read_server_facts, slots_idle, tools_reach_model
from bot.config.settings import Settings, secret_value
from pipeline.drafting.turns import ModelTurns
from pipeline.errors import CitewellError
from pipeline.screen.sensitive_data import SensitiveDataFinder
from pipeline.write.prompt_fitting import PromptFitter
from pipeline.write.prompts import PromptOptions

_MAX_SETTLE_SECONDS = 10.0
"""Seconds that a turn is held back at most after a request that was given up: an answer waits no longer."""
_POLL_SECONDS = 2.0
"""Seconds between two looks at the slots: llama.cpp notices a closed connection only a second after its last reply."""
_MEASURE_AGAIN_SECONDS = 60.0
"""Seconds between two measurements of a model that is too slow to be asked."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class OpenedModel:
    """A model of the settings, guarded and metered, and what can be asked of its server; nothing is connected yet."""

    model: GuardedModel
    meter: MeteredModel
    own_url: str | None
    """Address of the team's own server; None for a vendor's, which is examined in no way."""
    _: KW_ONLY
    served_name: str
    key: str

    @property
    def is_billed(self) -> bool:
        return self.own_url is None

    async def examine(self) -> None:
        """Learn what an own server tells: window, slots, tools. Sends a few tokens. Raises nothing."""
        if self.own_url is None:
            return
        facts = await read_server_facts(self.own_url, self.served_name, key=self.key)
        tools = facts.takes_tools if facts.takes_tools is not None else await tools_reach_model(self.meter)
        self.meter.learn(window=facts.window, slots=facts.slots, takes_tools=tools)
        log.debug("server_examined", model=self.model.name, **facts.model_dump(exclude_none=True))

    async def settle(self) -> None:
        """Wait until the server is done with a request that was given up: ten seconds at most, and two where it does
        not tell."""
        stop = min(self.meter.busy_until, time.monotonic() + _MAX_SETTLE_SECONDS)
        while self.own_url is not None and (left := stop - time.monotonic()) > 0:
            await asyncio.sleep(min(left, _POLL_SECONDS))
            if await slots_idle(self.own_url, key=self.key) is not False:
                return


def open_model_server(settings: Settings, spec: str, find: SensitiveDataFinder | None) -> OpenedModel:
    """Make the model that `spec` names. Raises Misconfigured when its key is missing."""
    access = {
        "openai_key": secret_value(settings.openai_api_key),
        "openai_base_url": settings.openai_base_url or "",
        "anthropic_key": secret_value(settings.anthropic_api_key),
        "anthropic_base_url": settings.anthropic_base_url or "",
    }
    address = find_address(spec, **access)
    model = make_model(spec, **access, temperature=settings.temperature, timeout=settings.total_seconds, find=find)
    meter = MeteredModel(model, is_billed=not address.is_own)
    return OpenedModel(
        GuardedModel(meter, limit=settings.concurrency),
        meter,
        address.url if address.is_own else None,
        served_name=spec.partition(":")[2],
        key=address.key,
    )


@dataclass
class ModelPreparation:
    """Connects to a model at once, has its server prepared ahead of the first question, and again while it is too slow
    to be asked."""

    opened: OpenedModel
    fitter: PromptFitter
    turns: ModelTurns
    clock: Callable[[], float] = time.monotonic
    judge: ModelPreparation | None = None
    """Another model that checks, which is prepared with this one."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _reported: set[str] = field(default_factory=set)
    _measured_at: float = 0.0
    _is_measured: bool = False
    _ready: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.turns.prepare = self.prepare
        self._spawn(self._connect())

    def prepare(self) -> asyncio.Future[None] | None:
        """Begin to examine and measure the team's own server, at the first call and a minute after one that failed.
        Return the task; None for a vendor's."""
        if self.judge:
            self.judge.prepare()
        if self.opened.is_billed:
            return None
        failed = self._ready is not None and self._ready.done() and not self._is_measured
        if self._ready is None or (failed and self._is_due()):
            self._measured_at = self.clock()
            self._ready = self._spawn(self._prepare())
        return self._ready

    def _is_due(self) -> bool:
        return self.clock() - self._measured_at >= _MEASURE_AGAIN_SECONDS

    def report_declined(self, why: str) -> None:
        """Log once that the model is not asked, and measure it again when the last time is a minute ago."""
        if why.partition(" reads ")[0] not in self._reported:
            self._reported.add(why.partition(" reads ")[0])
            log.warning("model_not_asked", reason=why)
        if self._is_due() and self.turns.is_free and not self.opened.is_billed:
            self._measured_at = self.clock()
            self._spawn(self._measure())

    async def close(self) -> None:
        """End what is not needed any more."""
        await self.turns.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _connect(self) -> None:
        with suppress(CitewellError):  # raised again, and reported, when the model is asked
            await self.opened.model.connect()

    async def _prepare(self) -> None:
        for step in (self.opened.examine, self._measure, self._examine_again):
            try:
                await step()
            except Exception:
                log.exception("server_not_prepared", model=self.opened.model.name)
        if self._is_measured:
            capacity = self.opened.meter.capacity.model_dump(exclude_none=True)
            log.info("server_measured", model=self.opened.model.name, **capacity)

    async def _examine_again(self) -> None:
        """Ask for what only a server with a loaded model tells: Ollama its window."""
        if self.opened.meter.capacity.window is None:
            await self.opened.examine()

    async def _measure(self) -> None:
        try:
            async with self.turns.occupy():
                window = await replace(self.fitter, model=self.opened.meter).warm_up()
        except CitewellError as error:
            log.info("server_not_measured", reason=str(error))  # the answer tells it as its own failure
            return
        self._is_measured = True
        self.opened.meter.learn(window=window, slots=None, takes_tools=None)


@asynccontextmanager
async def open_prepared_model(
    settings: Settings, spec: str, find: SensitiveDataFinder | None, options: PromptOptions
) -> AsyncIterator[ModelPreparation]:
    """Open the model that `spec` names, and begin to connect. Raises Misconfigured when its key is missing."""
    opened = open_model_server(settings, spec, find)
    fitter = PromptFitter(opened.model, options, reply=settings.max_tokens, seconds=settings.first_sentence_seconds)
    preparation = ModelPreparation(opened, fitter, ModelTurns(opened.model, opened.settle))
    try:
        yield preparation
    finally:
        await preparation.close()
        await opened.model.close()
