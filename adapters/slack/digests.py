"""The weekly digest, posted once and found again by its mark."""

from __future__ import annotations

from adapters.replies import insights
from adapters.slack.audience import Audiences
from adapters.slack.incoming import Me
from adapters.slack.notices import EVENT_TYPE, find_marked
from adapters.slack.render import posts
from adapters.slack.reply import QUIET
from adapters.slack.web import POST, Web
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import Readers
from pipeline.values.digest import Digest
from pipeline.values.insights import Insights


class Digests:
    def __init__(self, web: Web, me: Me, audiences: Audiences) -> None:
        self._web = web
        self._me = me
        self._audiences = audiences

    async def readers(self, digest: Digest) -> Readers:
        of = self._audiences.of_person if digest.personal else self._audiences.of_channel
        return await of(digest.target)

    async def post(self, digest: Digest, seen: Insights, speech: Words, receipt: Receipt) -> None:
        """One message; what it has no room for is left out. Raises Declined or Unavailable."""
        first = posts(insights.panel(seen, speech, entries=insights.FEW))[0]
        marked = {"event_type": EVENT_TYPE, "event_payload": {"key": _key(digest)}}
        await self._web.turn(digest.target)
        await receipt.posting()
        posted = await self._web.call(
            POST, channel=digest.target, text=first.text, blocks=first.blocks, metadata=marked, **QUIET
        )
        await receipt.posted(str(posted["ts"]))

    async def find(self, digest: Digest) -> str | None:
        channel = digest.target
        if digest.personal:
            channel = str((await self._web.call("conversations.open", users=channel))["channel"]["id"])
        return await find_marked(self._web, self._me, {"channel": channel}, _key(digest), digest.posting_since)


def _key(digest: Digest) -> str:
    return f"digest:{digest.week}"
