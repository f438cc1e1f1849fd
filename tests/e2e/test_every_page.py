"""What holds of each page, whoever made it: its weight, its shape at each width, in each theme, for every reader."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.e2e import asking, checks, lighthouse
from tests.e2e.chromium import Browser
from tests.e2e.conftest import Figure
from tests.e2e.house import House


def conversation(browser: Browser, question: str = asking.QUESTION) -> str:
    browser.open("/")
    asking.ask(browser, question)
    return browser.path


def source(browser: Browser) -> str:
    conversation(browser)
    return browser.link(".sources li a")


PAGES: dict[str, Callable[[Browser], str]] = {
    "ask": lambda _: "/",
    "conversation": conversation,
    "steps": partial(conversation, question=asking.STEPS),
    "table": partial(conversation, question=asking.RATES),
    "source": source,
    "source refused": lambda _: "/s/nothing",
    "not there": lambda _: "/c/nothing",
    "you": lambda _: "/you",
    "api": lambda _: "/api",
}
"""Each with what leads there."""
every_page = pytest.mark.parametrize("name", PAGES)


@every_page
def test_a_page_is_light_and_nothing_in_it_jumps(browser: Browser, name: str, figure: Figure) -> None:
    found = checks.weight(browser, PAGES[name](browser))
    figure(name, "bytes with all that belongs to it", f"{found.bytes:,}")
    figure(name, "first content, ms", f"{found.first_content or 0:.0f}")
    figure(name, "layout shift", f"{found.shift:.3f}")
    assert found.bytes < checks.BYTES
    assert found.shift < checks.SHIFT
    assert found.first_content is not None


@every_page
def test_a_page_can_be_used_by_everybody_at_each_width_in_each_theme(browser: Browser, name: str) -> None:
    browser.open(PAGES[name](browser))
    checks.accessible(browser, name.replace(" ", "-"))


@every_page
def test_a_page_needs_no_emoji_font(browser: Browser, name: str) -> None:
    browser.open(PAGES[name](browser))
    assert checks.symbols(browser) == []


def test_nor_does_what_is_opened_below_an_answer(browser: Browser) -> None:
    conversation(browser)
    browser.find("button[value=why]").click()
    browser.find(".panel")
    assert checks.symbols(browser) == []
    assert checks.planted(browser) == []
    assert len(browser.all(".actions .icon")) >= 2


@pytest.mark.parametrize("name", ["ask", "conversation", "source", "you", "api"])
def test_lighthouse_finds_little_to_better(browser: Browser, handbook: House, name: str, figure: Figure) -> None:
    address = PAGES[name](browser)
    found = lighthouse.scores(handbook.url + address, handbook.cookie())
    for category, score in found.items():
        figure(name, f"Lighthouse, {category}", str(score))
    assert found["accessibility"] >= 95
    assert found["best-practices"] >= 95
