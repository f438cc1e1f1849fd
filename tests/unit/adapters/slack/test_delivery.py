"""How a reply reaches its thread: streams, their budget and their end, signs of work, limits and refusals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.slack.post.delivery import StreamBudget
from adapters.slack.post.sender import EVENT_TYPE
from pipeline.errors import Unavailable
from pipeline.values import (
    AnswerEvent,
    AnswerRequest,
    AnswerStage,
    CitationStyle,
    CitedSentence,
    ProgressEvent,
    SentenceEvent,
)
from pipeline.words import wording
from tests.contracts.answers import citation, cited
from tests.contracts.rig import appearing_until
from tests.contracts.slack_driver import CHANNEL, QUICK, SlackDriver, user
from tests.contracts.waiting import until
from tests.doubles.slack.rules import Json
from tests.doubles.slack.workspace import Message

SENTENCES = [CitedSentence(text=text, numbers=(at,)) for text, at in (("First.", 1), ("Second.", 1), ("Third.", 2))]
SOURCES = [citation(1), citation(2)]
TEXT = "First. [1] Second. [1] Third. [2]"


class Writer:
    """Writes a sentence whenever it is told to."""

    def __init__(self, **more: object) -> None:
        self.more = more
        self.turn = asyncio.Semaphore(0)

    async def __call__(self, request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        for sentence in SENTENCES:
            yield SentenceEvent(sentence=sentence)
            await self.turn.acquire()
        yield cited(sentences=SENTENCES, citations=SOURCES, question=request.text, **self.more)


async def streaming(slack: SlackDriver, writer: Writer) -> Message:
    """A question whose answer has begun to stream."""
    slack.rig.script = writer
    said = await slack.mention("ann", "How much leave do I get?")
    await until(lambda: slack.slack.called("chat.startStream"))
    return said.handle


async def finish(slack: SlackDriver, writer: Writer, question: Message) -> Message:
    for _ in SENTENCES:
        writer.turn.release()
    await slack.rig.settled()
    (reply,) = slack.workspace.replies(question)
    return reply


async def test_checked_sentences_stream_and_the_stream_ends_as_the_answer(slack: SlackDriver) -> None:
    writer = Writer()
    question = await streaming(slack, writer)
    assert [call["markdown_text"] for call in slack.slack.called("chat.startStream")] == ["First. [1]"]
    writer.turn.release()
    await until(lambda: slack.slack.called("chat.appendStream"))
    assert slack.slack.called("chat.appendStream")[0]["markdown_text"] == " Second. [1]"
    reply = await finish(slack, writer, question)
    assert reply.text == TEXT
    assert reply.edits == 0
    assert [block["type"] for block in reply.blocks] == ["markdown", "context", "context", "context_actions", "actions"]
    assert reply.metadata == {
        "event_type": EVENT_TYPE,
        "event_payload": {"key": f"slack:T0TEAM:{CHANNEL}:{question.ts}", "part": 0},
    }


@pytest.mark.parametrize("dying", ["chat.appendStream", "chat.stopStream"])
async def test_a_stream_that_dies_is_completed_by_an_edit(slack: SlackDriver, dying: str) -> None:
    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method == dying and when == "before":
            slack.workspace.messages[CHANNEL, arguments["ts"]].streaming = False
        return None

    slack.slack.hook = hook
    writer = Writer()
    question = await streaming(slack, writer)
    writer.turn.release()
    reply = await finish(slack, writer, question)
    assert reply.blocks[0]["text"] == TEXT
    assert reply.edits == 1


async def test_a_stream_whose_end_was_not_heard_is_completed_once(slack: SlackDriver) -> None:
    lost: list[str] = []

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method == "chat.stopStream" and when == "before" and not lost:
            lost.append(method)
            return "drop"
        return None

    slack.slack.hook = hook
    writer = Writer()
    question = await streaming(slack, writer)
    reply = await finish(slack, writer, question)
    assert reply.blocks[0]["text"] == TEXT
    assert not reply.streaming


async def test_citation_marks_of_another_style_replace_the_streamed_numbers(slack: SlackDriver) -> None:
    writer = Writer(citation_style=CitationStyle.FOOTNOTE)
    question = await streaming(slack, writer)
    reply = await finish(slack, writer, question)
    assert reply.blocks[0]["text"] == "First.¹ Second.¹ Third.²"


async def test_without_streams_in_the_workspace_the_answer_is_posted_whole(slack: SlackDriver) -> None:
    slack.workspace.without["chat.startStream"] = "unknown_method"
    writer = Writer()
    slack.rig.script = writer
    said = await slack.mention("ann", "How much leave do I get?")
    reply = await finish(slack, writer, said.handle)
    assert reply.blocks[0]["text"] == TEXT


class Patient(SlackDriver):
    """Takes an answer for one that is there at once, however busy the machine is."""

    pace = replace(QUICK, streaming_delay=60.0)


async def test_an_answer_that_is_there_at_once_is_not_streamed(tmp_path: Path) -> None:
    slack = await Patient.open(tmp_path / "data")
    await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert slack.slack.called("chat.startStream") == []
    assert slack.slack.called("agents.sessions.setStatus") == []
    await slack.close()


async def test_streams_are_opened_within_the_budget_of_a_minute() -> None:
    budget = StreamBudget(3)
    assert [budget.try_acquire() for _ in range(5)] == [True, True, True, False, False]
    assert not StreamBudget(0).try_acquire()


async def test_a_stop_during_a_stream_keeps_what_was_shown(slack: SlackDriver) -> None:
    question = await streaming(slack, Writer())
    await slack.people.stop(CHANNEL, question.ts, user("ann"))
    await slack.rig.settled()
    (reply,) = slack.workspace.replies(question)
    assert reply.text == "First. [1]\n\nStopped, as you asked."
    assert not reply.streaming


async def test_a_stop_of_a_long_answer_keeps_all_that_was_written(slack: SlackDriver) -> None:
    rules = [CitedSentence(text=f"Rule {n} needs form {n}, in three copies.", numbers=(1,)) for n in range(300)]
    written = asyncio.Event()

    async def endless(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        for rule in rules:
            yield SentenceEvent(sentence=rule)
        written.set()
        await asyncio.Event().wait()

    slack.rig.script = endless
    said = await slack.mention("ann", "What are the rules?")
    await written.wait()
    await slack.people.stop(CHANNEL, said.handle.ts, user("ann"))
    await slack.rig.settled()
    told = "\n".join(reply.text for reply in slack.replies(said))
    assert [rule.text in told for rule in rules] == [True] * len(rules)
    assert told.endswith(wording.STOPPED)


async def test_a_stop_that_slack_has_made_final_is_the_end_of_the_question(slack: SlackDriver) -> None:
    """Slack's notes are not clear on what it takes after a stop: this is the strictest reading."""
    stopped: list[str] = []

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        final = ("chat.appendStream", "chat.stopStream", "chat.update")
        return "stopped_by_user" if stopped and method in final and when == "before" else None

    slack.slack.hook = hook
    writer = Writer()
    question = await streaming(slack, writer)
    stopped.append(question.ts)
    await slack.people.stop(CHANNEL, question.ts, user("ann"))
    await slack.rig.settled()
    assert await slack.rig.state() == {"done": 1}
    assert len(slack.rig.requests) == 1
    assert len(slack.workspace.replies(question)) == 1


