"""Extracts of instructions: a step, a lead-in or an item comes with the code and the list that are part of it."""

from __future__ import annotations

from pipeline.ingest.split import Splitter, WordCount
from pipeline.read import layout
from pipeline.values import Block, BlockKind, Brief, Document, Intent, Parsed, RetrievedChunk, Style
from pipeline.write.extract import extract

PROSE, HEADING, ITEM, STEP, CODE = (
    BlockKind.PROSE,
    BlockKind.HEADING,
    BlockKind.ITEM,
    BlockKind.STEP,
    BlockKind.CODE,
)
Said = list[tuple[BlockKind, str]]


def passage(*blocks: Block) -> RetrievedChunk:
    document = Document(id="d", filename="d.md", title="Guide")
    (chunk,) = Splitter(WordCount()).split(Parsed(document=document, blocks=blocks))
    return RetrievedChunk(chunk=chunk, document=document, score=0.8)


def block(kind: BlockKind, text: str, depth: int = 0) -> Block:
    return Block(kind=kind, text=text, depth=depth)


def said(question: str, found: RetrievedChunk, intent: Intent = Intent.PROCEDURE, style: Style = Style.CONCISE) -> Said:
    brief = Brief(question=question, queries=(question,), intent=intent, style=style)
    return [(sentence.kind, sentence.text) for sentence in extract(brief, [found])]


RELEASE = passage(
    block(HEADING, "Releasing the app"),
    block(PROSE, "Releases are built from the main branch."),
    block(CODE, "make build\nmake publish"),
    block(PROSE, "Withdraw one with:"),
    block(CODE, "make withdraw"),
    block(ITEM, "Before a release"),
    block(ITEM, "ask the testers", 1),
    block(ITEM, "After a release"),
    block(ITEM, "watch the crash reports", 1),
    block(ITEM, "thank the testers", 1),
)
UPGRADE = passage(
    block(HEADING, "Upgrade the server"),
    block(STEP, "Stop the server."),
    block(CODE, "server stop"),
    block(STEP, "Back up its disk:"),
    block(ITEM, "the settings", 1),
    block(ITEM, "the journal", 1),
    block(ITEM, "the keys", 1),
    block(STEP, "Install the package."),
    block(STEP, "Start the server again."),
    block(PROSE, "If the disk is full, call the storage team."),
)


def test_a_lead_in_comes_with_its_code_and_not_with_the_list_behind_it() -> None:
    assert said("How do I withdraw it?", RELEASE)[:2] == [(PROSE, "Withdraw one with:"), (CODE, "make withdraw")]
    assert layout.opening(RELEASE.chunk, 5) is None


def test_in_a_procedure_a_sentence_comes_with_the_code_below_it() -> None:
    assert said("How do I release the app?", RELEASE)[:2] == [
        (PROSE, "Releases are built from the main branch."),
        (CODE, "make build\nmake publish"),
    ]


def test_an_item_comes_with_the_list_nested_in_it() -> None:
    found = said("What should we do after a release?", RELEASE, Intent.FACTUAL)
    assert found[:3] == [(ITEM, "After a release"), (ITEM, "watch the crash reports"), (ITEM, "thank the testers")]


def test_a_procedure_is_given_whole_with_the_code_and_lists_of_its_steps() -> None:
    found = said("How do I upgrade the server?", UPGRADE)
    assert [kind for kind, _ in found] == [STEP, CODE, STEP, ITEM, ITEM, ITEM, STEP, STEP]


def test_steps_have_numbers_only_from_the_first_one_on() -> None:
    found = said("Who is called if the disk is full and the package missing?", UPGRADE, Intent.FACTUAL, Style.DETAILED)
    steps = [kind for kind, text in found if text in ("Install the package.", "Back up its disk:")]
    assert found[-1] == (PROSE, "If the disk is full, call the storage team.")
    assert STEP not in steps
