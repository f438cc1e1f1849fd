"""What becomes of a leased message when its delivery goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.run import posting
from bot.run.delivery import APOLOGY_SECONDS, ATTEMPTS_EXHAUSTED, Delivery
from bot.run.posting import POSTING_SECONDS
from pipeline.errors import CitewellError, Misconfigured, Refused, Unavailable
from pipeline.ports import BotServices, Inbox, PlatformAdapter, PostRecorder, ReplyStream, answer_stream
from pipeline.values import (
    DEFAULT_PLACE_SETTINGS,
    Answer,
    AnswerEvent,
    AnswerRequest,
    AnswerSettings,
    AnswerStage,
    AnswerSubscription,
    Audience,
    ConversationId,
    HandoffNotice,
    IncomingMessage,
    LeasedMessage,
    MessageTrigger,
    PersonId,
    PlaceId,
    Preferences,
    ProgressEvent,
    Readers,
    replace,
)
from pipeline.values.posting import Digest
from pipeline.words import wording
from storage.messages.inbox import LEASE_SECONDS, SQLInbox
from storage.open import Storage, open_storage
from tests.contracts.answers import cited
from tests.doubles.samples import answer, message

ATTEMPTS = 3
Step = Callable[[], Awaitable[object]]


class Clock:
    def __init__(self) -> None:
        self.now = datetime.now(UTC).timestamp()

    def __call__(self) -> float:
        return self.now


class Platform:
    """Shows replies, unless `failure` is set; `refused` texts it never takes."""

    name = "slack"

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}
        self.failure: Exception | None = None
        self.after_posting: Exception | None = None
        self.refused: frozenset[str] = frozenset()
        self.found: str | None = None

    def can_serve(self, space: str) -> bool:
        return True

    async def listen(self, inbox: Inbox, services: BotServices) -> None: ...

    async def post(self, outgoing: ReplyStream | HandoffNotice | Digest, recorder: PostRecorder) -> None:
        assert isinstance(outgoing, ReplyStream)
        reference = outgoing.work.reference or "the reply"
        async for _ in outgoing.events:
            await self._show("…", reference, recorder)
        await self._show((await outgoing.events.answer()).body, reference, recorder)

    async def _show(self, text: str, reference: str, receipt: PostRecorder) -> None:
        if self.failure:
            raise self.failure
        if text in self.refused:
            raise Refused(f"the platform refuses {len(text)} characters")
        if not self.shown:
            await receipt.record_intent()
        self.shown[reference] = text
        if self.after_posting:
            raise self.after_posting
        await receipt.record_posted(reference)

    async def find_posted(self, outgoing: LeasedMessage | HandoffNotice | Digest) -> str | None:
        return self.found

    async def get_readers(self, target: IncomingMessage | PlaceId | PersonId) -> Readers:
        return Readers(groups=frozenset())

    async def close(self) -> None: ...


class Thinking:
    """Progress, what happens meanwhile, then the answer."""

    def __init__(self) -> None:
        self.meanwhile: Step | None = None

    @answer_stream
    async def respond(self, request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.WRITING)
        if self.meanwhile:
            await self.meanwhile()
        yield answer()


async def _nobody_told(place: PlaceId) -> None: ...


class Scene:
    """A delivery over a real inbox whose clock is turned by hand."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.clock = Clock()
        self.inbox = SQLInbox(storage.database, attempts=ATTEMPTS, clock=self.clock)
        self.platform = Platform()
        self.thinking = Thinking()
        self.open = True
        """Whether a saved answer may still be seen."""
        self.delivery = Delivery(
            self.inbox,
            self.thinking,
            {"slack": self.platform},
            _request,
            _chosen,
            at_a_time=1,
            expire_late=False,
            live=None,
            spent=_nobody_told,
            shown=self.shown,
            grace_seconds=0.0,
            retry_seconds=1.0,
        )

    async def shown(self, answer_id: str, audience: Audience) -> Answer | None:
        return await self.storage.history.answer(answer_id) if self.open else None

    async def saved(self, answer: Answer, key: str = message().key) -> None:
        """An attempt came as far as an answer."""
        await self.inbox.lease()
        await self.inbox.save_answer(key, answer)
        await self.inbox.release(key, counts=False)

    async def once(self) -> LeasedMessage | None:
        """Lease what can be leased and bring it to an end."""
        if work := await self.inbox.lease():
            await self.delivery.deliver(work)
        return work

    async def often(self, times: int) -> None:
        for _ in range(times):
            await self.once()
            self.clock.now += 3600