async def reacted(slack: SlackDriver) -> None:
    """A question is answered, after a reaction has shown that it is worked on."""
    writer = Writer()
    slack.rig.script = writer
    said = await slack.mention("ann", "How much leave do I get?")
    await until(lambda: slack.workspace.reactions == {(CHANNEL, said.handle.ts, "eyes")})
    await finish(slack, writer, said.handle)


async def test_where_no_status_is_taken_a_reaction_shows_work_and_is_removed(slack: SlackDriver) -> None:
    slack.workspace.without["assistant.threads.setStatus"] = "unknown_method"
    slack.workspace.without["agents.sessions.setStatus"] = "feature_disabled"
    await reacted(slack)
    assert slack.workspace.reactions == set()
    assert len(slack.slack.called("assistant.threads.setStatus!unknown_method")) == 1


async def test_a_reaction_of_which_slack_said_nothing_is_removed(slack: SlackDriver) -> None:
    slack.workspace.without["assistant.threads.setStatus"] = "unknown_method"

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        return "drop" if method == "reactions.add" and when == "after" else None

    slack.slack.hook = hook
    await reacted(slack)
    assert slack.workspace.reactions == set()


async def test_a_status_of_which_slack_said_nothing_is_taken_back(slack: SlackDriver) -> None:
    async def hook(method: str, arguments: Json, when: str) -> str | None:
        return "drop" if method == "assistant.threads.setStatus" and arguments["status"] and when == "before" else None

    slack.slack.hook = hook
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(slack.replies(said)) == 1
    assert [call["status"] for call in slack.slack.called("assistant.threads.setStatus")] == [""]


