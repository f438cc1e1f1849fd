"""Questions by command, dated now, and their private answers.

The answers go through the response URL of the command: five messages within thirty minutes. Slack shows such a message
once and offers no way to find or edit it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime

from adapters.chat.reply import builder as parts
from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import RenderOptions, Reply
from adapters.slack.events.incoming import (
    SlackBot,
    SlackPayload,
    forwarded_text,
    message_key,
    parse_attachment,
    person_id,
)
from adapters.slack.events.plain_text import message_to_text
from adapters.slack.platform import SLACK
from adapters.slack.post.sender import NO_PREVIEW_ARGUMENTS
from adapters.slack.rendering.blocks import context_block
from adapters.slack.rendering.render import SlackPost, render_line, render_posts
from adapters.slack.web_client import SlackWebClient
from pipeline.translations import Translator
from pipeline.values import Answer, ConversationId, IncomingMessage, MessageTrigger

MAX_PRIVATE_MESSAGES = 4
"""Messages of one answer. The fifth use of the URL is left for saying that there is more."""
COMMAND_ID_PREFIX = "ask-"
"""Prefix of a command's message id."""


def parse_command(body: SlackPayload, me: SlackBot) -> IncomingMessage:
    """Return a slash command as a question that is answered in private."""
    return _question(
        me,
        channel=str(body["channel_id"]),
        user=str(body["user_id"]),
        team=str(body.get("team_id") or me.team),
        trigger=f"{COMMAND_ID_PREFIX}{body['trigger_id']}",
        text=message_to_text(str(body.get("text") or ""), me.user),
        reply_to=str(body["response_url"]),
    )


def parse_shortcut(body: SlackPayload, me: SlackBot) -> IncomingMessage:
    """Return the message of the shortcut `Answer this message` as a question of the person who chose it, answered in
    private."""
    return _question(
        me,
        channel=str(body["channel"]["id"]),
        user=str(body["user"]["id"]),
        team=str((body.get("user") or {}).get("team_id") or (body.get("team") or {}).get("id") or me.team),
        trigger=f"menu-{body['trigger_id']}",
        text=message_to_text(str(body["message"].get("text") or ""), me.user) or forwarded_text(body["message"], me),
        reply_to=str(body["response_url"]),
        files=body["message"].get("files") or (),
    )


def _question(
    me: SlackBot,
    *,
    channel: str,
    user: str,
    team: str,
    trigger: str,
    text: str,
    reply_to: str,
    files: Iterable[SlackPayload] = (),
) -> IncomingMessage:
    return IncomingMessage(
        place=message_key(me.team, channel, trigger),
        conversation=ConversationId(
            platform=SLACK.name, space=me.team, channel=channel, thread=f"{SLACK.private_thread}{user}"
        ),
        asker=person_id(me.team, user),
        text=text,
        attachments=tuple(parse_attachment(file) for file in files),
        sent_at=datetime.now(UTC),
        manner=MessageTrigger.COMMAND,
        external=team != me.team,
        said_in=me.places(channel),
        reply_to=reply_to,
    )


class SlackPrivateReply:
    """The private reply to a command: a `PrivateSender`."""

    can_share = True
    can_attach = False

    def __init__(self, web: SlackWebClient, message: IncomingMessage) -> None:
        self._web = web
        self._url = message.reply_to
        self._announced = message.place.message.startswith(COMMAND_ID_PREFIX)
        """True where the command's acknowledgement stands in the place of the answer."""

    def render_line(self, text: str) -> SlackPost:
        return render_line(text)

    def render_reply(self, reply: Reply) -> list[SlackPost]:
        posts = render_posts(reply)
        return (
            [*posts[:MAX_PRIVATE_MESSAGES], render_line(Translator(reply.language)(words.PRIVATE_REPLY_CUT))]
            if len(posts) > MAX_PRIVATE_MESSAGES
            else posts
        )

    async def show(self, posts: Sequence[SlackPost], record: Callable[[], Awaitable[None]]) -> None:
        await post_response(self._web, self._url, posts[:1], instead=self._announced)
        await post_response(self._web, self._url, posts[1:])
        await record()


async def post_response(web: SlackWebClient, url: str, posts: Sequence[SlackPost], *, instead: bool = False) -> None:
    """Post through a response URL, visible to its person only. `instead` replaces the pressed message, or the
    acknowledgement of a command."""
    for post in posts:
        await web.respond(
            url,
            response_type="ephemeral",
            replace_original=instead,
            text=post.text,
            blocks=post.blocks,
            **NO_PREVIEW_ARGUMENTS,
        )


async def show_shared(web: SlackWebClient, url: str, render_options: RenderOptions, answer: Answer) -> None:
    """Replace the message with the share button by the note that the answer is shared."""
    last = render_posts(parts.build_reply(answer, render_options, notes=parts.question_lines(answer)))[-1]
    confirmed = SlackPost(
        last.message, (*last.footer, context_block(Translator(answer.language)(words.SHARED_HERE))), last.text
    )
    await post_response(web, url, [confirmed], instead=True)
