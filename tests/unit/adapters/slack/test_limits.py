"""Slack asks to wait: a reply does not begin before its turn, and what only adorns it is left out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

import pytest

from adapters.chat.messages import MessageSequence
from adapters.slack.events.incoming import SlackBot
from adapters.slack.post.sender import SlackSender
from adapters.slack.post.typing_indicator import SlackIndicatorTarget
from adapters.slack.rendering.render import SlackPost, render_line
from adapters.slack.web_client import SlackWebClient
from pipeline.errors import Unavailable
from pipeline.values import AnswerEvent, AnswerRequest, CitedSentence, SentenceEvent
from tests.contracts.answers import citation, cited
from tests.contracts.slack_driver import CHANNEL, QUICK, SlackDriver
from tests.contracts.waiting import until
from tests.doubles.slack.rules import Json

AN_HOUR = "429 3600"
"""Longer than any test waits: what is done at all was done without waiting."""


class Limited:
    """Asks to wait for an hour, the first time that `method` is called."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.done = False

    async def __call__(self, method: str, arguments: Json, when: str) -> str | None:
        if method != self.method or when != "before" or self.done:
            return None
        self.done = True
        return AN_HOUR


TEXTS = ("First.", "Second.", "Third.")
SENTENCES = [CitedSentence(text=text, numbers=(2 if text == "Third." else 1,)) for text in TEXTS]
SOURCES = [citation(1), citation(2)]


async def growing(request: AnswerRequest, *whens: Callable[[], object]) -> AsyncGenerator[AnswerEvent, None]:
    """Three sentences; the second, the third and the end of the answer each come once something is so."""
    for sentence, when in zip(SENTENCES, whens, strict=True):
        yield SentenceEvent(sentence=sentence)
        await until(when)
    yield cited(sentences=SENTENCES, citations=SOURCES, question=request.text)


@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream", "agents.sessions.setStatus"])
async def test_an_answer_that_grows_is_shown_whole_without_waiting_for_what_is_limited(
    slack: SlackDriver, method: str
) -> None:
    slack.slack.hook = limited = Limited(method)
    slack.rig.script = lambda request: growing(
        request,
        lambda: limited.done or slack.slack.called("chat.startStream"),
        lambda: limited.done,
        lambda: limited.done,
    )
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    (reply,) = slack.workspace.replies(said.handle)
    assert limited.done
    assert not reply.streaming
    assert reply.blocks[0]["text"] == "First. [1] Second. [1] Third. [2]"


async def test_a_stream_of_which_one_piece_was_limited_goes_on(slack: SlackDriver) -> None:
    slack.slack.hook = limited = Limited("chat.appendStream")
    slack.rig.script = lambda request: growing(
        request, lambda: slack.slack.called("chat.startStream"), lambda: limited.done, lambda: limited.done
    )
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    (reply,) = slack.workspace.replies(said.handle)
    assert reply.edits == 0


async def test_a_reaction_that_cannot_be_removed_now_keeps_no_question_waiting(slack: SlackDriver) -> None:
    slack.workspace.without["assistant.threads.setStatus"] = "unknown_method"
    slack.slack.hook = limited = Limited("reactions.remove")
    said = await slack.mention("ann", "How much leave do I get?")
    await until(lambda: bool(slack.replies(said)))
    after = await slack.follow_up("ann", "And how much annual leave?", said)
    await slack.rig.settled()
    assert limited.done
    assert len(slack.replies(after)) == 1


class Receipts:
    """What a reply told of itself."""

    def __init__(self) -> None:
        self.begun = False

    async def record_intent(self) -> None:
        self.begun = True

    async def record_posted(self, reference: str, *, complete: bool = False) -> None:
        assert self.begun


async def web_of(slack: SlackDriver, **pace: float) -> SlackWebClient:
    web = (await slack.adapter._workspaces.session("")).web
    web.timings = replace(QUICK, **pace)  # type: ignore[arg-type]
    return web


def a_reply(web: SlackWebClient, thread: str, receipts: Receipts) -> MessageSequence[SlackPost]:
    origin = SlackIndicatorTarget(channel=CHANNEL, thread=thread, ts=thread, user="U0ANN")
    sender = SlackSender(web, SlackBot(team="T0TEAM", user="U0BOT"), origin, f"slack:T0TEAM:{CHANNEL}:{thread}")
    return MessageSequence(sender, receipts)


async def test_a_reply_whose_turn_is_too_far_off_is_given_back_before_it_begins(slack: SlackDriver) -> None:
    web = await web_of(slack, message_interval=100.0, longest_wait=60.0)
    question = slack.people.write("U0ANN", CHANNEL, "How much leave do I get?")
    first, second = Receipts(), Receipts()
    await a_reply(web, question.ts, first).show([render_line("Thirty days.")])
    with pytest.raises(Unavailable) as caught:
        await a_reply(web, question.ts, second).show([render_line("Thirty days.")])
    assert first.begun
    assert not second.begun
    assert 60.0 < (caught.value.retry_after or 0.0) <= 100.0
    assert len(slack.slack.called("chat.postMessage")) == 1


async def test_the_parts_of_one_reply_are_posted_however_long_that_takes(slack: SlackDriver) -> None:
    web = await web_of(slack, message_interval=0.02, longest_wait=0.0)
    question = slack.people.write("U0ANN", CHANNEL, "How much leave do I get?")
    await a_reply(web, question.ts, Receipts()).show([render_line("Thirty days."), render_line("And five more.")])
    assert len(slack.slack.called("chat.postMessage")) == 2


async def test_no_reply_begins_anywhere_while_slack_takes_no_posts(slack: SlackDriver) -> None:
    web = await web_of(slack)
    question = slack.people.write("U0ANN", CHANNEL, "How much leave do I get?")
    slack.slack.hook = Limited("chat.postMessage")
    first, second = Receipts(), Receipts()
    for receipts in (first, second):
        with pytest.raises(Unavailable) as caught:
            await a_reply(web, question.ts, receipts).show([render_line("Thirty days.")])
        assert (caught.value.retry_after or 0.0) > 3000.0
    assert (first.begun, second.begun) == (True, False)


async def test_an_answer_whose_turn_is_not_near_is_not_streamed(slack: SlackDriver) -> None:
    web = await web_of(slack, message_interval=3600.0, longest_wait=36_000.0)
    written = asyncio.Event()

    async def slowly(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        for text in TEXTS:
            yield SentenceEvent(sentence=CitedSentence(text=text, numbers=(1,)))
            await asyncio.sleep(2 * QUICK.streaming_delay)
        written.set()
        yield cited(*TEXTS, question=request.text)

    slack.rig.script = slowly
    turns = [asyncio.create_task(web.wait_turn(CHANNEL)) for _ in range(3)]
    await slack.mention("ann", "How much leave do I get?")
    await asyncio.wait_for(written.wait(), 10)
    assert not slack.slack.called("chat.startStream")
    for turn in turns:
        turn.cancel()
