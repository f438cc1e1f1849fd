"""Posts other than replies on Slack: their blocks and their targets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from adapters.chat.announcements import AnnouncementTarget
from adapters.chat.reply import builder as parts
from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import RenderOptions, Reply
from adapters.chat.words import insights
from adapters.chat.words.handoff import NoticeLink, NoticeText
from adapters.slack.events.incoming import SlackBot, message_key
from adapters.slack.platform import SLACK
from adapters.slack.post.sender import SlackSender, find_messages, parse_reference
from adapters.slack.post.typing_indicator import SlackIndicatorTarget
from adapters.slack.rendering import markup
from adapters.slack.rendering.blocks import (
    SlackBlock,
    button_block,
    context_block,
    literal_block,
    quote_block,
    section_block,
    shorten_label,
)
from adapters.slack.rendering.footer import TAKE_BACK_ACTION
from adapters.slack.rendering.render import SlackPost, fallback_text, render_posts
from adapters.slack.web_client import SlackRefused, SlackWebClient
from pipeline.errors import CitewellError, PostRefused, Refused
from pipeline.ports import PostRecorder
from pipeline.translations import Translator
from pipeline.values import Answer, ConversationId, HandoffNotice, MessageKey, NoticeKind, PersonId, replace
from pipeline.values.posting import Announcement, AutoLimitNotice, SharedAnswer, UploadStatus
from pipeline.words import wording

ANNOUNCEMENT_SKEW_SECONDS = 60.0
"""Seconds that the clocks may differ when a notice is looked for."""
MAX_SOURCES_LENGTH = 2_000
"""Characters of sources with addresses: with the titles of all others, less than a section takes."""


class SlackAnnouncementSender(SlackSender):
    """The sender of one announcement to a channel or a person. A conversation on Slack begins with a message of a
    channel."""

    def __init__(self, web: SlackWebClient, me: SlackBot, origin: SlackIndicatorTarget, post: Announcement) -> None:
        super().__init__(web, me, origin, post.key)
        self.recorded_names = _recorded_messages(post)
        self._post = post
        self._place = ConversationId(platform=SLACK.name, space=me.team, channel=origin.channel)

    def reference(self, names: Sequence[str]) -> str:
        """Return the reference; for a handoff notice the key of its message, to which people reply."""
        if isinstance(self._post, HandoffNotice):
            return str(message_key(self._me.team, self._target.channel, names[0]))
        return super().reference(names)

    def conversation_of(self, name: str) -> ConversationId:
        return replace(self._place, thread=name)

    async def send(self, part: int, post: SlackPost) -> str:
        """Send a message. Raises PostRefused, too."""
        try:
            return await super().send(part, post)
        except SlackRefused as refused:
            if isinstance(self._post, SharedAnswer | UploadStatus):
                raise PostRefused(interaction_error_text(refused, Translator(self._post.language))) from refused
            raise


def _recorded_messages(post: Announcement) -> Sequence[str]:
    """Return the messages that its reference names."""
    if isinstance(post, HandoffNotice):
        return [MessageKey.parse(post.reference).message] if post.reference else ()
    return parse_reference(post.reference)


class SlackAnnouncementPoster:
    """The port `AnnouncementPoster`."""

    def __init__(
        self,
        web: SlackWebClient,
        me: SlackBot,
        render_options: RenderOptions,
        shared: Callable[[str], Awaitable[bool]],
        *,
        shared_channels: bool,
    ) -> None:
        """Create it. `shared` tells whether other organisations read a channel. `shared_channels`: post handoffs and
        shared answers there, too."""
        self._web = web
        self._me = me
        self._render_options = render_options
        self._shared = shared
        self._shared_channels = shared_channels

    async def open_sender(
        self, post: Announcement, target: AnnouncementTarget, recorder: PostRecorder
    ) -> SlackAnnouncementSender:
        """Return the sender. Raises Refused where people of another organisation would be asked, PostRefused where they
        would read a shared answer."""
        origin = await self._resolve_target(post, target)
        shares = isinstance(post, SharedAnswer)
        asks = isinstance(post, HandoffNotice) and post.about is NoticeKind.ASKED
        if (asks or shares) and not self._shared_channels and await self._shared(origin.channel):
            if shares:
                raise PostRefused(Translator(post.language)(wording.SHARED_CHANNEL))
            raise Refused("the channel where people are asked is shared with another organisation")
        return SlackAnnouncementSender(self._web, self._me, origin, post)

    async def find_posted(self, post: Announcement, target: AnnouncementTarget) -> str | None:
        origin = await self._resolve_target(post, target)
        names = await find_messages(self._web, self._me, origin, post.key)
        return SlackAnnouncementSender(self._web, self._me, origin, post).reference(names) if names else None

    async def _resolve_target(self, post: Announcement, target: AnnouncementTarget) -> SlackIndicatorTarget:
        since = post.posting_since.timestamp() - ANNOUNCEMENT_SKEW_SECONDS if post.posting_since else 0.0
        user = target.user if isinstance(target, PersonId) else ""
        channel = await self._direct_channel(user) if isinstance(target, PersonId) else target.channel
        thread = target.thread if isinstance(target, ConversationId) else ""
        thread = post.thread if isinstance(post, UploadStatus) else thread
        return SlackIndicatorTarget(channel=channel, thread=thread, ts=f"{since:.6f}", user=user, is_silent=True)

    async def _direct_channel(self, user: str) -> str:
        return str((await self._web.call("conversations.open", users=user))["channel"]["id"])

    async def render_handoff_notice(self, notice: HandoffNotice, texts: NoticeText) -> SlackPost:
        asks = notice.about is NoticeKind.ASKED
        link = await fetch_permalink(self._web, notice.handoff.origin.channel, notice.handoff.message) if asks else ""
        person = "" if asks else PersonId.parse(notice.handoff.asker).user
        blocks = render_notice_blocks(texts, notice.handoff.id, person, link)
        return SlackPost((), tuple(blocks), fallback_text(f"{texts.heading} {texts.quoted}"))

    def render_line(self, text: str) -> SlackPost:
        escaped = markup.escape_text(text)
        return SlackPost((), (section_block(escaped),), escaped)

    def render_auto_limit(self, notice: AutoLimitNotice) -> SlackPost:
        place = f"<#{notice.place.channel}>" if notice.place.platform == SLACK.name else f"`{notice.place}`"
        text = insights.auto_limit_text(notice, place)
        return SlackPost((), (section_block(text),), fallback_text(text))

    def render_panel(self, reply: Reply, marker: str) -> SlackPost:
        """Render the first message. Its metadata mark it, not `marker`."""
        return render_posts(reply)[0]

    def render_upload_status(self, status: UploadStatus) -> SlackPost:
        """Render the status, with the button that removes the document."""
        blocks = [literal_block(status.text), *([context_block(status.small)] if status.small else [])]
        if status.document:
            blocks.append(
                {"type": "actions", "elements": [button_block(status.back, TAKE_BACK_ACTION, status.document)]}
            )
        return SlackPost((), tuple(blocks), fallback_text(status.text))

    def render_shared(self, answer: Answer, above: Sequence[str]) -> Sequence[SlackPost]:
        return render_posts(parts.build_reply(answer, self._render_options, notes=above))


def interaction_error_text(error: CitewellError, translator: Translator) -> str:
    """Return the text for a failed interaction."""
    if isinstance(error, SlackRefused) and error.needed:
        return translator(words.NO_PERMISSION, permission=error.needed)
    if isinstance(error, SlackRefused) and error.error in ("not_in_channel", "channel_not_found"):
        return translator(words.NOT_MEMBER)
    return translator(wording.TRY_AGAIN)


def render_notice_blocks(texts: NoticeText, handoff_id: str, person: str, link: str) -> list[SlackBlock]:
    """Return the blocks of a handoff notice. It mentions `person`, so that they notice. Foreign text is rich text,
    where nothing is markup."""
    heading = shorten_label(texts.heading, 300)
    sources = _source_list(texts.sources)
    blocks = [section_block(f"<@{person}> {heading}" if person else f"*{heading}*")]
    blocks += [quote_block(texts.quoted)] if texts.quoted else []
    blocks += [literal_block(texts.found)] if texts.found else []
    blocks += [section_block(sources)] if sources else []
    blocks += [context_block(shorten_label(texts.note, 1_000))] if texts.note else []
    blocks += [section_block(f"<{link}|{texts.origin}>")] if link else []
    blocks += (
        [{"type": "actions", "elements": [button_block(texts.button, "resolve", handoff_id)]}] if texts.button else []
    )
    return blocks


async def fetch_permalink(web: SlackWebClient, channel: str, ts: str) -> str:
    """Return the address of a message; empty for a direct message, or where Slack has none."""
    if not ts or channel.startswith("D"):
        return ""
    try:
        return str((await web.call("chat.getPermalink", channel=channel, message_ts=ts)).get("permalink") or "")
    except SlackRefused:
        return ""


def _source_list(sources: Sequence[NoticeLink]) -> str:
    """Return a line for each source; one whose address does not fit a section goes without it."""
    lines: list[str] = []
    for source in sources:
        line = _source(source.text, source.url)
        lines.append(line if len("\n".join([*lines, line])) <= MAX_SOURCES_LENGTH else _source(source.text, ""))
    return "\n".join(lines)


def _source(title: str, url: str) -> str:
    return f"• <{url}|{shorten_label(title)}>" if url and markup.is_linkable(url) else f"• {shorten_label(title)}"
