"""A person before the page: a real Chromium with a profile of its own, and a note of all that it asked for."""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urldefrag, urlsplit

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

T = TypeVar("T")

PICTURES = Path(__file__).parents[2] / "build" / "e2e"
WIDTHS = {360: 740, 768: 1024, 1440: 900}
"""A phone, a tablet and a wide screen, with their heights; CSS pixels."""
THEMES = ("light", "dark")
PATIENCE = 30.0
"""Seconds until something that should appear is given up; machines that test are busy."""
TABS = 40
_RINGED = (
    "const s = getComputedStyle(document.activeElement); return s.outlineStyle !== 'none' && s.outlineWidth !== '0px'"
)
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # as root in a container; what it opens is ours
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


def missing() -> list[str]:
    """What the machine lacks, each with what installs it."""
    packages = {"chromium": "chromium", "chromedriver": "chromium-driver"}
    return [f"{name}: apt-get install {package}" for name, package in packages.items() if not shutil.which(name)]


@dataclass(frozen=True)
class Asked:
    """A request of the browser's."""

    url: str
    kind: str
    """As Chromium names it: Document, Stylesheet, Script, EventSource, …"""


@dataclass
class Noted:
    """What the browser asked for and complained of since it was started, or since it was last forgotten."""

    asked: list[Asked] = field(default_factory=list)
    bytes: int = 0
    """Received, heads included, compressed as it came."""
    complaints: list[str] = field(default_factory=list)
    """Of its console: violated policies, errors of scripts, what could not be loaded."""


class Browser:
    def __init__(self, driver: Chrome, home: str) -> None:
        self.driver = driver
        self.home = home
        self.known = {urlsplit(home).netloc}
        """Hosts that it may be led to."""
        self.noted = Noted()

    # --- Looking ------------------------------------------------------------------------------

    def open(self, address: str = "/") -> None:
        """A path of the page, or a whole address."""
        self.driver.get(address if ":" in address else self.home + address)

    def size(self, width: int) -> None:
        sizes = {"width": width, "height": WIDTHS[width], "deviceScaleFactor": 1, "mobile": width < 500}
        self.tell("Emulation.setDeviceMetricsOverride", **sizes)

    def theme(self, theme: str) -> None:
        """Light or dark, for somebody who wants nothing to move."""
        wanted = {"prefers-color-scheme": theme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        self.tell("Emulation.setEmulatedMedia", features=features)

    def without_scripts(self) -> None:
        self.tell("Emulation.setScriptExecutionDisabled", value=True)

    @property
    def path(self) -> str:
        return urlsplit(self.driver.current_url).path

    def all(self, css: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def find(self, css: str) -> WebElement:
        """The first, once it can be seen."""
        return self.until(lambda: next((one for one in self.all(css) if one.is_displayed()), None), css)

    def text(self, css: str = "main") -> str:
        return "\n".join(one.text for one in self.all(css))

    def says(self, words: str, within: str = "main") -> str:
        """Wait for `words`; all that is told there."""
        self.until(lambda: words in self.text(within), f"{words!r} within {within}")
        return self.text(within)

    def link(self, css: str) -> str:
        """Where the first of them leads, without the host where it is the page's own."""
        return str(self.find(css).get_attribute("href")).removeprefix(self.home)

    def seen(self, css: str) -> bool:
        """Whether the first of them is where the reader looks at, without scrolling."""
        inside = "const b = arguments[0].getBoundingClientRect(); return b.bottom > 0 && b.top < innerHeight"
        return bool(self.run(inside, self.find(css)))

    def until(self, happened: Callable[[], T | None], what: str) -> T:
        wait = WebDriverWait(self.driver, PATIENCE, 0.05, [StaleElementReferenceException])
        return wait.until(lambda _: happened(), f"waited {PATIENCE:.0f} s for {what}")

    # --- Doing --------------------------------------------------------------------------------

    def named(self, name: str, tag: str = "button") -> WebElement:
        """What says `name`, to the eye or to a screen reader, once it can be seen."""
        told = json.dumps(name)
        path = f"//{tag}[normalize-space()={told} or @aria-label={told}]"

        def shown() -> WebElement | None:
            return next((one for one in self.driver.find_elements(By.XPATH, path) if one.is_displayed()), None)

        return self.until(shown, f"{tag} {name!r}")

    def press(self, name: str) -> None:
        self.named(name).click()

    def follow(self, name: str) -> None:
        self.named(name, "a").click()

    def fill(self, label: str, words: str) -> None:
        """The field that has a label which says `label`."""
        told = json.dumps(label)
        beside = f"//*[@id=//label[normalize-space()={told}]/@for]"
        around = f"//label[starts-with(normalize-space(), {told})]//*[self::input or self::textarea or self::select]"
        path = f"{beside} | {around}"
        self.until(lambda: self.driver.find_elements(By.XPATH, path), f"a field {label!r}")[0].send_keys(words)

    def tab_to(self, css: str) -> WebElement:
        """Press Tab until the focus is there; it has to be seen there."""
        for _ in range(TABS):
            self.keys(Keys.TAB)
            if self.run("return document.activeElement.matches(arguments[0])", css):
                assert self.run(_RINGED), f"the focus on {css} cannot be seen"
                return self.focused
        raise AssertionError(f"{css} is not reached by {TABS} tabs")

    def keys(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    @property
    def focused(self) -> WebElement:
        return self.driver.switch_to.active_element

    def run(self, script: str, *given: object) -> Any:
        """`script` in the page; it may return a promise. The page's policy does not hold for it, and stays in force."""
        return self.driver.execute_script(script, *given)

    def tell(self, command: str, **given: object) -> Any:
        """A command of Chromium's own protocol."""
        return self.driver.execute_cdp_cmd(command, given)

    def picture(self, name: str) -> None:
        """The whole page, into build/e2e."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        taken = self.tell("Page.captureScreenshot", captureBeyondViewport=True)
        (PICTURES / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    # --- Noting -------------------------------------------------------------------------------

    def note(self) -> Noted:
        """All of it by now."""
        for entry in self.driver.get_log("performance"):  # type: ignore[no-untyped-call]
            self._hear(**json.loads(entry["message"])["message"])
        documents = {one.url for one in self.noted.asked if one.kind == "Document"}
        for entry in self.driver.get_log("browser"):  # type: ignore[no-untyped-call]
            said = str(entry["message"])
            refused = entry["source"] == "network" and urldefrag(said.partition(" ")[0]).url in documents
            if entry["level"] == "SEVERE" and not refused:  # a page that is refused says so to its reader
                self.noted.complaints.append(said)
        return self.noted

    def forget(self) -> None:
        self.note()
        self.noted = Noted()

    def _hear(self, method: str, params: dict[str, Any], **_: object) -> None:
        if method == "Network.requestWillBeSent":
            self.noted.asked.append(Asked(params["request"]["url"], params.get("type", "")))
        elif method == "Network.loadingFinished":
            self.noted.bytes += int(params["encodedDataLength"])

    def elsewhere(self) -> list[str]:
        """Requests that left for another host."""
        return [
            one.url
            for one in self.note().asked
            if urlsplit(one.url).scheme not in ("data", "blob", "about") and urlsplit(one.url).netloc not in self.known
        ]


@contextlib.contextmanager
def chromium(home: str) -> Iterator[Browser]:
    options = ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    try:
        browser = Browser(driver, home)
        browser.size(1440)
        browser.theme("light")
        yield browser
    finally:
        driver.quit()
