"""An answer taken apart."""

from __future__ import annotations

from adapters.chat.reply import panels
from adapters.chat.reply.answer import growing, plain, reply
from adapters.chat.reply.markdown import pieces
from adapters.chat.reply.parts import Button, Code, Listing, Look, Note, Paragraph, Quote, Table
from adapters.discord.parts.render import MARKDOWN
from pipeline.values import BlockKind, CitedSentence, Outcome, Quoted, replace
from pipeline.words import wording
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


def test_with_two_sources_every_sentence_has_its_mark() -> None:
    shown = [
        sentence("One.", BlockKind.PROSE, 1),
        sentence("Two.", BlockKind.PROSE, 1),
        sentence("Three.", BlockKind.PROSE, 2),
    ]
    (told,) = reply(cited(sentences=shown, citations=[citation(1), citation(2)])).blocks
    assert isinstance(told, Paragraph)
    assert [text.marks for text in told.sentences] == ["[1]", "[1]", "[2]"]


def test_what_stands_under_the_heading_of_its_source_has_its_mark_once() -> None:
    heading = BlockKind.HEADING
    shown = [
        sentence("Leave", heading, 1),
        sentence("One.", BlockKind.PROSE, 1),
        sentence("Two.", BlockKind.PROSE, 1),
        sentence("Travel", heading, 2),
        sentence("Three.", BlockKind.PROSE, 2),
    ]
    blocks = reply(cited(sentences=shown, citations=[citation(1), citation(2)])).blocks
    marks = [text.marks for block in blocks if isinstance(block, Paragraph) for text in block.sentences]
    assert marks == ["", "[1]", "[2]"]


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


def test_what_is_offered_is_what_there_is() -> None:
    everything = (Button.HELPFUL, Button.UNHELPFUL, Button.PASSAGES, Button.WHY)
    share, ask, tell, stop = Button.SHARE, Button.ASK, Button.TELL, Button.STOP
    assert reply(cited("Yes."), shareable=True).actions == (*everything, share)
    assert reply(cited("Yes.")).actions == everything
    assert reply(cited("Yes."), stoppable=True).actions == (*everything, stop)
    assert reply(not_found().offering("Ask HR")).actions[-2:] == (ask, tell)
    assert reply(not_found()).actions == (Button.HELPFUL, Button.UNHELPFUL, Button.PASSAGES, tell)
    assert reply(replace(not_found(), nearest=())).actions == (*everything[:2], tell)
    assert reply(broken()).actions == ()
    declined = replace(cited(outcome=Outcome.DECLINED), sentences=(), citations=())
    assert reply(declined).actions == ()


def test_what_the_operator_switched_off_is_not_there() -> None:
    made = reply(cited("Yes."), Look(citations=False, confidence=False))
    assert (made.sources, made.status) == ((), "")


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


def test_the_button_shows_all_of_a_passage_that_an_unsure_answer_shows_in_part() -> None:
    part = replace(citation(1), quote="Leave is 25 days.", passage="Leave is 25 days. It lapses.")
    (_, shown) = panels.passages(
        replace(cited(sentences=[sentence("Leave is 25 days.", BlockKind.PROSE, 1)]), citations=(part,))
    ).blocks
    assert shown == Quote(text="Leave is 25 days. It lapses.")


def test_the_button_shows_tables_and_code_as_what_they_are() -> None:
    quoted = (Quoted(text="Rooms:"), Quoted(header=("Room", "*"), rows=(("", "2"),)), Quoted(text="a\n b", code=True))
    answer = cited(sentences=[sentence("Rooms:", BlockKind.PROSE, 1)])
    shown = panels.passages(replace(answer, citations=(replace(citation(1), parts=quoted),)))
    told, table, code = shown.blocks[1:]
    assert (told, code) == (Quote(text="Rooms:"), Code(text="a\n b"))
    assert isinstance(table, Table)
    assert [cell.text for row in (table.header, *table.rows) for cell in row] == ["Room", "*", "", "2"]
    assert all(cell.literal for row in (table.header, *table.rows) for cell in row)
