"""What buttons and commands ask for after the answer: given to those who may see it, and in doubt to nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from bot.desks.authority import AuditedAuthority
from bot.desks.handoffs import HandoffDesk, Keep
from bot.desks.knowledge import KnowledgeDesk, Means
from bot.desks.places import ChannelDesk, PlaceSettings
from bot.desks.wishes import WishDesk
from bot.insights.insights import insights
from pipeline.drafting.proposal import Drafter
from pipeline.ports import Embedder, Passages
from pipeline.rules.access import NO_RULES, Roles, Rules, audience, roles_of
from pipeline.rules.tenancy import EVERYTHING, bound
from pipeline.translations import Words
from pipeline.values import (
    Action,
    Actor,
    Answer,
    Audience,
    Chosen,
    Document,
    IncomingMessage,
    Place,
    PlaceId,
    Preferences,
    Press,
    Rating,
    Readers,
    Turn,
    Vote,
    Wished,
    replace,
)
from pipeline.values.insights import Gap, Insights
from pipeline.values.posting import Adding, Share
from pipeline.words import wording
from pipeline.words.language import speaking, told
from storage.messages.outbox import SQLOutbox
from storage.open import Storage
from storage.people.person import as_text

# --- What is kept about a person, as they are given it --------------------------------------------

Record = dict[str, Any]
Kept = dict[str, list[Record]]
"""Rows by what they are: see `storage.people.person`."""
WITHHELD = {"withheld": True}
"""Marks a record of which something is left out."""


async def withholding(
    kept: Mapping[str, Sequence[Record]],
    seen: Callable[[str], Awaitable[Answer | None]],
    library: Passages,
    collections: Collection[str],
    instead: str,
) -> Kept:
    """`kept` for somebody who may see `collections`. `seen` gives an answer by its id as they may see it, None where
    they may not; `instead` stands in the place of one. What they wrote, rated and chose is never left out."""
    answers = {one["id"]: await seen(one["id"]) for one in kept["answers"]}
    hidden = {one["body"] for one in kept["answers"] if answers[one["id"]] is None}
    turns = [Turn.model_validate({name: one[name] for name in one if name != "conversation"}) for one in kept["turns"]]
    cited = await library.chunks([chunk for turn in turns for chunk in turn.chunk_ids])
    visible = {chunk.id for chunk, document in cited if document.collection in collections}

    def answer(record: Record) -> Record:
        shown = answers[record["id"]]
        if shown:
            return shown.model_dump(mode="json")
        return Answer.model_validate(record).untold(instead).model_dump(mode="json") | WITHHELD

    def turn(record: Record, told: Turn) -> Record:
        if visible.issuperset(told.chunk_ids) and told.answer not in hidden:
            return record
        return record | told.untold.model_dump(mode="json") | {"answer": instead, "standalone": ""} | WITHHELD

    async def handoff(record: Record) -> Record:
        return record if await seen(record["answer_id"]) else record | {"reply": instead} | WITHHELD

    def added(record: Record) -> Record:
        if record["collection"] in collections:
            return record
        return Document(id=record["id"], filename="", title=instead).model_dump(mode="json") | WITHHELD

    completed = {one["standalone"]: one["question"] for one in kept["answers"] if answers[one["id"]] is None}

    return {
        **{name: list(records) for name, records in kept.items()},
        "answers": [answer(one) for one in kept["answers"]],
        "turns": [turn(record, told) for record, told in zip(kept["turns"], turns, strict=True)],
        "handoffs": [await handoff(one) for one in kept["handoffs"]],
        "wishes": [one | {"question": completed.get(one["question"], one["question"])} for one in kept["wishes"]],
        "added": [added(one) for one in kept["added"]],
    }


# --- What somebody waits for while the courier posts it -------------------------------------------

LOOK_SECONDS = 0.1
"""How often is looked whether it is there: another process may post it."""
PATIENCE_SECONDS = 600.0
"""How long somebody is told what came of it."""
SHARE_SECONDS = 60.0
"""How long an answer may take to be shared: then nobody looks for it there, and it is given up."""


class PostDesk:
    """The port `Posts`."""

    def __init__(self, outbox: SQLOutbox) -> None:
        self._outbox = outbox

    async def begin(self, post: Share | Adding) -> bool:
        if isinstance(post, Share):
            return await self._outbox.begin_share(post)
        return await self._outbox.begin_adding(post)

    async def change(self, post: Adding) -> None:
        await self._outbox.change(post)

    async def ended(self, post: Share | Adding) -> str | None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._ended(post)
        except TimeoutError:
            return None

    async def _ended(self, post: Share | Adding) -> str | None:
        now = asyncio.get_running_loop().time
        late = now() + SHARE_SECONDS
        while outcome := await self._outbox.outcome(post.key):
            if outcome.state != "open":
                return outcome.why
            if isinstance(post, Share) and outcome.put_off and now() > late:
                await self._outbox.withdraw(post.key, Words(post.language)(wording.TRY_AGAIN))
            await asyncio.sleep(LOOK_SECONDS)
        return None


# --- The desk -------------------------------------------------------------------------------------

NOBODY: Roles = {}
NOWHERE: Mapping[PlaceId, Place] = {}
NO_PLATFORM: Mapping[str, str] = {}


class CitewellDesk:
    """The port `Desk` over the stores."""

    def __init__(
        self,
        storage: Storage,
        *,
        rules: Rules = NO_RULES,
        roles: Roles = NOBODY,
        places: Mapping[PlaceId, Place] = NOWHERE,
        keep: Keep | None = None,
        means: Means | None = None,
        unindexed: Mapping[str, str] = NO_PLATFORM,
        embedder: Embedder | None = None,
        learns: bool = False,
        drafter: Drafter | None = None,
    ) -> None:
        """`rules`, `roles` and `places` as they stand in the file. Without `keep`, no reply becomes a document; without
        `means`, nothing that people send does. `learns`: the bot learns from ratings. `drafter` drafts what insights
        propose to write."""
        self._storage = storage
        self._rules = rules
        self._roles = roles
        self._learns = learns
        self._drafter = drafter
        self._embedder = embedder
        self.authority = AuditedAuthority(roles, storage.audit)
        self.places = PlaceSettings(places, rules, storage.places, storage.library, self.authority, unindexed)
        self.channels = ChannelDesk(storage.said, self.places)
        self.handoffs = HandoffDesk(storage.handoffs, self.places, self.authority, keep)
        self.posts = PostDesk(storage.outbox)
        self.wishes = WishDesk(storage.wishes)
        self.knowledge = KnowledgeDesk(storage.library, self.places, rules, self.authority, means)

    async def audience(self, readers: Readers) -> Audience:
        """The collections that every reader may see."""
        return audience(readers, await self._storage.library.collections(), self._rules)

    async def answer(self, answer_id: str, readers: Readers) -> Answer | None:
        """A past answer, if everyone of `readers` may see every passage it shows and every document it names, as the
        rules are now; what it says of words of others is left out.

        A passage that was changed or removed since has no rules any more: then nobody gets the answer."""
        return await self.seen(answer_id, await self.audience(readers))

    async def seen(self, answer_id: str, theirs: Audience) -> Answer | None:
        """The same for an audience."""
        answer = await self._storage.history.answer(answer_id)
        if answer is None:
            return None
        shown = [citation.chunk_id for citation in (*answer.citations, *answer.nearest)]
        allowed = theirs.collections
        found = await self._storage.library.chunks(shown)
        visible = {chunk.id for chunk, document in found if document.collection in allowed}
        if not visible.issuperset(shown):
            return None
        if not all([await self._titled(one, allowed) == title for one, title in answer.named.items()]):
            return None
        held = [await self._titled(document, allowed) for one in answer.corrections for document in one.documents]
        return answer if all(held) else answer.uncorrected()

    async def _titled(self, document_id: str, collections: Collection[str]) -> str:
        """How a document is called now; empty where it is in none of `collections`."""
        document = await self._storage.library.document(document_id)
        return (document.title or document.filename) if document and document.collection in collections else ""

    async def hand_over(self, press: Press, readers: Readers) -> str:
        """Ask the people who are set where it was pressed, once; what the asker is told."""
        answer = await self.answer(press.answer_id, readers)
        if answer is None:
            return (await self.words(press.person))(wording.NO_ANSWER)
        return await self.handoffs.hand_over(answer, press, await self.words(press.person, text=answer.question))

    async def wish(self, press: Press, readers: Readers) -> Wished:
        """Tell the person once this can be answered; what they hear at once."""
        answer = await self.answer(press.answer_id, readers)
        if answer is None:
            return Wished((await self.words(press.person))(wording.NO_ANSWER))
        return await self.wishes.keep(answer, press, await self.words(press.person, text=answer.question))

    async def insights(self, actor: Actor, readers: Readers, days: int) -> Insights:
        """What was asked lately, as far as `readers` may hear of it. Raises NotAllowed for an actor who is no admin."""
        await self.authority.require(actor, Action.READ_INSIGHTS)
        return await self.insights_for(readers, days)

    async def insights_for(self, readers: Readers, days: int) -> Insights:
        """The same, for whom the operator chose."""
        theirs = await self.audience(readers)
        with bound(EVERYTHING):  # homes hear of each other: the rules decide
            seen = await insights(
                self._storage,
                self._embedder,
                self._rules.platforms,
                days,
                lambda person: self._rules.hear(readers, person),
                audience=theirs,
                drafter=self._drafter,
            )
        return _for_readers(seen, theirs.collections)

    async def rateable(self, answer_id: str, readers: Readers) -> bool:
        """See `Desk`."""
        answer = await self._storage.history.answer(answer_id)
        theirs = (await self.audience(readers)).collections
        found = [await self._storage.library.document(one) for one in (answer.documents if answer else ())]
        return answer is not None and all(one is None or one.collection in theirs for one in found)

    async def rate(self, rating: Rating, by: Callable[[], Awaitable[Actor]] | None = None) -> None:
        """See `Desk`. Roles are kept with what helped, and only where the bot learns from it."""
        if self._learns and by and rating.vote is Vote.HELPFUL:
            roles = roles_of(await by(), self._roles)
            rating = replace(rating, role=roles[0] if roles else None)
        await self._storage.feedback.rate(rating)

    async def documents(self, readers: Readers) -> list[Document]:
        return await self._storage.library.documents(await self.audience(readers))

    async def preferences(self, person: str) -> Preferences:
        return await self._storage.history.preferences(person)

    async def words(self, person: str, *, text: str = "", locale: str = "") -> Words:
        """Our words to a person: in the language they chose, else that of `text`, else that of their `locale`."""
        return speaking((await self.preferences(person)).language, (told(text),), locale)

    async def chosen(self, message: IncomingMessage) -> Chosen:
        """What decides how `message` is answered."""
        place = await self.places.of(message.said_in)
        return Chosen(preferences=await self.preferences(message.author), place=place)

    async def prefer(self, person: str, preferences: Preferences) -> None:
        await self._storage.history.prefer(person, preferences)

    async def export(self, person: str, readers: Readers | None = None) -> str:
        """See `Desk`; without `readers`, for the operator, all of it."""
        if readers is None:
            return await self._storage.people.export(person)
        theirs, instead = await self.audience(readers), (await self.words(person))(wording.NO_ANSWER)
        kept = await self._storage.people.kept(person)
        seen = partial(self.seen, theirs=theirs)
        given = await withholding(kept, seen, self._storage.library, theirs.collections, instead)
        return as_text(person, given)

    async def forget(self, person: str) -> int:
        """Erase all that is kept about a person; returns how many entries went."""
        return await self._storage.people.forget(person)


def _for_readers(seen: Insights, collections: Collection[str]) -> Insights:
    """Without what one person asked in private, and without documents of other `collections`."""

    def near(gap: Gap) -> Gap:
        hidden = gap.nearest is not None and gap.nearest.collection not in collections
        return replace(gap, nearest=None) if hidden else gap

    return replace(
        seen,
        most_asked=tuple(group for group in seen.most_asked if not group.private),
        gaps=tuple(near(gap) for gap in seen.gaps if not gap.group.private),
        contradictions=tuple(
            one
            for one in seen.contradictions
            if not one.private and all(paper.collection in collections for paper in one.papers)
        ),
        never_cited=tuple(paper for paper in seen.never_cited if paper.collection in collections),
        outdated=tuple(old for old in seen.outdated if old.paper.collection in collections),
    )
