"""Panels that are shown to one person on request, as blocks. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adapters.chat.reply import labels as words
from adapters.chat.reply.builder import build_source, text_reply
from adapters.chat.reply.parts import (
    Reply,
    ReplyBlock,
    ReplyCode,
    ReplyHeading,
    ReplyList,
    ReplyNote,
    ReplyParagraph,
    ReplyQuote,
    ReplySource,
    ReplyTable,
    ReplyText,
)
from adapters.chat.reply.splitting import MAX_NAME_LENGTH, sanitize_line
from pipeline.translations import ENGLISH_TRANSLATOR, LANGUAGES, TranslatableText, Translator
from pipeline.values import (
    USE_DEFAULT,
    Answer,
    Cells,
    Citation,
    ConfidenceFactor,
    Document,
    Preferences,
    SupportBasis,
)
from pipeline.words import canned_replies, wording

MAX_DOCUMENTS = 20
"""Documents listed at most."""
_INTERNAL_FACTORS = frozenset({"specifics", "length", "wording", "sources", "supported"})
"""Factors of a confidence that only its makers understand, or that the line below them says."""


def passages_panel(answer: Answer) -> Reply:
    """Build the panel of quoted spans, each under its source; whole passages where the answer is not sure."""
    translator = Translator(answer.language)
    blocks = [block for citation in answer.sources for block in _passage(citation, translator)]
    return Reply(blocks=tuple(blocks) or (ReplyNote(text=translator(wording.NO_CITED_PASSAGE)),))


def passage_panel(citation: Citation, translator: Translator = ENGLISH_TRANSLATOR) -> Reply:
    """Build the panel of one source's quoted spans."""
    return Reply(blocks=tuple(_passage(citation, translator)), language=translator.language)


def confidence_panel(answer: Answer) -> Reply:
    """Build the panel that explains the confidence in sentences."""
    confidence, translator = answer.confidence, Translator(answer.language)
    lines = [factor.text for factor in confidence.reasons if _is_telling(factor)]
    if len(answer.citations) > 1:
        lines += [
            wording.factor_line(words.DOCUMENT_FITS, citation.score, translator, title=build_source(citation).title)
            for citation in answer.citations
        ]
    written = {sentence.text for sentence in answer.sentences}
    unchecked = {claim.claim for claim in answer.claims if claim.support is SupportBasis.UNSURE}
    lines += [
        wording.rejected_sentence_line(claim, translator, is_unchecked=claim in unchecked)
        for claim in answer.ungrounded_claims
        if claim not in written
    ]
    notes = filter(None, (answer.reasoning, wording.usage_line(answer.usage, translator)))
    return Reply(
        blocks=(
            ReplyHeading(
                text=ReplyText(text=f"{wording.confidence_badge(confidence, translator)} ({confidence.score:.0%})")
            ),
            ReplyList(items=tuple(ReplyText(text=text) for text in lines)),
            *(ReplyNote(text=text) for text in notes),
        )
    )


def _is_telling(factor: ConfidenceFactor) -> bool:
    """Return True if a factor of a confidence says something to a reader."""
    nobody_else = factor.name == "agreement" and not factor.value
    return factor.name not in _INTERNAL_FACTORS and not nobody_else


def documents_panel(documents: Sequence[Document], translator: Translator = ENGLISH_TRANSLATOR) -> Reply:
    """Build the list of visible documents by collection: the first by name, and how many more there are."""
    if not documents:
        return text_reply(translator(canned_replies.EMPTY_KNOWLEDGE_BASE))
    counted = translator.pluralize(words.DOCUMENT_COUNT, len(documents))
    blocks: list[ReplyBlock] = [ReplyHeading(text=ReplyText(text=counted))]
    listed = documents[:MAX_DOCUMENTS]
    for collection in dict.fromkeys(document.collection for document in listed):
        group = [document for document in listed if document.collection == collection]
        blocks += [ReplyHeading(text=ReplyText(text=collection)), ReplyList(items=tuple(map(_document_line, group)))]
    if hidden_count := len(documents) - len(listed):
        blocks.append(ReplyParagraph(sentences=(ReplyText(text=translator(words.AND_MORE, count=hidden_count)),)))
    return Reply(blocks=tuple(blocks))


def _document_line(document: Document) -> ReplyText:
    title = sanitize_line(document.title, MAX_NAME_LENGTH) or sanitize_line(document.filename, MAX_NAME_LENGTH)
    return ReplyText(text=title or document.id, url=document.url)


def _passage(citation: Citation, translator: Translator) -> Iterator[ReplyBlock]:
    yield ReplyHeading(text=ReplyText(text=source_text(build_source(citation, translator=translator))))
    for part in citation.parts:
        if part.header or part.rows:
            yield ReplyTable(header=_cells(part.header), rows=tuple(map(_cells, part.rows)))
        else:
            yield ReplyCode(text=part.text) if part.code else ReplyQuote(text=part.text)
    if not citation.parts:
        yield ReplyQuote(text=citation.passage or citation.quote or citation.snippet)


def _cells(row: Cells) -> tuple[ReplyText, ...]:
    return tuple(ReplyText(text=cell, is_literal=True) for cell in row)


def source_text(source: ReplySource) -> str:
    """Return a source as plain text."""
    return " · ".join(part for part in (f"{source.mark} {source.title}", source.location, source.date) if part)


# --- How a person wants to be answered ------------------------------------------------------------------

STYLE_CHOICES: Mapping[str, TranslatableText] = {USE_DEFAULT: words.AS_SET, **words.STYLE_NAMES}
CITATION_CHOICES: Mapping[str, TranslatableText] = {USE_DEFAULT: words.AS_SET, **words.CITATION_NAMES}
LANGUAGE_CHOICES: Mapping[str, TranslatableText] = {
    USE_DEFAULT: words.LANGUAGE_AS_SET,
    **{language: TranslatableText(name) for language, name in LANGUAGES.items()},
}
PREFERENCE_CHOICES: Mapping[str, Mapping[str, TranslatableText]] = {
    "style": STYLE_CHOICES,
    "citations": CITATION_CHOICES,
    "language": LANGUAGE_CHOICES,
}
"""Names by value of the choices for each field of `Preferences`."""


def current_choices(preferences: Preferences) -> dict[str, str]:
    """Return the value in force of each choice."""
    values = preferences.model_dump()
    return {field: str(values[field] or USE_DEFAULT) for field in PREFERENCE_CHOICES}


def preferences_text(
    preferences: Preferences, translator: Translator = ENGLISH_TRANSLATOR, command: str = "preferences"
) -> str:
    """Return the preferences and how to change them, in our own Markdown."""
    chosen = {
        field: (PREFERENCE_CHOICES[field].get(value), value) for field, value in current_choices(preferences).items()
    }
    names = {field: translator(name) if name else value for field, (name, value) in chosen.items()}
    return translator(words.PREFERENCES_TEXT, preferences=command, **names)
