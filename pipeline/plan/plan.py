"""What to do with a message: look it up, answer it at once, ask back, or refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, date, datetime

from pipeline.errors import CitewellError
from pipeline.plan.followup import ALONE, complete, leans
from pipeline.plan.intent import format_of, intent_of
from pipeline.plan.pointing import meant
from pipeline.plan.question import clean
from pipeline.plan.since import since
from pipeline.plan.smalltalk import Talk, small_talk, wants_all
from pipeline.ports import Index, Passages
from pipeline.screen import screen
from pipeline.translations import ENGLISH, Words
from pipeline.values import Audience, CannedReply, Clarify, Conversation, Decline, Intent, Plan, Search, replace
from pipeline.words import canned, wording
from pipeline.words.text import STOP_WORDS, query_terms

# --- The sides of a comparison, and the parts of a question ---------------------------------------

_COMPARED = [
    re.compile(pattern + r"[?.!\s]*$", re.IGNORECASE)
    for pattern in (
        r"^.*?\bdifferences?\b(?:\s+(?:in|of)\s+(?P<lead>.+?)\s+|.*?\b)between\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)",
        r"^(?:.*?\b)?compare\s+(?P<a>.+?)\s+(?:with|to|and|against)\s+(?P<b>.+?)",
        r"^how\s+(?:do|does)\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+differ(?:\s+in\s+(?P<lead>.+?))?",
        r"^how\s+(?:do|does|is|are)\s+(?P<a>.+?)\s+(?:differ|different)\s+from\s+(?P<b>.+?)(?:\s+in\s+(?P<lead>.+?))?",
        r"^which\s+(?:(?:one\s+)?(?:is|are)\s+\w+|(?P<lead>[^,]+)),\s+(?P<a>[^,]+?)\s+or\s+(?P<b>[^,]+?)",
        r"^(?P<lead>.*?)(?P<a>[^\s,]+(?: [^\s,]+)?)\s+(?:vs\.?|versus)\s+(?P<b>[^,?]+?)",
    )
]
_HEAD = re.compile(r"^(?P<head>.+?\s(?:of|for|in|by|to)\s+)(?P<side>.+)$", re.IGNORECASE)

_LEADS = (
    r"(?:what|how|when|where|who|why|which"
    r"|(?:can|do|does|is|are|should|may|must)(?=\s(?:i|we|you|the|my|our|an?|any|there)\s))"
)
_SPLIT = re.compile(rf"\?\s+(?=\S)|,?\s+and(?:\s+also)?\s+(?={_LEADS}\s+\S)", re.IGNORECASE)
_ASKS = re.compile(rf"(?:{_LEADS}|can|do|does|did|is|are|should|may|must|will)\b", re.IGNORECASE)
_MOST_PARTS = 3
_LONGEST = 250
"""Characters of a question beyond which its sides are not looked for."""

Part = tuple[str, str]
"""What it is about, and the query that looks it up."""


def compared(question: str) -> tuple[Part, ...]:
    """The two sides of a comparison; empty when they cannot be told.

    What only one side says counts for both: the beginning up to `of` or `for`, the noun at the end, and the condition
    behind it (`annual vs monthly billing for teams`)."""
    found = next(filter(None, (pattern.match(question[: _LONGEST + 1]) for pattern in _COMPARED)), None)
    if not found or len(question) > _LONGEST:
        return ()
    named = found.groupdict(default="")
    a, b, lead, head = named["a"], named["b"], named.get("lead") or "", ""
    if (led := _HEAD.match(a)) and not _HEAD.match(b):
        head, a = led["head"], led["side"]
        b = b.removeprefix(head.split()[-1] + " ")
    a, b = (side.strip(" ,\"'“”") for side in (a, b))
    if not a or not b or a.lower() == b.lower():
        return ()
    noun = "" if head else " ".join(b.split()[len(a.split()) :])
    sides = ((a, f"{a} {noun}"), (b, b))
    return tuple((side, " ".join(f"{lead} {head} {words}".split())) for side, words in sides)


def parts(question: str) -> tuple[Part, ...]:
    """The two or three things a question asks; empty when it asks one.

    A part that leans on another (`and where is it made?`) is not split off: alone it would find anything."""
    pieces = [piece for piece in (piece.strip(" ,?.!") for piece in _SPLIT.split(question)) if piece]
    if not 2 <= len(pieces) <= _MOST_PARTS or any(not _ASKS.match(piece) or leans(piece) for piece in pieces):
        return ()
    return tuple((piece, f"{piece}?") for piece in pieces)


# --- The plan -------------------------------------------------------------------------------------

SHORT = 10
"""Characters below which a message is asked about, unless the thread or the vocabulary makes it clear."""
_CODE = re.compile(r"#?(?:(?=\S*[^\W\d_])(?=\S*\d)[\w./-]{3,}|[A-Z]{1,4} \d{2,}|\d{4,})[?.!]?")
"""A part, an error, a ticket by its number alone: `XR2045`."""
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f]")
_WIDE_COUNTS = 3
"""A character of Chinese, Japanese or Korean says about as much as three letters."""
_AROUND = 20
"""Times the longest question that a message may have with the mentions and quoted lines around it: it is not read."""
_NAMED = 8
"""Titles named when someone asks what is indexed."""


@dataclass(frozen=True)
class RulePlanner:
    """Decides in this order: injection, nothing indexed, empty, too long, small talk, too short, search."""

    index: Index
    passages: Passages
    _: KW_ONLY
    max_question: int = 2000
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    async def plan(self, text: str, conversation: Conversation, audience: Audience, words: Words = ENGLISH) -> Plan:
        """Plan the answer to `text`. Raises Unavailable when the store cannot be reached."""
        if screen(text).flag:
            return Decline(reason=words(canned.INJECTION), flags=("prompt_injection",))
        if not audience.collections:
            empty = canned.OUTSIDE if audience.external else canned.EMPTY_KNOWLEDGE_BASE
            return CannedReply(text=words(empty), flags=("empty_knowledge_base",))
        if len(text) > _AROUND * self.max_question:
            return Clarify(reason=words(canned.TOO_LONG, limit=self.max_question))
        asked = clean(text)
        question = meant(asked, conversation.around)
        if question != asked and screen(question).flag:
            return Decline(reason=words(canned.INJECTION), flags=("prompt_injection",))
        if question != asked or screen(conversation.around.pointed).flag:
            conversation = replace(conversation, around=ALONE)
        if not any(character.isalnum() for character in question):
            return Clarify(reason=words(canned.EMPTY_QUESTION))
        if len(question) > self.max_question:
            return Clarify(reason=words(canned.TOO_LONG, limit=self.max_question))
        if talk := small_talk(question):
            return await self._talk(talk, audience, words)
        if (
            _length(question) < SHORT
            and not _CODE.fullmatch(question)
            and not conversation.turns
            and not await self._known(question, audience)
        ):
            return Clarify(reason=words(canned.TOO_SHORT))
        search = _whole(question, conversation) or self._search(question, conversation)
        return self._dated(search, search.question if search.everything else question, conversation)

    async def _talk(self, talk: Talk, audience: Audience, words: Words) -> CannedReply | Clarify:
        if talk is Talk.THANKS:
            return CannedReply(text=words(canned.WELCOME))
        if talk is Talk.SUMMARY:
            return Clarify(reason=words(wording.NOT_IN_A_THREAD))
        documents = await self.passages.documents(audience)
        titled: dict[str, str] = {}
        for one in documents:
            if not one.flagged:
                titled.setdefault(one.title or one.filename, one.id)
        titles = list(titled)[: 1 if talk is Talk.GREETING else _NAMED]
        named = {titled[title]: title for title in titles}
        if talk is Talk.GREETING:
            return CannedReply(text=canned.greeting("".join(titles), len(documents), words), named=named)
        flags = ("more_documents",) if len(documents) > _NAMED else ()
        return CannedReply(text=canned.introduction(titles, len(documents), words), flags=flags, named=named)

    async def _known(self, question: str, audience: Audience) -> bool:
        """Whether the documents know a word of a very short question: `VPN?` is a question."""
        terms = [term for term in query_terms(question) if term not in STOP_WORDS]
        if not terms:
            return False
        try:
            return bool((await self.index.lexical(terms, audience, 1)).hits)
        except CitewellError:
            return True

    def _search(self, asked: str, conversation: Conversation) -> Search:
        completed = complete(asked, conversation.turns, conversation.around)
        intent = intent_of(asked)
        found = compared(completed.query) if intent is Intent.COMPARISON else parts(completed.query)
        whole = () if found and intent is not Intent.COMPARISON else (completed.query,)
        return Search(
            question=completed.question,
            said=completed.said,
            queries=(*(query for _, query in found), *whole),
            sides=tuple(side for side, _ in found),
            intent=intent,
            format=format_of(asked, intent),
            context=completed.context,
            topic=completed.topic,
            thread=completed.thread,
        )

    def _dated(self, search: Search, asked: str, conversation: Conversation) -> Search:
        """`search` with the day since which changes are asked for, where they are."""
        found = since(asked, self.today())
        if not found:
            return search
        about = complete(found.about, conversation.turns, conversation.around) if found.about else None
        return replace(search, since=found.day.isoformat(), about=about.question if about else "")


def _whole(question: str, conversation: Conversation) -> Search | None:
    """The last question again, with all of the list that was cut, where that is what is said."""
    if not conversation.turns or not wants_all(question):
        return None
    last = conversation.turns[-1]
    asked = last.standalone or last.question
    intent = intent_of(asked)
    return Search(
        question=asked,
        said=asked,
        queries=(asked,),
        intent=intent,
        format=format_of(asked, intent),
        topic=last.topic,
        everything=True,
    )


def _length(question: str) -> int:
    return len(question) + (_WIDE_COUNTS - 1) * len(_WIDE.findall(question))
