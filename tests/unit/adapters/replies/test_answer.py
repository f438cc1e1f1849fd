"""An answer taken apart."""

from __future__ import annotations

import pytest

from adapters.discord.render import MARKDOWN
from adapters.replies.answer import growing, plain, reply
from adapters.replies.markdown import pieces
from adapters.replies.parts import Button, Code, Heading, Listing, Look, Note, Paragraph, Table
from pipeline import wording
from pipeline.values import BlockKind, CitationStyle, CitedSentence, Outcome
from tests.contracts.answers import broken, citation, cited, not_found


def sentence(text: str, kind: BlockKind = BlockKind.PROSE, *numbers: int, **more: object) -> CitedSentence:
    return CitedSentence.model_validate({"text": text, "kind": kind, "numbers": numbers} | more)


def test_sentences_of_a_kind_stand_together_and_steps_count_on() -> None:
    step = BlockKind.STEP
    shown = [
        sentence("First, stop the pump."),
        sentence("Then wait."),
        sentence("Open it.", step, opens=True),
        sentence("Close it.", step),
        sentence("pump --off", BlockKind.CODE),
        sentence("Leave.", step),
        sentence("Begin again.", step, opens=True),
    ]
    prose, first, code, second, third = reply(cited(sentences=shown)).blocks
    assert isinstance(prose, Paragraph)
    assert len(prose.sentences) == 2
    assert isinstance(code, Code)
    listings = [block for block in (first, second, third) if isinstance(block, Listing)]
    assert [(listing.first, len(listing.items)) for listing in listings] == [(1, 2), (3, 1), (1, 1)]


def test_a_table_has_its_header_rows_and_the_marks_of_its_cells() -> None:
    shown = [
        sentence("Plan | Days", BlockKind.HEADER, opens=True),
        sentence("Full | 30", BlockKind.ROW, 1, 2, cell_numbers=(2, 1)),
        sentence("Half | 15", BlockKind.ROW, 1),
    ]
    (table,) = reply(cited(sentences=shown, citations=[citation(1), citation(2)])).blocks
    assert isinstance(table, Table)
    assert [cell.text for cell in table.header] == ["Plan", "Days"]
    assert [[cell.marks for cell in row] for row in table.rows] == [["[2]", "[1]"], ["", "[1]"]]


@pytest.mark.parametrize(("style", "mark"), [(CitationStyle.NUMBERED, "[1]"), (CitationStyle.FOOTNOTE, "¹"),
    (CitationStyle.INLINE, "(Source: Leave policy - Leave > Annual leave, page 3)")])  # fmt: skip
def test_one_source_is_marked_once_in_every_style(style: CitationStyle, mark: str) -> None:
    (told,) = reply(cited("One.", "Two.", "Three.", citation_style=style)).blocks
    assert isinstance(told, Paragraph)
    assert [text.marks for text in told.sentences] == ["", "", mark]


def test_with_two_sources_every_sentence_has_its_mark() -> None:
    shown = [
        sentence("One.", BlockKind.PROSE, 1),
        sentence("Two.", BlockKind.PROSE, 1),
        sentence("Three.", BlockKind.PROSE, 2),
    ]
    (told,) = reply(cited(sentences=shown, citations=[citation(1), citation(2)])).blocks
    assert isinstance(told, Paragraph)
    assert [text.marks for text in told.sentences] == ["[1]", "[1]", "[2]"]


def test_passages_of_one_place_are_one_line_of_the_sources() -> None:
    sources = reply(cited("One.", citations=[citation(1), citation(2), citation(3, heading=("Sick leave",))])).sources
    assert [source.mark for source in sources] == ["[1][2]", "[3]"]


def test_what_a_word_was_read_as_stands_on_a_line_of_its_own() -> None:
    read, says, *_ = reply(cited("One.", preface="I read “lnog” as “long”.\n\nThe documents say:")).blocks
    assert (read, says) == (Note(text="I read “lnog” as “long”."), Note(text="The documents say:"))


