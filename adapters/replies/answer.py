"""An answer -> the parts of its reply. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from adapters.replies import words
from adapters.replies.cut import short
from adapters.replies.parts import (
    Block,
    Button,
    Code,
    File,
    Heading,
    Listing,
    Look,
    Note,
    Paragraph,
    Reply,
    Source,
    Table,
    Text,
)
from pipeline import wording
from pipeline.compose import cite
from pipeline.text import visible
from pipeline.translations import ENGLISH, Words
from pipeline.values import (
    Answer,
    BlockKind,
    Citation,
    CitationStyle,
    CitedSentence,
    Outcome,
    row_cells,
)

NAME, PLACE = 120, 160
"""Characters of a title and of a place in it."""
QUESTION = 300
"""Characters of a question above its answer."""
SCRIPT_LINES, SCRIPT = 60, 3_000
"""Lines and characters of code above which it is a file, where files can be attached."""
BEGINNING = 15
"""Lines of it that are shown all the same."""
EVERYTHING = Look()
_RATED = (Outcome.ANSWERED, Outcome.PARTIAL, Outcome.NOT_FOUND)
_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})
_CAPTIONS = frozenset({BlockKind.HEADER, BlockKind.HEADING})
_SUFFIXES = {"python": "py", "bash": "sh", "shell": "sh", "console": "sh", "javascript": "js", "typescript": "ts",
    "ruby": "rb", "yaml": "yml", "markdown": "md", "powershell": "ps1"}  # fmt: skip


def reply(
    answer: Answer,
    look: Look = EVERYTHING,
    *,
    notes: Sequence[str] = (),
    remarks: Sequence[str] = (),
    shareable: bool = False,
    attachable: bool = False,
) -> Reply:
    """The whole reply; `notes` are lines of ours above the answer, `remarks` below it.

    `shareable`: a private answer that may be shared; `attachable`: long code may be a file."""
    speech = Words(answer.language)
    written = list(_blocks(answer.sentences, answer.citations, answer.citation_style, speech))
    files: list[File] = []
    if attachable:
        written = [part for block in written for part in _attached(block, answer.id, files)]
    before = [Note(text=text) for text in (*notes, answer.preface if answer.sentences else "") if text]
    after = [line for line in answer.closing.splitlines() if line.strip()]
    if not answer.sentences:
        written = list(_lines(f"{answer.preface}\n\n{answer.body}"))
    return Reply(
        blocks=(*before, *written, *(Note(text=text) for text in (*after, *remarks))),
        links=frozenset(citation.url for citation in answer.citations if citation.url),
        sources_title=speech(wording.SOURCES if answer.citations else wording.NEAREST),
        sources=tuple(_sources(answer, speech)) if look.citations else (),
        status=wording.badge(answer.confidence, speech) if look.confidence and answer.sentences else "",
        answer_id=answer.id,
        actions=_actions(answer, shareable=shareable),
        files=tuple(files),
    )


def growing(
    written: Sequence[CitedSentence], preface: str = "", notes: Sequence[str] = (), speech: Words = ENGLISH
) -> Reply:
    """What is there of an answer that is still being written; its sources are numbers until they are known."""
    before = [Note(text=text) for text in (*notes, preface) if text]
    return Reply(blocks=(*before, *_blocks(written, (), CitationStyle.NUMBERED, speech)) if written else ())


def stopped(written: Sequence[CitedSentence], preface: str, notes: Sequence[str], speech: Words = ENGLISH) -> Reply:
    """What was there when somebody wanted no more."""
    begun = growing(written, preface, notes, speech)
    return begun.model_copy(update={"blocks": (*begun.blocks, Note(text=speech(wording.STOPPED)))})


def plain(text: str) -> Reply:
    """Nothing but words of ours."""
    return Reply(blocks=tuple(_lines(text)))


def asked(answer: Answer, by: str = "") -> list[str]:
    """The question as a note, where no message of the asker stands above the answer; `by` shared it."""
    if not answer.question.strip():
        return []
    above = words.SHARED_BY.format(person=_one(by, NAME)) if by else words.QUESTION
    return [f"{above}: {_one(answer.question, QUESTION)}"]


def _one(text: str, room: int) -> str:
    """One line of foreign words."""
    return short(visible(text), room)


# --- Blocks ----------------------------------------------------------------------------------------


def _blocks(
    sentences: Sequence[CitedSentence], citations: Sequence[Citation], style: CitationStyle, speech: Words
) -> Iterator[Block]:
    """Sentences as blocks: those of a paragraph, a list and a table together."""
    marks = _Marks(sentences, citations, style, speech)
    step = 0
    before: CitedSentence | None = None
    run: list[CitedSentence] = []
    number = 0
    for sentence in sentences:
        above = cite.label(before, sentence, speech)
        begins = sentence.opens or bool(above)
        step = cite.numbered(step, sentence, begins=begins)
        if run and (above or not _goes_on(run[-1], sentence)):
            yield from _block(run, number, marks)
            run = []
        if above:
            yield Heading(text=Text(text=above))
        number = number if run else step
        run.append(sentence)
        before = sentence
    if run:
        yield from _block(run, number, marks)


def _goes_on(before: CitedSentence, sentence: CitedSentence) -> bool:
    """Whether a sentence stands in the same paragraph, list or table as the one before."""
    if sentence.opens or sentence.section != before.section:
        return False
    if sentence.kind is BlockKind.ROW:
        return before.kind in _TABLE
    together = (BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP)
    return sentence.kind is before.kind and sentence.kind in together


def _block(run: Sequence[CitedSentence], number: int, marks: _Marks) -> Iterator[Block]:
    first = run[0]
    match first.kind:
        case BlockKind.HEADER | BlockKind.ROW:
            yield _table(run, marks)
        case BlockKind.CODE:
            after = Text(text="", marks=marks.of(first), warning=marks.before(first))
            text = visible(first.text).strip("\n").replace("\t", "    ")
            if text.strip():
                yield Code(text=text, language=_language(first.language), after=after if _says(after) else None)
        case BlockKind.HEADING:
            if texts := _texts(run, marks):
                yield Heading(text=texts[0])
        case BlockKind.ITEM | BlockKind.STEP:
            if texts := _texts(run, marks):
                yield Listing(items=texts, first=number if first.kind is BlockKind.STEP else 0)
        case _:
            if texts := _texts(run, marks):
                yield Paragraph(sentences=texts)


def _texts(run: Iterable[CitedSentence], marks: _Marks) -> tuple[Text, ...]:
    texts = (
        Text(text=" ".join(visible(one.text).split()), marks=marks.of(one), warning=marks.before(one)) for one in run
    )
    return tuple(text for text in texts if text.text)


def _says(text: Text) -> bool:
    return bool(text.marks or text.warning)


def _table(run: Sequence[CitedSentence], marks: _Marks) -> Table:
    header = [_cell(cell) for cell in row_cells(run[0].text)] if run[0].kind is BlockKind.HEADER else []
    return Table(header=tuple(header), rows=tuple(_row(one, marks) for one in run[1 if header else 0 :]))


def _row(sentence: CitedSentence, marks: _Marks) -> tuple[Text, ...]:
    cells = [_cell(cell) for cell in row_cells(sentence.text)]
    behind = marks.of_cells(sentence, len(cells))
    cells = [cell.model_copy(update={"marks": mark}) for cell, mark in zip(cells, behind, strict=True)]
    return (cells[0].model_copy(update={"warning": marks.before(sentence)}), *cells[1:])


def _cell(text: str) -> Text:
    return Text(text=" ".join(visible(text).split()))


def _language(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())[:20]


class _Marks:
    """What stands behind each sentence; where one source serves all, it stands once, behind the last."""

    def __init__(
        self, sentences: Sequence[CitedSentence], citations: Sequence[Citation], style: CitationStyle, speech: Words
    ) -> None:
        self._citations = {citation.number: _inline(citation) for citation in citations}
        self._style = style
        self._speech = speech
        told = [sentence for sentence in sentences if sentence.kind not in _CAPTIONS]
        alone = len(citations) == 1 and all(sentence.numbers == (citations[0].number,) for sentence in told)
        self._last = told[-1] if alone and told else None

    def of(self, sentence: CitedSentence) -> str:
        silent = self._last is not None and sentence is not self._last
        return "" if silent else self._mark(sentence.numbers)

    def before(self, sentence: CitedSentence) -> str:
        """The warning in front of a sentence that nothing supports."""
        warned = not sentence.verified and sentence.kind is not BlockKind.HEADER
        return f"{self._speech(wording.UNVERIFIED)}: " if warned else ""

    def of_cells(self, sentence: CitedSentence, cells: int) -> list[str]:
        """Of a row: behind each cell its own where that is known, otherwise behind the last."""
        if self._last is None and len(sentence.cell_numbers) == cells:
            return [self._mark((number,)) for number in sentence.cell_numbers]
        return [""] * (cells - 1) + [self.of(sentence)]

    def _mark(self, numbers: tuple[int, ...]) -> str:
        known = all(number in self._citations for number in numbers)
        style = self._style if known else CitationStyle.NUMBERED
        return cite.mark(numbers, self._citations, style, self._speech).strip()


def _inline(citation: Citation) -> Citation:
    """A citation whose names are short enough to stand in the text."""
    names = {"title": citation.title, "product": citation.product, "document_type": citation.document_type}
    return citation.model_copy(
        update={name: _one(text, NAME) for name, text in names.items()}
        | {"heading": tuple(_one(part, NAME) for part in citation.heading[-2:])}
        | {"sheet": citation.sheet and _one(citation.sheet, NAME)}
    )


def _attached(block: Block, answer_id: str, files: list[File]) -> Iterator[Block]:
    """Long code as its beginning, and a file of it among `files`."""
    if not isinstance(block, Code) or (block.text.count("\n") < SCRIPT_LINES and len(block.text) <= SCRIPT):
        yield block
        return
    lines = block.text.split("\n")
    name = f"script-{answer_id[:8]}-{len(files) + 1}.{_SUFFIXES.get(block.language, block.language or 'txt')}"
    files.append(File(name=name, content=f"{block.text}\n"))
    shown = "\n".join(lines[:BEGINNING])[:SCRIPT]
    yield block.model_copy(update={"text": shown, "file": name})
    yield Note(text=words.IN_FILE.format(shown=shown.count("\n") + 1, total=len(lines), name=name))


def _lines(text: str) -> Iterator[Block]:
    """Words of ours, which may hold a list."""
    items: list[Text] = []
    for line in (*visible(text).splitlines(), ""):
        if line.startswith("- "):
            items.append(Text(text=line[2:].strip()))
            continue
        if items:
            yield Listing(items=tuple(items))
            items = []
        if line.strip():
            yield Paragraph(sentences=(Text(text=line.strip()),))


# --- What stands below --------------------------------------------------------------------------------


def _sources(answer: Answer, speech: Words) -> Iterator[Source]:
    style = answer.citation_style if answer.citations else CitationStyle.NUMBERED
    for citation in answer.citations or answer.nearest:
        yield source(citation, style, quoted=not answer.citations, speech=speech)


def source(
    citation: Citation,
    style: CitationStyle = CitationStyle.NUMBERED,
    *,
    quoted: bool = False,
    speech: Words = ENGLISH,
) -> Source:
    """One line: title, place, date of the document where it has one."""
    return Source(
        mark=cite.listed(citation.number, style),
        title=_one(citation.title or citation.filename, NAME),
        url=citation.url,
        place=_one(cite.place(citation, speech), PLACE),
        date=citation.date,
        quote=cite.closest(citation) if quoted else "",
    )


def _actions(answer: Answer, *, shareable: bool) -> tuple[Button, ...]:
    """What can be pressed, where there is something behind it."""
    if answer.outcome not in _RATED or not (answer.sentences or answer.outcome is Outcome.NOT_FOUND):
        return ()
    offered: Mapping[Button, object] = {
        Button.HELPFUL: True,
        Button.UNHELPFUL: True,
        Button.PASSAGES: answer.citations or answer.nearest,
        Button.WHY: answer.sentences,
        Button.SHARE: shareable and answer.sentences,
    }
    return tuple(action for action, there in offered.items() if there)
