"""The page in a real browser: `make e2e`. Figures stand in a table at the end; timings in it are no promises."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.e2e import checks, chromium
from tests.e2e.chromium import Browser
from tests.e2e.house import HANDBOOK, House, house

PACKAGES = "npm ci --prefix tests/e2e"
FIGURES = pytest.StashKey[list[tuple[str, ...]]]()

Figure = Callable[..., None]


def pytest_configure(config: pytest.Config) -> None:
    lacking = chromium.missing()
    if not shutil.which("node"):
        lacking.append("node: apt-get install nodejs npm")
    wanted = json.loads((checks.MODULES.parent / "package.json").read_text())["devDependencies"]
    if absent := [name for name in wanted if not (checks.MODULES / name).is_dir()]:
        lacking.append(f"node packages ({', '.join(absent)}): {PACKAGES}")
    if lacking:
        raise pytest.UsageError("the page cannot be tested in a browser without\n  " + "\n  ".join(lacking))
    config.stash[FIGURES] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if rows := config.stash[FIGURES]:
        terminalreporter.write_line("\n| page | what | figure |\n| --- | --- | --- |")
        for row in rows:
            terminalreporter.write_line(f"| {' | '.join(row)} |")
        terminalreporter.write_line(f"pictures: {chromium.PICTURES}")


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Put one into the table: of which page, what, how much."""

    def put(page: str, what: str, how_much: str) -> None:
        request.config.stash[FIGURES].append((page, what, how_much))

    return put


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Over one document of each kind, on loopback: whoever opens its link is the operator."""
    with house(tmp_path_factory.mktemp("handbook"), HANDBOOK) as running:
        yield running


@pytest.fixture
def own_house(tmp_path: Path) -> Iterator[House]:
    """One that a test may change."""
    with house(tmp_path, HANDBOOK / "vacation.md") as running:
        yield running


@pytest.fixture
def people() -> Iterator[Callable[[str], Browser]]:
    """Somebody with a browser of their own, who opened the page by a link. Nothing that they did may have left it."""
    with ExitStack() as stack:
        opened: list[Browser] = []

        def somebody(link: str) -> Browser:
            home = f"http://{urlsplit(link).netloc}"
            opened.append(stack.enter_context(chromium.chromium(home)))
            if link != home:
                opened[-1].open(link)
                opened[-1].forget()
            return opened[-1]

        yield somebody
        for browser in opened:
            checks.kept_in(browser)


@pytest.fixture
def browser(people: Callable[[str], Browser], handbook: House) -> Browser:
    """The operator's."""
    return people(handbook.link)
