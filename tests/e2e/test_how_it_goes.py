"""An admin finds out from the page why an answer was bad."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.doubles.llm.faults import Text
from tests.doubles.llm.server import LlmServer
from tests.e2e import asking, checks
from tests.e2e.aside import aside
from tests.e2e.chromium import Browser
from tests.e2e.conftest import Figure
from tests.e2e.house import House, house

OLD = "# Travel (2019)\n\nA night in a hotel is paid up to 90 euros.\n"
NEW = "# Travel policy\n\nTrips are booked by the office. See the travel desk for what is paid.\n"
QUESTION = "How much is paid for a night in a hotel?"
MADE_UP = "Breakfast costs seven marbles."


@pytest.fixture(scope="module")
def travel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """An old document was left lying about."""
    folder: Path = tmp_path_factory.mktemp("travel")
    (folder / "old.md").write_text(OLD)
    (folder / "new.md").write_text(NEW)
    with house(folder, folder / "old.md", folder / "new.md") as running:
        yield running


@pytest.fixture
def admin(people: Callable[[str], Browser], travel: House) -> Browser:
    return people(travel.link)


def test_a_bad_answer_is_traced_to_the_document_that_was_left_lying_about(admin: Browser) -> None:
    admin.open("/")
    assert "90 euros" in asking.ask(admin, QUESTION)
    admin.find("button[value=down]").click()
    admin.find(".panel input[value=outdated]").click()
    admin.fill("Comment", "It is 130 now")
    admin.press("Send")
    admin.says("Thank you", ".panel")
    admin.follow("Admin")
    admin.follow("Questions")
    assert admin.all("main tbody tr")[0].text == "All 1 1 0 0 0 1"
    admin.follow("Try a question")
    admin.fill("Question", QUESTION)
    admin.press("Try")
    told = admin.says("5. Answer")
    assert "90 euros" in told
    found = admin.all("main tbody tr")
    assert "Travel (2019)" in found[0].text
    admin.find("main tbody tr a").click()
    assert "A night in a hotel is paid up to 90 euros." in admin.says("old.md")
    admin.follow("Documents")
    admin.fill("Title or file", "2019")
    admin.press("Find")
    assert "1 document" in admin.says("Travel (2019)")


def test_what_the_check_left_out_is_shown_with_what_was_asked(people: Callable[[str], Browser], tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text(OLD)
    written = Text(f"A night in a hotel is paid up to 90 euros [1]. {MADE_UP}")
    with aside(LlmServer(otherwise=lambda _: written).running()) as model:
        made = House(tmp_path, {"MODEL": "openai:double", "FIRST_SENTENCE_SECONDS": "30"})
        made.environment |= {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{model.url}/v1"}
        made.command("index", str(tmp_path / "old.md"))
        with made.running():
            browser = people(made.link)
            browser.open("/")
            answer = asking.ask(browser, QUESTION)
            assert "90 euros" in answer
            assert "marbles" not in answer
            browser.open("/admin/left")
            assert MADE_UP in browser.text("del")
            browser.follow("Try it again")
            browser.press("Try")
            browser.says("4. Rejected sentences")
            checks.accessible(browser, "trial-with-model")


@pytest.mark.parametrize("path", ["/admin", "/admin/questions", "/admin/left", "/admin/documents"])
def test_each_page_of_it_can_be_used_by_everybody_and_is_light(admin: Browser, path: str, figure: Figure) -> None:
    name = path.removeprefix("/").replace("/", "-")
    light(admin, path, name, figure)


def test_so_can_passages_and_a_question_that_was_tried(admin: Browser, figure: Figure) -> None:
    admin.open("/admin/documents")
    light(admin, admin.link("main tbody a"), "admin-passages", figure)
    light(admin, "/admin/trial?question=" + QUESTION.replace(" ", "+"), "admin-trial", figure)
    admin.press("Try")
    admin.says("5. Answer")
    checks.accessible(admin, "admin-trial-tried")


def light(browser: Browser, path: str, name: str, figure: Figure) -> None:
    found = checks.weight(browser, path)
    figure(name, "bytes with all that belongs to it", f"{found.bytes:,}")
    checks.accessible(browser, name)
    assert found.bytes < checks.BYTES
    assert found.shift < checks.SHIFT
