"""Marks within a line that change its meaning, as plain text: raised and lowered figures, notes."""

from __future__ import annotations

import re
import string

_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ", "0123456789+-=()n")
_FIGURE = re.compile(r"[-+−–]?[(\[]?[0-9](?:[0-9.,;/() –−-]*[0-9)\]])?|[0-9]+[-+−]|[a-z]\)|[-+−–]?[0-9]*[nxyk]|[-+−]")
_SUM = re.compile(r"\w+(?:[-+−*]\w+)+")
_BEGINS = frozenset("([" + string.ascii_letters + string.digits)
_WORDS = frozenset("st nd rd th er re e ème o os TM SM s r t".split())
"""Words that stand raised behind a figure and are no figures."""
_LETTER = re.compile(r"[a-z]")
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]{2}|[)\]%])\Z")
_CENTURY = re.compile(r"\b[IVXLC]+\Z")
_END = re.compile(r"[.!?:;,…。！？]+[\"'”’»)\]]*\Z")


def format_superscript(text: str, before: str) -> str:
    """Write the raised text behind `before`: `^6` for a figure, so that 10⁶ is not 106, and `^a` for the mark of a note
    behind a word. Words such as `th` and `TM`, and the `e` of `XXe`, stay."""
    plain = text.strip().translate(_RAISED)
    if not plain:
        return text
    before = before[-8:]
    mark = _LETTER.fullmatch(plain) and _WORD_BEFORE.search(before) and not _CENTURY.search(before)
    mark = mark or (before[-1:].isdigit() and plain[0] in _BEGINS and plain not in _WORDS)
    if not before[-1:].strip() or not (mark or _FIGURE.fullmatch(plain) or _SUM.fullmatch(plain)):
        return text.translate(_RAISED)
    return f"^({plain})" if _SUM.fullmatch(plain) else f"^{plain}"


def format_subscript(text: str) -> str:
    """Write lowered text: figures as such (CO₂), letters unchanged."""
    return text.translate(_LOWERED)


def insert_footnote(before: str, note: str) -> str:
    """Return `before`, the text up to the call of a note, with the note inside the sentence that it belongs to. The
    sentence continues behind it."""
    note = " ".join(note.split())
    if not note:
        return before
    end = _END.search(before.rstrip())
    sentence, mark = (before.rstrip()[: end.start()], end.group()) if end else (before.rstrip(), "")
    return f"{sentence} (note: {note.rstrip('.') if mark.startswith('.') or not mark else note}){mark}"
