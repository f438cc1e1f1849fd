"""An answer taken apart."""

from __future__ import annotations

from adapters.chat.reply import panels
from adapters.chat.reply.builder import build_partial_reply, build_reply, text_reply
from adapters.chat.reply.markdown import render_pieces
from adapters.chat.reply.parts import (
    RenderOptions,
    ReplyButton,
    ReplyCode,
    ReplyList,
    ReplyNote,
    ReplyParagraph,
    ReplyQuote,
    ReplyTable,
)
from adapters.discord.rendering.render import DISCORD_MARKDOWN
from pipeline.values import AnswerOutcome, BlockKind, CitedSentence, QuotedBlock, replace
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
    prose, first, code, second, third = build_reply(cited(sentences=shown)).blocks
    assert isinstance(prose, ReplyParagraph)
    assert len(prose.sentences) == 2
    assert isinstance(code, ReplyCode)
    listings = [block for block in (first, second, third) if isinstance(block, ReplyList)]
    assert [(listing.first, len(listing.items)) for listing in listings] == [(1, 2), (3, 1), (1, 1)]


def test_with_two_sources_every_sentence_has_its_mark() -> None:
    shown = [
        sentence("One.", BlockKind.PROSE, 1),
        sentence("Two.", BlockKind.PROSE, 1),
        sentence("Three.", BlockKind.PROSE, 2),
    ]
    (told,) = build_reply(cited(sentences=shown, citations=[citation(1), citation(2)])).blocks
    assert isinstance(told, ReplyParagraph)
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
    blocks = build_reply(cited(sentences=shown, citations=[citation(1), citation(2)])).blocks
    marks = [text.marks for block in blocks if isinstance(block, ReplyParagraph) for text in block.sentences]
    assert marks == ["", "[1]", "[2]"]


def test_passages_of_one_place_are_one_line_of_the_sources() -> None:
    sources = build_reply(
        cited("One.", citations=[citation(1), citation(2), citation(3, heading=("Sick leave",))])
    ).sources
    assert [source.mark for source in sources] == ["[1][2]", "[3]"]


def test_what_a_word_was_read_as_stands_on_a_line_of_its_own() -> None:
    read, says, *_ = build_reply(cited("One.", preface="I read “lnog” as “long”.\n\nThe documents say:")).blocks
    assert (read, says) == (ReplyNote(text="I read “lnog” as “long”."), ReplyNote(text="The documents say:"))


def test_beside_an_unverified_claim_every_sentence_has_its_mark() -> None:
    shown = [sentence("One.", BlockKind.PROSE, 1), sentence("Perhaps.", verified=False)]
    (told,) = build_reply(cited(sentences=shown)).blocks
    assert isinstance(told, ReplyParagraph)
    assert [(text.marks, text.warning) for text in told.sentences] == [
        ("[1]", ""),
        ("", f"{wording.UNVERIFIED_CLAIM}: "),
    ]


def test_what_is_offered_is_what_there_is() -> None:
    everything = (ReplyButton.HELPFUL, ReplyButton.UNHELPFUL, ReplyButton.PASSAGES, ReplyButton.CONFIDENCE)
    share, ask, tell, stop = ReplyButton.SHARE, ReplyButton.ASK, ReplyButton.SUBSCRIBE, ReplyButton.STOP
    assert build_reply(cited("Yes."), shareable=True).buttons == (*everything, share)
    assert build_reply(cited("Yes.")).buttons == everything
    assert build_reply(cited("Yes."), stoppable=True).buttons == (*everything, stop)
    assert build_reply(not_found().with_handoff_button("Ask HR")).buttons[-2:] == (ask, tell)
    assert build_reply(not_found()).buttons == (ReplyButton.HELPFUL, ReplyButton.UNHELPFUL, ReplyButton.PASSAGES, tell)
    assert build_reply(replace(not_found(), nearest=())).buttons == (*everything[:2], tell)
    assert build_reply(broken()).buttons == ()
    declined = replace(cited(outcome=AnswerOutcome.DECLINED), sentences=(), citations=())
    assert build_reply(declined).buttons == ()


def test_what_the_operator_switched_off_is_not_there() -> None:
    made = build_reply(cited("Yes."), RenderOptions(citations=False, confidence=False))
    assert (made.sources, made.status) == ((), "")


def test_what_is_there_so_far_begins_what_is_there_in_the_end() -> None:
    shown = [sentence(f"Fact {number}.", BlockKind.PROSE, number % 2 + 1) for number in range(6)]
    end = build_reply(cited(sentences=shown, citations=[citation(1), citation(2)])).blocks[0]
    now = build_partial_reply(shown[:4]).blocks[0]
    assert isinstance(end, ReplyParagraph)
    assert isinstance(now, ReplyParagraph)
    assert end.sentences[:4] == now.sentences


def test_words_of_ours_keep_their_list() -> None:
    listing = text_reply("Ask about:\n- leave\n- travel").blocks[1]
    assert isinstance(listing, ReplyList)
    assert [item.text for item in listing.items] == ["leave", "travel"]


def test_a_space_stands_between_sentences_where_their_script_has_spaces() -> None:
    shown = [sentence(text, BlockKind.PROSE, 1) for text in ("一。", "二。", "Three.", "Four.")]
    told = render_pieces(build_reply(cited(sentences=shown)).blocks, DISCORD_MARKDOWN)
    assert "".join(f"{piece.separator}{piece.text}" for piece in told) == "一。二。Three. Four. \\[1\\]"


def test_the_button_shows_all_of_a_passage_that_an_unsure_answer_shows_in_part() -> None:
    part = replace(citation(1), quote="Leave is 25 days.", passage="Leave is 25 days. It lapses.")
    (_, shown) = panels.passages_panel(
        replace(cited(sentences=[sentence("Leave is 25 days.", BlockKind.PROSE, 1)]), citations=(part,))
    ).blocks
    assert shown == ReplyQuote(text="Leave is 25 days. It lapses.")


def test_the_button_shows_tables_and_code_as_what_they_are() -> None:
    quoted = (
        QuotedBlock(text="Rooms:"),
        QuotedBlock(header=("Room", "*"), rows=(("", "2"),)),
        QuotedBlock(text="a\n b", code=True),
    )
    answer = cited(sentences=[sentence("Rooms:", BlockKind.PROSE, 1)])
    shown = panels.passages_panel(replace(answer, citations=(replace(citation(1), parts=quoted),)))
    told, table, code = shown.blocks[1:]
    assert (told, code) == (ReplyQuote(text="Rooms:"), ReplyCode(text="a\n b"))
    assert isinstance(table, ReplyTable)
    assert [cell.text for row in (table.header, *table.rows) for cell in row] == ["Room", "*", "", "2"]
    assert all(cell.is_literal for row in (table.header, *table.rows) for cell in row)
