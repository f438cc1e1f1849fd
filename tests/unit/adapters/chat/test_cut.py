"""Text over several messages is whole, in order and within the limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.chat.reply.splitting import (
    MAX_PIECE_LENGTH,
    MessageSegments,
    PieceKind,
    TextPiece,
    pack_messages,
    shorten_line,
    wrap_text,
)

texts = st.text(alphabet="abc 🙂é", min_size=1, max_size=40).filter(str.strip)
kinds = st.sampled_from([PieceKind.TEXT, PieceKind.TEXT, PieceKind.CODE, PieceKind.QUOTE])
pieces = st.builds(
    TextPiece,
    texts,
    st.sampled_from(["", " ", "\n", "\n\n"]),
    kinds,
    st.sampled_from(["", "python"]),
    repeated_header=st.just(""),
)


@given(st.lists(pieces, max_size=30), st.integers(60, 300))
def test_every_message_fits_and_nothing_is_left_out(told: list[TextPiece], limit: int) -> None:
    messages = pack_messages(told, limit, overhead=8)
    assert all(sum(len(segment.text) + 8 for segment in message) <= limit for message in messages)
    assert squeezed(flat(messages)) == squeezed("".join(piece.text for piece in told))


@given(st.lists(pieces, max_size=20), st.lists(pieces, max_size=5), st.integers(60, 300))
def test_what_was_shown_is_never_taken_back(shown: list[TextPiece], more: list[TextPiece], limit: int) -> None:
    before, after = pack_messages(shown, limit), pack_messages([*shown, *more], limit)
    assert after[: max(0, len(before) - 1)] == before[:-1]
    if before:
        (*first, last), now = before[-1], after[len(before) - 1]
        assert now[: len(first)] == tuple(first)
        assert now[len(first)].text.startswith(last.text)


def test_what_just_fits_is_not_cut() -> None:
    assert [len(pack_messages([TextPiece("a" * 60), TextPiece("b" * more, " ")], 100)) for more in (39, 40)] == [1, 2]


def test_a_table_goes_on_with_its_header_in_the_next_message() -> None:
    rows = [TextPiece(f"| {number} | form {number} |", "\n", repeated_header="| Rule | Form |") for number in range(30)]
    messages = pack_messages([TextPiece("| Rule | Form |"), *rows], 120)
    assert len(messages) > 3
    assert all(message[0].text.startswith("| Rule | Form |\n| ") for message in messages)
    assert all(len(message[0].text) <= 120 for message in messages)


def test_lines_of_one_script_stay_together_and_two_scripts_apart() -> None:
    lines = [
        TextPiece("a", "\n\n", PieceKind.CODE),
        TextPiece("b", "\n", PieceKind.CODE),
        TextPiece("c", "\n\n", PieceKind.CODE),
    ]
    ((first, second),) = pack_messages(lines, 100)
    assert (first.text, second.text) == ("a\nb", "c")


@given(st.text(alphabet="ab \n", max_size=3000))
def test_long_text_is_cut_at_words(text: str) -> None:
    parts = list(wrap_text(text))
    assert all(len(part) <= MAX_PIECE_LENGTH for part in parts)
    assert squeezed("".join(parts)) == squeezed(text)


def test_what_is_cut_off_a_line_is_said() -> None:
    assert shorten_line("Leave  policy", 20) == "Leave policy"
    assert shorten_line("Leave policy of the company", 12) == "Leave polic…"


def flat(messages: list[MessageSegments]) -> str:
    return "".join(segment.text for message in messages for segment in message)


def squeezed(text: str) -> str:
    return "".join(text.split())