def test_beside_an_unverified_claim_every_sentence_has_its_mark() -> None:
    shown = [sentence("One.", BlockKind.PROSE, 1), sentence("Perhaps.", verified=False)]
    (told,) = reply(cited(sentences=shown)).blocks
    assert isinstance(told, Paragraph)
    assert [(text.marks, text.warning) for text in told.sentences] == [("[1]", ""), ("", f"{wording.UNVERIFIED}: ")]


def test_long_code_is_its_beginning_and_a_file_only_where_files_can_be_attached() -> None:
    script = "\n".join(f"step_{number} = {number}" for number in range(100))
    answer = cited(sentences=[sentence(script, BlockKind.CODE, 1, language="python")])
    whole = reply(answer)
    assert (whole.files, getattr(whole.blocks[0], "text", "")) == ((), script)
    attached = reply(answer, attachable=True)
    (file,) = attached.files
    assert (file.content, file.name.endswith(".py")) == (f"{script}\n", True)
    code, note = attached.blocks
    assert isinstance(code, Code)
    assert script.startswith(code.text)
    assert isinstance(note, Note)
    assert note.text == f"15 of 100 lines are shown here; all of it is in the file {file.name}."


def test_labels_of_a_comparison_are_headings() -> None:
    shown = [sentence("Both are paid.", section="similarities"), sentence("One is not.", section="differences")]
    blocks = reply(cited(sentences=shown)).blocks
    assert [block.text.text for block in blocks if isinstance(block, Heading)] == ["Similarities", "Differences"]


def test_what_is_offered_is_what_there_is() -> None:
    *everything, share, ask, tell, _, _, stop = tuple(Button)
    assert reply(cited("Yes."), shareable=True).actions == (*everything, share)
    assert reply(cited("Yes.")).actions == tuple(everything)
    assert reply(cited("Yes."), stoppable=True).actions == (*everything, stop)
    assert reply(not_found().offering("Ask HR")).actions[-2:] == (ask, tell)
    assert reply(not_found()).actions == (Button.HELPFUL, Button.UNHELPFUL, Button.PASSAGES, tell)
    assert reply(not_found().model_copy(update={"nearest": ()})).actions == (*everything[:2], tell)
    assert reply(broken()).actions == ()
    declined = cited(outcome=Outcome.DECLINED).model_copy(update={"sentences": (), "citations": ()})
    assert reply(declined).actions == ()


def test_what_the_operator_switched_off_is_not_there() -> None:
    made = reply(cited("Yes."), Look(citations=False, confidence=False))
    assert (made.sources, made.status) == ((), "")


def test_the_status_says_how_sure_the_answer_is_and_nothing_of_how_it_was_made() -> None:
    assert reply(cited("Yes.")).status == wording.BADGE["high"]
    assert reply(not_found()).status == ""


def test_what_is_there_so_far_begins_what_is_there_in_the_end() -> None:
    shown = [sentence(f"Fact {number}.", BlockKind.PROSE, number % 2 + 1) for number in range(6)]
    end = reply(cited(sentences=shown, citations=[citation(1), citation(2)])).blocks[0]
    now = growing(shown[:4]).blocks[0]
    assert isinstance(end, Paragraph)
    assert isinstance(now, Paragraph)
    assert end.sentences[:4] == now.sentences


def test_words_of_ours_keep_their_list() -> None:
    listing = plain("Ask about:\n- leave\n- travel").blocks[1]
    assert isinstance(listing, Listing)
    assert [item.text for item in listing.items] == ["leave", "travel"]


def test_a_space_stands_between_sentences_where_their_script_has_spaces() -> None:
    shown = [sentence(text, BlockKind.PROSE, 1) for text in ("一。", "二。", "Three.", "Four.")]
    told = pieces(reply(cited(sentences=shown)).blocks, MARKDOWN)
    assert "".join(f"{piece.gap}{piece.text}" for piece in told) == "一。二。Three. Four. \\[1\\]"
