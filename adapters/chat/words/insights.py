"""Insights in chat: the short form, as blocks. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adapters.chat.reply.parts import Reply, ReplyBlock, ReplyCode, ReplyHeading, ReplyList, ReplyParagraph, ReplyText
from adapters.chat.reply.splitting import sanitize_line
from adapters.chat.words.advice import gap_advice, gap_draft
from pipeline.translations import PluralText, TranslatableText, Translator
from pipeline.values.insights import Insights, QuestionGroup
from pipeline.values.posting import AutoLimitNotice
from pipeline.words import wording

INSIGHTS_DAYS = 30
MAX_PANEL_ENTRIES, MAX_DIGEST_ENTRIES = 5, 3
"""Entries of each list, in a panel and in the weekly digest."""
QUESTION_LINE, TITLE_LINE = 200, 120
"""Characters of each that are shown."""
INSIGHTS_ADMINS_ONLY = TranslatableText("Only an admin may see what was asked. Whoever runs me says who is one.")
ASKED_BETWEEN = TranslatableText("What was asked from {since} to {until}")
QUESTION_COUNTS = TranslatableText(
    "{asked} asked, {answered} answered, {partial} partly, {not_found} not found, {unhelpful} rated as not helpful."
)
GAPS_HEADING, MOST_USED_HEADING, CONTRADICTIONS_HEADING, STALE_HEADING = (
    TranslatableText("Gaps: what to write"),
    TranslatableText("Asked most"),
    TranslatableText("Documents that do not agree"),
    TranslatableText("Cited most, and older than a year"),
)
DRAFT_FOR = TranslatableText("A draft for {question}:")
NEVER_CITED_COUNT = PluralText("{number} document was never cited.", "{number} documents were never cited.")
_TIMES = PluralText("asked once", "asked {number} times")
_PEOPLE = PluralText("by {number} person", "by {number} people")
_SPENT = PluralText(
    "In {place} I gave {number} answer unasked within an hour, all that `auto_per_hour` allows. "
    "Until the hour is over I answer only who mentions me there.",
    "In {place} I gave {number} answers unasked within an hour, all that `auto_per_hour` allows. "
    "Until the hour is over I answer only who mentions me there.",
)
_GROUP = TranslatableText("{question} ({times} {people})")


def insights_panel(seen: Insights, speech: Translator, *, entries: int = MAX_PANEL_ENTRIES) -> Reply:
    """Build insights that fit one message. People are counted, never named."""
    return Reply(blocks=tuple(_blocks(seen, speech, entries)), language=speech.language)


def _blocks(seen: Insights, speech: Translator, entries: int) -> Iterator[ReplyBlock]:
    yield ReplyHeading(text=ReplyText(text=speech(ASKED_BETWEEN, since=seen.since, until=seen.until)))
    yield _said(speech(QUESTION_COUNTS, **seen.counts.model_dump(exclude={"failed"})))
    yield from _list(
        speech(GAPS_HEADING), (f"{_group(gap.group, speech)}. {gap_advice(gap, speech)}" for gap in seen.gaps), entries
    )
    yield from _list(speech(MOST_USED_HEADING), (_group(group, speech) for group in seen.most_asked), entries)
    apart = (" · ".join(sanitize_line(paper.title, TITLE_LINE) for paper in one.papers) for one in seen.contradictions)
    yield from _list(speech(CONTRADICTIONS_HEADING), apart, entries)
    yield from _list(
        speech(STALE_HEADING),
        (f"{sanitize_line(old.paper.title, TITLE_LINE)} ({old.changed})" for old in seen.outdated),
        entries,
    )
    if seen.never_cited:
        yield _said(speech.pluralize(NEVER_CITED_COUNT, len(seen.never_cited)))
    for gap in seen.gaps[:1]:
        yield _said(
            speech(DRAFT_FOR, question=wording.quote_text(sanitize_line(gap.group.question, QUESTION_LINE), speech))
        )
        yield ReplyCode(text=gap_draft(gap, speech))


def _said(text: str) -> ReplyParagraph:
    return ReplyParagraph(sentences=(ReplyText(text=text),))


def _list(heading: str, entries: Iterable[str], most: int) -> Iterator[ReplyBlock]:
    listed = tuple(ReplyText(text=entry) for entry in list(entries)[:most])
    if listed:
        yield ReplyHeading(text=ReplyText(text=heading))
        yield ReplyList(items=listed)


def _group(group: QuestionGroup, speech: Translator) -> str:
    return speech(
        _GROUP,
        question=wording.quote_text(sanitize_line(group.question, QUESTION_LINE), speech),
        times=speech.pluralize(_TIMES, group.count),
        people=speech.pluralize(_PEOPLE, group.people),
    )


def auto_limit_text(report: AutoLimitNotice, place: str) -> str:
    """Return the notice that a place, as the platform writes it, has used up its unprompted answers of the hour."""
    return Translator(report.language).pluralize(_SPENT, report.per_hour, place=place)
