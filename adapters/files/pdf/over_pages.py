"""Tables that go on over the end of a page."""

from __future__ import annotations

from adapters.files.pdf.parts import Line, Table


def over_pages(parts: list[Line | Table]) -> list[Line | Table]:
    """A table that goes on over the page's end as one, its header once."""
    found: list[Line | Table] = []
    for part in parts:
        last = found[-1] if found else None
        rows = _in_columns(last, part) if isinstance(part, Table) and isinstance(last, Table) else None
        if isinstance(part, Table) and isinstance(last, Table) and rows:
            again = rows[: last.header] == last.rows[: last.header]
            first = last.header if again else 0
            if _goes_on(last.rows, rows[first:]):
                for cell, more in zip(last.rows[-1], rows[first], strict=True):
                    cell.extend(more)
                first += 1
            last.rows.extend(rows[first:])
            last.pages.extend(part.pages[first:])
        else:
            found.append(part)
    return found


def _in_columns(last: Table, part: Table) -> list[list[list[str]]] | None:
    """The rows of a table in the columns of one that ends the page before, if it is more of that one."""
    if part.page <= last.pages[-1] or len(part.columns) > len(last.columns):
        return None
    places = []
    for x0, x1 in part.columns:
        shared = [min(x1, end) - max(x0, start) for start, end in last.columns]
        places.append(shared.index(max(shared)))
        if max(shared) <= 0:
            return None
    if places != sorted(set(places)) or 2 * len(places) < len(last.columns):
        return None
    rows: list[list[list[str]]] = [[[] for _ in last.columns] for _ in part.rows]
    for row, cells in zip(rows, part.rows, strict=True):
        for place, cell in zip(places, cells, strict=True):
            row[place] = cell
    return None if part.named and rows[: part.header] != last.rows[: part.header] else rows


def _goes_on(rows: list[list[list[str]]], more: list[list[list[str]]]) -> bool:
    """Whether the page ended within a row: the next one alone has no first cell, or begins within a sentence."""
    if not more or more[0][0] or not rows[-1][0]:
        return False
    pairs = [(cell[-1], rest[0]) for cell, rest in zip(rows[-1], more[0], strict=True) if cell and rest]
    if any(cell[-1:].isdigit() and rest[-1:].isdigit() for cell, rest in pairs):
        return False
    within = all(rest[:1].islower() or not cell.endswith((".", "!", "?")) for cell, rest in pairs)
    return bool(pairs) and (within or all(row[0] for row in rows))
