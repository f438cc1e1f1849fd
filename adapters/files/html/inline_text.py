"""The words of a line of HTML, with the targets of its links, its code, and the marks that change its meaning."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urljoin

from lxml import etree

from adapters.files.html.tree import (
    BLOCK_TAGS,
    LINE_BREAK,
    NOTE_END,
    NOTE_START,
    HtmlElement,
    HtmlTree,
    class_names,
    clear_element,
    element_text,
    prepend_text,
    remove_element,
    replace_with_text,
)
from adapters.files.inline_marks import format_subscript, format_superscript, insert_footnote
from pipeline.values import Link

# --- Marks: raised and struck words, formulas, values ---------------------------------------------

_STRUCK = re.compile(r"text-decoration[^;]*line-through", re.IGNORECASE)
_RAISED = re.compile(r"vertical-align\s*:\s*(super|sub)\b|font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_VALUES = frozenset({"", "text", "number", "date", "time", "datetime-local", "month", "email", "tel", "url"})
_ENVIRONMENTS = ((r"\begin{equation*}", r"\end{equation*}"), (r"\begin{equation}", r"\end{equation}"))
_TEX_EDGES = (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$"), *_ENVIRONMENTS)
_DISPLAY_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle) (.+)\}")
_MAX_FORMULA_DEPTH = 40


def convert_formulas(tree: HtmlTree) -> None:
    """Write each formula once, as its TeX if it has one, else as plain text."""
    for script in list(tree.root.iter("script")):
        if (script.get("type") or "").startswith("math/tex"):
            _remove_drawing(script)
            replace_with_text(script, " ".join((script.text or "").split()))
    for formula in list(tree.root.iter("math")):
        text = formula_text(formula)
        around = formula.getparent()
        while around is not None and around.tag == "span" and re.search("katex|mwe-math", class_names(around)):
            formula, around = around, around.getparent()
        replace_with_text(formula, f" {text} ")
    for drawn in tree.with_class_containing("katex-html"):
        if drawn.getparent() is not None and drawn.getparent().find(".//annotation") is None and element_text(drawn):
            tree.unread.append("formulas that are only drawn")
            drawn.attrib.pop("aria-hidden", None)
            replace_with_text(drawn, "…")
    for formula in tree.with_class_containing("math", "arithmatex"):
        number = formula.find(".//span[@class='eqno']")
        counted = f" {element_text(number)}" if number is not None else ""
        if number is not None:
            remove_element(number)
        text = element_text(formula)
        for start, end in _TEX_EDGES:
            if len(text) > len(start + end) and text.startswith(start) and text.endswith(end):
                block = formula.tag in {"div", "p"}
                replace_with_text(formula, _clean_tex(text[len(start) : -len(end)]) + counted)
                formula.tag = "p" if block else "span"
                break


def convert_inline_marks(tree: HtmlTree) -> None:
    """Write line ends, pictures, controls, struck and raised words as plain text."""
    for end in tree.root.iter("br"):
        end.text = LINE_BREAK
    for picture in tree.root.iter("img"):
        description = (picture.get("alt") or "").strip()
        replace_with_text(picture, f" {description} " if description else "")
    for struck in [*tree.root.iter("del", "s", "strike"), *tree.with_attribute("style")]:
        if struck.tag in {"del", "s", "strike"} or _STRUCK.search(struck.get("style") or ""):
            clear_element(struck)
    for control in list(tree.root.iter("input", "textarea", "select")):
        replace_with_text(control, _control_value(control))
    for quoted in tree.root.iter("q"):
        prepend_text(quoted, "“")
        quoted.tail = f"”{quoted.tail or ''}"
    for element in tree.with_attribute("style"):
        if element.tag in {"span", "td"} and (alignment := _RAISED.search(element.get("style"))):
            bold = "b" if element.tag == "span" else "th"
            element.tag = {"super": "sup", "sub": "sub"}.get((alignment[1] or "").lower(), bold)
    for word in list(tree.root.iter("ruby")):
        _write_ruby(word)
    for mark in list(tree.root.iter("sup", "sub")):
        _write_script(mark)


def _remove_drawing(script: HtmlElement) -> None:
    """Remove MathJax's drawing, which stands before the script that it draws."""
    while (drawn := script.getprevious()) is not None and "mathjax" in class_names(drawn):
        if (drawn.tail or "").strip():
            return
        parent = drawn.getparent()
        if parent is None:
            return
        parent.remove(drawn)