async def _request(asked: IncomingMessage, chosen: AnswerSettings, adapter: PlatformAdapter) -> AnswerRequest:
    awaited = frozenset[str]() if asked.manner is MessageTrigger.AWAITED else None
    return AnswerRequest(
        text=asked.text, audience=Audience(collections=frozenset()), author=asked.author, known_chunk_ids=awaited
    )


async def _poison() -> None:
    raise RuntimeError("poison")


async def _chosen(asked: IncomingMessage) -> AnswerSettings:
    return AnswerSettings(preferences=Preferences(), place=DEFAULT_PLACE_SETTINGS)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_storage(tmp_path / "data") as storage:
        made = Scene(storage)
        await made.inbox.accept(message())
        yield made


@pytest.mark.parametrize(
    "failure",
    [
        Misconfigured("SLACK_BOT_TOKEN", "Slack says invalid_auth"),
        Unavailable("Slack", "did not come back"),
    ],
    ids=["wrong setting", "not reached"],
)
@pytest.mark.parametrize("saved", [False, True], ids=["no answer yet", "answer saved"])
async def test_a_platform_that_cannot_be_used_costs_no_attempt(
    scene: Scene, failure: CitewellError, saved: bool
) -> None:
    if saved:
        await scene.saved(answer())
    scene.platform.failure = failure
    await scene.often(4 * ATTEMPTS)
    assert await scene.inbox.count_by_state() == {"open": 1}
    scene.platform.failure = None
    work = await scene.once()
    assert work
    assert work.attempt == 1
    assert scene.platform.shown == {"the reply": answer().body}
    assert await scene.inbox.count_by_state() == {"done": 1}


@pytest.mark.parametrize("seen", [True, False])
async def test_a_saved_answer_is_shown_as_far_as_its_readers_may_still_see_it_and_else_asked_anew(
    scene: Scene, seen: bool
) -> None:
    saved = cited("An answer of an hour ago.", question=message().text)
    await scene.saved(saved)
    scene.open = seen
    await scene.once()
    assert list(scene.platform.shown.values()) == [saved.body if seen else answer().body]
    assert await scene.inbox.count_by_state() == {"done": 1}


async def test_where_nobody_asked_nothing_is_said_in_the_place_of_an_answer_that_was_closed_since(scene: Scene) -> None:
    overheard = message("2.0", thread="2.0", manner=MessageTrigger.OVERHEARD)
    await scene.once()
    await scene.inbox.accept(overheard)
    await scene.saved(cited("An answer of an hour ago.", answer_id="unasked"), overheard.key)
    scene.open, scene.platform.shown = False, {}
    await scene.often(ATTEMPTS)
    assert scene.platform.shown == {}
    assert "open" not in await scene.inbox.count_by_state()


async def test_a_title_that_was_closed_since_is_said_in_no_saved_answer(scene: Scene) -> None:
    greeting = replace(answer("greeting", "Ask me about Salaries."), named={"pay.md": "Salaries"})
    await scene.saved(greeting)
    scene.open = False
    await scene.once()
    assert list(scene.platform.shown.values()) == [answer().body]


async def test_what_sums_up_a_thread_is_shown_as_it_was_saved(scene: Scene) -> None:
    summed_up = replace(cited("They agreed on Monday."), of_thread=True)
    await scene.saved(summed_up)
    scene.open = False
    await scene.once()
    assert list(scene.platform.shown.values()) == [summed_up.body]


async def test_a_platform_not_reached_after_the_intent_to_post_costs_no_attempt(scene: Scene) -> None:
    scene.platform.after_posting = Unavailable("Slack", "did not come back")
    scene.platform.found = "the reply"
    await scene.often(4 * ATTEMPTS)
    scene.platform.after_posting = None
    await scene.once()
    assert scene.platform.shown == {"the reply": answer().body}
    assert await scene.inbox.count_by_state() == {"done": 1}


async def test_a_platform_that_asks_us_to_wait_is_left_alone_for_so_long(scene: Scene) -> None:
    scene.platform.failure = Unavailable("Slack", "too many messages wait for one channel", retry_after=47.0)
    await scene.once()
    scene.clock.now += 46.9
    assert await scene.inbox.lease() is None
    scene.clock.now += 0.1
    assert await scene.inbox.lease()


