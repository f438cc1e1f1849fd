"""The parts of a reply -> the messages that show it. Pure.

Each message stays under every limit Slack has: 12,000 characters of Markdown, 50 blocks, about 13,000
characters in all, 3,000 in a text object, 4,000 in the `text` of `chat.update` (platform notes, A2 and A3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from adapters.replies import answer, words
from adapters.replies.cut import Kind, Message, Piece, Segment, pack
from adapters.replies.cut import words as cut
from adapters.replies.markdown import listed, marks, pieces, with_own
from adapters.replies.parts import Button, Quote, Reply, Source, Table, Text
from adapters.slack import markup
from adapters.slack.blocks import LABEL, Block, button, context, preformatted, quoted, short
from pipeline.translations import ENGLISH, Words

PART = 3_500
"""Characters of one message: its plain-text twin then fits `chat.update` (4,000) as well."""
SEGMENT = 150
"""Characters that a block takes besides its text."""
ROW = 3_000
FALLBACK = 3_900
FOOTER = 8_000
CONTEXT = 3_000


@dataclass(frozen=True)
class Post:
    """One message: what it says, what stands below and above, and the plain text for notifications and old clients."""

    message: Message
    footer: tuple[Block, ...]
    text: str
    header: tuple[Block, ...] = ()

    @property
    def markdown(self) -> str:
        """All it says, where that is Markdown and nothing else: what a stream can end as."""
        return self.message[0].text if len(self.message) == 1 and self.message[0].kind is Kind.TEXT else ""

    @property
    def blocks(self) -> list[Block]:
        return [*self.header, *map(_block, self.message), *self.footer]


class Markdown:
    """What the `markdown` block takes, streams too."""

    below_heading = "\n\n"

    def inline(self, text: str, links: Mapping[str, str]) -> str:
        return markup.inline(text, links)

    def literal(self, text: str) -> str:
        return markup.inline(text, {})

    def link(self, text: str, url: str) -> str:
        return f"[{self.literal(text)}]({url})" if markup.linkable(url) else self.literal(text)

    def note(self, text: str) -> str:
        return markup.inline(text, {})

    def code(self, line: str) -> str:
        return line

    def quote(self, quote: Quote) -> Iterator[Piece]:
        for part in cut(quote.text, PART - 2 * SEGMENT):
            yield Piece(part, "\n", Kind.QUOTE)

    def table(self, table: Table, links: Mapping[str, str]) -> Iterator[Piece]:
        columns = max(map(len, (table.header, *table.rows)))
        rows = [_row([self._cell(cell, links) for cell in row], columns) for row in (table.header, *table.rows)]
        if not (table.header and table.rows) or max(map(len, rows)) > ROW // 2:
            yield from listed(table, self, links)
            return
        head = f"{rows[0]}\n{_row(['---'] * columns, columns)}"
        yield Piece(head)
        for row in rows[1:]:
            yield Piece(row, "\n", head=head)

    def _cell(self, cell: Text, links: Mapping[str, str]) -> str:
        told = self.inline(cell.text, with_own(cell, links, cell.text))
        return f"{cell.warning}{told}{marks(cell, self)}".replace("|", "∣")


MARKDOWN = Markdown()


def posts(reply: Reply) -> list[Post]:
    """The messages of a reply, in order; below the last one its sources and its buttons.

    The Markdown of the first is what was streamed of it, unless that had no files and no single source yet."""
    made = [_post(message) for message in pack(pieces(reply.blocks, MARKDOWN, reply.links), PART, around=SEGMENT)]
    footers = list(_footers(reply))
    made = made or ([] if footers else [line("-")])
    if footers:
        last = made.pop() if made else Post((), (), reply.sources_title)
        made.append(Post(last.message, footers[0], last.text))
    return made + [Post((), footer, reply.sources_title) for footer in footers[1:]]


def streamed(reply: Reply) -> str:
    """A growing reply as Markdown that only ever gets longer; empty where it fits no one message.

    A table is not there before it is whole: how it is shown depends on all of its rows."""
    held = 1 if reply.blocks and isinstance(reply.blocks[-1], Table) else 0
    begun = reply.blocks[: len(reply.blocks) - held]
    messages = pack(pieces(begun, MARKDOWN, reply.links), PART, around=SEGMENT)
    return "\n\n".join(map(_fenced, messages[0])) if len(messages) == 1 else ""


def line(text: str) -> Post:
    """One message of our own words, or of foreign words as literal text."""
    (post, *_) = posts(answer.plain(text or "-"))
    return post


def fallback(markdown: str) -> str:
    """Markdown as inert plain text of at most 3,900 characters; what is left out is said with ` …`."""
    text = markdown.replace("&lt;", "<").replace("&gt;", ">")
    whole = len(text)
    while len(markup.mrkdwn(text)) > FALLBACK:
        text = text[: len(text) * 9 // 10]
        text = text.rpartition(" ")[0] or text
    return markup.mrkdwn(text) + (" …" if len(text) < whole else "")


def _post(message: Message) -> Post:
    return Post(message, (), fallback("\n".join(segment.text for segment in message)))


def _block(segment: Segment) -> Block:
    match segment.kind:
        case Kind.CODE:
            return preformatted(segment.text)
        case Kind.QUOTE:
            return quoted(segment.text)
    return {"type": "markdown", "text": segment.text}


def _fenced(segment: Segment) -> str:
    if segment.kind is not Kind.CODE:
        return segment.text
    return f"```{segment.language}\n{markup.code(segment.text)}\n```"


def _row(cells: Sequence[str], columns: int) -> str:
    return f"| {' | '.join([*(cell or ' ' for cell in cells), *[' '] * (columns - len(cells))])} |"


# --- What stands below the text -----------------------------------------------------------------


def _footers(reply: Reply) -> Iterator[tuple[Block, ...]]:
    """The blocks below the answer, in groups that fit one message each."""
    group: list[Block] = []
    room = FOOTER
    for block in _footer(reply):
        size = len(str(block))
        if group and (size > room or len(group) >= 20):
            yield tuple(group)
            group, room = [], FOOTER
        group.append(block)
        room -= size
    if group:
        yield tuple(group)


def _footer(reply: Reply) -> Iterator[Block]:
    speech = Words(reply.language)
    if reply.sources:
        yield from _small_print([f"*{reply.sources_title}*", *map(source, reply.sources)])
    if reply.status:
        yield context(short(reply.status))
    if Button.HELPFUL in reply.actions:
        yield feedback(reply.answer_id, speech)
    pressed = [action for action in reply.actions if action not in (Button.HELPFUL, Button.UNHELPFUL)]
    if pressed:
        labels = {**{action: speech(label) for action, label in words.LABELS.items()}, Button.ASK: reply.ask}
        values = {Button.ADD: reply.adds}
        elements = [button(labels[action], action.value, values.get(action, reply.answer_id)) for action in pressed]
        yield {"type": "actions", "elements": elements}


def _small_print(lines: Iterable[str]) -> Iterator[Block]:
    """Lines under each other, as context blocks of at most `CONTEXT` characters."""
    group: list[str] = []
    for text in lines:
        if group and sum(len(one) + 1 for one in group) + len(text) > CONTEXT:
            yield context("\n".join(group))
            group = []
        group.append(text)
    if group:
        yield context("\n".join(group))


def source(source: Source) -> str:
    """One line of mrkdwn, and what in it comes closest below."""
    label = short(source.title)
    title = f"<{markup.mrkdwn(source.url)}|{label}>" if markup.linkable(source.url) else label
    told = " · ".join(part for part in (f"{source.mark} {title}", short(source.place), short(source.date)) if part)
    return f"{told}\n{short(source.quote, 2 * LABEL)}" if source.quote else told


def feedback(answer_id: str, speech: Words = ENGLISH) -> Block:
    """A thumb up and a thumb down."""

    def side(action: Button, vote: str) -> Block:
        return {
            "text": {"type": "plain_text", "text": speech(words.LABELS[action]).partition(" ")[2]},
            "value": f"{vote}:{answer_id}",
            "accessibility_label": speech(words.DESCRIBED[action]),
        }

    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "rate",
                "positive_button": side(Button.HELPFUL, "helpful"),
                "negative_button": side(Button.UNHELPFUL, "unhelpful"),
            }
        ],
    }
