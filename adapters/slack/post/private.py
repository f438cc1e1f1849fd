"""Questions by command, dated now, and their answers for one person alone.

These go through the response URL of the command: five messages within thirty minutes.

Slack shows such a message once and offers no way to find or edit it. So after a crash between the intent and its
record nobody can know whether the answer was seen; the person is asked to ask again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import structlog

from adapters.chat.reply import answer as parts
from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import Look
from adapters.slack.events.incoming import Body, Me, attachment, forwarded, message_key, person
from adapters.slack.events.spoken import plain
from adapters.slack.parts.blocks import context
from adapters.slack.parts.render import Post, line, posts
from adapters.slack.platform import SLACK
from adapters.slack.post.reply import QUIET
from adapters.slack.web import POST, Declined, Web
from pipeline.ports import AnswerStream, Receipt
from pipeline.translations import Words
from pipeline.values import Answer, ConversationId, IncomingMessage, Manner, Work
from pipeline.words import wording

log = structlog.get_logger(__name__)

MOST = 4
"""Messages of one answer; the fifth use of the URL is kept for saying that there is more."""
SHOWN = "shown"
ASKED = "ask-"
"""How the message id of a command begins."""


def command(body: Body, me: Me) -> IncomingMessage:
    """A slash command as a question answered in private."""
    return _question(
        me,
        channel=str(body["channel_id"]),
        user=str(body["user_id"]),
        team=str(body.get("team_id") or me.team),
        trigger=f"{ASKED}{body['trigger_id']}",
        text=plain(str(body.get("text") or ""), me.user),
        reply_to=str(body["response_url"]),
    )


def shortcut(body: Body, me: Me) -> IncomingMessage:
    """`Answer this message`: the message as a question of whoever chose the shortcut, answered in private."""
    return _question(
        me,
        channel=str(body["channel"]["id"]),
        user=str(body["user"]["id"]),
        team=str((body.get("user") or {}).get("team_id") or (body.get("team") or {}).get("id") or me.team),
        trigger=f"menu-{body['trigger_id']}",
        text=plain(str(body["message"].get("text") or ""), me.user) or forwarded(body["message"], me),
        reply_to=str(body["response_url"]),
        files=body["message"].get("files") or (),
    )


def _question(
    me: Me, *, channel: str, user: str, team: str, trigger: str, text: str, reply_to: str, files: Iterable[Body] = ()
) -> IncomingMessage:
    return IncomingMessage(
        key=message_key(me.team, channel, trigger),
        conversation=ConversationId(
            platform=SLACK.name, space=me.team, channel=channel, thread=f"{SLACK.private_thread}{user}"
        ),
        author=person(me.team, user),
        text=text,
        attachments=tuple(attachment(file) for file in files),
        sent_at=datetime.now(UTC),
        manner=Manner.COMMAND,
        external=team != me.team,
        said_in=me.places(channel),
        reply_to=reply_to,
    )


def announced(message: IncomingMessage) -> bool:
    """Whether a line of ours stands where the answer will: a command was acknowledged with one."""
    return message.place.message.startswith(ASKED)


async def deliver(web: Web, look: Look, work: Work, stream: AnswerStream, receipt: Receipt) -> None:
    """Show the answer to whoever asked; once the response URL is no longer good, ask them to ask again."""
    if work.reference:
        return
    speech = Words(work.language)
    if work.posting_since:
        made = [line(speech(wording.ASK_AGAIN))]
    else:
        made = _posts(await stream.answer(), look, wording.notes_on(work.message, speech))
        await receipt.posting()
    try:
        await show(web, work.message.reply_to, made[:1], instead=announced(work.message))
        await show(web, work.message.reply_to, made[1:])
    except Declined as declined:
        log.warning("slack_private_answer_late", reason=str(declined))
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
        log.warning("slack_asker_not_told", reason=str(declined))
