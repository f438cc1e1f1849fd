"""The structured side of an answer is made of its checked sentences and nothing else."""

from __future__ import annotations

from pipeline.compose.answer import build_comparison, key_facts, list_limitations
from pipeline.values import BlockKind, CitedSentence
from pipeline.words import wording


def sentence(
    text: str, *, kind: BlockKind = BlockKind.PROSE, section: str = "", verified: bool = True
) -> CitedSentence:
    return CitedSentence(text=text, kind=kind, numbers=(1,), section=section, verified=verified)


def test_key_facts_are_the_first_sentence_and_those_with_figures_in_their_order() -> None:
    vague = [sentence(f"Something vague, case {letter}.") for letter in "abcdef"]
    said = [sentence("Leave is generous."), *vague, sentence("Staff get 25 days."), sentence("Pay is 900 euro.")]
    assert key_facts(said) == (
        "Leave is generous.",
        vague[0].text,
        vague[1].text,
        "Staff get 25 days.",
        "Pay is 900 euro.",
    )


def test_headers_code_and_unverified_claims_are_no_facts() -> None:
    said = [
        sentence("Who | Days", kind=BlockKind.HEADER),
        sentence("ls", kind=BlockKind.CODE),
        sentence("Staff get 99 days.", verified=False),
    ]
    assert key_facts(said) == ()


def test_limitations_are_the_lines_that_are_shown() -> None:
    assert list_limitations(closing="Ends here.", abstain_reason="", left_out=True) == (
        "Ends here.",
        wording.PARTIAL_DROPPED,
    )
    assert list_limitations(closing="", abstain_reason="", left_out=False) == ()


def test_labelled_sentences_become_the_parts_of_a_comparison() -> None:
    found = build_comparison(
        [
            sentence("Both are paid.", section="similarities"),
            sentence("Staff get more.", section="differences"),
            sentence("One policy says May.", section="contradictions"),
            sentence("Staff are better off.", section="conclusion"),
            sentence("Without a label."),
        ],
        (),
    )
    assert found is not None
    assert found.similarities == ("Both are paid.",)
    assert found.differences == ("Staff get more.",)
    assert found.contradictions == ("One policy says May.",)
    assert found.conclusion == "Staff are better off."


def test_rows_of_a_table_of_sides_are_alike_or_differ() -> None:
    rows = [
        sentence("staff | contractors", kind=BlockKind.HEADER),
        sentence("25 days | none", kind=BlockKind.ROW),
        sentence("paid monthly | Paid  monthly", kind=BlockKind.ROW),
    ]
    found = build_comparison(rows, ("staff", "contractors"))
    assert found is not None
    assert found.differences == ("staff: 25 days; contractors: none",)
    assert found.similarities == ("staff: paid monthly; contractors: Paid  monthly",)


def test_other_questions_compare_nothing() -> None:
    assert build_comparison([sentence("Staff get 25 days.")], ()) is None


def test_rows_of_a_table_whose_columns_are_no_sides_are_told_as_they_stand() -> None:
    rows = [
        CitedSentence(text="Group | Weeks | Pay", kind=BlockKind.HEADER),
        CitedSentence(text="Mothers | 20 | full", kind=BlockKind.ROW),
    ]
    found = build_comparison(rows, ("mothers", "fathers"))
    assert found is not None
    assert found.differences == ("Mothers | 20 | full",)
