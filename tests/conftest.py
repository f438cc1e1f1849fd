"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.alone import contacts, is_alone, leave_the_network
from tests.doubles.engines import Engine
from tests.doubles.postgres import Server, postgres_server
from tests.doubles.reader import ReaderHere

collect_ignore = ["e2e"]
"""Needs a browser and has a run of its own: `make e2e`."""

settings.register_profile("citewell", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("citewell")
"""An example may take as long as it takes: machines differ. Everything else is as hypothesis has it, on CI as well."""

MEMORY, ROOM = Path("/dev/shm"), 4 << 30
"""Where files of tests stand if there is room: a database that is made for one test waits for no disk there."""


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("CITEWELL_READER", "none")  # at a deadline it steps aside, where tests run beside each other
    if not hasattr(config, "workerinput"):  # whose network is that of the process which started it
        leave_the_network()
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("TMPDIR", str(MEMORY))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a shell in the background, and of all that it starts
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "CITEWELL_RECORD" in os.environ:
        config.pluginmanager.import_plugin("tests.doubles.recorded")
    structlog.dev.ConsoleRenderer.get_active().exception_formatter = structlog.dev.plain_traceback  # not drawn by rich


@pytest.fixture
def chroma_at_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Chroma filled for the few passages of a test."""
    monkeypatch.setattr("storage.sqlite.vector_index.CHROMA_PASSAGES", 1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each process that tests begins with its share of the slow ones, so that at the end none is waited for: with
    `--dist worksteal` each gets one equal stretch of what is collected."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = iter([item for item in items if not item.get_closest_marker("slow")])
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    bounds = [len(items) * number // workers for number in range(workers + 1)]
    shares = [slow[number::workers] for number in range(workers)]
    lengths = [after - before for before, after in pairwise(bounds)]
    dealt = [
        [*share, *islice(quick, max(0, length - len(share)))] for share, length in zip(shares, lengths, strict=True)
    ]
    items[:] = [*chain.from_iterable(dealt), *quick]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays to the end: nobody looks through it for what can go, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(autouse=True)
def nothing_beyond_loopback() -> Iterator[None]:
    """Holds as well for what a test starts, where it may have a network of its own. Tests that run beside each other
    share one: it fails them all."""
    before = is_alone() and contacts()
    yield
    assert not is_alone() or contacts() == before, "something here, or in a test beside it, went beyond loopback"


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """What a command of one test configures for its process does not decide what the next one logs."""
    before = structlog.get_config() if structlog.is_configured() else None
    yield
    structlog.reset_defaults()
    if before:
        structlog.configure(**before)


@pytest.fixture(autouse=True)
def files_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a Citewell that a test opens in its own process: a child for each takes longer than most tests. The child
    stands in `tests/unit/adapters/files`, and in each process of Citewell that a test starts."""
    monkeypatch.setattr("bot.documents.indexing.FileReader", ReaderHere)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; tests that need one are skipped where there is none."""
    try:
        with postgres_server() as server:
            yield server
    except (LookupError, OSError) as missing:
        pytest.skip(f"needs PostgreSQL with pgvector: {missing}")


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Each engine in turn, with nothing in it."""
    url = request.getfixturevalue("postgres").empty() if request.param == "postgresql" else ""
    return Engine(tmp_path / "data", url)


@pytest.fixture(autouse=True)
def the_collector_waits_no_longer_than_before() -> Iterator[None]:
    """A bot that a test runs in this process has the garbage collector wait: what later tests leave open would come to
    light in others."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