def formula_text(formula: HtmlElement) -> str:
    for annotation in formula.iter("annotation", "{*}annotation"):
        if "tex" in (annotation.get("encoding") or "").lower():
            return _clean_tex("".join(annotation.itertext()))
    return _clean_tex(formula.get("alttext") or "") or " ".join(_write_mathml(formula, 0).split())


def _clean_tex(text: str) -> str:
    text = " ".join(text.split())
    match = _DISPLAY_STYLE.fullmatch(text)
    return match[1].strip() if match else text


def _write_mathml(part: HtmlElement, depth: int) -> str:
    """Write MathML on one line."""
    if depth > _MAX_FORMULA_DEPTH:
        return "".join(part.itertext())
    name = str(part.tag).rpartition("}")[2]
    inner = [_write_mathml(child, depth + 1) for child in part]
    match name, inner:
        case "annotation" | "annotation-xml", _:
            return ""
        case "mfrac", [above, below]:
            return f"{_parenthesize(above)}/{_parenthesize(below)}"
        case "msup" | "mover", [base, above]:
            return f"{base}^{_parenthesize(above)}"
        case "msub" | "munder", [base, below]:
            return f"{base}_{_parenthesize(below)}"
        case "msubsup" | "munderover", [base, below, above]:
            return f"{base}_{_parenthesize(below)}^{_parenthesize(above)}"
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


def _parenthesize(text: str) -> str:
    text = text.strip()
    return text if text.isalnum() or len(text) == 1 else f"({text})"


def _control_value(control: HtmlElement) -> str:
    """Return the value that a control of a form shows."""
    kind = (control.get("type") or "").lower()
    if "margin-toggle" in class_names(control):
        return ""
    if control.tag == "textarea":
        return f" {control.text or ''} "
    if control.tag == "select":
        chosen = [option for option in control.iter("option") if option.get("selected") is not None]
        return f" {', '.join(map(element_text, chosen))} "
    if kind in {"checkbox", "radio"}:
        return " ☑ " if control.get("checked") is not None else " ☐ "
    return f" {control.get('value') or ''} " if kind in _VALUES else ""


def _write_ruby(word: HtmlElement) -> None:
    """Write a word, then its reading once."""
    readings = [element_text(reading) for reading in word.iter("rt")]
    for reading in list(word.iter("rt", "rp", "rtc")):
        remove_element(reading)
    between = " " if any(reading.isascii() for reading in readings) else ""
    reading = between.join(filter(None, readings))
    base = "".join("".join(word.itertext()).split()) if not between else element_text(word)
    replace_with_text(word, f"{base}({reading})" if reading else base)


def _write_script(mark: HtmlElement) -> None:
    """Write raised and lowered figures: `6<sup>1</sup>/<sub>2</sub>` is six and a half."""
    if mark.tag not in {"sup", "sub"}:
        return
    text = element_text(mark)
    before = _text_before(mark)
    if mark.tag == "sub":
        replace_with_text(mark, format_subscript(text))
        return
    below = mark.getnext()
    fraction = below is not None and below.tag == "sub" and (mark.tail or "").strip() in {"/", "⁄"}
    if fraction and below is not None and text.isdecimal() and element_text(below).isdecimal():
        replace_with_text(mark, f"{' ' if before[-1:].isdigit() else ''}{text}")
        mark.tail = "/"
        replace_with_text(below, element_text(below))
    else:
        replace_with_text(mark, format_superscript(text, before))


def _text_before(mark: HtmlElement) -> str:
    """Return the last characters before `mark` in its line."""
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
ANNOTATED_TAGS = ("a", *_CODE)
_NOTE = re.compile(f"{NOTE_START}([^{NOTE_END}]*){NOTE_END}")
_MEANINGFUL_TAGS = frozenset({*ANNOTATED_TAGS, "ol", "a"})
"""Elements that carry a meaning of their own."""
_SEPARATORS = {"td": ",", "th": ",", "tr": ";", "li": ";", "dd": ";"}
"""Separators between such parts of a cell."""
_ENDS = ",;:.!?"
_SENTENCE = 400
"""Characters before a note in which the end of its sentence is looked for."""


