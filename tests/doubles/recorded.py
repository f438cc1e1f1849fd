"""What the product asks of Slack and Discord, test by test, kept outside the repository and compared.

    CITEWELL_RECORD=FOLDER python -m pytest tests/contracts --hypothesis-seed=0
    python -m tests.doubles.recorded OLD NEW [RACY]

The first, a plugin of pytest, writes a file for each test of contracts, journeys and faults: the calls as they came.
The second compares the tests that both folders have, without those of which a line of the file RACY names the
beginning. It takes calls by conversation and in order within it, for what happens in two at once has no order; what is
only read, and what is in no conversation, is there or not. Messages count as they were when they were finished, and
signs of work once. What differs between runs (ids, ports) is its kind and a number in order of appearance, `ts:1`; the
end says which of them is the same in two conversations."""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.doubles import recorder
from tests.doubles.recorder import Call, Recording
from tests.doubles.slack.rules import READS

AREAS = ("tests/contracts", "tests/journeys", "tests/faults")
GROWING = re.compile(r'-# [^"\n]* …"')
"""In a message that is not finished."""
TIMES = re.compile(r"(?<![\w.])1[5-9]\d{8}(?![\w.])|\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)?")
"""Too coarse for a number: whether two are the same depends on when the test ran."""
KINDS = re.compile(
    r"(?P<ts>(?<![\w.])1[5-9]\d{8}\.\d+(?![\w.])|(?<=/p)1[5-9]\d{14}\b)|(?P<id>(?<![\d.])\d{17,20}(?![\d.]))"
    r"|(?P<port>(?<=127\.0\.0\.1:)\d+|(?<=localhost:)\d+)|(?P<folder>/[\w/]+/pytest-of-\w+/pytest-\d+(?:/popen-gw\d+)?)"
    r"|(?P<name>\b(?=\w*\d)[0-9a-fA-F]{8,64}\b|\bF[0-9A-F]{8}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r'|(?<=")[\w-]{60,}(?="))'
)
FOLDER = pytest.StashKey[Path]()
Numbers = dict[tuple[str, str], int]


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FOLDER] = Path(os.environ["CITEWELL_RECORD"])
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", 0):
        del os.environ["CITEWELL_RECORD"]  # which the product would take for a setting that it does not know


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    if not item.nodeid.startswith(AREAS):
        return (yield)
    recorder.current = recording = Recording()
    try:
        return (yield)
    finally:
        recorder.current = None
        name = re.sub(r"[^\w.\[\]-]+", "_", item.nodeid.removeprefix("tests/"))
        short = name if len(name) < 200 else f"{name[:180]}-{zlib.crc32(name.encode()):08x}"
        item.config.stash[FOLDER].mkdir(parents=True, exist_ok=True)
        lines = [str(datetime.now(UTC).date()), *(json.dumps(asdict(call)) for call in recording.calls)]
        (item.config.stash[FOLDER] / short).write_text("\n".join(lines))


def told(file: Path) -> str:
    """All calls of a test, those of each conversation together, whichever came first."""
    day, *lines = file.read_text().splitlines()
    around = [date.fromisoformat(day) + timedelta(days=shift) for shift in (-1, 0, 1)]
    today = re.compile("|".join(rf"{one}(?![T ]\d)" for one in around))
    conversations: defaultdict[tuple[str, ...], list[Call]] = defaultdict(list)
    for line in lines:
        call = Call(**json.loads(today.sub("today", line)))
        if call.asked == "agents.sessions.setStatus" and call.payload["status"] in ("processing", "active"):
            continue  # which an answer that is there at once goes without
        conversations[call.platform, call.place, "" if _read(call) else call.thread].append(call)
    parts = sorted((_conversation(one) for one in conversations.values()), key=lambda one: one[0])
    named = [
        (text.partition("\n")[0], {value: f"{kind}:{n}" for (kind, value), n in known.items()}) for text, known in parts
    ]
    same = {
        f"{name} {first[value]} = {other} {second[value]}"
        for (name, first), (other, second) in combinations(named, 2)
        for value in first.keys() & second.keys()
    }
    return "\n".join([*(text for text, _ in parts), *sorted(same)])


