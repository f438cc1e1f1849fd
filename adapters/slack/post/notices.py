"""What the bot posts by itself: a question for people, what its asker hears, the weekly digest."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat.messages import Messages
from adapters.chat.words import insights, source_notice
from adapters.chat.words.handoff import NoticeLink, Told, told
from adapters.slack.audience import SlackAudiences
from adapters.slack.events.incoming import Me, message_key
from adapters.slack.parts import markup
from adapters.slack.parts.blocks import Block, button, context, quoted, said, section, short
from adapters.slack.parts.render import Post, fallback, posts
from adapters.slack.platform import SLACK
from adapters.slack.post.activity import Origin
from adapters.slack.post.reply import SlackSender, find
from adapters.slack.web import Declined, Web
from pipeline.errors import Refused
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import About, ConversationId, Notice, PersonId
from pipeline.values.posting.digest import Announcement, Digest, SourceNotice, Spent

CLOCKS = 60.0
"""How far the clocks may differ when a notice is looked for."""
LISTED = 2_000
"""Characters of sources with their addresses: with the names of all others, less than a section takes."""


class _NoticeSender(SlackSender):
    """One message, which is named by its key."""

    def reference(self, names: Sequence[str]) -> str:
        return message_key(self._me.team, self._spot.channel, names[0])


class SlackNotices:
    """Posts each as one message."""

    def __init__(self, web: Web, me: Me, audiences: SlackAudiences, *, shared_channels: bool) -> None:
        """`shared_channels`: questions are asked where other organisations read along, too."""
        self._web = web
        self._me = me
        self._audiences = audiences
        self._shared_channels = shared_channels

    async def post(self, post: Announcement, receipt: Receipt) -> None:
        """Raises Declined or Unavailable, and Refused where people of another organisation would be asked."""
        asks = isinstance(post, Notice) and post.about is About.ASKED
        origin = await self._origin(post)
        if asks and not self._shared_channels and await self._audiences.shared(origin.channel):
            raise Refused("the channel where people are asked is shared with another organisation")
        drawn = await self._notice(post) if isinstance(post, Notice) else _report(post)
        await Messages(_NoticeSender(self._web, self._me, origin, post.key), receipt).show([drawn])

    async def find(self, post: Announcement) -> str | None:
        """Look for it where it belongs, since shortly before it was to be posted."""
        origin = await self._origin(post)
        names = await find(self._web, self._me, origin, post.key)
        return message_key(self._me.team, origin.channel, names[0]) if names else None

    async def _origin(self, post: Announcement) -> Origin:
        since = post.posting_since.timestamp() - CLOCKS if post.posting_since else 0.0
        where = post.where if isinstance(post, Notice) else SLACK.whom(str(post.to))
        user = where.user if isinstance(where, PersonId) else ""
        channel = await self._direct(user) if isinstance(where, PersonId) else where.channel
        thread = where.thread if isinstance(where, ConversationId) else ""
        return Origin(channel=channel, thread=thread, ts=f"{since:.6f}", user=user, hidden=True)

    async def _direct(self, user: str) -> str:
        return str((await self._web.call("conversations.open", users=user))["channel"]["id"])

    async def _notice(self, notice: Notice) -> Post:
        asks = notice.about is About.ASKED
        link = await permalink(self._web, notice.handoff.origin.channel, notice.handoff.message) if asks else ""
        shown = told(notice)
        person = "" if asks else PersonId.parse(notice.handoff.asker).user
        made = blocks(shown, notice.handoff.id, person, link)
        return Post((), tuple(made), fallback(f"{shown.heading} {shown.quoted}"))


def _report(report: Digest | Spent | SourceNotice) -> Post:
    """What it has no room for is left out."""
    if isinstance(report, SourceNotice):
        text = markup.mrkdwn(source_notice.text(report))
        return Post((), (section(text),), text)
    if isinstance(report, Spent):
        place = f"<#{report.place.channel}>" if report.place.platform == SLACK.name else f"`{report.place}`"
        text = insights.spent(report, place)
        return Post((), (section(text),), fallback(text))
    assert report.seen
    return posts(insights.panel(report.seen, Words(report.language), entries=insights.FEW))[0]


def blocks(shown: Told, handoff_id: str, person: str, link: str) -> list[Block]:
    """`person` is told so that they notice. Foreign text stands in rich text, where nothing is markup."""
    heading = short(shown.heading, 300)
    listed = _listed(shown.sources)
    made = [section(f"<@{person}> {heading}" if person else f"*{heading}*")]
    made += [quoted(shown.quoted)] if shown.quoted else []
    made += [said(shown.found)] if shown.found else []
    made += [section(listed)] if listed else []
    made += [context(short(shown.note, 1_000))] if shown.note else []
    made += [section(f"<{link}|{shown.origin}>")] if link else []
    made += [{"type": "actions", "elements": [button(shown.button, "resolve", handoff_id)]}] if shown.button else []
    return made


async def permalink(web: Web, channel: str, ts: str) -> str:
    """The address of a message; none of one in a direct message, or that Slack does not give."""
    if not ts or channel.startswith("D"):
        return ""
    try:
        return str((await web.call("chat.getPermalink", channel=channel, message_ts=ts)).get("permalink") or "")
    except Declined:
        return ""


def _listed(sources: Sequence[NoticeLink]) -> str:
    """A line each; what does not fit a section with its address is named without it."""
    lines: list[str] = []
    for source in sources:
        line = _source(source.text, source.url)
        lines.append(line if len("\n".join([*lines, line])) <= LISTED else _source(source.text, ""))
    return "\n".join(lines)


def _source(title: str, url: str) -> str:
    return f"• <{url}|{short(title)}>" if url and markup.linkable(url) else f"• {short(title)}"