class InlineContext(NamedTuple):
    """The facts about a page that reading its words needs."""

    base_url: str
    """Address that the page's links are relative to."""
    block_holders: set[HtmlElement]
    """Elements that contain blocks."""
    annotated: set[HtmlElement]
    """Elements that contain links or code."""


class InlineText:
    """Text of one line, while it is collected."""

    def __init__(self, context: InlineContext) -> None:
        self._context = context
        self._parts: list[str] = []
        self.links: list[Link] = []
        self.code: list[str] = []

    def add_text(self, text: str | None) -> None:
        if text:
            self._parts.append(text)

    def add_element(self, element: HtmlElement) -> None:
        """Append the text of `element`, with separators around the blocks in it."""
        while len(element) == 1 and element.tag not in _MEANINGFUL_TAGS:
            inner = element[0]
            if (element.text or "").strip() or (inner.tail or "").strip():
                break
            element = inner
        if not len(element):
            self.add_text(element.text)
            if element.tag in ANNOTATED_TAGS:
                self._annotate(element)
            return
        if element in self._context.block_holders:
            self._add_separated(element)
        else:
            self._parts.extend(element.itertext())
        if (
            element.tag in ANNOTATED_TAGS
            or element in self._context.annotated
            or element in self._context.block_holders
        ):
            for marked in element.iter(*ANNOTATED_TAGS):
                self._annotate(marked)

    @property
    def text(self) -> str:
        text = " ".join("".join(self._parts).split()) if self._parts else ""
        if NOTE_START in text:
            text = place_footnotes(text)
        return text.replace(LINE_BREAK, "\n") if LINE_BREAK in text else text

    def _annotate(self, element: HtmlElement) -> None:
        if element.tag in _CODE:
            self.code.append(_annotated_text(element))
        elif (url := element.get("href")) is not None:
            self.links.append(Link(text=_annotated_text(element), url=_resolve_url(self._context.base_url, url)))

    def _add_separated(self, element: HtmlElement) -> None:
        """Append the text of `element` with its blocks separated: cells of a table by a comma, rows and entries of a
        list by a semicolon, steps by their numbers."""
        for event, inner in etree.iterwalk(element, events=("start", "end")):
            block = inner is not element and inner.tag in BLOCK_TAGS
            if event == "end":
                if block:
                    self._add_separator(inner.tag if _has_successor(inner) else "")
                self.add_text(inner.tail if inner is not element else None)
                continue
            if block:
                self.add_text(" ")
                if inner.tag == "li" and (parent := inner.getparent()).tag == "ol":
                    self.add_text(f"{parent.index(inner) + 1}. ")
            self.add_text(inner.text)

    def _add_separator(self, tag: str) -> None:
        mark = _SEPARATORS.get(tag, "")
        while mark and self._parts and not self._parts[-1].strip():
            self._parts.pop()
        if mark and self._parts:
            self._parts[-1] = self._parts[-1].rstrip()
            empty = self._parts[-1][-1] in _ENDS
            mark = mark if not empty else " ," if mark == "," else ""
        self._parts.append(f"{mark} ")


def _has_successor(block: HtmlElement) -> bool:
    """Return whether another cell, row or entry follows."""
    following = block.getnext()
    if following is None and block.tag == "tr" and block.getparent().tag in {"thead", "tbody"}:
        following = block.getparent().getnext()
    return following is not None and following.tag != "caption"


def place_footnotes(text: str) -> str:
    """Return `text` with each note inside its sentence."""
    parts: list[str] = []
    before = ""
    for index, piece in enumerate(_NOTE.split(text)):
        if index % 2:
            parts.append(before[:-_SENTENCE])
            before = insert_footnote(before[-_SENTENCE:], piece)
        else:
            before += piece
    return "".join([*parts, before])


def _annotated_text(element: HtmlElement) -> str:
    text = "".join(element.itertext()) if len(element) else element.text or ""
    return _NOTE.sub("", text).replace(LINE_BREAK, " ") if NOTE_START in text or LINE_BREAK in text else text


def _resolve_url(base: str, url: str) -> str:
    if not base:
        return url.strip()
    try:
        return urljoin(base, url.strip())
    except ValueError:
        return ""
