"""Services for people with an answer: shown to those who may see it, and in doubt to nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from bot.insights.analysis import compute_insights
from bot.services.authority import AuditedAuthorizer
from bot.services.handoffs import SaveDocument, StoredHandoffService
from bot.services.knowledge import KnowledgeDependencies, StoredKnowledgeService
from bot.services.places import StoredChannelService, StoredPlaceService
from bot.services.subscriptions import StoredSubscriptionService
from pipeline.drafting.proposal import ProposalDrafter
from pipeline.ports import ChunkReader, Embedder
from pipeline.rules.access import DEFAULT_POLICY, AccessPolicy, RoleGrants, resolve_audience, roles_of
from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.translations import Translator
from pipeline.values import (
    Action,
    Actor,
    Answer,
    AnswerInteraction,
    AnswerSettings,
    Audience,
    Document,
    IncomingMessage,
    PlaceId,
    PlaceSettings,
    Preferences,
    Rating,
    Readers,
    SubscriptionResult,
    Turn,
    Vote,
    replace,
)
from pipeline.values.insights import Insights, KnowledgeGap
from pipeline.values.posting import SharedAnswer, UploadStatus
from pipeline.words import wording
from pipeline.words.language import choose_words, detect_supported_language
from storage.messages.outbox import SQLOutbox
from storage.open import Storage
from storage.people.personal_data import export_json

# --- What is kept about a person, as they are given it --------------------------------------------

PersonalRecord = dict[str, Any]
PersonalRecords = dict[str, list[PersonalRecord]]
"""Rows by kind: see `storage.people.personal_data`."""
WITHHELD_MARK = {"withheld": True}
"""Marks a record of which something is left out."""


async def redact_records(
    records: Mapping[str, Sequence[PersonalRecord]],
    find_visible: Callable[[str], Awaitable[Answer | None]],
    library: ChunkReader,
    collections: Collection[str],
    instead: str,
) -> PersonalRecords:
    """Return `records` for somebody who may see `collections`.

    `find_visible` returns an answer by its id as they may see it, None if they may not; `instead` replaces one. What
    they wrote, rated and chose is never left out.
    """
    answers = {record["id"]: await find_visible(record["id"]) for record in records["answers"]}
    hidden = {record["body"] for record in records["answers"] if answers[record["id"]] is None}
    turns = [
        Turn.model_validate({name: record[name] for name in record if name != "conversation"})
        for record in records["turns"]
    ]
    cited = await library.get_chunks([chunk for turn in turns for chunk in turn.chunk_ids])
    visible = {chunk.id for chunk, document in cited if document.collection in collections}

    def answer(record: PersonalRecord) -> PersonalRecord:
        visible_answer = answers[record["id"]]
        if visible_answer:
            return visible_answer.model_dump(mode="json")
        return Answer.model_validate(record).question_only(instead).model_dump(mode="json") | WITHHELD_MARK

    def turn(record: PersonalRecord, parsed: Turn) -> PersonalRecord:
        if visible.issuperset(parsed.chunk_ids) and parsed.answer not in hidden:
            return record
        return (
            record
            | parsed.question_only.model_dump(mode="json")
            | {"answer": instead, "standalone": ""}
            | WITHHELD_MARK
        )

    async def handoff(record: PersonalRecord) -> PersonalRecord:
        return record if await find_visible(record["answer_id"]) else record | {"reply": instead} | WITHHELD_MARK

    def added(record: PersonalRecord) -> PersonalRecord:
        if record["collection"] in collections:
            return record
        return Document(id=record["id"], filename="", title=instead).model_dump(mode="json") | WITHHELD_MARK

    completed = {
        record["standalone"]: record["question"] for record in records["answers"] if answers[record["id"]] is None
    }

    return {
        **{name: list(rows) for name, rows in records.items()},
        "answers": [answer(record) for record in records["answers"]],
        "turns": [turn(record, parsed) for record, parsed in zip(records["turns"], turns, strict=True)],
        "handoffs": [await handoff(record) for record in records["handoffs"]],
        "wishes": [
            record | {"question": completed.get(record["question"], record["question"])} for record in records["wishes"]
        ],
        "added": [added(record) for record in records["added"]],
    }


# --- What somebody waits for while the courier posts it -------------------------------------------

POST_POLL_SECONDS = 0.1
"""Seconds between two checks whether a post is done: another process may post it."""
POST_WAIT_SECONDS = 600.0
"""Seconds that somebody waits for the result."""
SHARE_SECONDS = 60.0
"""Seconds that sharing may take; after that nobody looks for the post, and it is given up."""


class StoredPostService:
    """The port `PostService`."""

    def __init__(self, outbox: SQLOutbox) -> None:
        self._outbox = outbox

    async def enqueue(self, post: SharedAnswer | UploadStatus) -> bool:
        if isinstance(post, SharedAnswer):
            return await self._outbox.queue_share(post)
        return await self._outbox.queue_adding(post)

    async def update(self, post: UploadStatus) -> None:
        await self._outbox.update_adding(post)

    async def wait_until_posted(self, post: SharedAnswer | UploadStatus) -> str | None:
        try:
            async with asyncio.timeout(POST_WAIT_SECONDS):
                return await self._wait_for_end(post)
        except TimeoutError:
            return None

    async def _wait_for_end(self, post: SharedAnswer | UploadStatus) -> str | None:
        now = asyncio.get_running_loop().time
        late = now() + SHARE_SECONDS
        while outcome := await self._outbox.outcome(post.key):
            if outcome.state != "open":
                return outcome.reason
            if isinstance(post, SharedAnswer) and outcome.is_postponed and now() > late:
                await self._outbox.withdraw(post.key, Translator(post.language)(wording.TRY_AGAIN))
            await asyncio.sleep(POST_POLL_SECONDS)
        return None


# --- The desk -------------------------------------------------------------------------------------

NO_ROLES: RoleGrants = {}
NO_PLACES: Mapping[PlaceId, PlaceSettings] = {}
NO_PLATFORM: Mapping[str, str] = {}


class CitewellServices:
    """The port `BotServices` over the stores."""

    def __init__(
        self,
        storage: Storage,
        *,
        rules: AccessPolicy = DEFAULT_POLICY,
        roles: RoleGrants = NO_ROLES,
        places: Mapping[PlaceId, PlaceSettings] = NO_PLACES,
        keep: SaveDocument | None = None,
        knowledge: KnowledgeDependencies | None = None,
        unindexed: Mapping[str, str] = NO_PLATFORM,
        embedder: Embedder | None = None,
        learns: bool = False,
        drafter: ProposalDrafter | None = None,
    ) -> None:
        """`rules`, `roles` and `places` are those of the file. Without `keep`, no reply becomes a document; without
        `knowledge`, nothing that people send does. `learns`: the bot learns from ratings. `drafter` drafts proposals of
        insights."""
        self._storage = storage
        self._rules = rules
        self._roles = roles
        self._learns = learns
        self._drafter = drafter
        self._embedder = embedder
        self.authority = AuditedAuthorizer(roles, storage.audit)
        self.places = StoredPlaceService(
            places, rules, storage.place_settings, storage.library, self.authority, unindexed
        )
        self.channels = StoredChannelService(storage.channel_messages, self.places)
        self.handoffs = StoredHandoffService(storage.handoffs, self.places, self.authority, keep)
        self.posts = StoredPostService(storage.outbox)
        self.subscriptions = StoredSubscriptionService(storage.subscriptions)
        self.knowledge = StoredKnowledgeService(storage.library, self.places, rules, self.authority, knowledge)

    async def audience(self, readers: Readers) -> Audience:
        """Return the collections that every reader may see."""
        return resolve_audience(readers, await self._storage.library.list_collections(), self._rules)

    async def find_answer(self, answer_id: str, readers: Readers) -> Answer | None:
        """Return a past answer, if all `readers` may see every passage it shows and every document it names, by the
        present rules.

        Corrections that name other documents are left out. A passage that was changed or removed since has no rules any
        more: then nobody gets the answer.
        """
        return await self.visible_answer(answer_id, await self.audience(readers))

    async def visible_answer(self, answer_id: str, audience: Audience) -> Answer | None:
        """Return what `find_answer` does, for an audience."""
        answer = await self._storage.history.answer(answer_id)
        if answer is None:
            return None
        chunk_ids = [citation.chunk_id for citation in (*answer.citations, *answer.nearest)]
        allowed = audience.collections
        chunks = await self._storage.library.get_chunks(chunk_ids)
        visible = {chunk.id for chunk, document in chunks if document.collection in allowed}
        if not visible.issuperset(chunk_ids):
            return None
        if not all(
            [await self._visible_title(document_id, allowed) == title for document_id, title in answer.named.items()]
        ):
            return None
        titles = [
            await self._visible_title(document, allowed)
            for correction in answer.corrections
            for document in correction.documents
        ]
        return answer if all(titles) else answer.without_corrections()

    async def _visible_title(self, document_id: str, collections: Collection[str]) -> str:
        """Return a document's present title; empty if it is in none of `collections`."""
        document = await self._storage.library.document(document_id)
        return (document.title or document.filename) if document and document.collection in collections else ""

    async def hand_off(self, interaction: AnswerInteraction, readers: Readers) -> str:
        """Hand a question off to the people set for the place, once. Return the text for the asker."""
        answer = await self.find_answer(interaction.answer_id, readers)
        if answer is None:
            return (await self.translator_for(interaction.person))(wording.ANSWER_UNAVAILABLE)
        return await self.handoffs.hand_off(
            answer, interaction, await self.translator_for(interaction.person, text=answer.question)
        )

    async def subscribe(self, interaction: AnswerInteraction, readers: Readers) -> SubscriptionResult:
        """Subscribe a person to the answer. Return the text they get at once."""
        answer = await self.find_answer(interaction.answer_id, readers)
        if answer is None:
            return SubscriptionResult((await self.translator_for(interaction.person))(wording.ANSWER_UNAVAILABLE))
        return await self.subscriptions.subscribe(
            answer, interaction, await self.translator_for(interaction.person, text=answer.question)
        )

    async def get_insights(self, actor: Actor, readers: Readers, days: int) -> Insights:
        """Return recent insights, as far as `readers` may see them. Raises NotAllowed for an actor who is no admin."""
        await self.authority.require(actor, Action.READ_INSIGHTS)
        return await self.insights_for(readers, days)

    async def insights_for(self, readers: Readers, days: int) -> Insights:
        """Return insights for readers whom the operator chose."""
        audience = await self.audience(readers)
        with workspace_scope(ALL_WORKSPACES):  # homes hear of each other: the rules decide
            insights = await compute_insights(
                self._storage,
                self._embedder,
                self._rules.platforms,
                days,
                lambda person: self._rules.can_see_question(readers, person),
                audience=audience,
                drafter=self._drafter,
            )
        return _restrict_insights(insights, audience.collections)

    async def can_rate(self, answer_id: str, readers: Readers) -> bool:
        answer = await self._storage.history.answer(answer_id)
        collections = (await self.audience(readers)).collections
        documents = [
            await self._storage.library.document(document) for document in (answer.document_ids if answer else ())
        ]
        return answer is not None and all(
            document is None or document.collection in collections for document in documents
        )

    async def rate(self, rating: Rating, load_actor: Callable[[], Awaitable[Actor]] | None = None) -> None:
        """Store a rating; with its role if it is helpful and the bot learns from ratings."""
        if self._learns and load_actor and rating.vote is Vote.HELPFUL:
            roles = roles_of(await load_actor(), self._roles)
            rating = replace(rating, role=roles[0] if roles else None)
        await self._storage.feedback.rate(rating)

    async def list_documents(self, readers: Readers) -> list[Document]:
        return await self._storage.library.list_documents(await self.audience(readers))

    async def preferences(self, person: str) -> Preferences:
        return await self._storage.history.preferences(person)

    async def translator_for(self, person: str, *, text: str = "", locale: str = "") -> Translator:
        """Return a translator for a person: to their chosen language, else that of `text`, else that of their
        `locale`."""
        return choose_words((await self.preferences(person)).language, (detect_supported_language(text),), locale)

    async def choose_options(self, message: IncomingMessage) -> AnswerSettings:
        """Return the settings that decide how `message` is answered."""
        place = await self.places.effective_settings(message.said_in)
        return AnswerSettings(preferences=await self.preferences(message.author), place=place)

    async def save_preferences(self, person: str, preferences: Preferences) -> None:
        await self._storage.history.save_preferences(person, preferences)

    async def export_person(self, person: str, readers: Readers | None = None) -> str:
        """Export what is stored about a person; without `readers`, all of it, for the operator."""
        if readers is None:
            return await self._storage.personal_data.export(person)
        audience, instead = (
            await self.audience(readers),
            (await self.translator_for(person))(wording.ANSWER_UNAVAILABLE),
        )
        records = await self._storage.personal_data.records(person)
        find_visible = partial(self.visible_answer, audience=audience)
        redacted = await redact_records(records, find_visible, self._storage.library, audience.collections, instead)
        return export_json(person, redacted)

    async def erase_person(self, person: str) -> int:
        """Erase all that is stored about a person; returns how many entries were deleted."""
        return await self._storage.personal_data.forget(person)


def _restrict_insights(insights: Insights, collections: Collection[str]) -> Insights:
    """Return insights without private questions of one person, and without documents outside `collections`."""

    def near(gap: KnowledgeGap) -> KnowledgeGap:
        hidden = gap.nearest is not None and gap.nearest.collection not in collections
        return replace(gap, nearest=None) if hidden else gap

    return replace(
        insights,
        most_asked=tuple(group for group in insights.most_asked if not group.private),
        gaps=tuple(near(gap) for gap in insights.gaps if not gap.group.private),
        contradictions=tuple(
            contradiction
            for contradiction in insights.contradictions
            if not contradiction.private and all(paper.collection in collections for paper in contradiction.papers)
        ),
        never_cited=tuple(paper for paper in insights.never_cited if paper.collection in collections),
        outdated=tuple(old for old in insights.outdated if old.paper.collection in collections),
    )
