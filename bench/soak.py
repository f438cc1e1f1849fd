"""`python -m bench.soak [HOURS]`: what SECURITY.md promises, tried for so long (8 hours), as one table.

First every test once, as `make test` runs it; what time is left is divided among them, and each tries as many times as
much as fits its share. Stops by itself. The table is printed and written to `build/soak/table.md`, with the output of
what failed beside it; the exit status is 1 if anything did."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as Xml

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "soak"
GRACE = 30.0
"""Seconds for what is ended."""
LATE = 1.5
"""How many times its share a test may take before it is ended."""


@dataclass(frozen=True)
class Promise:
    """What is promised, and the tests that try it, as pytest is told."""

    text: str
    tests: tuple[str, ...]


PROMISES = (
    Promise(
        "five questions a second with indexing beside: memory, files and connections are flat",
        ("tests/journeys/test_steady.py",),
    ),
    Promise("no question is lost or answered twice: Slack", ("tests/faults/test_slack_chaos.py",)),
    Promise("no question is lost or answered twice: Discord", ("tests/faults/test_discord_chaos.py",)),
    Promise(
        "no question is lost or answered twice: two processes on PostgreSQL", ("tests/faults/test_processes_chaos.py",)
    ),
    Promise("no message of a channel is lost or taken in twice", ("tests/faults/test_channel_chaos.py",)),
    Promise(
        "what a server sends ends in an error of ours, and others are served",
        ("tests/unit/adapters/fetch/test_hostile_servers.py",),
    ),
    Promise("a head or sitemap costs an error line and no more", ("tests/unit/adapters/files/test_leads.py",)),
    Promise(
        "an address of a web site stands for what it says itself", ("tests/unit/adapters/sources/test_web_claims.py",)
    ),
    Promise("a full disk is told, and leaves nothing half written", ("tests/faults/test_full_disk.py",)),
    Promise(
        "no question is lost or answered twice: a disk that fills and empties, rights that are taken and given back",
        ("tests/faults/test_unwritable.py",),
    ),
    Promise(
        "a read-only disk, a right that is missing and a connection that is cut are told, and nothing is half written",
        ("tests/faults/test_read_only.py",),
    ),
    Promise(
        "no byte of a backup changes unnoticed",
        ("tests/journeys/test_restore.py::test_no_byte_of_a_backup_can_change_unnoticed",),
    ),
    Promise(
        "a hostile file ends in text or a clear error, and keeps no other waiting",
        ("tests/faults/test_mutated_files.py", "tests/unit/adapters/files/test_long_files.py"),
    ),
    Promise(
        "no made-up link, no mention, no control character on any platform",
        ("tests/unit/adapters/test_render_hostile.py::test_answers_of_random_hostile_text_are_harmless",),
    ),
    Promise(
        "a Slack request that makes no sense is refused and costs nobody anything",
        ("tests/faults/test_slack_attacks.py",),
    ),
    Promise("a Discord gateway that makes no sense costs nobody an answer", ("tests/faults/test_discord_attacks.py",)),
    Promise(
        "whatever a model's provider does, there is one answer in time",
        ("tests/faults/test_model_faults.py::test_whatever_a_provider_does_at_random_ends_in_one_answer_in_time",),
    ),
    Promise("nobody hears what was said where they may not read", ("tests/contracts/test_channel_audience.py",)),
    Promise(
        "nobody is given a word of a document that they may not see",
        ("tests/contracts/sight/test_sight.py::test_nobody_is_given_a_word_of_what_they_may_not_see",),
    ),
    Promise(
        "a workspace is added by whoever began it in that browser, and touches no other",
        ("tests/journeys/test_workspaces.py::test_browsers_add_the_workspace_of_the_code_they_bring_and_no_other",),
    ),
)


@dataclass(frozen=True)
class Tried:
    """What came of one promise."""

    promise: Promise
    seconds: float = 0.0
    counts: tuple[tuple[str, int], ...] = ()
    outcome: str = "not begun"

    def and_then(self, more: Tried) -> Tried:
        """Both, one after the other."""
        counts = Counter(dict(self.counts)) + Counter(dict(more.counts))
        worse = self.outcome if self.outcome not in ("held", "skipped") else more.outcome
        return replace(self, seconds=self.seconds + more.seconds, counts=tuple(sorted(counts.items())), outcome=worse)


def tried(promise: Promise, times: int, seconds: float) -> Tried:
    """Its tests, `times` as much as usual, for so long at most."""
    name = Path(promise.tests[0].partition("::")[0]).stem
    report, log = BUILD / f"{name}-{times}.xml", BUILD / f"{name}-{times}.log"
    report.unlink(missing_ok=True)
    command = (sys.executable, "-m", "pytest", *promise.tests, f"--junitxml={report}", "--timeout=0")
    began = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | {"TRIALS": str(times)},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            outcome = "held" if process.wait(seconds) == 0 else f"FAILED, see {log.relative_to(ROOT)}"
        except subprocess.TimeoutExpired:
            _end(process)
            outcome = "ended: its time was up"
    counts, ran = _counts(report)
    outcome = "skipped" if outcome == "held" and not ran else outcome
    if outcome == "held":
        log.unlink()
    return Tried(promise, time.monotonic() - began, counts, outcome)


def _end(process: subprocess.Popen[bytes]) -> None:
    """With all that it started; it may say what it counted so far."""
    os.killpg(process.pid, signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _counts(report: Path) -> tuple[tuple[tuple[str, int], ...], int]:
    """What was counted, and how many tests ran."""
    if not report.exists():
        return (), 0
    cases = list(Xml.parse(report).iter("testcase"))
    ran = [case for case in cases if case.find("skipped") is None]
    counts: Counter[str] = Counter({"tests": len(ran)})
    for found in (one for case in ran for one in case.iter("property")):
        counts[found.get("name", "")] += int(found.get("value", 0))
    return tuple(sorted(counts.items())), len(ran)


def table(results: Sequence[Tried]) -> Iterator[str]:
    yield f"| promise | test | tried until {datetime.now(UTC):%Y-%m-%d %H:%M} UTC | minutes | outcome |"
    yield "| --- | --- | --- | --- | --- |"
    for one in results:
        said = ", ".join(f"{number:,} {name}" for name, number in one.counts)
        tests = ", ".join(f"`{test}`" for test in one.promise.tests)
        yield f"| {one.promise.text} | {tests} | {said} | {one.seconds / 60:.1f} | {one.outcome} |"


def main(hours: float) -> int:
    BUILD.mkdir(parents=True, exist_ok=True)
    ends = time.monotonic() + hours * 3600
    results = {promise: Tried(promise) for promise in PROMISES}
    for promise in PROMISES:
        if (left := ends - time.monotonic()) > 0:
            results[promise] = tried(promise, 1, left)
            print(f"{results[promise].outcome}: {promise.text}", file=sys.stderr)
    again = [promise for promise in PROMISES if results[promise].outcome == "held"]
    for place, promise in enumerate(again):
        share = (ends - time.monotonic()) / (len(again) - place)
        if (times := int(share / results[promise].seconds)) > 0:
            more = tried(promise, times, min(share * LATE, ends - time.monotonic()))
            results[promise] = results[promise].and_then(more)
    said = "\n".join(table(list(results.values())))
    (BUILD / "table.md").write_text(f"{said}\n", encoding="utf-8")
    print(said)
    return int(any("FAILED" in one.outcome for one in results.values()))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 8.0))
