"""A page that strangers can reach: people sign in, and see what their groups may see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.doubles.oidc import CLIENT, SECRET, Provider
from tests.e2e import asking, checks
from tests.e2e.aside import aside
from tests.e2e.chromium import Browser
from tests.e2e.conftest import Figure
from tests.e2e.house import HANDBOOK, House

PAY = "# Pay\n\nThe pay band of engineers begins at 61 marbles.\n"
CLOSED = "What is the pay band of engineers?"
RULES = """
[collections.pay]
only = ["web:group:board"]

[roles]
admin = ["web:user:lea"]
"""
WITH = "Sign in with OpenID"


class Gated(NamedTuple):
    house: House
    provider: Provider


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gated]:
    folder: Path = tmp_path_factory.mktemp("gated")
    (folder / "citewell.toml").write_text(RULES)
    (folder / "pay.md").write_text(PAY)
    with aside(Provider().serving()) as provider:
        oidc = {"ISSUER": provider.issuer, "CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET}
        house = House(folder, {f"WEB_OIDC_{name}": value for name, value in oidc.items()})
        house.command("index", str(HANDBOOK / "vacation.md"))
        house.command("index", str(folder / "pay.md"), "--collection", "pay")
        with house.running():
            yield Gated(house, provider)


@pytest.fixture
def somebody(people: Callable[[str], Browser], gated: Gated) -> Callable[..., Browser]:
    """A person of these groups before the page, signed in; without a name, nobody yet."""

    def before(name: str = "", *groups: str) -> Browser:
        browser = people(gated.house.url)
        browser.known.add(urlsplit(gated.provider.issuer).netloc)
        browser.open("/")
        if name:
            sign_in(browser, gated.provider, name, *groups)
        return browser

    return before


def sign_in(browser: Browser, provider: Provider, name: str, *groups: str) -> None:
    provider.subject = name
    provider.claims = {"name": name.title(), "groups": list(groups)}
    browser.follow(WITH)


def test_a_stranger_signs_in_where_they_were_and_out_again(somebody: Callable[..., Browser], gated: Gated) -> None:
    browser = somebody()
    browser.open("/you")
    assert browser.path == "/sign-in"
    sign_in(browser, gated.provider, "ann", "staff")
    assert browser.path == "/you"
    (cookie,) = browser.tell("Network.getCookies")["cookies"]
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Lax", "/")
    browser.press("Sign out")
    browser.named(WITH, "a")
    assert browser.tell("Network.getCookies")["cookies"] == []
    browser.open("/")
    assert browser.path == "/sign-in"


def test_each_sees_what_their_groups_may_see_and_nothing_of_anybody_elses(somebody: Callable[..., Browser]) -> None:
    mia, ann, stranger = somebody("mia", "board"), somebody("ann", "staff"), somebody()
    assert "61 marbles" in asking.ask(mia, CLOSED)
    talk, link = mia.path, mia.link(".sources li a")
    assert "marbles" not in asking.ask(ann, CLOSED)
    assert "marbles" not in "".join(ann.all("html")[0].get_attribute("outerHTML") or "")
    ann.open(talk)
    assert "Conversation not found" in ann.text()
    ann.open(link)
    assert "You may not see this document" in ann.text()
    ann.open("/")
    assert "28 days" in asking.ask(ann, asking.QUESTION)
    stranger.open(talk)
    assert stranger.path == "/sign-in"
    mia.open(link)
    assert "61 marbles" in mia.text("mark")


def test_how_it_goes_is_shown_to_admins_alone(somebody: Callable[..., Browser]) -> None:
    ann, lea = somebody("ann", "staff"), somebody("lea", "staff")
    assert "Admin" not in ann.text("nav")
    ann.open("/admin")
    assert "This page is for admins" in ann.text()
    lea.follow("Admin")
    assert lea.path == "/admin"
    lea.open("/admin/documents")
    assert "Vacation policy" in lea.text()
    assert "Pay" not in lea.text()


def test_whom_the_provider_does_not_vouch_for_in_order_stays_outside(
    somebody: Callable[..., Browser], gated: Gated
) -> None:
    browser = somebody()
    gated.provider.claims = {"aud": "somebody else"}
    browser.follow(WITH)
    browser.says("you are not signed in")
    browser.open("/")
    assert browser.path == "/sign-in"
    sign_in(browser, gated.provider, "ann")
    assert browser.path == "/"


def test_the_sign_in_can_be_used_by_everybody_and_is_light(somebody: Callable[..., Browser], figure: Figure) -> None:
    browser = somebody()
    checks.accessible(browser, "sign-in")
    found = checks.weight(browser, "/sign-in")
    figure("sign-in", "bytes with all that belongs to it", f"{found.bytes:,}")
    assert found.bytes < checks.BYTES
    assert found.shift < checks.SHIFT
