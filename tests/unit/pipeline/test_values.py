"""What values promise beyond their fields."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.values import row_cells, row_text

cells = st.text(alphabet="ab |∣", max_size=8).map(str.strip)


@given(st.lists(cells, min_size=1, max_size=5))
def test_a_row_gives_its_cells_back_whatever_stands_in_them(given: list[str]) -> None:
    found = row_cells(row_text(given))
    assert [cell.replace("|", "∣") for cell in found] == [cell.replace("|", "∣") for cell in given]
