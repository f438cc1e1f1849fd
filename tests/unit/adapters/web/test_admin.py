"""What admins see of how it goes, and what nobody else does."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pipeline.values import ConversationId, replace
from pipeline.words.text import strip_invisible
from storage.messages.history import insert_answer
from tests.contracts.answers import cited
from tests.doubles.browser import Seen
from tests.doubles.llm.grounded import quoting
from tests.doubles.llm.server import LlmServer
from tests.doubles.page import parsed, prose
from tests.doubles.signed_in import PROXY, Page, opened

ADMIN = {"X-Citewell-Proxy": PROXY, "X-Forwarded-User": "lea", "X-Forwarded-Groups": "leads"}
READER = {"X-Citewell-Proxy": PROXY, "X-Forwarded-User": "ann", "X-Forwarded-Groups": "staff"}
PAGES = ("/admin", "/admin/questions", "/admin/left", "/admin/documents", "/admin/passages?document=x", "/admin/trial")


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with opened(tmp_path, web={"proxy_secret": PROXY}) as opening:
        old = "# Travel (2019)\n\nA night in a hotel is paid up to 90 euros.\n"
        (tmp_path / "old.md").write_text(old)
        (tmp_path / "new.md").write_text("# Travel policy\n\nA night in a hotel is paid up to 130 euros.\n")
        (tmp_path / "pay.md").write_text("# Pay\n\nThe band of engineers is quetzalcoatlus.\n")
        await opening.citewell.index([tmp_path / "old.md", tmp_path / "new.md"], collection="travel")
        await opening.citewell.index([tmp_path / "pay.md"], collection="hr")
        yield opening


TRIAL, NIGHT = "/admin/trial", "How much is paid for a hotel night?"


async def text(page: Page, path: str, headers: dict[str, str]) -> str:
    async with page.browser() as browser:
        return Seen((await browser.get(path, headers=headers)).text).text


async def tried(page: Page, question: str, who: str = "inside", groups: str = "", **headers: str) -> str:
    """The form of a trial, filled in and sent by the admin."""
    async with page.browser() as browser:
        fields = {one.name: one.value for one in Seen((await browser.get(TRIAL, headers=ADMIN)).text).fields}
        filled = {"csrf": fields["csrf"], "question": question, "who": who, "groups": groups}
        return Seen((await browser.post(TRIAL, data=filled, headers=ADMIN | headers)).text).text


@pytest.mark.parametrize("path", PAGES)
async def test_who_is_no_admin_is_refused_every_page_and_it_is_in_the_audit(path: str, page: Page) -> None:
    async with page.browser() as browser:
        assert (await browser.get(path, headers=ADMIN)).status_code == 200
        assert (await browser.get(path, headers=READER)).status_code == 403
    latest = await page.citewell.storage.audit.latest(1)
    assert [(one.actor, one.allowed) for one in latest] == [("web:ann", False)]


async def test_a_bad_answer_is_traced_to_the_document_that_was_left_lying_about(page: Page) -> None:
    shown = await tried(page, NIGHT)
    assert "travel: visible, no rule: every member may see it" in shown
    assert "90 euros" in shown
    assert "Travel (2019)" in shown
    found = next(one for one in await page.citewell.storage.library.list_documents() if one.title == "Travel (2019)")
    passages = await text(page, f"/admin/passages?document={found.id}", ADMIN)
    assert "A night in a hotel is paid up to 90 euros." in passages
    assert "prose" in passages
    assert "old.md" in await text(page, "/admin/documents?title=2019", ADMIN)


async def test_a_document_with_a_key_is_marked_where_an_admin_looks(page: Page, tmp_path: Path) -> None:
    (tmp_path / "gate.md").write_text("# Gate\n\nOpen it with ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2 + ".\n")
    await page.citewell.index([tmp_path / "gate.md"], collection="travel")
    gate = next(one for one in await page.citewell.storage.library.list_documents() if one.filename == "gate.md")
    assert "Gate contains GitHub token" in " ".join((await text(page, "/admin/documents", ADMIN)).split())
    assert "contains GitHub token" in await text(page, f"/admin/passages?document={gate.id}", ADMIN)


async def test_what_is_not_read_of_a_source_is_named_to_an_admin_who_may_see_it(page: Page, tmp_path: Path) -> None:
    for name, collection in (("stays", "travel"), ("bands", "hr")):
        (tmp_path / f"{name}.json").write_text('{"a": ')
        await page.citewell.index([tmp_path / f"{name}.json"], collection=collection)
    shown = " ".join((await text(page, "/admin", ADMIN)).split())
    assert f"Not read in folder {tmp_path / 'stays.json'} stays.json: " in shown
    assert "it was read as text" in shown
    assert "bands" not in shown


async def test_an_admin_sees_nothing_of_what_they_may_not_read(page: Page) -> None:
    pay = next(one for one in await page.citewell.storage.library.list_documents() if one.collection == "hr")
    pages = ("/admin", "/admin/documents", f"/admin/passages?document={pay.id}")
    band = await tried(page, "What is the band of engineers?", "groups", "web:group:staff")
    assert "5. Answer" in band
    for shown in (band, *[await text(page, path, ADMIN) for path in pages]):
        assert "quetzalcoatlus" not in shown
        assert "Pay" not in shown
        assert "hr:" not in shown


async def test_what_the_check_left_out_is_shown_but_nothing_that_was_asked_in_private(page: Page) -> None:
    for number, where in enumerate(("slack:T1:C2:1.0", "web:page:abc:")):
        answer = replace(
            cited("Thirty.", answer_id=f"a{number}", question=f"Question {number}?"),
            citations=(),
            ungrounded_claims=(f"Claim {number} of a model.",),
        )

        def keep(db: object, answer: object = answer, where: str = where) -> None:
            insert_answer(db, answer, "slack:T1:U1", 1.0)  # type: ignore[arg-type]
            row = (f"k{where}", answer.id, where)  # type: ignore[attr-defined]
            db.execute("INSERT INTO question (key, answer, conversation) VALUES ($1, $2, $3)", row)  # type: ignore[attr-defined]

        await page.citewell.storage.database.write(keep)
    shown = await text(page, "/admin/left", ADMIN)
    assert "Claim 0 of a model." in shown
    assert "Claim 1" not in shown
    assert str(ConversationId.parse("web:page:abc:")) not in shown


async def test_a_trial_is_kept_nowhere(page: Page) -> None:
    assert "90 euros" in await tried(page, NIGHT)
    assert await page.citewell.storage.archive.lately(9) == []
    assert "0" in (await text(page, "/admin/questions", ADMIN)).split("Not helpful", 1)[1][:40]


async def test_who_is_no_admin_tries_nothing(page: Page) -> None:
    async with page.browser() as browser:
        form = Seen((await browser.get("/you", headers=READER)).text).form_with("action", "export")
        answer = await browser.post(TRIAL, data={"csrf": form["csrf"], "question": NIGHT}, headers=READER)
    assert answer.status_code == 403
    assert "90 euros" not in answer.text


async def test_an_address_with_a_question_fills_the_form_in_and_tries_nothing(page: Page) -> None:
    async with page.browser() as browser:
        answer = await browser.get(TRIAL, params={"question": NIGHT, "who": "public"}, headers=ADMIN)
    shown = Seen(answer.text)
    assert NIGHT in shown.text
    assert "5. Answer" not in shown.text
    assert ("option", {"value": "public", "selected": ""}) in shown.elements


async def test_a_trial_costs_whoever_tries_it_and_none_that_another_site_sends(tmp_path: Path) -> None:
    async with LlmServer(otherwise=quoting(passages=1)).running() as server:
        model = {"model": "openai:double", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{server.url}/v1"}
        limits = {"daily_tokens_person": 10**6, "daily_tokens_space": 10**6}
        async with opened(tmp_path, web={"proxy_secret": PROXY}, **model, **limits) as page:
            (tmp_path / "old.md").write_text("# Travel\n\nA night in a hotel is paid up to 90 euros.\n")
            await page.citewell.index([tmp_path / "old.md"], collection="travel")
            await text(page, f"{TRIAL}?question={NIGHT}", ADMIN)
            assert "5. Answer" not in await tried(page, NIGHT, **{"Sec-Fetch-Site": "cross-site"})
            async with page.browser() as browser:
                refused = await browser.post(TRIAL, data={"question": NIGHT, "csrf": "guessed"}, headers=ADMIN)
                reader = await browser.get(TRIAL, headers=READER)
            assert (refused.status_code, reader.status_code) == (403, 403)
            assert (server.requests, await used(page)) == ([], {})
            assert "written by openai:double" in await tried(page, NIGHT)
            assert server.requests
            assert await used(page) == {"person web:lea": True, "space ": True}


async def used(page: Page) -> dict[str, bool]:
    """Of whose tokens of the day something was used."""
    rows = await page.citewell.storage.database.read(
        lambda db: db.execute("SELECT subject, tokens FROM token_use").fetchall()
    )
    known = {hashlib.blake2b(one.encode(), digest_size=16).hexdigest(): one for one in ("person web:lea", "space ")}
    return {known.get(subject, subject): tokens > 0 for subject, tokens in rows}


async def test_no_page_shows_what_turns_the_direction_or_hides_whoever_wrote_it(page: Page) -> None:
    """A document's title, text, file and headings, a question, an address and what a model wrote."""
    turned = "up\u202eto\u2066 9\u200b0"
    blocks = prose(f"A night in a hotel is paid {turned} euros.")
    await page.citewell.indexer.add_document(
        parsed("turned", blocks, title=f"Nights {turned}", filename=f"nights {turned}.md", collection="travel")
    )
    answer = replace(
        cited("Thirty.", answer_id="a1", question=f"Question {turned}?"),
        citations=(),
        ungrounded_claims=(f"A claim {turned}.",),
    )

    def keep(db: object) -> None:
        insert_answer(db, answer, "slack:T1:U1", 1.0)  # type: ignore[arg-type]
        row = ("k", "a1", "slack:T1:C2:1.0")
        db.execute("INSERT INTO question (key, answer, conversation) VALUES ($1, $2, $3)", row)  # type: ignore[attr-defined]

    await page.citewell.storage.database.write(keep)
    async with page.browser() as browser:
        csrf = next(one.value for one in Seen((await browser.get(TRIAL, headers=ADMIN)).text).fields)
        filled = {"csrf": csrf, "question": f"{NIGHT} {turned}", "who": "inside", "groups": turned}
        answers = [
            *[await browser.get(path, headers=ADMIN) for path in (*PAGES[:4], "/admin/passages?document=turned")],
            await browser.get(TRIAL, params=filled, headers=ADMIN),
            await browser.post(TRIAL, data=filled, headers=ADMIN),
            await browser.get("/admin/documents", params={"title": "Nights"}, headers=ADMIN),
            await browser.get("/admin/documents", params={"title": turned}, headers=ADMIN),
        ]
    shown = [one.text for one in answers]
    assert [one.replace("\r", "") for one in shown] == [strip_invisible(one) for one in shown]
    assert sum("upto 90" in one for one in shown) >= 6
