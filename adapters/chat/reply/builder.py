"""Building of replies from answers; long code becomes a preview and a file. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import (
    RenderOptions,
    Reply,
    ReplyBlock,
    ReplyButton,
    ReplyCode,
    ReplyFile,
    ReplyList,
    ReplyNote,
    ReplyParagraph,
    ReplySource,
    ReplyText,
)
from adapters.chat.reply.sentences import build_blocks
from adapters.chat.reply.splitting import MAX_NAME_LENGTH, sanitize_line
from pipeline.compose import citations
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import Answer, AnswerOutcome, Citation, CitationStyle, CitedSentence, replace
from pipeline.words import wording
from pipeline.words.text import strip_invisible

SCRIPT_LINES, SCRIPT = 60, 3_000
"""Lines and characters of code above which it becomes a file."""
PREVIEW_LINES = 15
"""Lines of such code that are shown."""
_SUFFIXES = {"python": "py", "bash": "sh", "shell": "sh", "console": "sh", "javascript": "js", "typescript": "ts",
    "ruby": "rb", "yaml": "yml", "markdown": "md", "powershell": "ps1"}  # fmt: skip


def split_files(
    blocks: Iterable[ReplyBlock], answer_id: str, translator: Translator
) -> tuple[list[ReplyBlock], list[ReplyFile]]:
    """Return the blocks with a preview of long code, and the files that hold all of it."""
    blocks_shown: list[ReplyBlock] = []
    files: list[ReplyFile] = []
    for block in blocks:
        blocks_shown.append(block)
        if not isinstance(block, ReplyCode) or (block.text.count("\n") < SCRIPT_LINES and len(block.text) <= SCRIPT):
            continue
        suffix = _SUFFIXES.get(block.language, block.language or "txt")
        name = f"script-{answer_id[:8]}-{len(files) + 1}.{suffix}"
        files.append(ReplyFile(name=name, content=f"{block.text}\n"))
        lines = block.text.split("\n")
        beginning = "\n".join(lines[:PREVIEW_LINES])[:SCRIPT]
        note = translator(words.CODE_IN_FILE, shown=beginning.count("\n") + 1, total=len(lines), name=name)
        blocks_shown[-1:] = [replace(block, text=beginning), ReplyNote(text=note)]
    return blocks_shown, files


MAX_LOCATION_LENGTH = 160
"""Characters of a place in a document."""
MAX_QUESTION_LENGTH = 300
"""Characters of a question above its answer."""
SHOW_EVERYTHING = RenderOptions()
_RATED = (AnswerOutcome.ANSWERED, AnswerOutcome.PARTIAL, AnswerOutcome.NOT_FOUND)


def build_reply(
    answer: Answer,
    render_options: RenderOptions = SHOW_EVERYTHING,
    *,
    notes: Sequence[str] = (),
    remarks: Sequence[str] = (),
    upload_button_value: str = "",
    shareable: bool = False,
    stoppable: bool = False,
    attachable: bool = False,
) -> Reply:
    """Build the whole reply. `notes` are lines of our own above the answer, `remarks` below it.

    `upload_button_value`: the value of the button that adds the question's files to the documents, empty for no button.
    `shareable`: a private answer that may be shared. `stoppable`: questions that mention nobody are answered there.
    `attachable`: long code may be a file.
    """
    translator = Translator(answer.language)
    body_blocks = list(_answer_blocks(answer, translator))
    files: list[ReplyFile] = []
    if attachable:
        body_blocks, files = split_files(body_blocks, answer.id, translator)
    notes_above = _notes(*notes, answer.preface if body_blocks else "")
    notes_below = _notes(answer.closing, *remarks)
    if not body_blocks:
        body_blocks = list(_text_blocks(f"{answer.preface}\n\n{answer.body}"))
    return Reply(
        blocks=(*notes_above, *body_blocks, *notes_below),
        language=answer.language,
        links=frozenset(
            url for citation in answer.sources for url in (citation.url, citation.url.partition("#")[0]) if url
        ),
        sources_title=translator(wording.SOURCES_TITLE),
        sources=tuple(_sources(answer, translator)) if render_options.citations else (),
        status=_status(answer, render_options, translator),
        answer_id=answer.id,
        buttons=(
            *_buttons(answer, shareable=shareable, stoppable=stoppable),
            *([ReplyButton.ADD] if upload_button_value else []),
        ),
        upload_button_value=upload_button_value,
        ask_label=answer.ask,
        files=tuple(files),
    )


def _answer_blocks(answer: Answer, translator: Translator) -> Iterator[ReplyBlock]:
    """Yield the blocks of the answer, then those of the closest passages, one after another."""
    yield from build_blocks(answer.sentences, answer.citations, answer.citation_style, translator)
    if answer.sentences and answer.quoted:
        yield ReplyNote(text=translator(wording.CLOSEST_PASSAGE))
    for citation in answer.nearest:
        quoted = [sentence for sentence in answer.quoted if citation.number in sentence.numbers]
        yield from build_blocks(quoted, (citation,), _source_style(answer), translator)


def _source_style(answer: Answer) -> CitationStyle:
    """Return the style of citation marks in the source list, which follows that of the text."""
    footnotes = answer.citations and answer.citation_style is CitationStyle.FOOTNOTE
    return CitationStyle.FOOTNOTE if footnotes else CitationStyle.NUMBERED


def build_partial_reply(
    sentences: Sequence[CitedSentence],
    preface: str = "",
    notes: Sequence[str] = (),
    translator: Translator = ENGLISH_TRANSLATOR,
) -> Reply:
    """Build the reply of an answer that is still being written. Its sources are numbers until they are known."""
    notes_above = _notes(*notes, preface)
    return Reply(
        blocks=(*notes_above, *build_blocks(sentences, (), CitationStyle.NUMBERED, translator)) if sentences else ()
    )


def build_stopped_reply(
    sentences: Sequence[CitedSentence], preface: str, notes: Sequence[str], translator: Translator = ENGLISH_TRANSLATOR
) -> Reply:
    """Build the reply of an answer that somebody stopped."""
    partial = build_partial_reply(sentences, preface, notes, translator)
    return replace(partial, blocks=(*partial.blocks, ReplyNote(text=translator(wording.STOPPED))))


def text_reply(text: str) -> Reply:
    """Build a reply of our own words only."""
    return Reply(blocks=tuple(_text_blocks(text)))


def question_lines(answer: Answer, shared_by: str = "") -> list[str]:
    """Return the question as a note, for answers that are not below the asker's message. `shared_by` is the person who
    shared it."""
    if not answer.question.strip():
        return []
    translator = Translator(answer.language)
    above = (
        translator(words.SHARED_BY, person=sanitize_line(shared_by, MAX_NAME_LENGTH))
        if shared_by
        else translator(words.QUESTION_LABEL)
    )
    return [f"{above}: {sanitize_line(answer.question, MAX_QUESTION_LENGTH)}"]


def _notes(*texts: str) -> list[ReplyNote]:
    """Return a note for each line."""
    return [ReplyNote(text=line) for text in texts for line in text.splitlines() if line.strip()]


def _text_blocks(text: str) -> Iterator[ReplyBlock]:
    """Yield our own words as paragraphs and lists."""
    items: list[ReplyText] = []
    for line in (*strip_invisible(text).splitlines(), ""):
        if line.startswith("- "):
            items.append(ReplyText(text=line[2:].strip()))
            continue
        if items:
            yield ReplyList(items=tuple(items))
            items = []
        if line.strip():
            yield ReplyParagraph(sentences=(ReplyText(text=line.strip()),))


# --- What stands below --------------------------------------------------------------------------------


def _sources(answer: Answer, translator: Translator) -> Iterator[ReplySource]:
    """Yield source lines; passages of one place share a line, under all their marks."""
    lines = [build_source(source, _source_style(answer), translator=translator) for source in answer.sources]
    places: dict[ReplySource, list[str]] = {}
    for source in lines:
        places.setdefault(replace(source, mark=""), []).append(source.mark)
    for place, marks in places.items():
        yield replace(place, mark=citations.join_citation_marks(marks))


def build_source(
    citation: Citation,
    style: CitationStyle = CitationStyle.NUMBERED,
    *,
    translator: Translator = ENGLISH_TRANSLATOR,
) -> ReplySource:
    """Return the source line of a citation: title, place, the document's date if it has one, and whether it may be out
    of date."""
    return ReplySource(
        mark=citations.list_mark(citation.number, style),
        title=sanitize_line(citation.title or citation.filename, MAX_NAME_LENGTH),
        url=citation.url,
        location=sanitize_line(citations.citation_location(citation, translator), MAX_LOCATION_LENGTH),
        date=translator(wording.MAY_BE_OUTDATED, date=citation.date) if citation.stale else citation.date,
        file_path=sanitize_line(citation.filename, MAX_LOCATION_LENGTH),
    )


def _status(answer: Answer, render_options: RenderOptions, translator: Translator) -> str:
    badge = (
        wording.confidence_badge(answer.confidence, translator)
        if render_options.confidence and answer.sentences
        else ""
    )
    return " · ".join(filter(None, (badge, answer.as_of and translator(wording.AS_OF, date=answer.as_of))))


def _buttons(answer: Answer, *, shareable: bool, stoppable: bool) -> tuple[ReplyButton, ...]:
    """Return the buttons that lead somewhere."""
    if answer.outcome not in _RATED or not (answer.sentences or answer.outcome is AnswerOutcome.NOT_FOUND):
        return ()
    is_offered: Mapping[ReplyButton, object] = {
        ReplyButton.HELPFUL: not answer.of_thread,
        ReplyButton.UNHELPFUL: not answer.of_thread,
        ReplyButton.PASSAGES: answer.sources and not answer.of_thread,
        ReplyButton.CONFIDENCE: answer.sentences and not answer.of_thread,
        ReplyButton.SHARE: shareable and answer.sentences,
        ReplyButton.ASK: answer.ask,
        ReplyButton.SUBSCRIBE: answer.outcome is AnswerOutcome.NOT_FOUND,
        ReplyButton.STOP: stoppable,
    }
    return tuple(action for action, offered in is_offered.items() if offered)
