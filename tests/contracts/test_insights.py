"""What was asked and what the documents lack, told to admins in chat, as far as they may see it."""

from __future__ import annotations

import pytest

from adapters.chat.words import insights
from pipeline.rules.access import AccessRule
from pipeline.values import Action, AnswerRequest, Document, Preferences, Role, replace
from pipeline.words import wording
from tests.contracts.answers import not_found
from tests.contracts.driver import Driver, Way
from tests.contracts.rig import once
from tests.doubles.english import left_in_english
from tests.doubles.samples import chunks

QUESTION = "Who won the *cup*?"


pytestmark = pytest.mark.walks(Way.INSIGHTS)


@pytest.fixture
async def driver(driver: Driver) -> Driver:
    driver.rig.roles[Role.ADMIN] = frozenset({driver.named("ann")})
    asked = iter(range(100))

    def unanswered(request: AnswerRequest) -> object:
        answer = not_found(request.text)
        return once(replace(answer, id=f"n{next(asked)}", standalone=request.text, nearest=()))

    driver.rig.script = unanswered  # type: ignore[assignment]
    return driver


async def ask(driver: Driver, *people: str) -> None:
    for person in people:
        await driver.mention(person, QUESTION)
    await driver.rig.settled()


@pytest.mark.ways_in
async def test_an_admin_sees_how_often_it_was_asked_by_how_many_and_what_to_write(driver: Driver) -> None:
    await ask(driver, "bob", "bob", "cleo")
    shown = await driver.insights("ann")
    assert insights.QUESTION_COUNTS.format(asked=3, answered=0, partial=0, not_found=3, unhelpful=0) in shown
    assert "Who won the *cup*?" in shown.replace("\\", "").replace("\u200b", "")
    assert "asked 3 times by 2 people" in shown
    assert "Write a document that answers it" in shown
    assert "bob" not in shown
    assert "cleo" not in shown
    (read,) = await driver.rig.storage.audit.latest(5)
    assert (read.actor, read.action, read.allowed) == (driver.key("ann"), Action.READ_INSIGHTS, True)


async def test_whoever_is_no_admin_sees_nothing_of_it(driver: Driver) -> None:
    await ask(driver, "bob")
    driver.rig.roles[Role.CONTRIBUTOR] = frozenset({driver.named("bob")})
    assert await driver.insights("bob") == insights.INSIGHTS_ADMINS_ONLY
    (tried,) = await driver.rig.storage.audit.latest(5)
    assert (tried.actor, tried.action, tried.allowed) == (driver.key("bob"), Action.READ_INSIGHTS, False)


@pytest.mark.walks(Way.DIRECT)
@pytest.mark.parametrize("command", [False, True], ids=["direct message", "command"])
async def test_what_one_person_asked_in_private_is_counted_and_not_quoted(driver: Driver, command: bool) -> None:
    await (driver.ask if command else driver.direct)("bob", QUESTION)
    await driver.rig.settled()
    shown = await driver.insights("ann")
    assert insights.QUESTION_COUNTS.format(asked=1, answered=0, partial=0, not_found=1, unhelpful=0) in shown
    assert "cup" not in shown


async def test_documents_that_the_admin_may_not_see_are_not_named(driver: Driver) -> None:
    for name in ("open", "secret"):
        document = Document(id=name, filename=f"{name}.md", title=name, collection=name)
        await driver.rig.storage.library.replace_document(document, [], None, "")
    assert "2 documents were never cited." in await driver.insights("ann")
    driver.rig.rules["secret"] = AccessRule(only=("slack:T0OTHER", "discord:1"))
    assert "1 document was never cited." in await driver.insights("ann")


async def closest(driver: Driver) -> None:
    document = Document(id="cups", filename="cups.md", title="Our cups", collection="sports")
    await driver.rig.storage.library.replace_document(
        document, chunks("cups", ["The cup stands in the hall."]), None, ""
    )


async def test_what_comes_closest_is_quoted_and_what_is_missing_is_drafted(driver: Driver) -> None:
    await closest(driver)
    await ask(driver, "bob", "cleo")
    shown = await driver.insights("ann")
    assert "Closest, in “Our cups”: “The cup stands in the hall.”" in shown
    assert "## Who won the *cup*?" in shown
    assert wording.PROPOSAL_NOTICE in shown
    assert "> The cup stands in the hall." in shown
    assert "- [ ] To be filled in: Who won the *cup*?" in shown


async def test_nothing_is_proposed_from_what_the_admin_may_not_see_there(driver: Driver) -> None:
    await closest(driver)
    driver.rig.rules["sports"] = AccessRule(only=("slack:T0OTHER", "discord:1"))
    await ask(driver, "bob", "cleo")
    shown = await driver.insights("ann")
    assert "To be filled in" in shown
    assert "hall" not in shown
    assert "Our cups" not in shown


async def test_an_admin_who_chose_a_language_meets_no_english_word_of_ours(driver: Driver) -> None:
    await driver.rig.desk.save_preferences(driver.key("ann"), Preferences(language="de"))
    await driver.mention("bob", "Wer gewann?")
    await driver.rig.settled()
    shown = await driver.insights("ann")
    assert "Wer gewann?" in shown
    assert not left_in_english(shown, "de", "")
