"""Every citation opens its source at the passage, and nothing opens for whom it is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.e2e import asking
from tests.e2e.asking import KINDS, Kind
from tests.e2e.chromium import Browser
from tests.e2e.house import House


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.file)
def test_each_kind_of_document_opens_at_what_was_cited(browser: Browser, kind: Kind) -> None:
    browser.size(360)
    browser.open("/")
    asking.ask(browser, kind.question)
    browser.find(".sources li a").click()
    assert any(kind.marked in one.text for one in browser.all("mark"))
    assert browser.seen("#cited")
    assert kind.place in browser.text()
    assert kind.file in browser.text()
    original = browser.named("Download the original file", "a").get_attribute("href")
    told = browser.run("return fetch(arguments[0]).then(one => one.headers.get('content-disposition'))", original)
    assert kind.file in told


def test_one_reads_on_and_comes_back_to_what_was_cited(browser: Browser) -> None:
    browser.open("/")
    asking.ask(browser, asking.QUESTION)
    browser.find(".sources li a").click()
    cited = browser.text("mark")
    browser.follow("Next")
    browser.says("Passage 2 of 3")
    assert browser.seen("#here")
    browser.follow("Back to the cited passage")
    assert browser.text("mark") == cited
    assert browser.seen("#cited")


def test_a_link_that_was_changed_or_revoked_says_so_and_shows_nothing(
    people: Callable[[str], Browser], own_house: House
) -> None:
    browser = people(own_house.link)
    browser.open("/")
    asking.ask(browser, asking.QUESTION)
    link = browser.link(".sources li a").partition("#")[0]
    browser.open(link)
    assert "28 days" in browser.text()
    browser.open(link[:-1])
    assert "This link is not valid" in browser.text()
    own_house.command("links", "rotate", "--yes")
    browser.open(link)
    assert "This link is not valid" in browser.text()
    assert "28 days" not in browser.text()


def test_a_document_that_is_gone_is_not_shown(people: Callable[[str], Browser], own_house: House) -> None:
    browser = people(own_house.link)
    browser.open("/")
    asking.ask(browser, asking.QUESTION)
    link = browser.link(".sources li a")
    own_house.command("documents", "remove", "vacation.md")
    browser.open(link)
    assert "This document is gone" in browser.text()