def _read(call: Call) -> bool:
    return call.asked in READS or call.asked.startswith("GET ")


def _loose(call: Call) -> bool:
    """It is there or not, whenever and however often: reads, signs of work, and what is in no conversation."""
    return _read(call) or call.asked.endswith(("typing", "setStatus")) or not call.place


def _conversation(calls: list[Call]) -> tuple[str, Numbers]:
    numbers: Numbers = {}
    loose = sorted((call for call in calls if _loose(call)), key=lambda call: _line(call, {}))
    lines = list(dict.fromkeys(_line(call, numbers) for call in loose))
    lines += [_line(call, numbers) for call in _grown([call for call in calls if not _loose(call)])]
    place = calls[0].place if re.fullmatch("[CDGU][0-9A-Z]+", calls[0].place) else bool(calls[0].place) * "a channel"
    return "\n".join([f"{calls[0].platform} {place}", *lines, ""]), numbers


def _grown(calls: list[Call]) -> list[Call]:
    """Each message as it was when it was finished, at the place where it began: how it grew depends on the time."""
    grown: list[Call] = []
    for call in calls:
        last = grown[-1] if grown else call
        if not grown:
            grown.append(call)
        elif call.asked in ("chat.appendStream", "chat.stopStream") and last.asked == "chat.startStream":
            text = last.payload.get("markdown_text", "") + call.payload.get("markdown_text", "")
            grown[-1] = replace(last, payload={**last.payload, **call.payload, "markdown_text": text})
        elif call.asked.startswith("PATCH") and GROWING.search(json.dumps(last.payload, ensure_ascii=False)):
            changed = {key: value for key, value in call.payload.items() if key != "message"}
            grown[-1] = replace(last, payload={**last.payload, **changed})
        else:
            grown.append(call)
    return [_posted(call) for call in grown]


def _posted(call: Call) -> Call:
    """An answer of Slack, which is posted whole where it was quick."""
    blocks = call.payload.get("blocks") or []
    if call.asked == "chat.startStream":
        blocks = [{"type": "markdown", "text": call.payload.get("markdown_text", "")}, *blocks]
    elif call.asked != "chat.postMessage" or not blocks or blocks[0].get("type") != "markdown":
        return call
    kept = {key: value for key, value in call.payload.items() if key in ("channel", "thread_ts", "metadata")}
    return replace(call, asked="chat.startStream or postMessage", payload={**kept, "blocks": blocks})


def _line(call: Call, numbers: Numbers) -> str:
    shown = json.dumps(call.payload, ensure_ascii=False, sort_keys=True, indent=1)
    return f"{call.asked} {equal(shown, numbers)}" + (f" refused: {call.refused}" if call.refused else "")


def equal(text: str, numbers: Numbers) -> str:
    """`text` with a number for each value that differs between runs."""

    def numbered(found: re.Match[str]) -> str:
        kind, value = found.lastgroup or "", found[0]
        if kind == "ts" and "." not in value:  # as a link to the message has it
            value = f"{value[:-6]}.{value[-6:]}"
        alike = sum(known == kind for known, _ in numbers)
        return f"{kind}:{numbers.setdefault((kind, value), alike + 1)}"

    return KINDS.sub(numbered, TIMES.sub("at", text))


def differences(old: Path, new: Path, racy: tuple[str, ...]) -> Iterator[str]:
    for file in sorted(old.iterdir()):
        if (new / file.name).exists() and not file.name.startswith(racy):
            before, after = told(file).splitlines(), told(new / file.name).splitlines()
            if before != after:
                yield "\n".join([f"=== {file.name}", *difflib.unified_diff(before, after, lineterm="", n=4)])


def main(old: Path, new: Path, racy: Path | None = None) -> int:
    listed = racy.read_text().splitlines() if racy else []
    found = list(differences(old, new, tuple(line.split()[0] for line in listed if line.strip())))
    names = [{one.name for one in folder.iterdir()} for folder in (old, new)]
    both = len(names[0] & names[1])
    added = [f"only in {new}: {name}" for name in sorted(names[1] - names[0])]
    counted = f"{len(found)} of {both} tests differ; {len(names[0]) - both} of {old} were not recorded again"
    sys.stdout.write("\n".join([*found, *added, counted, ""]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
