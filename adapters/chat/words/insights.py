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
_LIMIT_REACHED = PluralText(
    "In {place} I gave {number} answer unasked within an hour, all that `auto_per_hour` allows. "
    "Until the hour is over I answer only who mentions me there.",
    "In {place} I gave {number} answers unasked within an hour, all that `auto_per_hour` allows. "
    "Until the hour is over I answer only who mentions me there.",
)
_GROUP = TranslatableText("{question} ({times} {people})")


def insights_panel(insights: Insights, translator: Translator, *, entries: int = MAX_PANEL_ENTRIES) -> Reply:
    """Build insights that fit one message. People are counted, never named."""
    return Reply(blocks=tuple(_blocks(insights, translator, entries)), language=translator.language)


def _blocks(insights: Insights, translator: Translator, entries: int) -> Iterator[ReplyBlock]:
    yield ReplyHeading(text=ReplyText(text=translator(ASKED_BETWEEN, since=insights.since, until=insights.until)))
    yield _paragraph(translator(QUESTION_COUNTS, **insights.counts.model_dump(exclude={"failed"})))
    yield from _list(
        translator(GAPS_HEADING),
        (f"{_group(gap.group, translator)}. {gap_advice(gap, translator)}" for gap in insights.gaps),
        entries,
    )
    yield from _list(
        translator(MOST_USED_HEADING), (_group(group, translator) for group in insights.most_asked), entries
    )
    titles = (
        " · ".join(sanitize_line(paper.title, TITLE_LINE) for paper in contradiction.papers)
        for contradiction in insights.contradictions
    )
    yield from _list(translator(CONTRADICTIONS_HEADING), titles, entries)
    yield from _list(
        translator(STALE_HEADING),
        (f"{sanitize_line(old.paper.title, TITLE_LINE)} ({old.changed})" for old in insights.outdated),
        entries,
    )
    if insights.never_cited:
        yield _paragraph(translator.pluralize(NEVER_CITED_COUNT, len(insights.never_cited)))
    for gap in insights.gaps[:1]:
        yield _paragraph(
            translator(
                DRAFT_FOR, question=wording.quote_text(sanitize_line(gap.group.question, QUESTION_LINE), translator)
            )
        )
        yield ReplyCode(text=gap_draft(gap, translator))


def _paragraph(text: str) -> ReplyParagraph:
    return ReplyParagraph(sentences=(ReplyText(text=text),))


def _list(heading: str, entries: Iterable[str], limit: int) -> Iterator[ReplyBlock]:
    listed = tuple(ReplyText(text=entry) for entry in list(entries)[:limit])
    if listed:
        yield ReplyHeading(text=ReplyText(text=heading))
        yield ReplyList(items=listed)


def _group(group: QuestionGroup, translator: Translator) -> str:
    return translator(
        _GROUP,
        question=wording.quote_text(sanitize_line(group.question, QUESTION_LINE), translator),
        times=translator.pluralize(_TIMES, group.count),
        people=translator.pluralize(_PEOPLE, group.people),
    )


def auto_limit_text(notice: AutoLimitNotice, place: str) -> str:
    """Return the notice that a place, as the platform writes it, has used up its unprompted answers of the hour."""
    return Translator(notice.language).pluralize(_LIMIT_REACHED, notice.per_hour, place=place)
