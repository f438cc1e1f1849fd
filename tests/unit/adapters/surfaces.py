"""What each platform makes of an answer, and how a strict reader of that platform takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from rich.console import RenderableType

from adapters import console
from adapters.chat.reply import builder as parts
from adapters.chat.reply import panels
from adapters.discord.rendering import render as discord
from adapters.discord.rendering.components import build_card, build_layout
from adapters.slack.interactions.app_home import home_view
from adapters.slack.rendering import render as slack
from adapters.web.ask import conversations
from pipeline.translations import ENGLISH_TRANSLATOR
from pipeline.values import Answer, CitedSentence, Document, Preferences
from tests.contracts.console_driver import Terminal
from tests.doubles.discord import eyes as discord_eyes
from tests.doubles.discord.limits import refused
from tests.doubles.discord.world import COMPONENTS_V2
from tests.doubles.hostile import FRAGMENTS
from tests.doubles.icons import without_icons
from tests.doubles.page import Seen as Elements
from tests.doubles.slack import eyes as slack_eyes
from tests.doubles.slack.rules import wrong_blocks, wrong_view

_HIDDEN = "\u202e\u2066\u200e\x00\x1b\U000e0041\U000e0100\ue000"


class Seen(NamedTuple):
    """One message, or one view, as its reader meets it."""

    text: str
    links: frozenset[str] = frozenset()
    alive: frozenset[str] = frozenset()
    """What would notify somebody, or is markup that nobody meant."""
    wrong: str = ""
    """Why the platform would refuse it."""


class Surface(Protocol):
    fragments: Sequence[str]
    """What hostile text for it is put together from."""

    def answer(self, answer: Answer, notes: Sequence[str]) -> list[Seen]:
        """The messages of an answer."""
        ...

    def panels(self, answer: Answer) -> list[Seen]:
        """What is shown of it on request."""
        ...

    def growing(self, written: Sequence[CitedSentence], note: str) -> list[Seen]:
        """What is shown while it is being written."""
        ...

    def documents(self, documents: Sequence[Document]) -> list[Seen]:
        """The list of what is indexed."""
        ...


class Slack:
    fragments = FRAGMENTS

    def answer(self, answer: Answer, notes: Sequence[str]) -> list[Seen]:
        reply = parts.build_reply(answer, notes=notes, shareable=True, attachable=True)
        return [*map(_post, slack.render_posts(reply)), *(Seen(file.content) for file in reply.files)]

    def panels(self, answer: Answer) -> list[Seen]:
        shown = (panels.passages_panel(answer), panels.confidence_panel(answer), parts.text_reply(answer.preface))
        return [_post(post) for panel in shown for post in slack.render_posts(panel)]

    def growing(self, written: Sequence[CitedSentence], note: str) -> list[Seen]:
        """Every step of a short answer, and several of a long one: each shows again what came before."""
        before = text = ""
        for count in (*range(1, len(written), max(1, len(written) // 5)), len(written)):
            text = slack.render_streamed(parts.build_partial_reply(written[:count], notes=[note]))
            assert not text or text.startswith(before), "a stream cannot take back"
            before = text or before
        return [_blocks([{"type": "markdown", "text": text}], "-")] if text else []

    def documents(self, documents: Sequence[Document]) -> list[Seen]:
        view = home_view(documents, Preferences(), "".join(document.title for document in documents[:1]))
        return [_blocks(view["blocks"], "")._replace(wrong=str(wrong_view(view) or ""))]


def _post(post: slack.SlackPost) -> Seen:
    return _blocks(post.blocks, post.text)


def _blocks(blocks: list[dict[str, Any]], text: str) -> Seen:
    wrong = str(wrong_blocks(blocks) or "") or ("the text is too long" if len(text) > 4000 else "")
    return Seen(
        text=slack_eyes.readable(blocks),
        links=frozenset(slack_eyes.links(blocks, text)),
        alive=frozenset(slack_eyes.pings(blocks, text)),
        wrong=wrong,
    )


class Discord:
    fragments = (*FRAGMENTS, "<@!1>", "</forget:1>", "<id:guide>", "||", "-# ", "### ", ">>> ", "discord.gg/abc",
        "discord.com/invite/x", "[x](", ")", "<", ">", "\\")  # fmt: skip

    def answer(self, answer: Answer, notes: Sequence[str]) -> list[Seen]:
        pages = discord.render_pages(parts.build_reply(answer, notes=notes, shareable=True, attachable=True))
        return [*map(_page, pages), *(_text(text) for text in discord.render_plain(parts.build_reply(answer)))]

    def panels(self, answer: Answer) -> list[Seen]:
        texts = (
            *discord.render_texts(panels.passages_panel(answer)),
            *discord.render_texts(panels.confidence_panel(answer)),
        )
        return [_card(build_layout((text,)), text) for text in texts]

    def growing(self, written: Sequence[CitedSentence], note: str) -> list[Seen]:
        return [_page(discord.render_progress(parts.build_partial_reply(written, note), "Writing"))]

    def documents(self, documents: Sequence[Document]) -> list[Seen]:
        shown = panels.documents_panel(documents)
        return [_card(build_layout((text,)), text) for text in discord.render_texts(shown)]


def _page(page: discord.DiscordPage) -> Seen:
    return _card(build_card(page, root="123"), page.body, page.sources, page.status)


def _card(view: Any, *texts: str) -> Seen:
    return _written(texts, {"components": view.to_components(), "flags": COMPONENTS_V2})


def _text(text: str) -> Seen:
    return _written([text], {"content": text})


def _written(texts: Sequence[str], payload: dict[str, Any]) -> Seen:
    looks = [discord_eyes.look(text) for text in texts]
    return Seen(
        text="\n".join(look.text for look in looks),
        links=frozenset().union(*(look.links for look in looks)),
        alive=(frozenset(_HIDDEN) & frozenset("".join(texts))).union(*(look.pings | look.alive for look in looks)),
        wrong="; ".join(refused(payload)),
    )


class Console:
    fragments = (*FRAGMENTS, "\x1b]8;;https://evil.example\x1b\\", "\x1b]0;", "\x07", "\x9b", "\x1b", "\r", "\x08",
        "[link=https://evil.example]", "[bold]", "[/bold]", ":skull:")  # fmt: skip

    def answer(self, answer: Answer, notes: Sequence[str]) -> list[Seen]:
        return [_printed(console.render(answer, passages=True, why=True))]

    def panels(self, answer: Answer) -> list[Seen]:
        return []  # they are asked for together with the answer

    def growing(self, written: Sequence[CitedSentence], note: str) -> list[Seen]:
        return [_printed(console.render_draft(parts.build_partial_reply(written, note)))]

    def documents(self, documents: Sequence[Document]) -> list[Seen]:
        return []


def _printed(shown: RenderableType) -> Seen:
    terminal = Terminal()
    terminal.console.print(shown)
    look = terminal.look()
    return Seen(look.text, look.links, look.obeyed)


class Page:
    fragments = (*FRAGMENTS, '"', "'", '" onload="', "{{ 7*7 }}", "{% raw %}", "<img src=//evil.example>", "</p>",
        "</pre>", "<svg/onload=alert(1)>", "&quot;", "javascript:", "//evil.example")  # fmt: skip

    def answer(self, answer: Answer, notes: Sequence[str]) -> list[Seen]:
        return [
            _drawn(parts.build_reply(answer, notes=notes)),
            *(_drawn(one.passage) for one in conversations.source_previews(answer, ENGLISH_TRANSLATOR)),
        ]

    def panels(self, answer: Answer) -> list[Seen]:
        return [_drawn(panels.passages_panel(answer)), _drawn(panels.confidence_panel(answer))]

    def growing(self, written: Sequence[CitedSentence], note: str) -> list[Seen]:
        return [_drawn(parts.build_partial_reply(written, note))]

    def documents(self, documents: Sequence[Document]) -> list[Seen]:
        return [_drawn(panels.documents_panel(documents))]


_DRAWN = frozenset("p strong a span button h3 ol ul li div table thead tbody tr th td pre code blockquote".split())
_ATTRIBUTES = frozenset("class dir href rel start tabindex role aria-label scope type popovertarget".split())


def _drawn(reply: parts.Reply) -> Seen:
    html = without_icons(conversations.render_draft_html(reply, ENGLISH_TRANSLATOR))
    seen = Elements.of(html)
    tags = {tag for tag, _ in seen.elements} | {name for _, given in seen.elements for name in given}
    return Seen(
        text=seen.text,
        links=frozenset(str(link.get("href")) for link in seen.all("a")),
        alive=(tags - _DRAWN - _ATTRIBUTES) | (frozenset(_HIDDEN) & frozenset(html)),
    )
