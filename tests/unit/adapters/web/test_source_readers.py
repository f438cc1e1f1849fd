"""Who has a link may read its document for as long as it is what was cited, and a sentence says why not."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from adapters.web.context import Visitor
from adapters.web.links import LIFETIME
from pipeline.rules.access import OPERATOR
from pipeline.values import Actor, Readers
from storage.settings import rotate_link_key
from tests.doubles.page import URL, Seen, open_page, parsed, prose, with_page


def visitor(*groups: str) -> Visitor:
    who = Actor(person="web:ann", groups=frozenset(groups))
    return Visitor(person="web:ann", name="Ann", readers=Readers(groups=frozenset(groups)), actor=who, csrf="c")


async def test_each_refusal_is_a_sentence_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    now = [time.time()]
    async with open_page(with_page(tmp_path / "data"), clock=lambda: now[0]) as page:
        said = {}

        async def refused(why: str, link: str, status: int) -> None:
            answer = await page.get(link)
            assert answer.status_code == status, why
            assert "secret" not in answer.text
            assert "About" not in answer.text
            said[why] = Seen.of(answer.text).text

        leave = parsed("leave", prose("A secret."))
        await page.keep(leave, parsed("pay", prose("A secret.")), parsed("plan", prose("A secret.")))
        link, pay, plan = await page.link("leave"), await page.link("pay"), await page.link("plan")
        now[0] = time.time()  # to open the page takes seconds on a busy machine, and no link is from the future
        assert "A secret." in (await page.get(link)).text
        await refused("not ours", f"{URL}/s/nonsense", 404)
        await page.keep(parsed("pay", prose("Another secret."), version="2"))
        await refused("changed", pay, 410)
        await page.keep(parsed("plan", prose("A secret."), collection="hr"))
        await refused("moved", plan, 403)
        await page.citewell.storage.library.remove_documents(["leave"])
        await refused("removed", link, 410)
        await page.keep(leave)
        now[0] += LIFETIME.total_seconds() + 1
        await refused("expired", link, 410)
        now[0] -= 2
        assert (await page.get(link)).status_code == 200
        await rotate_link_key(page.citewell.storage.database)
        await refused("rotated", link, 404)
        assert (await page.get(await page.link("leave"))).status_code == 200
    assert len(set(said.values())) == len(said) - 1  # nobody can tell what was never ours from what is not any more
    assert all("Ask the question again" in text for text in said.values())


async def test_a_link_is_closed_once_the_rule_of_the_collection_is_another(tmp_path: Path) -> None:
    settings = with_page(tmp_path / "data", collections={"hr": {"only": ["slack:T1:C1", "slack:T1:C2"]}})
    async with open_page(settings) as page:
        await page.keep(parsed("pay", prose("A secret."), collection="hr"))
        link = await page.link("pay")
    for rule, status in (
        ({"only": ["slack:T1:C2", "slack:T1:C1"]}, 200),
        ({"only": ["slack:T1:C1"]}, 403),
        ({"public": True}, 403),
    ):
        async with open_page(with_page(tmp_path / "data", collections={"hr": rule})) as page:
            answer = await page.get(link)
            assert (answer.status_code, "A secret." in answer.text) == (status, status == 200)
    async with open_page(with_page(tmp_path / "data")) as page:
        assert (await page.get(link)).status_code == 403


async def test_whoever_is_known_has_to_be_among_those_who_may_see_it(tmp_path: Path) -> None:
    settings = with_page(tmp_path / "data", collections={"hr": {"only": ["slack:T1:C1"]}}, originals=True)
    async with open_page(settings) as page:
        await page.keep(parsed("pay", prose("A secret."), collection="hr"))
        link = await page.link("pay")
        assert "A secret." in (await page.get(link)).text
    for groups, status in (("web:page",), 403), (("slack:T1:C1",), 200), ((OPERATOR,), 200):
        async with open_page(settings, visitor=visitor(*groups)) as page:
            answer = await page.get(link)
            assert (answer.status_code, "A secret." in answer.text) == (status, status == 200)
            original = await page.get(f"{link.partition('#')[0]}/original")
            assert original.status_code == (403 if status == 403 else 404)


async def test_of_random_requests_across_audiences_none_shows_a_text(tmp_path: Path) -> None:
    """Links of others, spliced links, places of other documents; by a visitor who may see one collection of two."""
    draw = random.Random(1)
    settings = with_page(tmp_path / "data", collections={"hr": {"only": ["slack:T1:C1"]}})
    async with open_page(settings, visitor=visitor("web:page")) as page:
        names = [f"{collection}-{number}" for collection in ("hr", "open") for number in range(5)]
        for name in names:
            await page.keep(parsed(name, prose(f"The secret of {name}."), collection=name.partition("-")[0]))
        tokens = {name: (await page.link(name)).split("/s/")[1].partition("#")[0] for name in names}
        closed = [token for name, token in tokens.items() if name.startswith("hr")]
        for _ in range(300):
            one, two = draw.choice(closed), draw.choice(list(tokens.values()))
            cut = draw.randrange(len(one))
            mixed = draw.choice([one, one[:cut] + two[cut:], one.partition(".")[0] + "." + two.partition(".")[2]])
            answer = await page.client.get(
                f"/s/{mixed}{draw.choice(['', '/original'])}", params={"at": draw.randrange(3)}
            )
            assert "The secret of hr" not in answer.text
