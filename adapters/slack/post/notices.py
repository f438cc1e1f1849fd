"""How Slack shows what the bot posts besides replies, and where."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from adapters.chat.announce import Where
from adapters.chat.reply import answer as parts
from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import Look, Reply
from adapters.chat.words import insights
from adapters.chat.words.handoff import NoticeLink, Told
from adapters.slack.events.incoming import Me, message_key
from adapters.slack.parts import markup
from adapters.slack.parts.blocks import Block, button, context, quoted, said, section, short
from adapters.slack.parts.footer import TAKE_BACK
from adapters.slack.parts.render import Post, fallback, posts
from adapters.slack.platform import SLACK
from adapters.slack.post.activity import Origin
from adapters.slack.post.reply import SlackSender, find, named
from adapters.slack.web import Declined, Web
from pipeline.errors import CitewellError, NotTaken, Refused
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import About, Answer, ConversationId, MessageKey, Notice, PersonId, replace
from pipeline.values.posting import Adding, Announcement, Share, Spent
from pipeline.words import wording

CLOCKS = 60.0
"""How far the clocks may differ when a notice is looked for."""
LISTED = 2_000
"""Characters of sources with their addresses: with the names of all others, less than a section takes."""


class AnnouncementSender(SlackSender):
    """What is posted in a channel or to a person. Slack's conversations begin with a message of a channel."""

    def __init__(self, web: Web, me: Me, origin: Origin, post: Announcement) -> None:
        super().__init__(web, me, origin, post.key)
        self.known = _known(post)
        self._post = post
        self._place = ConversationId(platform=SLACK.name, space=me.team, channel=origin.channel)

    def reference(self, names: Sequence[str]) -> str:
        """Of a notice, whose message people reply to, the key of that."""
        if isinstance(self._post, Notice):
            return str(message_key(self._me.team, self._spot.channel, names[0]))
        return super().reference(names)

    def conversation(self, name: str) -> ConversationId:
        return replace(self._place, thread=name)

    async def send(self, part: int, post: Post) -> str:
        """Raises NotTaken, too."""
        try:
            return await super().send(part, post)
        except Declined as declined:
            if isinstance(self._post, Share | Adding):
                raise NotTaken(sorry(declined, Words(self._post.language))) from declined
            raise


def _known(post: Announcement) -> Sequence[str]:
    """The messages that its reference names."""
    if isinstance(post, Notice):
        return [MessageKey.parse(post.reference).message] if post.reference else ()
    return named(post.reference)


class SlackNotices:
    """The port `Announces`."""

    def __init__(
        self, web: Web, me: Me, look: Look, shared: Callable[[str], Awaitable[bool]], *, shared_channels: bool
    ) -> None:
        """`shared`: whether other organisations read a channel; `shared_channels`: questions are asked and answers
        shared there, too."""
        self._web = web
        self._me = me
        self._look = look
        self._shared = shared
        self._shared_channels = shared_channels

    async def sender(self, post: Announcement, where: Where, receipt: Receipt) -> AnnouncementSender:
        """Raises Refused where people of another organisation would be asked, NotTaken where they would read what is
        shared."""
        origin = await self._origin(post, where)
        shares = isinstance(post, Share)
        asks = isinstance(post, Notice) and post.about is About.ASKED
        if (asks or shares) and not self._shared_channels and await self._shared(origin.channel):
            if shares:
                raise NotTaken(Words(post.language)(wording.SHARED_CHANNEL))
            raise Refused("the channel where people are asked is shared with another organisation")
        return AnnouncementSender(self._web, self._me, origin, post)

    async def find(self, post: Announcement, where: Where) -> str | None:
        origin = await self._origin(post, where)
        names = await find(self._web, self._me, origin, post.key)
        return AnnouncementSender(self._web, self._me, origin, post).reference(names) if names else None

    async def _origin(self, post: Announcement, where: Where) -> Origin:
        since = post.posting_since.timestamp() - CLOCKS if post.posting_since else 0.0
        user = where.user if isinstance(where, PersonId) else ""
        channel = await self._direct(user) if isinstance(where, PersonId) else where.channel
        thread = where.thread if isinstance(where, ConversationId) else ""
        thread = post.thread if isinstance(post, Adding) else thread
        return Origin(channel=channel, thread=thread, ts=f"{since:.6f}", user=user, hidden=True)

    async def _direct(self, user: str) -> str:
        return str((await self._web.call("conversations.open", users=user))["channel"]["id"])

    async def notice(self, notice: Notice, shown: Told) -> Post:
        asks = notice.about is About.ASKED
        link = await permalink(self._web, notice.handoff.origin.channel, notice.handoff.message) if asks else ""
        person = "" if asks else PersonId.parse(notice.handoff.asker).user
        made = blocks(shown, notice.handoff.id, person, link)
        return Post((), tuple(made), fallback(f"{shown.heading} {shown.quoted}"))

    def line(self, text: str) -> Post:
        made = markup.mrkdwn(text)
        return Post((), (section(made),), made)

    def spent(self, report: Spent) -> Post:
        place = f"<#{report.place.channel}>" if report.place.platform == SLACK.name else f"`{report.place}`"
        text = insights.spent(report, place)
        return Post((), (section(text),), fallback(text))

    def panel(self, reply: Reply, mark: str) -> Post:
        """Its metadata mark it."""
        return posts(reply)[0]

    def adding(self, adding: Adding) -> Post:
        """With the button that takes a document back."""
        made = [said(adding.text), *([context(adding.small)] if adding.small else [])]
        if adding.document:
            made.append({"type": "actions", "elements": [button(adding.back, TAKE_BACK, adding.document)]})
        return Post((), tuple(made), fallback(adding.text))

    def shared(self, answer: Answer, above: Sequence[str]) -> Sequence[Post]:
        return posts(parts.reply(answer, self._look, notes=above))


def sorry(error: CitewellError, speech: Words) -> str:
    """What somebody is told whose press came to nothing."""
    if isinstance(error, Declined) and error.needed:
        return speech(words.NO_PERMISSION, permission=error.needed)
    if isinstance(error, Declined) and error.error in ("not_in_channel", "channel_not_found"):
        return speech(words.NOT_MEMBER)
    return speech(wording.TRY_AGAIN)


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