async def test_an_answer_that_the_platform_refuses_ends_in_an_apology(scene: Scene) -> None:
    scene.platform.refused = frozenset({answer().body})
    scene.thinking.respond = _whole  # type: ignore[method-assign]
    await scene.often(ATTEMPTS)
    (told,) = scene.platform.shown.values()
    assert told.startswith("Something went wrong on my side")
    assert await scene.inbox.count_by_state() == {"dead": 1}
    assert await scene.inbox.failure_counts() == {f"the platform refuses {len(answer().body)} characters": 1}


@answer_stream
async def _whole(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
    yield answer()


async def test_no_apology_takes_the_place_of_a_reply_that_is_visible(scene: Scene) -> None:
    await scene.inbox.lease()
    await scene.inbox.save_answer(message().key, answer())
    await scene.inbox.mark_posting(message().key)
    await scene.inbox.mark_posted(message().key, "the reply")
    await scene.inbox.release(message().key, counts=False)
    scene.platform.after_posting = RuntimeError("could not tidy up")
    await scene.often(ATTEMPTS)
    assert scene.platform.shown == {"the reply": answer().body}
    assert await scene.inbox.failure_counts() == {"RuntimeError": 1}


async def test_a_message_that_can_be_told_nothing_is_given_up_and_counted(scene: Scene) -> None:
    scene.platform.failure = RuntimeError("poison")
    await scene.often(ATTEMPTS + 2)
    assert scene.platform.shown == {}
    assert await scene.inbox.count_by_state() == {"dead": 1}
    assert await scene.inbox.failure_counts() == {"RuntimeError": 1}


async def test_what_somebody_waits_for_is_given_up_as_any_other_message(scene: Scene) -> None:
    """Forgotten instead, it would end the process again whenever the documents change."""
    await scene.once()
    origin = ConversationId(platform="slack", space="T1", channel="C1", thread="1.0")
    wish = AnswerSubscription(
        id="w1", answer_id="n1", person="slack:T1:U1", question="Who won?", origin=origin, message="1.5"
    )
    await scene.storage.subscriptions.save(wish, most=1)
    await scene.inbox.accept(wish.to_message(datetime.fromtimestamp(scene.clock.now, UTC)))
    scene.thinking.meanwhile = _poison
    await scene.often(ATTEMPTS + 1)
    assert await scene.inbox.failure_counts() == {ATTEMPTS_EXHAUSTED: 1}
    assert (await scene.storage.subscriptions.due(9)).subscriptions == ()


async def test_the_bot_takes_part_where_a_reply_was_found_again(scene: Scene) -> None:
    await scene.inbox.lease()
    await scene.inbox.mark_posting(message().key)
    await scene.inbox.release(message().key)
    scene.platform.found = "the reply"
    scene.platform.failure = Unavailable("Slack", "did not come back")
    await scene.once()
    assert await scene.inbox.is_participant(message().conversation, message().sent_at)
    scene.clock.now += 60
    work = await scene.inbox.lease()
    assert work
    assert work.reference == "the reply"


async def test_a_reply_whose_question_is_erased_meanwhile_is_ended_and_not_answered(scene: Scene) -> None:
    async def erase() -> None:
        assert await scene.storage.personal_data.forget(message().author)

    scene.thinking.meanwhile = erase
    await scene.once()
    assert scene.platform.shown == {"the reply": wording.QUESTION_ERASED}
    assert await scene.inbox.count_by_state() == {}
    assert answer().body not in await scene.storage.personal_data.export(message().author)


async def test_a_question_erased_before_anything_is_visible_gets_no_reply(scene: Scene) -> None:
    @answer_stream
    async def erased(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        await scene.storage.personal_data.forget(message().author)
        yield answer()

    scene.thinking.respond = erased  # type: ignore[method-assign]
    await scene.once()
    assert scene.platform.shown == {}


async def test_a_delivery_that_hangs_is_ended_before_its_lease(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    assert POSTING_SECONDS + APOLOGY_SECONDS < LEASE_SECONDS
    monkeypatch.setattr(posting, "POSTING_SECONDS", 0.0)
    scene.thinking.meanwhile = asyncio.Event().wait
    work = await scene.once()
    assert work
    assert await scene.inbox.count_by_state() == {"open": 1}
    scene.clock.now += 3
    again = await scene.inbox.lease()
    assert again
    assert again.attempt == 2
