"""Tables in which words stay whole."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table

_LINE, _PADDING = 1, 2
"""Columns of the screen that each column of a table takes beside its text."""


@dataclass(frozen=True)
class WholeWords:
    """A table with lines around its columns, each of which has room for its longest word.

    Where the screen is too narrow for that, only the widest columns break words."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - len(self.table.columns) * (_LINE + _PADDING) - _LINE
        sizes = [
            [Measurement.get(console, options, cell) for cell in (column.header, *column.cells)]
            for column in self.table.columns
        ]
        most = [max(size.maximum for size in column) for column in sizes]
        if sum(most) > room:
            least = _cut([max(size.minimum for size in column) for column in sizes], room)
            spare, wanted = room - sum(least), sum(most) - sum(least)
            for column, low, high in zip(self.table.columns, least, most, strict=True):
                column.width = max(1, low + spare * (high - low) // wanted)
        yield self.table


def _cut(widths: list[int], room: int) -> list[int]:
    """The widest made as narrow as it takes for all to fit."""
    cuts = ([min(width, most) for width in widths] for most in range(max(widths), 0, -1))
    return next((cut for cut in cuts if sum(cut) <= room), [0] * len(widths))
