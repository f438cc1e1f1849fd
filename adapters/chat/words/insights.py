"""Insights in chat: the short form, as parts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adapters.chat.reply.cut import one_line
from adapters.chat.reply.parts import Block, Code, Heading, Listing, Paragraph, Reply, Text
from adapters.chat.words.advice import advice, draft
from pipeline.translations import Message, Plural, Words
from pipeline.values.insights import Insights, QuestionGroup
from pipeline.values.posting import Spent
from pipeline.words import wording

DAYS = 30
ENTRIES, FEW = 5, 3
"""Of each list; in one message."""
QUESTION, TITLE = 200, 120
"""Characters of each that are shown."""
ADMINS_ONLY = Message("Only an admin may see what was asked. Whoever runs me says who is one.")
ASKED_BETWEEN = Message("What was asked from {since} to {until}")
NUMBERS = Message(
    "{asked} asked, {answered} answered, {partial} partly, {not_found} not found, {unhelpful} rated as not helpful."
)
GAPS, MOST, APART, OLD = (
    Message("Gaps: what to write"),
    Message("Asked most"),
    Message("Documents that do not agree"),
    Message("Cited most, and older than a year"),
)
DRAFT = Message("A draft for {question}:")
NEVER = Plural("{number} document was never cited.", "{number} documents were never cited.")
_TIMES = Plural("asked once", "asked {number} times")
_PEOPLE = Plural("by {number} person", "by {number} people")
_SPENT = Plural(
    "In {place} I gave {number} answer unasked within an hour, all that `auto_per_hour` allows. "
    "Until the hour is over I answer only who mentions me there.",
    "In {place} I gave {number} answers unasked within an hour, all that `auto_per_hour` allows. "
    "Until the hour is over I answer only who mentions me there.",
)
_GROUP = Message("{question} ({times} {people})")


def panel(seen: Insights, speech: Words, *, entries: int = ENTRIES) -> Reply:
    """A message's worth of it: people are counted, never named."""
    return Reply(blocks=tuple(_blocks(seen, speech, entries)), language=speech.language)


def _blocks(seen: Insights, speech: Words, entries: int) -> Iterator[Block]:
    yield Heading(text=Text(text=speech(ASKED_BETWEEN, since=seen.since, until=seen.until)))
    yield _said(speech(NUMBERS, **seen.counts.model_dump(exclude={"failed"})))
    yield from _list(
        speech(GAPS), (f"{_group(gap.group, speech)}. {advice(gap, speech)}" for gap in seen.gaps), entries
    )
    yield from _list(speech(MOST), (_group(group, speech) for group in seen.most_asked), entries)
    apart = (" · ".join(one_line(paper.title, TITLE) for paper in one.papers) for one in seen.contradictions)
    yield from _list(speech(APART), apart, entries)
    yield from _list(
        speech(OLD), (f"{one_line(old.paper.title, TITLE)} ({old.changed})" for old in seen.outdated), entries
    )
    if seen.never_cited:
        yield _said(speech.count(NEVER, len(seen.never_cited)))
    for gap in seen.gaps[:1]:
        yield _said(speech(DRAFT, question=wording.quoted(one_line(gap.group.question, QUESTION), speech)))
        yield Code(text=draft(gap, speech))


def _said(text: str) -> Paragraph:
    return Paragraph(sentences=(Text(text=text),))


def _list(heading: str, entries: Iterable[str], most: int) -> Iterator[Block]:
    listed = tuple(Text(text=entry) for entry in list(entries)[:most])
    if listed:
        yield Heading(text=Text(text=heading))
        yield Listing(items=listed)


def _group(group: QuestionGroup, speech: Words) -> str:
    return speech(
        _GROUP,
        question=wording.quoted(one_line(group.question, QUESTION), speech),
        times=speech.count(_TIMES, group.count),
        people=speech.count(_PEOPLE, group.people),
    )


def spent(report: Spent, place: str) -> str:
    """That a place, as the platform writes it, has had its answers of an hour."""
    return Words(report.language).count(_SPENT, report.per_hour, place=place)
