"""Text over several messages is whole, in order and within the limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.limits import length
from adapters.discord.split import FENCE, Piece, pack

words = st.text(alphabet="abc 🙂é", min_size=1, max_size=90).filter(str.strip)
pieces = st.builds(Piece, words, st.sampled_from(["", " ", "\n", "\n\n"]), st.sampled_from([None, None, "", "python"]))


@given(st.lists(pieces, max_size=30), st.integers(40, 300))
def test_every_text_fits_and_nothing_is_left_out(given_pieces: list[Piece], limit: int) -> None:
    texts = pack(given_pieces, limit)
    assert all(length(text) <= limit for text in texts)
    told = "".join(texts).replace(FENCE, "").replace("python", "")
    assert squeezed(told) == squeezed("".join(piece.text for piece in given_pieces))


@given(st.lists(pieces, max_size=30), st.integers(40, 300))
def test_every_fence_is_closed_in_the_message_that_opened_it(given_pieces: list[Piece], limit: int) -> None:
    assert all(text.count(FENCE) % 2 == 0 for text in pack(given_pieces, limit))


@given(st.lists(pieces, max_size=20), st.lists(pieces, max_size=5), st.integers(40, 300))
def test_what_was_shown_is_never_taken_back(shown: list[Piece], more: list[Piece], limit: int) -> None:
    before, after = pack(shown, limit), pack([*shown, *more], limit)
    assert after[: max(0, len(before) - 1)] == before[:-1]


def test_sentences_are_not_cut_where_they_fit() -> None:
    sentences = [f"Sentence number {number} is here." for number in range(40)]
    texts = pack([Piece(sentence, " ") for sentence in sentences], 200)
    assert all(text.endswith(".") for text in texts)


def squeezed(text: str) -> str:
    return "".join(text.split())
