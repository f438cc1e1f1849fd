"""What kind a line of a model's text is: prose, an item, a step, a row, a fence, a heading, a label or a footer."""

from __future__ import annotations

import re

SECTIONS = ("similarities", "differences", "contradictions", "conclusion")
"""Labels of the comparison template."""
ABSENT = "NOT_IN_DOCUMENTS"
"""What a model writes on a line of its own when the passages do not hold the answer or, after a colon, a part of it."""

DECORATION = '*_# \t`"'
"""What models put around a label."""
LINE = re.compile(
    r"\s*(?:(?P<item>[-*•–‣◦]\s+)|(?P<step>\d{1,3}[.)]\s+)|(?P<row>\|)|(?P<fence>```+|~~~+)|(?P<head>#{1,6}\s)|(?P<quote>>))"
)
_UNSURE = re.compile(r"\s*+(?:[-*•–‣◦_]+|\d{1,3}[.)]?|`{1,2}|~{1,2}|#{1,6})?\s*+$")
RULE = re.compile(r"\s*(?:[-*_]\s*){3,}$")
LABEL = re.compile(rf"[*_#\s]*(?P<name>{'|'.join(SECTIONS)})[*_\s]*(?::[*_]*|$)", re.IGNORECASE)
MISSING = re.compile(r"[*_`\"\s]*NOT[_ ]IN[_ ]DOCUMENTS[*_`\".]*:?(?P<what>.*)")
FOOTER = re.compile(r"[*_#\s]*(?:sources|references|citations)[*_\s]*:", re.IGNORECASE)
_WATCHED = (*SECTIONS, ABSENT.lower(), ABSENT.lower().replace("_", " "), "sources", "references", "citations")


def may_become_more(line: str) -> bool:
    """Whether it cannot be told yet what kind of line this beginning belongs to."""
    begun = line.lstrip(DECORATION).lower().rstrip("*_: ")
    return bool(_UNSURE.match(line)) or any(word.startswith(begun) for word in _WATCHED)
