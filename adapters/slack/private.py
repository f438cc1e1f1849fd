"""Answers for one person alone, through the response URL of a command: five messages within thirty minutes.

Slack shows such a message once and offers no way to find or edit it. So after a crash between the intent and its
record nobody can know whether the answer was seen; the person is asked to ask again.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence

from adapters.replies import answer as parts
from adapters.replies import words
from adapters.replies.parts import Look
from adapters.slack.blocks import context
from adapters.slack.feed import Feed
from adapters.slack.incoming import announced
from adapters.slack.render import Post, line, posts
from adapters.slack.reply import QUIET
from adapters.slack.web import POST, Declined, Web
from pipeline import wording
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import Answer, Event, Work

log = logging.getLogger(__name__)

MOST = 4
"""Messages of one answer; the fifth use of the URL is kept for saying that there is more."""
SHOWN = "shown"


async def deliver(web: Web, look: Look, work: Work, events: AsyncIterator[Event], receipt: Receipt) -> None:
    """Show the answer to whoever asked; once the response URL is no longer good, ask them to ask again."""
    if work.reference:
        return
    speech = Words(work.language)
    if work.posting_since:
        made = [line(speech(wording.ASK_AGAIN))]
    else:
        made = _posts(await _last(events), look, wording.notes_on(work.message, speech))
        await receipt.posting()
    try:
        await show(web, work.message.reply_to, made[:1], instead=announced(work.message))
        await show(web, work.message.reply_to, made[1:])
    except Declined as declined:
        log.warning("a private answer came too late: %s", declined)
        await _tell_directly(web, work.message.asker.user, speech)
    else:
        await receipt.posted(SHOWN)


def _posts(answer: Answer, look: Look, notes: Sequence[str]) -> list[Post]:
    made = posts(parts.reply(answer, look, notes=[*parts.asked(answer), *notes], shareable=True))
    return [*made[:MOST], line(Words(answer.language)(words.LONGER))] if len(made) > MOST else made


async def show(web: Web, url: str, made: Sequence[Post], *, instead: bool = False) -> None:
    """Post through a response URL, visible to its person only; `instead` of what is there: the message that was
    clicked, or the line that a command was acknowledged with."""
    for post in made:
        await web.respond(
            url,
            response_type="ephemeral",
            replace_original=instead,
            text=post.text,
            blocks=post.blocks,
            **QUIET,
        )


async def confirm_shared(web: Web, url: str, look: Look, answer: Answer) -> None:
    """Put in the place of the message with the button to share that the answer is shared."""
    last = posts(parts.reply(answer, look, notes=parts.asked(answer)))[-1]
    confirmed = Post(last.message, (*last.footer, context(Words(answer.language)(words.SHARED))), last.text)
    await show(web, url, [confirmed], instead=True)


async def _tell_directly(web: Web, user: str, speech: Words) -> None:
    """In a direct message, which takes no response URL."""
    try:
        await web.turn(user, begun=True)
        await web.call(POST, channel=user, text=speech(wording.ASK_AGAIN), **QUIET)
    except Declined as declined:
        log.warning("and the asker could not be told: %s", declined)


async def _last(events: AsyncIterator[Event]) -> Answer:
    async with Feed(events) as feed:
        while True:
            for event in await feed.take():
                if isinstance(event, Answer):
                    return event
