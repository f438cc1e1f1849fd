"""What people of a role confirmed counts for questions like it, for readers who may see it, as long as it stands."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.models.minilm.embedder import MiniLMEmbedder
from bot.confirmations import ConfirmationIndex
from bot.registry import platforms
from pipeline.find.rank import identity_calibration
from pipeline.rules.access import AccessPolicy, AccessRule
from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import Answer, AnswerOutcome, Audience, Citation, Confidence, ConfidenceLevel, Rating, Role, Vote
from storage.open import Storage
from storage.people.feedback import SQLConfirmedAnswers
from tests.doubles.engines import Engine
from tests.doubles.samples import chunks, document, message

LEAVE, LIKE_IT, OTHER = "How many days of leave do I get?", "How many leave days do I get?", "Who repairs the printer?"
ALL = Audience(collections=frozenset({"default", "board"}))
EMBEDDER = MiniLMEmbedder()
BOTH = AccessRule(only=("slack:T1", "slack:T2"))
RULES = AccessPolicy({"default": BOTH, "board": BOTH}, platforms(), {"slack": frozenset({"slack:T1"})})
"""T2 is another organisation's."""
Does = Callable[[Storage], Awaitable[object]]


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage(embedder="m", visible_to=RULES.visible_collections) as opened:
        for name, collection in (("leave", "default"), ("board", "board")):
            await opened.library.replace_document(
                document(name, collection=collection), chunks(name, [f"About {name}."]), None, ""
            )
        yield opened


def citation(name: str) -> Citation:
    return Citation(number=1, document_id=name, chunk_id=f"{name}#0", title=name, filename=f"{name}.md")


async def answered(
    storage: Storage, name: str = "1", *, cites: str = "leave", near: Sequence[str] = (), space: str = "T1"
) -> None:
    asked = message(f"{name}.0", space=space, text=LEAVE)
    await storage.inbox.accept(asked)
    await storage.inbox.lease()
    given = Answer(
        id=name,
        question=LEAVE,
        standalone=LEAVE,
        outcome=AnswerOutcome.ANSWERED,
        body="30 days.",
        citations=(citation(cites),),
        nearest=tuple(map(citation, near)),
        confidence=Confidence(level=ConfidenceLevel.HIGH, score=0.9),
    )
    await storage.inbox.save_answer(asked.key, given)
    await storage.inbox.mark_done(asked.key)


async def rated(
    storage: Storage,
    name: str = "1",
    *,
    person: str = "slack:T1:U9",
    vote: Vote = Vote.HELPFUL,
    role: Role | None = Role.CONTRIBUTOR,
) -> None:
    await storage.feedback.rate(Rating(answer_id=name, person=person, vote=vote, role=role))


def learnt(storage: Storage, least: Role = Role.CONTRIBUTOR) -> ConfirmationIndex:
    return ConfirmationIndex(
        SQLConfirmedAnswers(storage.database), storage.library, EMBEDDER, identity_calibration, RULES, least
    )


async def confirmed(
    about: ConfirmationIndex, question: str = LIKE_IT, audience: Audience = ALL, space: str = "slack:T1"
) -> Mapping[str, int]:
    with workspace_scope(space):
        return await about.find_similar(await EMBEDDER.embed_question(question), audience)


async def test_a_confirmed_passage_counts_for_a_question_like_it_and_for_no_other(storage: Storage) -> None:
    await answered(storage)
    await rated(storage)
    await rated(storage, person="slack:T1:U8", role=Role.ADMIN)
    about = learnt(storage)
    assert await confirmed(about) == {"leave#0": 2}
    assert await confirmed(about, OTHER) == {}


async def test_what_is_confirmed_while_it_runs_counts_from_the_next_question_on(storage: Storage) -> None:
    about = learnt(storage)
    await answered(storage)
    assert await confirmed(about) == {}
    await rated(storage)
    assert await confirmed(about) == {"leave#0": 1}


@pytest.mark.parametrize(("role", "least"), [(None, Role.CONTRIBUTOR), (Role.CONTRIBUTOR, Role.ADMIN)])
async def test_a_rating_of_somebody_with_a_lower_role_teaches_nothing(
    storage: Storage, role: Role | None, least: Role
) -> None:
    await answered(storage)
    await rated(storage, role=role)
    assert await confirmed(learnt(storage, least)) == {}


UNDONE: dict[str, Does] = {
    "the rating is turned": lambda storage: rated(storage, vote=Vote.UNHELPFUL),
    "somebody else says that it did not help": lambda storage: rated(
        storage, person="slack:T1:U7", vote=Vote.UNHELPFUL, role=None
    ),
    "whoever rated it is forgotten": lambda storage: storage.personal_data.forget("slack:T1:U9"),
    "whoever asked is forgotten": lambda storage: storage.personal_data.forget("slack:T1:U1"),
    "it is too old": lambda storage: storage.personal_data.delete_expired(-1),
    "the document is removed": lambda storage: storage.library.remove_documents(["leave"]),
    "the document has another passage": lambda storage: storage.library.replace_document(
        document("leave", version="2"), chunks("leave/2", ["Otherwise."]), None, ""
    ),
    "the document moves where not all readers may see it": lambda storage: storage.library.replace_document(
        document("leave", collection="secret"), chunks("leave", ["About leave."]), None, ""
    ),
}


