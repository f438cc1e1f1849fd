"""What one person with a browser waits for on the page, over `citewell run` on loopback, without a model.

python -m bench.browser [TIMES]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.e2e import asking
from tests.e2e.checks import weight
from tests.e2e.chromium import Browser, chromium, missing
from tests.e2e.house import HANDBOOK, house

QUESTIONS = (*(kind.question for kind in asking.KINDS), asking.STEPS)
FIRST_SENTENCE = """
new MutationObserver(() => {
  if (!window.said && document.querySelector('.growing p:not(.faint), .answer')) window.said = performance.now();
}).observe(document, {subtree: true, childList: true});
"""
"""A page's clock begins with the click that led to it."""


def told(what: str, milliseconds: list[float], target: int) -> None:
    p50, p95 = np.percentile(milliseconds, [50, 95])
    print(f"| {what} | {p50:.0f} | {p95:.0f} | {target} |", flush=True)


def measured(browser: Browser, times: int) -> None:
    browser.open("/")
    asking.ask(browser, QUESTIONS[0])
    paths = {"ask": "/", "a conversation": browser.path, "a source": browser.link(".sources li a")}
    for name, path in paths.items():
        told(f"first content, {name}", [weight(browser, path).first_content or 0.0 for _ in range(times)], 100)
    browser.tell("Page.addScriptToEvaluateOnNewDocument", source=FIRST_SENTENCE)
    clicks = []
    for number in range(times):
        browser.open("/")
        asking.ask(browser, QUESTIONS[number % len(QUESTIONS)])
        clicks.append(float(browser.run("return window.said")))
    told("from the click to the first checked sentence", clicks, 150)


def main(times: int) -> None:
    if lacking := missing():
        raise SystemExit(f"There is no browser: {', '.join(lacking)}")
    print("| milliseconds | p50 | p95 | target |\n| --- | --- | --- | --- |")
    with (
        tempfile.TemporaryDirectory(prefix="citewell-bench-") as name,
        house(Path(name), HANDBOOK, EMBEDDER="minilm") as here,
        chromium(here.url) as browser,
    ):
        measured(browser, times)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
