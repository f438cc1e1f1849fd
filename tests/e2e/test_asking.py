"""Somebody asks on the page, reads what stands behind each sentence, and says what they think of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from adapters.web.ask.conversations import EXCHANGES_PER_PAGE
from tests.doubles.llm.faults import Text
from tests.doubles.llm.server import LlmServer
from tests.e2e import asking, checks
from tests.e2e.aside import aside
from tests.e2e.chromium import THEMES, WIDTHS, Browser
from tests.e2e.conftest import Figure
from tests.e2e.house import HANDBOOK, House

PASSAGE = ".beside:popover-open"
MARK = ".answer .mark"

FIRST, LAST = (
    "Full-time employees get 28 days of paid vacation a year",
    "After five years with the company you get two extra days",
)
MADE_UP = "Everybody gets seven marbles"
WRITTEN = Text(f"{FIRST} [1]. {MADE_UP} [1]. {LAST} a year [1].", size=4, pause=0.03)
_GROWN = """
window.grown = [];
new MutationObserver(() => {
  const said = document.querySelector('.growing, .answer')?.innerText;
  if (said && said !== grown.at(-1)) grown.push(said);
}).observe(document, {subtree: true, childList: true, characterData: true});
"""
"""Remembers all that stood where the answer appears; the page's policy does not hold for it, and stays in force."""


@pytest.fixture
def answered(browser: Browser) -> Browser:
    """Before the answer to a question."""
    browser.open("/")
    asking.ask(browser, asking.QUESTION)
    return browser


def test_the_answer_appears_by_itself_and_the_passage_beside_its_sentence(answered: Browser) -> None:
    assert "28 days of paid vacation" in answered.text(".answer")
    assert "confidence" in answered.text(".status")
    assert not answered.all(PASSAGE)
    answered.find(MARK).click()
    assert "Full-time employees get 28 days" in answered.text(PASSAGE)
    answered.press("Close")
    assert not answered.all(PASSAGE)
    assert "EventSource" in {one.kind for one in answered.note().asked}


