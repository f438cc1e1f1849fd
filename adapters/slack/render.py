"""An answer -> the messages that show it. Pure.

Each message stays under every limit Slack has: 12,000 characters of Markdown, 50 blocks, about 13,000
characters in all, 3,000 in a text object, 4,000 in the `text` of `chat.update` (platform notes, A2 and A3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from adapters.slack import layout, markup
from adapters.slack.blocks import LABEL, Block, button, context, short
from pipeline import wording
from pipeline.compose import cite
from pipeline.values import Answer, Citation, CitationStyle, Outcome, Value

FALLBACK = 3_900
FOOTER = 8_000
CONTEXT = 3_000


class Look(Value):
    """What the operator wants shown below an answer."""

    citations: bool = True
    confidence: bool = True


@dataclass(frozen=True)
class Post:
    """One message: its Markdown, what stands below it, and the plain text for notifications and old clients."""

    markdown: str
    footer: tuple[Block, ...]
    text: str

    @property
    def blocks(self) -> list[Block]:
        shown = [{"type": "markdown", "text": self.markdown}] if self.markdown else []
        return [*shown, *self.footer]


def reply(answer: Answer, look: Look, notes: Sequence[str] = (), *, shareable: bool = False) -> list[Post]:
    """The messages of an answer, in order; `notes` are lines of ours about the question, put on top.

    Without notes, the Markdown of the first message is what `layout.Draft` streamed, unless the answer
    cites a page it also links to, or is marked in another style than by numbers."""
    posts = plain(layout.parts(answer, notes))
    footers = list(_footers(answer, look, shareable=shareable))
    if footers:
        posts[-1] = Post(markdown=posts[-1].markdown, footer=footers[0], text=posts[-1].text)
    return posts + [Post(markdown="", footer=footer, text=_SOURCES) for footer in footers[1:]]


def plain(texts: Iterable[str]) -> list[Post]:
    """Messages of nothing but Markdown."""
    return [Post(markdown=text, footer=(), text=fallback(text)) for text in texts]


def line(text: str) -> Post:
    """One message of our own words, or of foreign words as literal text."""
    return Post(markdown=markup.block(text, ()), footer=(), text=fallback(text))


def fallback(markdown: str) -> str:
    """Markdown as inert plain text of at most 3,900 characters; what is left out is said with ` …`."""
    text = markdown.replace("&lt;", "<").replace("&gt;", ">")
    whole = len(text)
    while len(markup.mrkdwn(text)) > FALLBACK:
        text = text[: len(text) * 9 // 10]
        text = text.rpartition(" ")[0] or text
    return markup.mrkdwn(text) + (" …" if len(text) < whole else "")


# --- What stands below the text -----------------------------------------------------------------

_SOURCES = "Sources"


def _footers(answer: Answer, look: Look, *, shareable: bool) -> Iterator[tuple[Block, ...]]:
    """The blocks below the answer, in groups that fit one message each."""
    group: list[Block] = []
    room = FOOTER
    for block in _footer(answer, look, shareable=shareable):
        size = len(str(block))
        if group and (size > room or len(group) >= 40):
            yield tuple(group)
            group, room = [], FOOTER
        group.append(block)
        room -= size
    if group:
        yield tuple(group)


def _footer(answer: Answer, look: Look, *, shareable: bool) -> Iterator[Block]:
    shown = answer.citations or answer.nearest
    if look.citations and shown:
        title = _SOURCES if answer.citations else wording.NEAREST
        texts = [f"*{title}*", *(source(citation, answer.citation_style) for citation in answer.citations)]
        texts += [_close(citation) for citation in answer.nearest]
        yield from _small_print(texts)
    if look.confidence and answer.sentences:
        yield context(f"{wording.badge(answer.confidence)} · {short(answer.reasoning, 500)}")
    if answer.sentences or answer.outcome is Outcome.NOT_FOUND:
        yield feedback(answer.id)
        if pressed := buttons(answer, shareable=shareable):
            yield {"type": "actions", "elements": pressed}


def _small_print(texts: Iterable[str]) -> Iterator[Block]:
    """Context blocks of at most ten texts, and of `CONTEXT` characters unless one text has more."""
    group: list[str] = []
    for text in texts:
        if group and (len(group) == 10 or sum(map(len, group)) + len(text) > CONTEXT):
            yield context(*group)
            group = []
        group.append(text)
    if group:
        yield context(*group)


def source(citation: Citation, style: CitationStyle = CitationStyle.NUMBERED) -> str:
    """One numbered source in mrkdwn: title, linked where it can be opened, place in it, and relevance."""
    label = short(citation.title or citation.filename)
    title = f"<{markup.mrkdwn(citation.url)}|{label}>" if markup.linkable(citation.url) else label
    where = short(cite.place(citation))
    parts = [f"{cite.listed(citation.number, style)} {title}", where, f"relevance {citation.score:.3f}"]
    return " · ".join(part for part in parts if part)


def _close(citation: Citation) -> str:
    """A source of no answer, with what in it comes closest."""
    quoted = cite.closest(citation)
    return f"{source(citation)}\n{short(quoted, 2 * LABEL)}" if quoted else source(citation)


def feedback(answer_id: str) -> Block:
    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "rate",
                "positive_button": {
                    "text": {"type": "plain_text", "text": "Helpful"},
                    "value": f"helpful:{answer_id}",
                    "accessibility_label": "This answer was helpful",
                },
                "negative_button": {
                    "text": {"type": "plain_text", "text": "Not helpful"},
                    "value": f"unhelpful:{answer_id}",
                    "accessibility_label": "This answer was not helpful; opens a form for the reason",
                },
            }
        ],
    }


def buttons(answer: Answer, *, shareable: bool) -> list[Block]:
    """What can be pressed for more about the answer, where there is more."""
    elements = [button("Show passages", "passages", answer.id)] if answer.citations or answer.nearest else []
    if answer.sentences:
        elements.append(button("Why this confidence?", "why", answer.id))
    if shareable:
        elements.append(button("Share in channel", "share", answer.id))
    return elements
