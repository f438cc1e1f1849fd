"""What is shown to one person on request, as parts. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adapters.chat.reply import labels as words
from adapters.chat.reply.answer import plain, source
from adapters.chat.reply.cut import NAME, one_line
from adapters.chat.reply.parts import Block, Code, Heading, Listing, Note, Paragraph, Quote, Reply, Source, Table, Text
from pipeline.translations import ENGLISH, LANGUAGES, Message, Words
from pipeline.values import (
    AS_SET,
    Answer,
    Cells,
    Citation,
    Document,
    Factor,
    Preferences,
)
from pipeline.words import canned, wording

LISTED = 20
"""Documents that a list of them names."""
_RAW = frozenset({"specifics", "length", "wording", "sources", "supported"})
"""Parts of a confidence that say nothing to whoever did not make it, or what the line below them says."""


def passages(answer: Answer) -> Reply:
    """The exact spans that were quoted, each under its source; all that stands there, where the answer is not sure."""
    speech = Words(answer.language)
    blocks = [block for citation in answer.sources for block in _passage(citation, speech)]
    return Reply(blocks=tuple(blocks) or (Note(text=speech(wording.NO_PASSAGE)),))


def passage(citation: Citation, speech: Words = ENGLISH) -> Reply:
    """The same of one source."""
    return Reply(blocks=tuple(_passage(citation, speech)), language=speech.language)


def why(answer: Answer) -> Reply:
    """What the confidence is made of, in sentences."""
    confidence, speech = answer.confidence, Words(answer.language)
    told = [factor.text for factor in confidence.reasons if _told(factor)]
    if len(answer.citations) > 1:
        told += [wording.factor(words.FITS, one.score, speech, title=source(one).title) for one in answer.citations]
    said = {sentence.text for sentence in answer.sentences}
    told += [wording.left_out(claim, speech) for claim in answer.ungrounded_claims if claim not in said]
    notes = filter(None, (answer.reasoning, wording.written_by(answer.usage, speech)))
    return Reply(
        blocks=(
            Heading(text=Text(text=f"{wording.badge(confidence, speech)} ({confidence.score:.0%})")),
            Listing(items=tuple(Text(text=text) for text in told)),
            *(Note(text=text) for text in notes),
        )
    )


def _told(factor: Factor) -> bool:
    """Whether a part of a confidence says something to whoever did not make it."""
    nobody_else = factor.name == "agreement" and not factor.value
    return factor.name not in _RAW and not nobody_else


def documents(found: Sequence[Document], speech: Words = ENGLISH) -> Reply:
    """What is indexed and visible, by collection: the first of them by name, and how many more there are."""
    if not found:
        return plain(speech(canned.EMPTY_KNOWLEDGE_BASE))
    counted = speech.count(words.DOCUMENTS, len(found))
    blocks: list[Block] = [Heading(text=Text(text=counted))]
    listed = found[:LISTED]
    for collection in dict.fromkeys(document.collection for document in listed):
        named = [document for document in listed if document.collection == collection]
        blocks += [Heading(text=Text(text=collection)), Listing(items=tuple(map(_titled, named)))]
    if more := len(found) - len(listed):
        blocks.append(Paragraph(sentences=(Text(text=speech(words.MORE, count=more)),)))
    return Reply(blocks=tuple(blocks))


def _titled(document: Document) -> Text:
    title = one_line(document.title, NAME) or one_line(document.filename, NAME)
    return Text(text=title or document.id, url=document.url)


def _passage(citation: Citation, speech: Words) -> Iterator[Block]:
    yield Heading(text=Text(text=line(source(citation, speech=speech))))
    for one in citation.parts:
        if one.header or one.rows:
            yield Table(header=_cells(one.header), rows=tuple(map(_cells, one.rows)))
        else:
            yield Code(text=one.text) if one.code else Quote(text=one.text)
    if not citation.parts:
        yield Quote(text=citation.passage or citation.quote or citation.snippet)


def _cells(row: Cells) -> tuple[Text, ...]:
    return tuple(Text(text=cell, literal=True) for cell in row)


def line(source: Source) -> str:
    """A source as words."""
    return " · ".join(part for part in (f"{source.mark} {source.title}", source.place, source.date) if part)


# --- How a person wants to be answered ------------------------------------------------------------------

STYLES: Mapping[str, Message] = {AS_SET: words.AS_SET, **words.STYLES}
CITATIONS: Mapping[str, Message] = {AS_SET: words.AS_SET, **words.MARKS}
TONGUES: Mapping[str, Message] = {
    AS_SET: words.LANGUAGE_AS_SET,
    **{language: Message(name) for language, name in LANGUAGES.items()},
}
CHOICES: Mapping[str, Mapping[str, Message]] = {"style": STYLES, "citations": CITATIONS, "language": TONGUES}
"""What can be chosen, by the field of `Preferences`: value -> name."""


def chosen(preferences: Preferences) -> dict[str, str]:
    """The value that is in force for each choice."""
    values = preferences.model_dump()
    return {field: str(values[field] or AS_SET) for field in CHOICES}


def preferences(now: Preferences, speech: Words = ENGLISH, command: str = "preferences") -> str:
    """What is set, and how to change it, in our own Markdown."""
    offered = {field: (CHOICES[field].get(value), value) for field, value in chosen(now).items()}
    names = {field: speech(name) if name else value for field, (name, value) in offered.items()}
    return speech(words.PREFERENCES, preferences=command, **names)
