"""Questions by command, dated now, and their answers for one person alone.

These go through the response URL of the command: five messages within thirty minutes. Slack shows such a message once
and offers no way to find or edit it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime

from adapters.chat.reply import answer as parts
from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import Look, Reply
from adapters.slack.events.incoming import Body, Me, attachment, forwarded, message_key, person_id
from adapters.slack.events.spoken import plain
from adapters.slack.parts.blocks import context
from adapters.slack.parts.render import Post, line, posts
from adapters.slack.platform import SLACK
from adapters.slack.post.reply import QUIET
from adapters.slack.web import Web
from pipeline.translations import Words
from pipeline.values import Answer, ConversationId, IncomingMessage, Manner

MOST = 4
"""Messages of one answer; the fifth use of the URL is kept for saying that there is more."""
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
        place=message_key(me.team, channel, trigger),
        conversation=ConversationId(
            platform=SLACK.name, space=me.team, channel=channel, thread=f"{SLACK.private_thread}{user}"
        ),
        asker=person_id(me.team, user),
        text=text,
        attachments=tuple(attachment(file) for file in files),
        sent_at=datetime.now(UTC),
        manner=Manner.COMMAND,
        external=team != me.team,
        said_in=me.places(channel),
        reply_to=reply_to,
    )


class SlackPrivate:
    """Back to whoever used a command: a `PrivateSender`."""

    shareable = True
    attachable = False

    def __init__(self, web: Web, message: IncomingMessage) -> None:
        self._web = web
        self._url = message.reply_to
        self._announced = message.place.message.startswith(ASKED)
        """A line of ours stands where the answer will: a command was acknowledged with one."""

    def line(self, text: str) -> Post:
        return line(text)

    def drawn(self, reply: Reply) -> list[Post]:
        made = posts(reply)
        return [*made[:MOST], line(Words(reply.language)(words.LONGER))] if len(made) > MOST else made

    async def show(self, posts: Sequence[Post], shown: Callable[[], Awaitable[None]]) -> None:
        await show(self._web, self._url, posts[:1], instead=self._announced)
        await show(self._web, self._url, posts[1:])
        await shown()


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
