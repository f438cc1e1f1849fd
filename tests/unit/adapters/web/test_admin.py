"""What admins see of how it goes, and what nobody else does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pipeline.values import ConversationId
from storage.messages.history import keep_answer
from tests.contracts.answers import cited
from tests.doubles.browser import Seen
from tests.doubles.signed_in import PROXY, Page, opened

ADMIN = {"X-Citewell-Proxy": PROXY, "X-Forwarded-User": "lea", "X-Forwarded-Groups": "leads"}
READER = {"X-Citewell-Proxy": PROXY, "X-Forwarded-User": "ann", "X-Forwarded-Groups": "staff"}
PAGES = ("/admin", "/admin/questions", "/admin/left", "/admin/documents", "/admin/passages?document=x", "/admin/trial")


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with opened(tmp_path, web_proxy_secret=PROXY) as opening:
        old = "# Travel (2019)\n\nA night in a hotel is paid up to 90 euros.\n"
        (tmp_path / "old.md").write_text(old)
        (tmp_path / "new.md").write_text("# Travel policy\n\nA night in a hotel is paid up to 130 euros.\n")
        (tmp_path / "pay.md").write_text("# Pay\n\nThe band of engineers is quetzalcoatlus.\n")
        await opening.citewell.index([tmp_path / "old.md", tmp_path / "new.md"], collection="travel")
        await opening.citewell.index([tmp_path / "pay.md"], collection="hr")
        yield opening


async def text(page: Page, path: str, headers: dict[str, str]) -> str:
    async with page.browser() as browser:
        return Seen((await browser.get(path, headers=headers)).text).text


@pytest.mark.parametrize("path", PAGES)
async def test_who_is_no_admin_is_refused_every_page_and_it_is_in_the_audit(path: str, page: Page) -> None:
    async with page.browser() as browser:
        assert (await browser.get(path, headers=ADMIN)).status_code == 200
        assert (await browser.get(path, headers=READER)).status_code == 403
    latest = await page.citewell.storage.audit.latest(1)
    assert [(one.actor, one.allowed) for one in latest] == [("web:ann", False)]


async def test_a_bad_answer_is_traced_to_the_document_that_was_left_lying_about(page: Page) -> None:
    shown = await text(page, "/admin/trial?question=How+much+is+paid+for+a+hotel+night%3F&who=inside", ADMIN)
    assert "travel: seen, no rule: everyone inside may see it" in shown
    assert "90 euros" in shown
    assert "Travel (2019)" in shown
    found = next(one for one in await page.citewell.storage.library.documents() if one.title == "Travel (2019)")
    passages = await text(page, f"/admin/passages?document={found.id}", ADMIN)
    assert "A night in a hotel is paid up to 90 euros." in passages
    assert "prose" in passages
    assert "old.md" in await text(page, "/admin/documents?title=2019", ADMIN)


async def test_a_document_with_a_key_is_marked_where_an_admin_looks(page: Page, tmp_path: Path) -> None:
    (tmp_path / "gate.md").write_text("# Gate\n\nOpen it with ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2 + ".\n")
    await page.citewell.index([tmp_path / "gate.md"], collection="travel")
    gate = next(one for one in await page.citewell.storage.library.documents() if one.filename == "gate.md")
    assert "Gate holds GitHub token" in " ".join((await text(page, "/admin/documents", ADMIN)).split())
    assert "holds GitHub token" in await text(page, f"/admin/passages?document={gate.id}", ADMIN)


async def test_an_admin_sees_nothing_of_what_they_may_not_read(page: Page) -> None:
    pay = next(one for one in await page.citewell.storage.library.documents() if one.collection == "hr")
    for path in (
        "/admin",
        "/admin/documents",
        f"/admin/passages?document={pay.id}",
        "/admin/trial?question=What+is+the+band+of+engineers%3F&who=groups&groups=web:group:staff",
    ):
        shown = await text(page, path, ADMIN)
        assert "quetzalcoatlus" not in shown
        assert "Pay" not in shown
        assert "hr:" not in shown


async def test_what_the_check_left_out_is_shown_but_nothing_that_was_asked_in_private(page: Page) -> None:
    for number, where in enumerate(("slack:T1:C2:1.0", "web:page:abc:")):
        answer = cited("Thirty.", answer_id=f"a{number}", question=f"Question {number}?").model_copy(
            update={"citations": (), "ungrounded_claims": (f"Claim {number} of a model.",)}
        )

        def keep(db: object, answer: object = answer, where: str = where) -> None:
            keep_answer(db, answer, "slack:T1:U1", 1.0)  # type: ignore[arg-type]
            row = (f"k{where}", answer.id, where)  # type: ignore[attr-defined]
            db.execute("INSERT INTO question (key, answer, conversation) VALUES ($1, $2, $3)", row)  # type: ignore[attr-defined]

        await page.citewell.storage.database.write(keep)
    shown = await text(page, "/admin/left", ADMIN)
    assert "Claim 0 of a model." in shown
    assert "Claim 1" not in shown
    assert str(ConversationId.parse("web:page:abc:")) not in shown


async def test_a_trial_is_kept_nowhere(page: Page) -> None:
    await text(page, "/admin/trial?question=How+much+is+paid+for+a+hotel+night%3F", ADMIN)
    assert await page.citewell.storage.archive.lately(9) == []
    assert "0" in (await text(page, "/admin/questions", ADMIN)).split("Not helpful", 1)[1][:40]
