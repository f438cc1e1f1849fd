"""An answer -> the parts of its reply, long code as its beginning and a file. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from adapters.chat.reply import labels as words
from adapters.chat.reply.cut import NAME, one_line
from adapters.chat.reply.parts import Block, Button, Code, File, Listing, Look, Note, Paragraph, Reply, Source, Text
from adapters.chat.reply.sentences import blocks
from pipeline.compose import cite
from pipeline.translations import ENGLISH, Words
from pipeline.values import Answer, Citation, CitationStyle, CitedSentence, Outcome, replace
from pipeline.words import wording
from pipeline.words.text import visible

SCRIPT_LINES, SCRIPT = 60, 3_000
"""Lines and characters of code above which it is a file."""
BEGINNING = 15
"""Lines of it that are shown all the same."""
_SUFFIXES = {"python": "py", "bash": "sh", "shell": "sh", "console": "sh", "javascript": "js", "typescript": "ts",
    "ruby": "rb", "yaml": "yml", "markdown": "md", "powershell": "ps1"}  # fmt: skip


def attached(blocks: Iterable[Block], answer_id: str, speech: Words) -> tuple[list[Block], list[File]]:
    """`blocks` with the beginning of what is long, and the files that hold all of it."""
    shown: list[Block] = []
    files: list[File] = []
    for block in blocks:
        shown.append(block)
        if not isinstance(block, Code) or (block.text.count("\n") < SCRIPT_LINES and len(block.text) <= SCRIPT):
            continue
        suffix = _SUFFIXES.get(block.language, block.language or "txt")
        name = f"script-{answer_id[:8]}-{len(files) + 1}.{suffix}"
        files.append(File(name=name, content=f"{block.text}\n"))
        lines = block.text.split("\n")
        beginning = "\n".join(lines[:BEGINNING])[:SCRIPT]
        told = speech(words.IN_FILE, shown=beginning.count("\n") + 1, total=len(lines), name=name)
        shown[-1:] = [replace(block, text=beginning), Note(text=told)]
    return shown, files


PLACE = 160
"""Characters of a place in a document."""
QUESTION = 300
"""Characters of a question above its answer."""
EVERYTHING = Look()
_RATED = (Outcome.ANSWERED, Outcome.PARTIAL, Outcome.NOT_FOUND)


def reply(
    answer: Answer,
    look: Look = EVERYTHING,
    *,
    notes: Sequence[str] = (),
    remarks: Sequence[str] = (),
    adds: str = "",
    shareable: bool = False,
    stoppable: bool = False,
    attachable: bool = False,
) -> Reply:
    """The whole reply; `notes` are lines of ours above the answer, `remarks` below it.

    `adds`: the question came with files that can be added to the documents, which the button carries so;
    `shareable`: a private answer that may be shared; `stoppable`: it stands where questions are answered that mention
    nobody; `attachable`: long code may be a file."""
    speech = Words(answer.language)
    written = list(_written(answer, speech))
    files: list[File] = []
    if attachable:
        written, files = attached(written, answer.id, speech)
    before = _notes(*notes, answer.preface if written else "")
    after = _notes(answer.closing, *remarks)
    if not written:
        written = list(_lines(f"{answer.preface}\n\n{answer.body}"))
    return Reply(
        blocks=(*before, *written, *after),
        language=answer.language,
        links=frozenset(url for one in answer.sources for url in (one.url, one.url.partition("#")[0]) if url),
        sources_title=speech(wording.SOURCES),
        sources=tuple(_sources(answer, speech)) if look.citations else (),
        status=_status(answer, look, speech),
        answer_id=answer.id,
        actions=(*_actions(answer, shareable=shareable, stoppable=stoppable), *([Button.ADD] if adds else [])),
        adds=adds,
        ask=answer.ask,
        files=tuple(files),
    )


def _written(answer: Answer, speech: Words) -> Iterator[Block]:
    """What answers, and what the passages say that come closest, one after another."""
    yield from blocks(answer.sentences, answer.citations, answer.citation_style, speech)
    if answer.sentences and answer.quoted:
        yield Note(text=speech(wording.CLOSEST))
    for one in answer.nearest:
        said = [sentence for sentence in answer.quoted if one.number in sentence.numbers]
        yield from blocks(said, (one,), _marked(answer), speech)


def _marked(answer: Answer) -> CitationStyle:
    """How sources are marked below what is written, as in it."""
    footnotes = answer.citations and answer.citation_style is CitationStyle.FOOTNOTE
    return CitationStyle.FOOTNOTE if footnotes else CitationStyle.NUMBERED


def growing(
    written: Sequence[CitedSentence], preface: str = "", notes: Sequence[str] = (), speech: Words = ENGLISH
) -> Reply:
    """What is there of an answer that is still being written; its sources are numbers until they are known."""
    before = _notes(*notes, preface)
    return Reply(blocks=(*before, *blocks(written, (), CitationStyle.NUMBERED, speech)) if written else ())


def stopped(written: Sequence[CitedSentence], preface: str, notes: Sequence[str], speech: Words = ENGLISH) -> Reply:
    """What was there when somebody wanted no more."""
    begun = growing(written, preface, notes, speech)
    return replace(begun, blocks=(*begun.blocks, Note(text=speech(wording.STOPPED))))


def plain(text: str) -> Reply:
    """Nothing but words of ours."""
    return Reply(blocks=tuple(_lines(text)))


def asked(answer: Answer, by: str = "") -> list[str]:
    """The question as a note, where no message of the asker stands above the answer; `by` shared it."""
    if not answer.question.strip():
        return []
    speech = Words(answer.language)
    above = speech(words.SHARED_BY, person=one_line(by, NAME)) if by else speech(words.QUESTION)
    return [f"{above}: {one_line(answer.question, QUESTION)}"]


def _notes(*texts: str) -> list[Note]:
    """One a line."""
    return [Note(text=line) for text in texts for line in text.splitlines() if line.strip()]


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
    """Passages of one place in one line, under all their marks."""
    told = [source(one, _marked(answer), speech=speech) for one in answer.sources]
    places: dict[Source, list[str]] = {}
    for one in told:
        places.setdefault(replace(one, mark=""), []).append(one.mark)
    for place, marks in places.items():
        yield replace(place, mark=cite.beside(marks))


def source(
    citation: Citation,
    style: CitationStyle = CitationStyle.NUMBERED,
    *,
    speech: Words = ENGLISH,
) -> Source:
    """One line: title, place, date of the document where it has one, and that it may be out of date."""
    return Source(
        mark=cite.listed(citation.number, style),
        title=one_line(citation.title or citation.filename, NAME),
        url=citation.url,
        place=one_line(cite.place(citation, speech), PLACE),
        date=speech(wording.STALE, date=citation.date) if citation.stale else citation.date,
        path=one_line(citation.filename, PLACE),
    )


def _status(answer: Answer, look: Look, speech: Words) -> str:
    badge = wording.badge(answer.confidence, speech) if look.confidence and answer.sentences else ""
    return " · ".join(filter(None, (badge, answer.as_of and speech(wording.AS_OF, date=answer.as_of))))


def _actions(answer: Answer, *, shareable: bool, stoppable: bool) -> tuple[Button, ...]:
    """What can be pressed, where there is something behind it."""
    if answer.outcome not in _RATED or not (answer.sentences or answer.outcome is Outcome.NOT_FOUND):
        return ()
    offered: Mapping[Button, object] = {
        Button.HELPFUL: not answer.of_thread,
        Button.UNHELPFUL: not answer.of_thread,
        Button.PASSAGES: answer.sources and not answer.of_thread,
        Button.WHY: answer.sentences and not answer.of_thread,
        Button.SHARE: shareable and answer.sentences,
        Button.ASK: answer.ask,
        Button.TELL: answer.outcome is Outcome.NOT_FOUND,
        Button.STOP: stoppable,
    }
    return tuple(action for action, there in offered.items() if there)
