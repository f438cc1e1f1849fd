"""An answer as programs are given it: plain text with marks of ours, and no link but those of its sources."""

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
"""Spans of the body by the number of a citation."""
_NO_LANGUAGE = re.compile(r"[^\w+#.-]+")
"""What may not stand behind a fence."""


def plain_answer(answer: Answer) -> Answer:
    """The same, to be read as plain text: what is composed of documents' words does nothing, and quotes are what stands
    there without what hides. Ids stay as they are."""
    own = {link.url for one in (*answer.sentences, *answer.quoted) for link in one.links}

    def said(text: str) -> str:
        return neutralize_markup(text, own)

    def each(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(said, texts))

    sentences, quoted = tuple(map(plain_sentence, answer.sentences)), tuple(map(plain_sentence, answer.quoted))
    citations, nearest = tuple(map(_citation, answer.citations)), tuple(map(_citation, answer.nearest))
    text, positions = _body(answer, sentences, quoted, citations) or (said(answer.body), {})
    confidence = answer.confidence
    reasons = tuple(replace(one, text=said(one.text)) for one in confidence.reasons)
    return replace(
        answer,
        question=strip_invisible(answer.question),
        preface=said(answer.preface),
        body=text,
        closing=said(answer.closing),
        sentences=sentences,
        quoted=quoted,
        citations=tuple(_placed(one, positions) for one in citations),
        nearest=tuple(_placed(one, positions) for one in nearest),
        confidence=replace(confidence, reasons=reasons),
        abstain_reason=said(answer.abstain_reason),
        reasoning=said(answer.reasoning),
        key_facts=each(answer.key_facts),
        limitations=each(answer.limitations),
        comparison=answer.comparison and _comparison(answer.comparison, own),
        usage=replace(answer.usage, notes=each(answer.usage.notes)),
        standalone=said(answer.standalone),
        topic=said(answer.topic),
        corrections=tuple(
            replace(one, word=said(one.word), meant=said(one.meant), others=each(one.others))
            for one in answer.corrections
        ),
        named={document: said(title) for document, title in answer.named.items()},
    )


def plain_sentence(sentence: CitedSentence) -> CitedSentence:
    """Code stays as it is, but for what hides: a fence is around it."""
    code = sentence.kind is BlockKind.CODE
    links = [link for link in sentence.links if safe_web_address(link.url)]
    own = {link.url for link in links}
    return replace(
        sentence,
        text=strip_invisible(sentence.text) if code else neutralize_markup(sentence.text, own),
        cells=tuple(neutralize_markup(cell, own) for cell in sentence.cells),
        code=(),
        language=_NO_LANGUAGE.sub("", sentence.language),
        links=tuple(Link(text=neutralize_markup(link.text, own), url=link.url) for link in links),
    )


def plain_name(name: str) -> str:
    """What a document or a part of it is called, in one line: it may stand as the words of a link."""
    return neutralize_markup(to_single_line(name))


def plain_passage(passage: Passage) -> Passage:
    """Its text as it stands there, but for what hides."""
    return replace(
        passage,
        title=plain_name(passage.title),
        place=plain_name(passage.place),
        link=safe_web_address(passage.link),
        text=strip_invisible(passage.text),
    )


def _body(
    answer: Answer,
    sentences: Sequence[CitedSentence],
    quoted: Sequence[CitedSentence],
    citations: Sequence[Citation],
) -> tuple[str, CitationPositions] | None:
    """The body composed anew, of the same parts with their text plain; None where it is not made of them."""
    speech = Translator(answer.language)
    if sentences and answer.body == render_body(answer.sentences, answer.citations, answer.citation_style, speech)[0]:
        return render_body(sentences, citations, answer.citation_style, speech)
    if quoted and answer.body == render_body(answer.quoted, (), CitationStyle.NUMBERED, speech)[0]:
        return render_body(quoted, (), CitationStyle.NUMBERED, speech)
    return None


def _citation(citation: Citation) -> Citation:
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
        parts=tuple(map(_part, citation.parts)),
        said_in=plain_name(citation.said_in),
    )


def _part(stretch: QuotedBlock) -> QuotedBlock:
    header, *rows = (tuple(map(strip_invisible, row)) for row in (stretch.header, *stretch.rows))
    return replace(stretch, text=strip_invisible(stretch.text), header=header, rows=tuple(rows))


def _placed(citation: Citation, positions: CitationPositions) -> Citation:
    """Where the sentences that rest on it stand in the body by now."""
    return replace(citation, positions=tuple(positions.get(citation.number, ())))


def _comparison(comparison: Comparison, own: Collection[str]) -> Comparison:
    def each(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(neutralize_markup(text, own) for text in texts)

    return Comparison(
        similarities=each(comparison.similarities),
        differences=each(comparison.differences),
        contradictions=each(comparison.contradictions),
        conclusion=neutralize_markup(comparison.conclusion, own),
    )
