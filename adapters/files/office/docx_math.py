"""A formula of Word (OMML) as TeX, which stays plain where it can: 3/4, x^2."""

from __future__ import annotations

import re

from adapters.files.office.docx_xml import Element, q

_ATOM = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_NARY = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∮": r"\oint", "⋃": r"\bigcup", "⋂": r"\bigcap"}
_ACCENTS = {"̂": "hat", "̃": "tilde", "̅": "bar", "̄": "bar", "⃗": "vec", "̇": "dot", "̈": "ddot"}
_NEXT = r" \\ "
_SCRIPTS = {"sub": "_", "sup": "^", "lim": "_"}
_IGNORED = frozenset(map(q, ("w:del", "w:moveFrom", "m:ctrlPr")))


def tex(element: Element) -> str:
    """What `element`, and all in it, says."""
    local = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    if element.tag in _IGNORED or local.endswith("Pr"):
        return ""
    match local:
        case "t":
            return element.text or ""
        case "f":
            return _fraction(element)
        case "sSub" | "sSup" | "sSubSup" | "limLow" | "limUpp":
            limit = "^" if local == "limUpp" else ""
            return _base(element) + "".join(_script(child, limit) for child in element)
        case "sPre":
            return "{}" + _script_of(element, "sub") + _script_of(element, "sup") + _part(element, "e")
        case "rad":
            degree = _part(element, "deg")
            return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"
        case "nary":
            sign = _property(element, "naryPr", "chr", "∫")
            scripts = _script_of(element, "sub") + _script_of(element, "sup")
            return f"{_NARY.get(sign, sign)}{scripts} {_part(element, 'e')}"
        case "d":
            begin, end = _property(element, "dPr", "begChr", "("), _property(element, "dPr", "endChr", ")")
            between = _property(element, "dPr", "sepChr", "|")
            return begin + between.join(tex(child) for child in element if child.tag == q("m:e")) + end
        case "func":
            return f"{_part(element, 'fName')} {_part(element, 'e')}"
        case "acc" | "bar":
            accent = _ACCENTS.get(_property(element, f"{local}Pr", "chr", "̂"), "hat") if local == "acc" else "bar"
            return rf"\{accent}{{{_part(element, 'e')}}}"
        case "m":
            rows = (" & ".join(map(tex, row)) for row in element if row.tag == q("m:mr"))
            return rf"\begin{{matrix}} {_NEXT.join(rows)} \end{{matrix}}"
        case "eqArr":
            return _NEXT.join(tex(child) for child in element if child.tag == q("m:e"))
        case _:
            return "".join(map(tex, element))


def _fraction(element: Element) -> str:
    above, under = _part(element, "num"), _part(element, "den")
    kind = _property(element, "fPr", "type", "bar")
    if kind == "noBar":
        return rf"\binom{{{above}}}{{{under}}}"
    if kind == "lin" or (_ATOM.fullmatch(above) and _ATOM.fullmatch(under)):
        return f"{above}/{under}"
    return rf"\frac{{{above}}}{{{under}}}"


def _part(element: Element, name: str) -> str:
    found = element.find(q(f"m:{name}"))
    return "" if found is None else tex(found).strip()


def _base(element: Element) -> str:
    """What something is raised above, in braces where it is more than one sign."""
    base = _part(element, "e")
    return base if _ATOM.fullmatch(base) or len(base) < 2 or (base[0] in "([|" and base[-1] in ")]|") else f"{{{base}}}"


def _script_of(element: Element, name: str) -> str:
    found = element.find(q(f"m:{name}"))
    return "" if found is None else _script(found)


def _script(element: Element, sign: str = "") -> str:
    """A raised or lowered part of a formula; nothing of what is neither."""
    local = str(element.tag).rpartition("}")[2]
    text = tex(element).strip() if local in _SCRIPTS else ""
    return text and f"{sign or _SCRIPTS[local]}{text if len(text) == 1 or text.isdecimal() else f'{{{text}}}'}"


def _property(element: Element, group: str, name: str, otherwise: str) -> str:
    found = element.find(f"{q(f'm:{group}')}/{q(f'm:{name}')}")
    return otherwise if found is None else found.get(q("m:val"), "")
