"""Answers for programs: plain text with our marks, and no link but those of its sources."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pipeline.compose.body import render_body
from pipeline.translations import Translator
from pipeline.values import (
    Answer,
    BlockKind,
    Citation,
    CitationStyle,
    CitedSentence,
    Comparison,
    Link,
    QuotedBlock,
    replace,
)
from pipeline.values.api_access import Passage
from pipeline.words.links import neutralize_markup, safe_web_address
from pipeline.words.text import strip_invisible, to_single_line

CitationPositions = dict[int, list[tuple[int, int]]]
"""Spans of the body by citation number."""
_NOT_IN_LANGUAGE = re.compile(r"[^\w+#.-]+")
"""Characters that may not stand behind a fence."""


def plain_answer(answer: Answer) -> Answer:
    """Return the answer as plain text: markup in the text of documents has no effect, and quotes are unchanged but for
    invisible characters. Ids stay."""
    source_urls = {link.url for sentence in (*answer.sentences, *answer.quoted) for link in sentence.links}

    def plain(text: str) -> str:
        return neutralize_markup(text, source_urls)

    def plain_all(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(plain, texts))

    sentences, quoted = tuple(map(plain_sentence, answer.sentences)), tuple(map(plain_sentence, answer.quoted))
    citations, nearest = tuple(map(_plain_citation, answer.citations)), tuple(map(_plain_citation, answer.nearest))
    text, positions = _render_plain_body(answer, sentences, quoted, citations) or (plain(answer.body), {})
    confidence = answer.confidence
    reasons = tuple(replace(reason, text=plain(reason.text)) for reason in confidence.reasons)
    return replace(
        answer,
        question=strip_invisible(answer.question),
        preface=plain(answer.preface),
        body=text,
        closing=plain(answer.closing),
        sentences=sentences,
        quoted=quoted,
        citations=tuple(_with_positions(citation, positions) for citation in citations),
        nearest=tuple(_with_positions(citation, positions) for citation in nearest),
        confidence=replace(confidence, reasons=reasons),
        abstain_reason=plain(answer.abstain_reason),
        reasoning=plain(answer.reasoning),
        key_facts=plain_all(answer.key_facts),
        limitations=plain_all(answer.limitations),
        comparison=answer.comparison and _plain_comparison(answer.comparison, source_urls),
        usage=replace(answer.usage, notes=plain_all(answer.usage.notes)),
        standalone=plain(answer.standalone),
        topic=plain(answer.topic),
        corrections=tuple(
            replace(
                correction,
                word=plain(correction.word),
                meant=plain(correction.meant),
                others=plain_all(correction.others),
            )
            for correction in answer.corrections
        ),
        named={document: plain(title) for document, title in answer.named.items()},
    )


def plain_sentence(sentence: CitedSentence) -> CitedSentence:
    """Return a sentence as plain text. Code stays unchanged but for invisible characters: a fence is around it."""
    code = sentence.kind is BlockKind.CODE
    links = [link for link in sentence.links if safe_web_address(link.url)]
    source_urls = {link.url for link in links}
    return replace(
        sentence,
        text=strip_invisible(sentence.text) if code else neutralize_markup(sentence.text, source_urls),
        cells=tuple(neutralize_markup(cell, source_urls) for cell in sentence.cells),
        code=(),
        language=_NOT_IN_LANGUAGE.sub("", sentence.language),
        links=tuple(Link(text=neutralize_markup(link.text, source_urls), url=link.url) for link in links),
    )


def plain_name(name: str) -> str:
    """Return the name of a document or of a part of it in one line: it may stand as the words of a link."""
    return neutralize_markup(to_single_line(name))


def plain_passage(passage: Passage) -> Passage:
    """Return a passage with its text unchanged but for invisible characters."""
    return replace(
        passage,
        title=plain_name(passage.title),
        place=plain_name(passage.place),
        link=safe_web_address(passage.link),
        text=strip_invisible(passage.text),
    )


def _render_plain_body(
    answer: Answer,
    sentences: Sequence[CitedSentence],
    quoted: Sequence[CitedSentence],
    citations: Sequence[Citation],
) -> tuple[str, CitationPositions] | None:
    """Render the body again from the same sentences as plain text; None where it does not consist of them."""
    translator = Translator(answer.language)
    if (
        sentences
        and answer.body == render_body(answer.sentences, answer.citations, answer.citation_style, translator)[0]
    ):
        return render_body(sentences, citations, answer.citation_style, translator)
    if quoted and answer.body == render_body(answer.quoted, (), CitationStyle.NUMBERED, translator)[0]:
        return render_body(quoted, (), CitationStyle.NUMBERED, translator)
    return None


def _plain_citation(citation: Citation) -> Citation:
    return replace(
        citation,
        title=plain_name(citation.title),
        filename=to_single_line(citation.filename),
        product=plain_name(citation.product),
        document_type=plain_name(citation.document_type),
        sheet=citation.sheet and plain_name(citation.sheet),
        heading=tuple(map(plain_name, citation.heading)),
        url=safe_web_address(citation.url),
        quote=strip_invisible(citation.quote),
        snippet=strip_invisible(citation.snippet),
        passage=strip_invisible(citation.passage),
        parts=tuple(map(_plain_block, citation.parts)),
        said_in=plain_name(citation.said_in),
    )


def _plain_block(stretch: QuotedBlock) -> QuotedBlock:
    header, *rows = (tuple(map(strip_invisible, row)) for row in (stretch.header, *stretch.rows))
    return replace(stretch, text=strip_invisible(stretch.text), header=header, rows=tuple(rows))


def _with_positions(citation: Citation, positions: CitationPositions) -> Citation:
    """Return the citation with the present spans of its sentences in the body."""
    return replace(citation, positions=tuple(positions.get(citation.number, ())))


def _plain_comparison(comparison: Comparison, source_urls: Collection[str]) -> Comparison:
    def plain_all(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(neutralize_markup(text, source_urls) for text in texts)

    return Comparison(
        similarities=plain_all(comparison.similarities),
        differences=plain_all(comparison.differences),
        contradictions=plain_all(comparison.contradictions),
        conclusion=neutralize_markup(comparison.conclusion, source_urls),
    )
