"""Calendar files (iCalendar), such as invitations, as blocks: subject, time, place and people."""

from __future__ import annotations

import re

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.decode import decode_text
from pipeline.errors import Refused
from pipeline.values import BlockKind

_LINE = re.compile(r'([\w-]+)((?:;[^=;:]+=(?:"[^"]*"|[^;:"]*)(?:,"[^"]*")*)*):(.*)')
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d*(Z?))?")
_LABELS = {
    "DTSTART": "Start",
    "DTEND": "End",
    "DUE": "Due",
    "RRULE": "Repeats",
    "LOCATION": "Where",
    "ORGANIZER": "Organiser",
    "ATTENDEE": "Invited",
    "STATUS": "Status",
}


def read_calendar(content: bytes) -> ParsedFile:
    """Read every event and task. Raises Refused for a file without any."""
    outline = OutlineBuilder()
    properties: dict[str, str] = {}
    within: list[str] = []
    for line in re.sub(r"\r?\n[ \t]", "", decode_text(content)).splitlines():
        if not (match := _LINE.fullmatch(line)):
            continue
        name, details, value = match[1].upper(), match[2], match[3]
        if name == "BEGIN":
            within.append(value.upper())
        elif name == "END" and within:
            if within.pop() in {"VEVENT", "VTODO"}:
                _add_event(outline, properties)
                properties = {}
        elif within[-1:] in (["VEVENT"], ["VTODO"]):
            text = _format_value(name, details, value)
            properties[name] = f"{properties[name]}, {text}" if name == "ATTENDEE" and name in properties else text
    if not outline.character_count:
        raise Refused("the file is no calendar with events", what_to_do="Export it again as .ics.")
    return outline.build()


def _add_event(outline: OutlineBuilder, properties: dict[str, str]) -> None:
    outline.add_heading(1, properties.get("SUMMARY", "Event"))
    for name, label in _LABELS.items():
        outline.add(BlockKind.PROSE, f"{label}: {properties[name]}" if properties.get(name) else "")
    outline.add(BlockKind.PROSE, properties.get("DESCRIPTION", ""))


def _format_value(name: str, details: str, value: str) -> str:
    if name in {"ATTENDEE", "ORGANIZER"}:
        called = re.search(r';CN="?([^";]*)', details, re.IGNORECASE)
        return called[1] if called else value.partition(":")[2] or value
    if moment := _MOMENT.fullmatch(value):
        year, month, day, hour, minute, everywhere = moment.groups()
        zone = re.search(r';TZID="?([^";]*)', details, re.IGNORECASE)
        time = f" {hour}:{minute}{' UTC' if everywhere else f' {zone[1]}' if zone else ''}" if hour else ""
        return f"{year}-{month}-{day}{time}"
    return re.sub(r"\\(.)", lambda mark: "\n" if mark[1] in "nN" else mark[1], value)
