"""An answer on a terminal: its order, its tables and steps, its links."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from adapters.console import render
from pipeline.values import Answer, BlockKind, CitedSentence
from pipeline.words import wording
from tests.contracts.answers import citation, cited
from tests.contracts.console_driver import Terminal
from tests.doubles.terminal import Look


def shown(answer: Answer) -> Look:
    terminal = Terminal()
    terminal.console.print(render(answer))
    return terminal.look()


def lines(*sentences: CitedSentence) -> list[str]:
    """What stands above the badge."""
    told = shown(cited(sentences=sentences)).text.partition("●●●")[0]
    return [line.strip() for line in told.split("\n") if line.strip()]


def test_a_table_stands_between_the_paragraphs_around_it() -> None:
    rows = [CitedSentence(text="Plan | Days", kind=BlockKind.HEADER, opens=True),
            CitedSentence(text="Full | 30", kind=BlockKind.ROW)]  # fmt: skip
    told = lines(CitedSentence(text="Before."), *rows, CitedSentence(text="After.", opens=True))
    assert (told[0], told[-1]) == ("Before.", "After.")
    assert told[2] == "┃ Plan ┃ Days ┃"


def narrow(*rows: str) -> str:
    """A table on a screen of 40 columns."""
    kinds = [BlockKind.HEADER, *[BlockKind.ROW] * (len(rows) - 1)]
    sentences = [CitedSentence(text=text, kind=kind) for text, kind in zip(rows, kinds, strict=True)]
    file = StringIO()
    Console(file=file, width=40).print(render(cited(sentences=sentences), citations=False, confidence=False))
    assert all(len(line) <= 40 for line in file.getvalue().splitlines())
    return file.getvalue()


def test_words_of_a_wide_table_stay_whole_where_they_fit() -> None:
    columns = [("Setting", "session timeout"), ("Default", "forty-five"), ("Meaning", "minutes until idle users go")]
    told = narrow(*(" | ".join(row) for row in zip(*columns, strict=True)))
    assert set(" ".join(f"{name} {text}" for name, text in columns).split()) <= set(told.split())


def test_a_word_that_fits_no_screen_breaks_no_other() -> None:
    told = narrow("Name | Address", f"port forwarding | https://{'x' * 60}")
    assert {"Name", "port", "forwarding"} <= set(told.split())
    assert told.count("x") == 60


def test_two_tables_are_both_shown() -> None:
    header = CitedSentence(text="Plan | Days", kind=BlockKind.HEADER, opens=True)
    rows = [CitedSentence(text=f"Plan {number} | {number}", kind=BlockKind.ROW) for number in (1, 2)]
    told = "\n".join(lines(header, rows[0], header, rows[1]))
    assert told.count("┃ Plan") == 2
    assert told.index("Plan 1") < told.index("Plan 2")


def test_a_second_list_of_steps_counts_from_one() -> None:
    steps = [CitedSentence(text=f"Do {n}.", kind=BlockKind.STEP, opens=n in (1, 3)) for n in (1, 2, 3, 4)]
    assert lines(*steps) == ["1. Do 1.", "2. Do 2.", "1. Do 3.", "2. Do 4."]


@pytest.mark.parametrize(
    "url", ["file:///etc/leave", "javascript:alert(1)", "https://wiki.acme.example/\u202ea", "x y"]
)
def test_what_a_browser_should_not_open_is_no_link(url: str) -> None:
    assert shown(cited("Yes.", citations=[citation(url=url)])).links == frozenset()


def test_a_source_is_shown_with_the_path_of_its_file_and_its_address() -> None:
    told = citation(filename="handbook/leave.md", url="https://wiki.acme.example/leave")
    line = next(line for line in shown(cited("Yes.", citations=[told])).text.split("\n") if line.startswith("[1]"))
    assert "handbook/leave.md" in line
    assert "https://wiki.acme.example/leave" in line


def test_an_unverified_claim_is_marked() -> None:
    assert lines(CitedSentence(text="Perhaps.", verified=False)) == [f"{wording.UNVERIFIED_CLAIM}: Perhaps."]


def test_what_is_piped_on_is_plain_text() -> None:
    file = StringIO()
    code = CitedSentence(text="print('x')", kind=BlockKind.CODE, language="python")
    Console(file=file, width=80).print(render(cited(sentences=[code]), why=True, passages=True))
    assert "\x1b" not in file.getvalue()
    assert "print('x')" in file.getvalue()


@pytest.mark.parametrize("kind", list(BlockKind))
def test_no_word_is_too_long_to_be_shown_whole(kind: BlockKind) -> None:
    word = "".join(f"{number}-" for number in range(200))
    url = f"https://wiki.acme.example/{word}"
    answer = cited(sentences=[CitedSentence(text=word, kind=kind)], citations=[citation(url=url, quote=word)])
    told = "".join(shown(answer).text.translate({ord(line): None for line in "│┃"}).split())
    assert word in told.replace(url, "")
    assert url in told


def test_an_entry_stands_below_the_one_that_it_stands_in() -> None:
    nested = (("a", 0), ("b", 1), ("c", 0))
    entries = [CitedSentence(text=text, kind=BlockKind.ITEM, depth=depth) for text, depth in nested]
    told = [line.rstrip() for line in shown(cited(sentences=entries)).text.splitlines()]
    assert told[told.index("• a") :][:3] == ["• a", "  • b", "• c"]
