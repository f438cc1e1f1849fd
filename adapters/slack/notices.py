"""What the bot posts by itself: a question for people, what its asker hears, the weekly digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from adapters.replies import insights
from adapters.replies.handoff import Link, Told, told
from adapters.slack import markup
from adapters.slack.audience import Audiences
from adapters.slack.blocks import Block, button, context, quoted, said, section, short
from adapters.slack.incoming import Me
from adapters.slack.pages import pages
from adapters.slack.render import Post, fallback, posts
from adapters.slack.reply import QUIET
from adapters.slack.web import POST, Declined, Web
from pipeline.errors import Refused
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import About, Answer, Notice, PersonId
from pipeline.values.digest import Digest
from pipeline.values.insights import Insights

EVENT_TYPE = "citewell_notice"
SLACK_SECONDS = 60.0
"""How far the clocks may differ when a notice is looked for."""
LISTED = 2_000
"""Characters of sources with their addresses: with the names of all others, less than a section takes."""


class Notices:
    """Posts each once, marked with its key, by which it is found again."""

    def __init__(self, web: Web, me: Me, audiences: Audiences, *, shared_channels: bool) -> None:
        """`shared_channels`: questions are asked where other organisations read along, too."""
        self._web = web
        self._me = me
        self._audiences = audiences
        self._shared_channels = shared_channels

    async def notify(self, notice: Notice, answer: Answer | None, receipt: Receipt) -> None:
        """Post it. Raises Declined or Unavailable, and Refused where people of another organisation would be asked."""
        where = self._where(notice)
        asks = notice.about is About.ASKED
        if asks and not self._shared_channels and await self._audiences.shared(where["channel"]):
            raise Refused("the channel where people are asked is shared with another organisation")
        link = await permalink(self._web, notice.handoff.origin.channel, notice.handoff.message) if asks else ""
        shown = told(notice, answer)
        person = "" if asks else PersonId.parse(notice.handoff.asker).user
        post = Post(
            (), tuple(blocks(shown, notice.handoff.id, person, link)), fallback(f"{shown.heading} {shown.quoted}")
        )
        await self._post(where, notice.key, post, receipt)

    async def find_notice(self, notice: Notice) -> str | None:
        """Look for it where it belongs, since shortly before it was to be posted."""
        where = self._where(notice)
        if notice.handoff.private and notice.about is not About.ASKED:
            where = await self._direct(where["channel"])
        return await self._find(where, notice.key, notice.posting_since)

    async def post_digest(self, digest: Digest, seen: Insights, speech: Words, receipt: Receipt) -> None:
        """One message; what it has no room for is left out. Raises Declined or Unavailable."""
        first = posts(insights.panel(seen, speech, entries=insights.FEW))[0]
        await self._post({"channel": digest.target}, digest.key, first, receipt)

    async def find_digest(self, digest: Digest) -> str | None:
        where = await self._direct(digest.target) if digest.personal else {"channel": digest.target}
        return await self._find(where, digest.key, digest.posting_since)

    async def _post(self, where: Mapping[str, str], key: str, post: Post, receipt: Receipt) -> None:
        await self._web.turn(where["channel"])
        await receipt.posting()
        marked = {"event_type": EVENT_TYPE, "event_payload": {"key": key}}
        posted = await self._web.call(POST, **where, text=post.text, blocks=post.blocks, metadata=marked, **QUIET)
        await receipt.posted(str(posted["ts"]))

    async def _find(self, where: Mapping[str, str], key: str, posting_since: datetime | None) -> str | None:
        """Our message in a channel or thread that is marked with `key`, since shortly before it was to be posted."""
        since = posting_since.timestamp() - SLACK_SECONDS if posting_since else 0.0
        wanted: dict[str, Any] = {"channel": where["channel"], "oldest": f"{since:.6f}", "include_all_metadata": True}
        method = "conversations.history"
        if thread := where.get("thread_ts"):
            method, wanted = "conversations.replies", {**wanted, "ts": thread}
        async for page in pages(self._web, method, "messages", limit=200, **wanted):
            for message in page:
                payload = (message.get("metadata") or {}).get("event_payload") or {}
                if message.get("user") == self._me.user and payload.get("key") == key:
                    return str(message["ts"])
        return None

    async def _direct(self, user: str) -> dict[str, str]:
        return {"channel": str((await self._web.call("conversations.open", users=user))["channel"]["id"])}

    def _where(self, notice: Notice) -> dict[str, str]:
        handoff = notice.handoff
        if notice.about is About.ASKED:
            return {"channel": handoff.target.channel}
        if handoff.private:
            return {"channel": PersonId.parse(handoff.asker).user}
        return {"channel": handoff.origin.channel, "thread_ts": handoff.origin.thread}


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


def _listed(sources: Sequence[Link]) -> str:
    """A line each; what does not fit a section with its address is named without it."""
    lines: list[str] = []
    for source in sources:
        line = _source(source.text, source.url)
        lines.append(line if len("\n".join([*lines, line])) <= LISTED else _source(source.text, ""))
    return "\n".join(lines)


def _source(title: str, url: str) -> str:
    return f"• <{url}|{short(title)}>" if url and markup.linkable(url) else f"• {short(title)}"
