"""What holds of every page: everybody can use it, nothing leaves it, it is light and nothing in it jumps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.doubles.icons import icons
from tests.e2e.chromium import THEMES, WIDTHS, Browser

MODULES = Path(__file__).parent / "node_modules"
AXE = MODULES / "axe-core" / "axe.min.js"
BYTES = 60_000
"""What a page may weigh with all that belongs to it, the first time that it is opened."""
SHIFT = 0.001
"""Cumulative layout shift below which nobody sees a thing move. A mark that moves by some pixels counts for less
(0.000006 has been seen on a busy machine); web.dev calls up to 0.1 good."""

_SHIFTED = """
return new Promise(tell => {
  let sum = 0;
  const add = list => list.forEach(one => { if (!one.hadRecentInput) sum += one.value; });
  const watching = new PerformanceObserver(list => add(list.getEntries()));
  watching.observe({type: 'layout-shift', buffered: true});
  setTimeout(() => { add(watching.takeRecords()); tell(sum); }, 150);
})
"""
_FIRST = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
_VIOLATIONS = """
const found = await axe.run(document, {resultTypes: ['violations']});
return found.violations.map(one => `${one.id}: ${one.help}: ${one.nodes.map(node => node.html).join(' ')}`)
"""
_PLANTED = """
const [home, icons] = arguments, ours = url => !url || new URL(url, home).origin === home;
const bad = (what, one) => `${what}: ${one.outerHTML.slice(0, 200)}`;
const drawn = new Set(icons.map(icon => {
  const parsed = document.createElement('template');
  parsed.innerHTML = icon;
  return parsed.innerHTML;
}));
const found = [];
for (const one of document.querySelectorAll('*')) {
  for (const {name} of one.attributes) if (name === 'style' || name.startsWith('on')) found.push(bad(name, one));
  if (['SCRIPT', 'LINK'].includes(one.tagName) && !(one.src || one.href).startsWith(home + '/static/'))
    found.push(bad('loads', one));
  if (one.matches('svg') && drawn.has(one.outerHTML)) continue;
  if (one.matches('style, img, svg, iframe, object, embed, base, video, audio, details'))
    found.push(bad('stands there', one));
  if (one.tagName === 'A' && !ours(one.href)) found.push(bad('leads away', one));
  if (one.tagName === 'FORM' && !ours(one.getAttribute('action'))) found.push(bad('sends away', one));
}
const body = getComputedStyle(document.body);
if (!['rgb(252, 252, 251)', 'rgb(22, 24, 26)'].includes(body.backgroundColor) || body.fontSize !== '16px')
  found.push('the style of the page is another');
return found;
"""
_SYMBOLS = "return document.body.innerText.match(/[\\p{Extended_Pictographic}●○✓✔]/gu) ?? []"
_TOO_WIDE = "return document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True)
class Weight:
    bytes: int
    first_content: float | None
    """Milliseconds from when it was asked for."""
    shift: float
    """Cumulative layout shift."""


def weight(browser: Browser, address: str) -> Weight:
    """Of a page that is opened by somebody who was never here."""
    browser.open("about:blank")
    browser.tell("Network.clearBrowserCache")
    browser.forget()
    browser.open(address)
    shift = shifted(browser)
    return Weight(browser.note().bytes, browser.run(_FIRST), shift)


def violations(browser: Browser) -> list[str]:
    """What axe finds wrong with the page as it stands."""
    browser.run(AXE.read_text(encoding="utf-8"))
    found: list[str] = browser.run(f"return (async () => {{{_VIOLATIONS}}})()")
    return found


def accessible(browser: Browser, name: str) -> None:
    """In each theme and at each width: nothing that axe finds, nothing that is too wide; with a picture of each."""
    wrong = []
    for theme in THEMES:
        browser.theme(theme)
        for width in WIDTHS:
            browser.size(width)
            browser.picture(f"{name}-{width}-{theme}")
            wrong += [f"{theme}, {width}: {one}" for one in violations(browser)]
            if beyond := too_wide(browser):
                wrong.append(f"{theme}, {width}: {beyond} pixels wider than the screen")
    assert not wrong, wrong


def planted(browser: Browser) -> list[str]:
    """What stands on the page and is none of ours: scripts, styles, pictures, frames, addresses elsewhere."""
    found: list[str] = browser.run(_PLANTED, browser.home, icons())
    return found


def symbols(browser: Browser) -> list[str]:
    """Return the characters on the page that a machine without an emoji font shows as boxes."""
    found: list[str] = browser.run(_SYMBOLS)
    return found


def too_wide(browser: Browser) -> int:
    """Pixels that one would have to scroll sideways."""
    return max(0, int(browser.run(_TOO_WIDE)))


def shifted(browser: Browser) -> float:
    """Cumulative layout shift since the page was opened, but for what somebody's own doing moved."""
    return float(browser.run(_SHIFTED))


def kept_in(browser: Browser) -> None:
    """Nothing was asked of another host, and the browser complained of nothing."""
    left, complaints = browser.elsewhere(), browser.noted.complaints
    assert not left, left
    assert not complaints, complaints
