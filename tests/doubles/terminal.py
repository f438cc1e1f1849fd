"""How a terminal takes what is written to it: what can be read, what a click would open, and what it would obey.

Written apart from the code under test, after ECMA-48 and the OSC 8 convention. An address in plain text is no link:
a terminal that offers to open it shows all of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LINK = re.compile(r"\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x1b\\|\x07)")
_TOKEN = re.compile(r"\x1b\[\??([0-9;]*)([A-Za-z])|([\n\r])|([^\x1b\n\r]+)")
_HIDDEN = ("Cc", "Cf", "Co", "Cs")
_JOINERS = "\u200c\u200d"


class Look(NamedTuple):
    text: str
    links: frozenset[str]
    obeyed: frozenset[str]
    """Every other control sequence, and what hides or turns text."""


def look(written: str, width: int) -> Look:
    """What was written to a terminal of `width` columns, as its reader meets it: lines that were only wrapped are
    whole again."""
    links = frozenset(filter(None, _LINK.findall(written)))
    text = _LINK.sub("", _COLOUR.sub("", written))
    hidden = (at for at, c in enumerate(text) if c not in "\n" + _JOINERS and unicodedata.category(c) in _HIDDEN)
    obeyed = frozenset(repr(text[at : at + 8]) for at in hidden)
    return Look(_unwrapped(text.split("\n"), width), links, obeyed)


def _unwrapped(lines: Sequence[str], width: int) -> str:
    """A line goes on in the next one where the next one's first word did not fit into it."""
    told: list[str] = []
    room = 0
    for line in (line.rstrip() for line in lines):
        first = (line.split() or [""])[0]
        if told and first and room < len(first) + 1:
            told[-1] += f" {line.lstrip()}"
        else:
            told.append(line)
        room = width - len(line)
    return "\n".join(told).strip()


def screen(written: str, height: int) -> str:
    """What is left on a screen of `height` lines that is wide enough, and above it, after everything was erased that
    was to be: the cursor does not go up to what has left the screen."""
    lines, row, column = [""], 0, 0
    for number, command, control, text in _TOKEN.findall(_LINK.sub("", written)):
        if text:
            line = lines[row].ljust(column)
            lines[row] = line[:column] + text + line[column + len(text) :]
            column += len(text)
        elif control:
            row, column = row + (control == "\n"), 0
            lines += [""] * (row + 1 - len(lines))
        elif command == "A":
            row = max(0, row - int(number or 1), len(lines) - height)
        elif command == "K":
            lines[row] = "" if number == "2" else lines[row][:column]
    return "\n".join(lines).strip()
