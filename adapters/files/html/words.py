"""The words of a line of HTML, with what its links lead to, what is code in it, and the marks that change what it
says."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urljoin

from lxml import etree

from adapters.files.html.tree import (
    BLOCKS,
    BREAK,
    NOTE,
    NOTE_END,
    Element,
    Tree,
    classes,
    emptied,
    gone,
    led,
    say,
    text_of,
)
from adapters.files.inline import lowered, noted, raised
from pipeline.values import Link

# --- Marks: raised and struck words, formulas, values ---------------------------------------------

_STRUCK = re.compile(r"text-decoration[^;]*line-through", re.IGNORECASE)
_RAISED = re.compile(r"vertical-align\s*:\s*(super|sub)\b|font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_VALUES = frozenset({"", "text", "number", "date", "time", "datetime-local", "month", "email", "tel", "url"})
_ENVIRONMENTS = ((r"\begin{equation*}", r"\end{equation*}"), (r"\begin{equation}", r"\end{equation}"))
_TEX_EDGES = (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$"), *_ENVIRONMENTS)
_SHOWN = re.compile(r"\{\\(?:displaystyle|textstyle) (.+)\}")
_DEEPEST_FORMULA = 40


def read_formulas(tree: Tree) -> None:
    """Each formula once, as its TeX if it has one, else as plain text."""
    for script in list(tree.root.iter("script")):
        if (script.get("type") or "").startswith("math/tex"):
            _drawn_before(script)
            say(script, " ".join((script.text or "").split()))
    for formula in list(tree.root.iter("math")):
        text = formula_text(formula)
        around = formula.getparent()
        while around is not None and around.tag == "span" and re.search("katex|mwe-math", classes(around)):
            formula, around = around, around.getparent()
        say(formula, f" {text} ")
    for drawn in tree.with_class("katex-html"):
        if drawn.getparent() is not None and drawn.getparent().find(".//annotation") is None and text_of(drawn):
            tree.unread.append("formulas that are only drawn")
            drawn.attrib.pop("aria-hidden", None)
            say(drawn, "…")
    for formula in tree.with_class("math", "arithmatex"):
        number = formula.find(".//span[@class='eqno']")
        counted = f" {text_of(number)}" if number is not None else ""
        if number is not None:
            gone(number)
        text = text_of(formula)
        for start, end in _TEX_EDGES:
            if len(text) > len(start + end) and text.startswith(start) and text.endswith(end):
                block = formula.tag in {"div", "p"}
                say(formula, _tex(text[len(start) : -len(end)]) + counted)
                formula.tag = "p" if block else "span"
                break


def read_marks(tree: Tree) -> None:
    """Line ends, pictures, controls, struck and raised words as what they say."""
    for end in tree.root.iter("br"):
        end.text = BREAK
    for picture in tree.root.iter("img"):
        said = (picture.get("alt") or "").strip()
        say(picture, f" {said} " if said else "")
    for struck in [*tree.root.iter("del", "s", "strike"), *tree.having("style")]:
        if struck.tag in {"del", "s", "strike"} or _STRUCK.search(struck.get("style") or ""):
            emptied(struck)
    for control in list(tree.root.iter("input", "textarea", "select")):
        say(control, _value(control))
    for quoted in tree.root.iter("q"):
        led(quoted, "“")
        quoted.tail = f"”{quoted.tail or ''}"
    for element in tree.having("style"):
        if element.tag in {"span", "td"} and (place := _RAISED.search(element.get("style"))):
            bold = "b" if element.tag == "span" else "th"
            element.tag = {"super": "sup", "sub": "sub"}.get((place[1] or "").lower(), bold)
    for word in list(tree.root.iter("ruby")):
        _ruby(word)
    for mark in list(tree.root.iter("sup", "sub")):
        _figure(mark)


def _drawn_before(script: Element) -> None:
    """MathJax leaves what it draws before the script that it draws."""
    while (drawn := script.getprevious()) is not None and "mathjax" in classes(drawn):
        if (drawn.tail or "").strip():
            return
        parent = drawn.getparent()
        if parent is None:
            return
        parent.remove(drawn)


def formula_text(formula: Element) -> str:
    for said in formula.iter("annotation", "{*}annotation"):
        if "tex" in (said.get("encoding") or "").lower():
            return _tex("".join(said.itertext()))
    return _tex(formula.get("alttext") or "") or " ".join(_linear(formula, 0).split())


def _tex(text: str) -> str:
    text = " ".join(text.split())
    shown = _SHOWN.fullmatch(text)
    return shown[1].strip() if shown else text


def _linear(part: Element, depth: int) -> str:
    """MathML on one line."""
    if depth > _DEEPEST_FORMULA:
        return "".join(part.itertext())
    name = str(part.tag).rpartition("}")[2]
    inner = [_linear(child, depth + 1) for child in part]
    match name, inner:
        case "annotation" | "annotation-xml", _:
            return ""
        case "mfrac", [above, below]:
            return f"{_grouped(above)}/{_grouped(below)}"
        case "msup" | "mover", [base, above]:
            return f"{base}^{_grouped(above)}"
        case "msub" | "munder", [base, below]:
            return f"{base}_{_grouped(below)}"
        case "msubsup" | "munderover", [base, below, above]:
            return f"{base}_{_grouped(below)}^{_grouped(above)}"
        case "msqrt", _:
            return f"√({''.join(inner)})"
        case "mroot", [base, degree]:
            return f"{base}^(1/{degree})"
        case "mtr", _:
            return ", ".join(inner)
        case "mtable", _:
            return f"({'; '.join(inner)})"
        case "mo", _ if (sign := (part.text or "").strip()) in {"=", "<", ">", "≤", "≥", "+", "−", "±", "×", "·", "≈"}:
            return f" {sign} "
        case "mtext" | "mspace", _:
            return part.text or " "
        case _:
            return (part.text or "").strip() + "".join(inner)


def _grouped(text: str) -> str:
    text = text.strip()
    return text if text.isalnum() or len(text) == 1 else f"({text})"


def _value(control: Element) -> str:
    """What a control of a form shows."""
    kind = (control.get("type") or "").lower()
    if "margin-toggle" in classes(control):
        return ""
    if control.tag == "textarea":
        return f" {control.text or ''} "
    if control.tag == "select":
        chosen = [option for option in control.iter("option") if option.get("selected") is not None]
        return f" {', '.join(map(text_of, chosen))} "
    if kind in {"checkbox", "radio"}:
        return " ☑ " if control.get("checked") is not None else " ☐ "
    return f" {control.get('value') or ''} " if kind in _VALUES else ""


def _ruby(word: Element) -> None:
    """The word, then its reading once."""
    readings = [text_of(reading) for reading in word.iter("rt")]
    for reading in list(word.iter("rt", "rp", "rtc")):
        gone(reading)
    between = " " if any(reading.isascii() for reading in readings) else ""
    reading = between.join(filter(None, readings))
    base = "".join("".join(word.itertext()).split()) if not between else text_of(word)
    say(word, f"{base}({reading})" if reading else base)


def _figure(mark: Element) -> None:
    """Raised and lowered figures; `6<sup>1</sup>/<sub>2</sub>` is six and a half."""
    if mark.tag not in {"sup", "sub"}:
        return
    text = text_of(mark)
    before = _before(mark)
    if mark.tag == "sub":
        say(mark, lowered(text))
        return
    below = mark.getnext()
    fraction = below is not None and below.tag == "sub" and (mark.tail or "").strip() in {"/", "⁄"}
    if fraction and below is not None and text.isdecimal() and text_of(below).isdecimal():
        say(mark, f"{' ' if before[-1:].isdigit() else ''}{text}")
        mark.tail = "/"
        say(below, text_of(below))
    else:
        say(mark, raised(text, before))


def _before(mark: Element) -> str:
    """The last characters before `mark` in its line."""
    inner = mark
    for _ in range(4):
        earlier = inner.getprevious()
        if earlier is not None:
            if earlier.tail:
                return str(earlier.tail)[-8:]
            if text := "".join(earlier.itertext())[-8:]:
                return text
            inner = earlier
            continue
        parent = inner.getparent()
        if parent is None:
            return ""
        if parent.text:
            return str(parent.text)[-8:]
        if parent.tag not in {"span", "a", "b", "i", "em", "strong", "font", "sup", "sub"}:
            return ""
        inner = parent
    return ""


# --- Words ----------------------------------------------------------------------------------------

_CODE = ("code", "kbd", "samp", "tt")
MARKED = ("a", *_CODE)
_NOTE = re.compile(f"{NOTE}([^{NOTE_END}]*){NOTE_END}")
_MEANT = frozenset({*MARKED, "ol", "a"})
"""Elements that say something themselves."""
_BETWEEN = {"td": ",", "th": ",", "tr": ";", "li": ";", "dd": ";"}
"""What stands between such parts of a cell."""
_ENDS = ",;:.!?"
_SENTENCE = 400
"""Characters before a note that tell where its sentence ends."""


class Shape(NamedTuple):
    """What is known of a page before its words are read."""

    base: str
    """The address that its links are relative to."""
    holders: set[Element]
    """The elements that hold blocks."""
    marked: set[Element]
    """Those that hold links or code."""


class Words:
    """Text that is shown on one line, as it is collected."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._parts: list[str] = []
        self.links: list[Link] = []
        self.code: list[str] = []

    def say(self, text: str | None) -> None:
        if text:
            self._parts.append(text)

    def add(self, element: Element) -> None:
        """What `element` says; blocks in it stand apart."""
        while len(element) == 1 and element.tag not in _MEANT:
            inner = element[0]
            if (element.text or "").strip() or (inner.tail or "").strip():
                break
            element = inner
        if not len(element):
            self.say(element.text)
            if element.tag in MARKED:
                self._mark(element)
            return
        if element in self._shape.holders:
            self._apart(element)
        else:
            self._parts.extend(element.itertext())
        if element.tag in MARKED or element in self._shape.marked or element in self._shape.holders:
            for marked in element.iter(*MARKED):
                self._mark(marked)

    @property
    def text(self) -> str:
        text = " ".join("".join(self._parts).split()) if self._parts else ""
        if NOTE in text:
            text = with_notes(text)
        return text.replace(BREAK, "\n") if BREAK in text else text

    def _mark(self, element: Element) -> None:
        if element.tag in _CODE:
            self.code.append(_plain(element))
        elif (url := element.get("href")) is not None:
            self.links.append(Link(text=_plain(element), url=_resolved(self._shape.base, url)))

    def _apart(self, element: Element) -> None:
        """The text of `element` with the blocks in it apart: cells of a table by a comma, rows and entries of a list by
        a semicolon, steps with their numbers."""
        for event, inner in etree.iterwalk(element, events=("start", "end")):
            block = inner is not element and inner.tag in BLOCKS
            if event == "end":
                if block:
                    self._between(inner.tag if _goes_on(inner) else "")
                self.say(inner.tail if inner is not element else None)
                continue
            if block:
                self.say(" ")
                if inner.tag == "li" and (parent := inner.getparent()).tag == "ol":
                    self.say(f"{parent.index(inner) + 1}. ")
            self.say(inner.text)

    def _between(self, tag: str) -> None:
        mark = _BETWEEN.get(tag, "")
        while mark and self._parts and not self._parts[-1].strip():
            self._parts.pop()
        if mark and self._parts:
            self._parts[-1] = self._parts[-1].rstrip()
            empty = self._parts[-1][-1] in _ENDS
            mark = mark if not empty else " ," if mark == "," else ""
        self._parts.append(f"{mark} ")


def _goes_on(block: Element) -> bool:
    """Whether another cell, row or entry follows."""
    following = block.getnext()
    if following is None and block.tag == "tr" and block.getparent().tag in {"thead", "tbody"}:
        following = block.getparent().getnext()
    return following is not None and following.tag != "caption"


def with_notes(text: str) -> str:
    """`text` with each note within its sentence."""
    parts: list[str] = []
    before = ""
    for place, piece in enumerate(_NOTE.split(text)):
        if place % 2:
            parts.append(before[:-_SENTENCE])
            before = noted(before[-_SENTENCE:], piece)
        else:
            before += piece
    return "".join([*parts, before])


def _plain(element: Element) -> str:
    text = "".join(element.itertext()) if len(element) else element.text or ""
    return _NOTE.sub("", text).replace(BREAK, " ") if NOTE in text or BREAK in text else text


def _resolved(base: str, url: str) -> str:
    if not base:
        return url.strip()
    try:
        return urljoin(base, url.strip())
    except ValueError:
        return ""
