"""An answer as Discord messages: pure, and within Discord's limits whatever the answer holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.discord import limits
from adapters.discord.body import body, sentences
from adapters.discord.markdown import escape, inline, link
from adapters.discord.split import Piece, pack
from pipeline import wording
from pipeline.compose.cite import closest, place
from pipeline.values import Answer, Citation, CitedSentence, Document, Outcome, Stage, Value

TITLE, PLACE = 120, 160
"""Characters of a title and of a place in it that a source line shows."""
ASKED = 500
"""Characters of a question above its shared answer."""
LISTED = 20
"""Documents that a list of them names."""
BODY = limits.TEXT - 40
"""Room for the text of one message: the rest is for `Part 2 of 3`."""
_RATED = (Outcome.ANSWERED, Outcome.PARTIAL, Outcome.NOT_FOUND)


class Look(Value):
    """What the operator wants shown below an answer."""

    citations: bool = True
    confidence: bool = True


EVERYTHING = Look()


class Page(Value):
    """One message of a reply: its texts from top to bottom, together at most 4,000 characters."""

    body: str = ""
    sources: str = ""
    status: str = ""
    """A line in small print."""
    answer_id: str = ""
    """Set on the page that carries the buttons."""
    explained: bool = False
    """There are passages to show and a confidence to explain."""


def pages(answer: Answer, look: Look = EVERYTHING, *, part_room: int = BODY) -> tuple[Page, ...]:
    """The whole answer. All but the last page hold text only."""
    texts = pack(body(answer), part_room)
    sources = pack(_sources(answer), part_room) if look.citations else []
    status = _status(answer, look)
    together = texts[-1:] + sources[:1] + [status]
    if len(texts) and len(sources) == 1 and limits.length("".join(together)) <= part_room:
        drafts = [Page(body=text) for text in texts[:-1]] + [Page(body=texts[-1], sources=sources[0])]
    else:
        drafts = [Page(body=text) for text in texts] + [Page(sources=text) for text in sources]
    if limits.length(drafts[-1].body + drafts[-1].sources + status) > part_room:
        drafts.append(Page())
    rated = answer.outcome in _RATED and bool(answer.sentences or answer.nearest)
    last = {"status": status, "answer_id": answer.id if rated else "", "explained": bool(answer.sentences)}
    drafts[-1] = drafts[-1].model_copy(update=last)
    numbered = [
        page.model_copy(update={"status": f"-# Part {number} of {len(drafts)}"})
        for number, page in enumerate(drafts[:-1], start=1)
    ]
    return (*numbered, drafts[-1])


def shared(answer: Answer, asker: str, look: Look = EVERYTHING) -> tuple[Page, ...]:
    """`pages` for everyone in a channel, under who asked what."""
    asked = escape(_short(" ".join(answer.question.split()), ASKED))
    heading = f"> {asked}\n-# asked by {escape(_short(asker, TITLE))}"
    first, *rest = pages(answer, look, part_room=BODY - limits.length(heading) - 2)
    return (first.model_copy(update={"body": f"{heading}\n\n{first.body}".rstrip()}), *rest)


def progress(written: Sequence[CitedSentence], preface: str, stage: Stage) -> Page:
    """What is shown while the answer is being written: the beginning of what `pages` will show."""
    texts = pack(sentences(written, preface=preface), BODY)
    return Page(body=texts[0] if texts else "", status=f"-# {wording.PROGRESS[stage]} …")


def plain(answer: Answer, look: Look = EVERYTHING) -> tuple[str, ...]:
    """The answer as message contents, for where components cannot be shown: at most 2,000 characters each."""
    pieces = [*body(answer), *(_sources(answer, gap="\n\n") if look.citations else ())]
    if status := _status(answer, look):
        pieces.append(Piece(status, "\n\n"))
    return tuple(pack(pieces, limits.CONTENT))


def passages(answer: Answer) -> tuple[str, ...]:
    """The exact quoted spans behind each number."""
    pieces = []
    for citation in answer.citations or answer.nearest:
        pieces.append(Piece(_source(citation), "\n\n"))
        quote = citation.quote or citation.snippet
        pieces += [Piece(f"> {escape(line)}", "\n") for line in quote.splitlines() if line.strip()]
    return tuple(pack(pieces or [Piece("This answer rests on no passage.")], BODY))


def why(answer: Answer) -> tuple[str, ...]:
    """What the confidence is made of."""
    confidence = answer.confidence
    pieces = [
        Piece(f"**{escape(wording.badge(confidence))}** ({confidence.score:.0%})"),
        Piece(escape(answer.reasoning), "\n"),
    ]
    pieces += [
        Piece(f"- {escape(factor.name)}: {factor.value:.2f} – {escape(factor.text)}", "\n")
        for factor in confidence.reasons
    ]
    said = {sentence.text for sentence in answer.sentences}
    left_out = (claim for claim in answer.ungrounded_claims if claim not in said)
    pieces += [Piece(f"- {wording.left_out(escape(claim))}", "\n") for claim in left_out]
    pieces.append(Piece(escape(wording.written_by(answer.usage)), "\n"))
    return tuple(pack(pieces, BODY))


def documents(found: Sequence[Document]) -> tuple[str, ...]:
    """What is indexed and visible, by collection: the first of them by name, and how many more there are."""
    if not found:
        return (inline(wording.EMPTY_KNOWLEDGE_BASE),)
    pieces = [Piece(f"**{len(found)} {'document' if len(found) == 1 else 'documents'}** you may see here:")]
    listed = found[:LISTED]
    for collection in dict.fromkeys(document.collection for document in listed):
        pieces.append(Piece(f"**{escape(collection)}**", "\n\n"))
        named = [document for document in listed if document.collection == collection]
        pieces += [Piece(f"- {link(_short(one.title, TITLE), one.url)}", "\n") for one in named]
    if more := len(found) - len(listed):
        pieces.append(Piece(f"… and {more} more", "\n\n"))
    return tuple(pack(pieces, BODY))


def _status(answer: Answer, look: Look) -> str:
    if not (look.confidence and answer.sentences):
        return ""
    return f"-# {escape(f'{wording.badge(answer.confidence)} · {answer.reasoning}')}"


def _sources(answer: Answer, *, gap: str = "") -> Iterator[Piece]:
    shown = answer.citations or answer.nearest
    if not shown:
        return
    yield Piece("**Sources**" if answer.citations else f"**{wording.NEAREST}:**", gap)
    for citation in shown:
        yield Piece(f"{_source(citation)} · relevance {citation.score:.3f}", "\n")
        if answer.nearest and (quoted := closest(citation)):
            yield Piece(f"> {escape(quoted)}", "\n")


def _source(citation: Citation) -> str:
    where = _short(place(citation), PLACE)
    named = link(_short(citation.title or citation.filename, TITLE), citation.url)
    return f"\\[{citation.number}\\] {named}{f' – {escape(where)}' if where else ''}"


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"
