"""WordprocessingML as its readers see it, without wrappers, deleted parts and duplicates; and its formulas as TeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from lxml import etree

from adapters.files.office.package import local_name

# --- Elements -------------------------------------------------------------------------------------

XmlElement: TypeAlias = etree._Element  # noqa: SLF001 the one name that lxml has for it
_SPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
}
OFF_VALUES = frozenset({"0", "false", "off", "none"})
_MAX_DIGITS = 9


@cache
def qname(name: str) -> str:
    """Return `w:p` as lxml writes it."""
    space, _, local = name.partition(":")
    return f"{{{_SPACES[space]}}}{local}"


VAL_ATTRIBUTE, ALTERNATE_CONTENT = qname("w:val"), qname("mc:AlternateContent")
_WRAPS = frozenset(
    map(qname, "w:sdt w:sdtContent w:customXml w:smartTag w:ins w:moveTo w:fldSimple w:dir w:bdo".split())
)
_GONE = frozenset(map(qname, "w:del w:moveFrom".split()))


def visible_children(element: XmlElement) -> Iterator[XmlElement]:
    """Yield the children, with those of content controls and insertions, one of several alternatives, and none that was
    deleted or moved away."""
    ahead = [iter(element)]
    while ahead:
        child = next(ahead[-1], None)
        if child is None:
            ahead.pop()
        elif child.tag in _WRAPS:
            ahead.append(iter(child))
        elif child.tag == ALTERNATE_CONTENT:
            ahead.append(iter(choose_alternate(child)))
        elif child.tag not in _GONE:
            yield child


def choose_alternate(alternate: XmlElement) -> XmlElement:
    """Return the first alternative that has content."""
    return next((choice for choice in alternate if len(choice)), alternate)


@cache
def _qualify_path(path: str) -> str:
    return "/".join(map(qname, path.split("/")))


def find_value(parent: XmlElement | None, path: str) -> str | None:
    """Return the `w:val` of a descendant, by its path such as `w:pPr/w:pStyle`."""
    element = find_descendant(parent, path)
    return None if element is None else element.get(VAL_ATTRIBUTE)


def find_descendant(parent: XmlElement | None, path: str) -> XmlElement | None:
    """Return the first descendant at `path`."""
    return None if parent is None else parent.find(_qualify_path(path))


def toggle_value(properties: XmlElement | None, name: str) -> bool | None:
    """Return whether a property is on; None where it is not set."""
    element = find_descendant(properties, name)
    return None if element is None else element.get(VAL_ATTRIBUTE, "1").lower() not in OFF_VALUES


def parse_xml_int(text: str | None, default: int = 0) -> int:
    """Parse a number of a file. Return `default` where it is none."""
    text = (text or "").strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS else default


# --- A formula (OMML) as TeX, which stays plain where it can: 3/4, x^2 ----------------------------

_ATOM = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_NARY = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∮": r"\oint", "⋃": r"\bigcup", "⋂": r"\bigcap"}
_ACCENTS = {"̂": "hat", "̃": "tilde", "̅": "bar", "̄": "bar", "⃗": "vec", "̇": "dot", "̈": "ddot"}
_NEXT = r" \\ "
_REMOVED = frozenset({"del", "moveFrom"})


def formula_to_tex(element: XmlElement) -> str:
    """Write `element`, and all in it, as TeX."""
    name = local_name(element)
    match name:
        case "t":
            return element.text or ""
        case "br":
            return "\n"
        case "oMathPara":
            return "\n".join(map(formula_to_tex, element.iterchildren(qname("m:oMath"))))
        case "r" if any(find_descendant(element, f"w:rPr/w:{mark}") is not None for mark in _REMOVED):
            return ""
        case "phant" if _property_value(element, "show", "1") in OFF_VALUES:
            return ""
        case "borderBox" if any(_property_value(element, f"strike{way}", "") for way in ("H", "V", "BLTR", "TLBR")):
            return ""
        case "f":
            return tex_fraction(
                _part_to_tex(element, "num"), _part_to_tex(element, "den"), _property_value(element, "type", "bar")
            )
        case "sSub" | "sSup" | "sSubSup":
            return _base_to_tex(element) + _script_to_tex("_", element, "sub") + _script_to_tex("^", element, "sup")
        case "limLow" | "limUpp":
            return _base_to_tex(element) + _script_to_tex("_" if name == "limLow" else "^", element, "lim")
        case "sPre":
            return (
                "{}"
                + _script_to_tex("_", element, "sub")
                + _script_to_tex("^", element, "sup")
                + _part_to_tex(element, "e")
            )
        case "rad":
            degree = _part_to_tex(element, "deg")
            return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part_to_tex(element, 'e')}}}"
        case "nary":
            sign = _property_value(element, "chr", "∫")
            scripts = _script_to_tex("_", element, "sub") + _script_to_tex("^", element, "sup")
            return f"{_NARY.get(sign, sign)}{scripts} {_part_to_tex(element, 'e')}"
        case "d":
            begin, end = _property_value(element, "begChr", "("), _property_value(element, "endChr", ")")
            return (
                begin
                + _property_value(element, "sepChr", "|").join(map(formula_to_tex, element.iterchildren(qname("m:e"))))
                + end
            )
        case "func":
            return f"{_part_to_tex(element, 'fName')} {_part_to_tex(element, 'e')}"
        case "acc" | "bar":
            accent = _ACCENTS.get(_property_value(element, "chr", "̂"), "hat") if name == "acc" else "bar"
            return rf"\{accent}{{{_part_to_tex(element, 'e')}}}"
        case "m":
            rows = (" & ".join(map(formula_to_tex, row)) for row in element.iterchildren(qname("m:mr")))
            return rf"\begin{{matrix}} {_NEXT.join(rows)} \end{{matrix}}"
        case "eqArr":
            return _NEXT.join(map(formula_to_tex, element.iterchildren(qname("m:e"))))
        case _:
            return "" if name in _REMOVED or name.endswith("Pr") else _join_children(element)


def _join_children(element: XmlElement) -> str:
    """Join the children. Parts of structured formulas are separated from text that would run into them: 2 1/2 is not
    21/2."""
    parts: list[str] = [""]
    before = ""
    for child in element:
        text, kind = formula_to_tex(child), local_name(child)
        end, start = parts[-1][-1:], text[:1]
        figures = end.isdigit() and (start.isdigit() or kind == "f")
        is_separate = before not in {"", "r"} or kind == "func" or (kind != "r" and figures)
        parts.append(f" {text}" if is_separate and end.isalnum() and start.isalnum() else text)
        before = kind
    return "".join(parts)


def tex_fraction(numerator: str, denominator: str, kind: str = "bar") -> str:
    if kind == "noBar":
        return rf"\binom{{{numerator}}}{{{denominator}}}"
    if kind == "lin" or (_ATOM.fullmatch(numerator) and _ATOM.fullmatch(denominator)):
        return f"{numerator}/{denominator}"
    return rf"\frac{{{numerator}}}{{{denominator}}}"


def _part_to_tex(element: XmlElement, name: str) -> str:
    child = find_descendant(element, f"m:{name}")
    return "" if child is None else formula_to_tex(child).strip()


def _base_to_tex(element: XmlElement) -> str:
    """Return the base of a script, in braces where it is more than one sign."""
    base = _part_to_tex(element, "e")
    return base if _ATOM.fullmatch(base) or len(base) < 2 or (base[0] in "([|" and base[-1] in ")]|") else f"{{{base}}}"


def _script_to_tex(sign: str, element: XmlElement, name: str) -> str:
    """Return a raised or lowered part, where there is one."""
    text = _part_to_tex(element, name)
    return text and f"{sign}{text if len(text) == 1 or text.isdecimal() else f'{{{text}}}'}"


def _property_value(element: XmlElement, name: str, default: str) -> str:
    child = find_descendant(element, f"m:{local_name(element)}Pr/m:{name}")
    return default if child is None else child.get(qname("m:val"), "")