def test_sentences_appear_one_by_one_as_each_is_checked(people: Callable[[str], Browser], tmp_path: Path) -> None:
    text = HANDBOOK / "vacation.md"
    with aside(LlmServer(otherwise=lambda _: WRITTEN).running()) as model:
        made = House(tmp_path, {"MODEL": "openai:double", "FIRST_SENTENCE_SECONDS": "30"})
        made.environment |= {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{model.url}/v1"}
        made.command("index", str(text))
        with made.running():
            browser = people(made.link)
            browser.tell("Page.addScriptToEvaluateOnNewDocument", source=_GROWN)
            browser.open("/")
            asking.ask(browser, asking.QUESTION)
            grown = browser.run("return window.grown")
    first = next(one for one in grown if FIRST in one)
    assert LAST not in first
    assert any(LAST in one for one in grown)
    assert not any(MADE_UP in one for one in grown)


_MORE = """
const form = document.querySelector('form.ask'), [most, question] = arguments;
return (async () => {
  for (let number = 2; number <= most; number++) {
    const sent = new FormData(form);
    sent.set('question', `${question} (${number})`);
    sent.set('once', number.toString(16).padStart(32, '0'));
    await fetch('/ask', {method: 'POST', body: sent});
  }
})()
"""


def test_a_long_conversation_is_read_part_by_part_also_without_scripts(
    own_house: House, people: Callable[[str], Browser], figure: Figure
) -> None:
    browser, most = people(own_house.link), EXCHANGES_PER_PAGE + 3
    browser.open("/")
    asking.ask(browser, asking.QUESTION)
    browser.run(_MORE, most, asking.QUESTION)
    address = browser.path

    def answered() -> bool:
        browser.open(address)
        return len(browser.all(".answer")) == EXCHANGES_PER_PAGE and not browser.all(".growing")

    browser.until(answered, "all answers")
    found = checks.weight(browser, address)
    figure("long conversation", "bytes with all that belongs to it", f"{found.bytes:,}")
    assert found.bytes < checks.BYTES
    assert found.shift < checks.SHIFT
    checks.accessible(browser, "conversation-newest")
    browser.without_scripts()
    browser.open(address)
    assert f"Questions 4 to {most} of {most}" in browser.text("nav.row")
    browser.tab_to("a[rel=prev]").send_keys(Keys.ENTER)
    browser.says(f"Questions 1 to {EXCHANGES_PER_PAGE} of {most}")
    assert browser.all("article h2")[0].text == asking.QUESTION
    browser.follow("Later")
    browser.says(f"Questions 4 to {most} of {most}")
    browser.tell("Emulation.setScriptExecutionDisabled", value=False)
    browser.open(f"{address}?start=0")
    checks.accessible(browser, "conversation-first")


def test_a_conversation_goes_on_and_is_found_again(answered: Browser) -> None:
    first = answered.path
    asking.ask(answered, "And contractors?", asking.FOLLOW_UP)
    assert answered.path == first
    assert len(answered.all("article")) == 2
    answered.follow("New question")
    answered.follow(asking.QUESTION)
    assert answered.path == first
    assert len(answered.all(".answer, article > .note")) == 2


def test_everything_is_done_by_keys_alone(browser: Browser) -> None:
    browser.open("/you")
    browser.keys(Keys.TAB)
    assert browser.focused.text == "Skip to the content"
    browser.keys(Keys.ENTER)
    browser.tab_to("select[name=style]")
    browser.open("/")
    assert browser.focused.get_attribute("id") == "question"
    browser.keys(asking.QUESTION, Keys.ENTER)
    asking.answered(browser)
    browser.tab_to(MARK)
    browser.keys(Keys.ENTER)
    assert "28 days" in browser.text(PASSAGE)
    browser.keys(Keys.ESCAPE)
    assert not browser.all(PASSAGE)
    assert browser.run("return document.activeElement.matches('.answer .mark')")
    browser.tab_to("button[value=why]")
    browser.keys(Keys.ENTER)
    browser.until(lambda: browser.text(".panel"), "why")
    browser.tab_to(".sources li a")
    browser.keys(Keys.ENTER)
    browser.find("#cited")
    assert browser.path.startswith("/s/")
    browser.tab_to("a[rel=next]")


def test_a_phone_has_it_all_without_scrolling_sideways(browser: Browser) -> None:
    browser.size(360)
    browser.open("/")
    asking.ask(browser, asking.RATES)
    browser.find(MARK).click()
    assert browser.seen(PASSAGE)
    assert checks.too_wide(browser) == 0
    browser.press("Close")
    browser.find(".sources li a").click()
    assert browser.seen("#cited")
    assert checks.too_wide(browser) == 0


def test_without_scripts_it_is_asked_and_read_all_the_same(browser: Browser) -> None:
    browser.without_scripts()
    browser.open("/")
    assert "28 days of paid vacation" in asking.ask(browser, asking.QUESTION)
    browser.press("Why this confidence?")
    browser.until(lambda: browser.text(".panel"), "why")
    browser.follow("Back to the conversation")
    browser.find(".sources li a").click()
    assert "28 days" in browser.text("mark")
    assert "EventSource" not in {one.kind for one in browser.note().asked}


def test_a_bad_answer_is_rated_with_a_reason(answered: Browser) -> None:
    answered.find("button[value=down]").click()
    answered.fill("Comment", "It is 30 now")
    answered.find(".panel input[type=radio]").click()
    answered.press("Send")
    answered.says("Thank you", ".panel")
    answered.find("button[value=up]").click()
    answered.says("Thank you", ".panel")


def test_whoever_asks_says_how_they_are_answered(people: Callable[[str], Browser], own_house: House) -> None:
    browser = people(own_house.link)
    browser.open("/you")
    browser.find("select[name=style]")
    chosen = browser.all("select[name=style] option")[-1]
    value = chosen.get_attribute("value")
    chosen.click()
    browser.press("Save")
    browser.says("Saved")
    browser.open("/you")
    assert browser.find("select[name=style]").get_attribute("value") == value


def test_ones_own_data_is_seen_and_erased(people: Callable[[str], Browser], own_house: House) -> None:
    browser = people(own_house.link)
    browser.open("/")
    asking.ask(browser, asking.QUESTION)
    browser.open("/you")
    export = browser.run(_EXPORT)
    assert asking.QUESTION in json.dumps(json.loads(export))
    browser.press("Forget me")
    browser.press("Yes, erase everything about me")
    browser.until(lambda: not browser.all("button[value=forget_now]"), "that it is erased")
    browser.open("/")
    assert asking.QUESTION not in browser.text()


_EXPORT = """
const button = document.querySelector('button[value=export]');
const body = new URLSearchParams(new FormData(button.form, button));
return fetch(button.form.getAttribute('action'), {method: 'POST', body}).then(answer => answer.text())
"""
"""What the button does, without a download, which the browser would put somewhere."""


@pytest.mark.parametrize("question", [asking.QUESTION, asking.STEPS, asking.RATES])
def test_it_can_be_read_from_right_to_left(browser: Browser, question: str) -> None:
    browser.open("/")
    asking.ask(browser, question)
    browser.run("document.documentElement.dir = 'rtl'")
    for width in WIDTHS:
        browser.size(width)
        browser.picture(f"right-to-left-{width}")
        assert (width, checks.too_wide(browser)) == (width, 0)
    assert checks.violations(browser) == []


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_opened_on_a_page_can_be_used_by_everybody_too(answered: Browser, theme: str) -> None:
    answered.theme(theme)
    answered.find("button[value=down]").click()
    answered.find(".panel textarea")
    answered.find(MARK).click()
    answered.find(PASSAGE)
    answered.picture(f"passage-{theme}")
    assert checks.violations(answered) == []


def test_nothing_jumps_while_an_answer_appears(answered: Browser) -> None:
    assert checks.shifted(answered) < checks.SHIFT