@pytest.mark.parametrize("undo", UNDONE.values(), ids=UNDONE)
async def test_it_counts_no_more_once(storage: Storage, undo: Does) -> None:
    await answered(storage)
    await rated(storage)
    about = learnt(storage)
    assert await confirmed(about) == {"leave#0": 1}
    await undo(storage)
    assert await confirmed(about) == {}


async def test_a_vote_given_again_without_its_role_keeps_it(storage: Storage) -> None:
    await answered(storage)
    await rated(storage)
    await rated(storage, role=None)
    assert await confirmed(learnt(storage)) == {"leave#0": 1}


async def test_readers_who_may_not_see_all_that_was_shown_are_not_led_by_it(storage: Storage) -> None:
    await answered(storage, near=("board",))
    await rated(storage)
    about = learnt(storage)
    assert await confirmed(about) == {"leave#0": 1}
    assert await confirmed(about, audience=Audience(collections=frozenset({"default"}))) == {}


async def test_what_one_workspace_confirmed_counts_in_no_other(storage: Storage) -> None:
    await answered(storage, "1", space="T2")
    await rated(storage, "1", person="slack:T2:U9")
    about = learnt(storage)
    assert await confirmed(about, space="slack:T2") == {"leave#0": 1}
    assert await confirmed(about, space="slack:T1") == {}
    assert await confirmed(about, space=ALL_WORKSPACES) == {}


async def test_the_database_itself_keeps_ratings_of_workspaces_apart(storage: Storage) -> None:
    if not storage.has_row_security:
        pytest.skip("SQLite keeps nothing apart by itself")
    await answered(storage, space="T2")
    await rated(storage, person="slack:T2:U9")
    store = SQLConfirmedAnswers(storage.database)
    with workspace_scope("slack:T1"):
        assert await store.confirming_people(["1"], list(Role)) == {}
    with workspace_scope("slack:T2"):
        assert await store.confirming_people(["1"], list(Role)) == {"1": {"slack:T2:U9"}}


async def test_the_terminal_hears_of_the_organisations_own_workspaces(storage: Storage) -> None:
    await answered(storage)
    await rated(storage)
    assert await confirmed(learnt(storage), space=ALL_WORKSPACES) == {"leave#0": 1}


# --- Whatever is rated, by whom, and whoever reads ------------------------------------------------

COLLECTIONS = ("open", "team", "board")
People = dict[str, tuple[Vote, Role | None]]


@dataclass(frozen=True)
class Given:
    """An answer, and what people said of it."""

    cites: str
    near: tuple[str, ...]
    space: str
    ratings: People


answers = st.builds(
    Given,
    cites=st.sampled_from(COLLECTIONS),
    near=st.lists(st.sampled_from(COLLECTIONS), max_size=2).map(tuple),
    space=st.sampled_from(("T1", "T2")),
    ratings=st.dictionaries(
        st.sampled_from(("U7", "U8", "U9")),
        st.tuples(st.sampled_from(Vote), st.sampled_from((None, *Role))),
        max_size=3,
    ),
)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(answers, max_size=6),
    st.frozensets(st.sampled_from(COLLECTIONS)),
    st.sampled_from(("T1", "T2")),
    st.sampled_from(Role),
)
def test_nothing_counts_but_what_these_readers_may_see_and_their_own_people_confirmed(
    rows: list[Given], sees: frozenset[str], space: str, least: Role
) -> None:
    expected: dict[str, set[str]] = {}
    for one in rows:
        by = {
            person
            for person, (vote, role) in one.ratings.items()
            if vote is Vote.HELPFUL and role in (Role.ADMIN, least)
        }
        refused = any(vote is Vote.UNHELPFUL for vote, _ in one.ratings.values())
        if one.space == space and by and not refused and sees.issuperset((one.cites, *one.near)):
            expected.setdefault(f"{one.cites}#0", set()).update(by)

    async def found() -> Mapping[str, int]:
        with tempfile.TemporaryDirectory() as folder:
            async with Engine(Path(folder), "").storage(embedder="m") as storage:
                for name in COLLECTIONS:
                    await storage.library.replace_document(
                        document(name, collection=name), chunks(name, [name]), None, ""
                    )
                for number, one in enumerate(rows):
                    await answered(storage, str(number), cites=one.cites, near=one.near, space=one.space)
                    for person, (vote, role) in one.ratings.items():
                        whose = f"slack:{one.space}:{person}"
                        await rated(storage, str(number), person=whose, vote=vote, role=role)
                audience = Audience(collections=sees)
                return await confirmed(learnt(storage, least), audience=audience, space=f"slack:{space}")

    assert asyncio.run(found()) == {chunk: len(by) for chunk, by in expected.items()}