class Unhurried(SlackDriver):
    """Waits for Slack longer than any test takes."""

    pace = replace(QUICK, timeout=60.0)


async def test_a_status_that_hangs_neither_delays_the_reply_nor_stays(tmp_path: Path) -> None:
    free, hanging = asyncio.Event(), asyncio.Event()

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method == "assistant.threads.setStatus" and when == "before" and arguments["status"]:
            hanging.set()
            await free.wait()
        return None

    async def slowly(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        await hanging.wait()
        yield cited(sentences=SENTENCES, citations=SOURCES, question=request.text)

    slack = await Unhurried.open(tmp_path / "data")
    slack.slack.hook = hook
    slack.rig.script = slowly
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(slack.replies(said)) == 1
    assert [call["status"] for call in slack.slack.called("assistant.threads.setStatus")] == [""]
    free.set()
    await slack.close()


class Insistent(Unhurried):
    """Says again and again that an answer is being worked on."""

    pace = replace(Unhurried.pace, indicator_delay=0.0, streaming_delay=0.0, status_interval=0.0)


async def test_a_status_that_is_said_again_and_hangs_does_not_stay(tmp_path: Path) -> None:
    free, again = asyncio.Event(), asyncio.Event()
    said_once: list[str] = []

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method == "assistant.threads.setStatus" and when == "before" and arguments["status"]:
            if said_once:
                again.set()
                await free.wait()
            said_once.append(arguments["status"])
        return None

    async def slowly(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        await again.wait()
        yield cited(sentences=SENTENCES, citations=SOURCES, question=request.text)

    slack = await Insistent.open(tmp_path / "data")
    slack.slack.hook = hook
    slack.rig.script = slowly
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(slack.replies(said)) == 1
    assert [bool(call["status"]) for call in slack.slack.called("assistant.threads.setStatus")] == [True, False]
    free.set()
    await slack.close()


async def test_a_status_shows_the_newest_place_in_the_queue_and_leaves_out_those_passed_meanwhile(
    slack: SlackDriver,
) -> None:
    held, passed, go_on, free = (asyncio.Event() for _ in range(4))
    places: list[str] = []

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        lines = arguments.get("loading_messages") or [""]
        if method == "assistant.threads.setStatus" and when == "before" and "before this one" in lines[-1]:
            places.append(lines[-1])
            held.set()
            await go_on.wait()
        return None

    async def waiting(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.WAITING, ahead=20)
        await held.wait()
        for ahead in range(19, 0, -1):
            yield ProgressEvent(stage=AnswerStage.WAITING, ahead=ahead)
        passed.set()
        await free.wait()
        yield cited(sentences=SENTENCES, citations=SOURCES, question=request.text)

    slack.slack.hook = hook
    slack.rig.script = waiting
    said = await slack.mention("ann", "How much leave do I get?")
    await passed.wait()
    go_on.set()
    await until(lambda: "1 question is before this one" in slack.seen_at(said))
    free.set()
    await slack.rig.settled()
    assert places == ["20 questions are before this one", "1 question is before this one"]
    assert len(slack.replies(said)) == 1


async def test_a_status_that_is_refused_is_sent_again_only_with_other_lines(slack: SlackDriver) -> None:
    slack.workspace.without["reactions.add"] = "no_reaction"
    lines: list[str] = []

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method == "assistant.threads.setStatus" and when == "before":
            lines.append(arguments["loading_messages"][-1])
            return "channel_not_found"
        return None

    async def waiting(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        await until(lambda: slack.slack.called("agents.sessions.setStatus"))
        for ahead in (2, 1):
            yield ProgressEvent(stage=AnswerStage.WAITING, ahead=ahead)
            await until(lambda ahead=ahead: lines[-1].startswith(f"{ahead} "))
        yield cited(sentences=SENTENCES, citations=SOURCES, question=request.text)

    slack.slack.hook = hook
    slack.rig.script = waiting
    await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert [line[:2] for line in lines[1:]] == ["2 ", "1 "]


async def test_every_post_is_quiet(slack: SlackDriver) -> None:
    """No preview, no parsing, no name or icon of its own; `link_names` is never sent."""
    await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    for call in slack.slack.called("chat.postMessage"):
        assert call["parse"] == "none"
        assert call["unfurl_links"] is False
        assert call["unfurl_media"] is False
        assert not {"link_names", "username", "icon_url", "icon_emoji"} & set(call)


async def test_blocks_that_slack_refuses_are_left_out(slack: SlackDriver) -> None:
    async def hook(method: str, arguments: Json, when: str) -> str | None:
        return "invalid_blocks" if method == "chat.postMessage" and "blocks" in arguments and when == "before" else None

    slack.slack.hook = hook
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    (reply,) = slack.workspace.replies(said.handle)
    assert reply.text == "Staff get thirty days of leave. [1]"


async def test_nothing_is_sent_while_slack_asks_to_wait(slack: SlackDriver) -> None:
    limited: list[float] = []

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method == "chat.postMessage" and when == "before" and not limited:
            limited.append(1.0)
            return "429"
        return None

    slack.slack.hook = hook
    said = [await slack.mention(person, "How much leave do I get?") for person in ("ann", "bob", "carol")]
    await slack.rig.settled()
    assert all(len(slack.replies(one)) == 1 for one in said)
    assert slack.slack.called_while_limited <= 2  # what was already on its way


async def test_a_reply_that_somebody_deleted_is_not_posted_again(slack: SlackDriver) -> None:
    free = asyncio.Event()
    slack.rig.script, slack.rig.crash_before = appearing_until(free), "mark_done"
    said = await slack.mention("ann", "How much leave do I get?")
    await until(lambda: bool(slack.replies(said)))
    free.set()
    await slack.rig.crashed()
    (reply,) = slack.workspace.replies(said.handle)
    del slack.workspace.messages[CHANNEL, reply.ts]
    await slack.restart()
    await slack.rig.settled()
    assert slack.replies(said) == []


async def test_the_parts_of_a_long_reply_are_posted_once_whatever_happens_between(slack: SlackDriver) -> None:
    sentences = [CitedSentence(text=f"Rule {n} needs form {n}, in three copies.", numbers=(1,)) for n in range(300)]

    async def long(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        yield cited(sentences=sentences)

    posts: list[str] = []

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method == "chat.postMessage" and when == "after":
            posts.append(method)
            return "drop" if len(posts) == 2 else None
        return None

    slack.slack.hook = hook
    slack.rig.script = long
    said = await slack.mention("ann", "What are the rules?")
    await slack.rig.settled()
    parts = [(reply.metadata or {})["event_payload"]["part"] for reply in slack.workspace.replies(said.handle)]
    assert parts == list(range(len(parts)))
    assert len(parts) > 2


async def test_messages_in_one_channel_keep_their_distance(slack: SlackDriver) -> None:
    web = (await slack.adapter._workspaces.session("")).web
    web.timings = type(QUICK)(message_interval=1_000, longest_wait=2_500)
    await web.wait_turn("C0A")
    waiting = [asyncio.create_task(web.wait_turn("C0A")) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable) as full:
        await web.wait_turn("C0A")
    assert full.value.retry_after == pytest.approx(3_000, abs=500)
    assert not any(turn.done() for turn in waiting)
    await web.wait_turn("C0B")
    for turn in waiting:
        turn.cancel()
