"""Questions, as people put them on the page."""

from __future__ import annotations

from dataclasses import dataclass

from tests.e2e.chromium import Browser

FIELD, ASK, FOLLOW_UP = "Your question", "Ask", "Ask a follow-up"


@dataclass(frozen=True)
class Kind:
    """A kind of document in the handbook, with a question that it answers and what its page then shows."""

    file: str
    question: str
    marked: str
    place: str = ""


KINDS = (
    Kind("vacation.md", "How many days of paid vacation do full-time employees get?", "28 days"),
    Kind(
        "laptop-setup.pdf",
        "What do I open from the start menu to connect to the VPN?",
        "Open the VPN client",
        "page 2",
    ),
    Kind("contractor-terms.docx", "How many unpaid days off may contractors take?", "20 unpaid days off"),
    Kind("travel-rates.xlsx", "What is the daily rate for meals in Denmark?", "Denmark", "sheet Daily rates"),
)
QUESTION = KINDS[0].question
STEPS, RATES = "How do I ask for vacation?", "What are the daily rates for meals?"
"""Their answers are a list and a table."""


def ask(browser: Browser, question: str, field: str = FIELD) -> str:
    """Ask where the browser is; the answer, once all of it is there."""
    before = len(browser.all(".answer"))
    browser.fill(field, question)
    browser.press(ASK)
    return answered(browser, before)


def answered(browser: Browser, before: int = 0) -> str:
    """The newest answer, once there is one more than `before`."""

    def done() -> str | None:
        found = browser.all("article")
        whole = len(browser.all(".answer, article > .note")) > before and not browser.all(".growing")
        return found[-1].text if found and whole else None

    return browser.until(done, "an answer")
