"""The checks notice what they are there for: a page with everything wrong is told so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doubles.icons import icons
from tests.e2e import checks
from tests.e2e.chromium import Browser, chromium

BAD = """
<!doctype html><title>Bad</title><meta http-equiv="Content-Security-Policy" content="script-src 'self'">
<body onload="stolen = 1"><p style="color: #ccc; width: 3000px">Pale, wide</p>
<img src="http://127.0.0.2:9/p.png"><a href="https://evil.example/">Out</a>
"""


@pytest.fixture
def bad() -> Iterator[Browser]:
    with chromium("http://127.0.0.1:9") as browser:
        browser.open("about:blank")
        browser.forget()
        browser.open("data:text/html," + BAD.replace("\n", "").replace("#", "%23"))
        yield browser


def test_a_page_that_is_hard_to_use_is_told_so(bad: Browser) -> None:
    told = " ".join(checks.violations(bad))
    assert all(rule in told for rule in ("html-has-lang", "image-alt", "color-contrast"))
    assert checks.too_wide(bad) > 1000


def test_a_request_that_leaves_and_a_broken_policy_are_noted(bad: Browser) -> None:
    with pytest.raises(AssertionError, match=r"127\.0\.0\.2"):
        checks.kept_in(bad)
    assert any("Content Security Policy" in one for one in bad.noted.complaints)


def test_an_svg_that_differs_from_our_icons_is_noted(bad: Browser) -> None:
    bad.run("document.body.innerHTML = arguments[0]", "".join(icons()))
    assert not any("stands there" in one for one in checks.planted(bad))
    bad.run("document.body.innerHTML = arguments[0]", "".join(icons()).replace("<path d=", "<path id=x d=", 1))
    assert sum("stands there" in one for one in checks.planted(bad)) == 1


def test_what_a_text_made_of_a_page_is_noted(bad: Browser) -> None:
    told = " ".join(checks.planted(bad))
    assert all(word in told for word in ("onload", "style", "img", "https://evil.example/"))
