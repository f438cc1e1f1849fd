"""The planner by rules: search, answer at once, ask back, or refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, date, datetime

from pipeline.errors import CitewellError
from pipeline.plan.date_filter import parse_changes_query
from pipeline.plan.follow_up import NO_CONTEXT, complete_question, is_follow_up
from pipeline.plan.intent import detect_answer_format, detect_intent
from pipeline.plan.question import extract_question
from pipeline.plan.references import resolve_reference
from pipeline.plan.smalltalk import SmallTalk, detect_small_talk, is_show_all
from pipeline.ports import ChunkReader, Index
from pipeline.screen import screen_message
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    Audience,
    CannedReply,
    ClarifyingReply,
    Conversation,
    DeclinedReply,
    Intent,
    Plan,
    SearchPlan,
    replace,
)
from pipeline.words import canned_replies, wording
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
"""Characters beyond which a question is not taken for a comparison."""

SubQuestion = tuple[str, str]
"""A subject, and the query that searches for it."""


def split_comparison(question: str) -> tuple[SubQuestion, ...]:
    """Split a comparison into its two sides; empty when they are unclear.

    Words that only one side has count for both: the beginning up to `of` or `for`, the noun at the end, and the
    condition behind it (`annual vs monthly billing for teams`)."""
    match = next(filter(None, (pattern.match(question[: _LONGEST + 1]) for pattern in _COMPARED)), None)
    if not match or len(question) > _LONGEST:
        return ()
    groups = match.groupdict(default="")
    a, b, lead, head = groups["a"], groups["b"], groups.get("lead") or "", ""
    if (match_a := _HEAD.match(a)) and not _HEAD.match(b):
        head, a = match_a["head"], match_a["side"]
        b = b.removeprefix(head.split()[-1] + " ")
    a, b = (side.strip(" ,\"'“”") for side in (a, b))
    if not a or not b or a.lower() == b.lower():
        return ()
    noun = "" if head else " ".join(b.split()[len(a.split()) :])
    sides = ((a, f"{a} {noun}"), (b, b))
    return tuple((side, " ".join(f"{lead} {head} {words}".split())) for side, words in sides)


def split_question(question: str) -> tuple[SubQuestion, ...]:
    """Split a question into the two or three things it asks; empty when it asks one.

    A part that leans on another (`and where is it made?`) is not split off: alone it would find anything."""
    pieces = [piece for piece in (piece.strip(" ,?.!") for piece in _SPLIT.split(question)) if piece]
    if not 2 <= len(pieces) <= _MOST_PARTS or any(not _ASKS.match(piece) or is_follow_up(piece) for piece in pieces):
        return ()
    return tuple((piece, f"{piece}?") for piece in pieces)


# --- The plan -------------------------------------------------------------------------------------

MIN_QUESTION_CHARS = 10
"""Characters below which the bot asks back, unless the thread or the vocabulary makes the message clear."""
_CODE = re.compile(r"#?(?:(?=\S*[^\W\d_])(?=\S*\d)[\w./-]{3,}|[A-Z]{1,4} \d{2,}|\d{4,})[?.!]?")
"""A part, an error, a ticket by its number alone: `XR2045`."""
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f]")
_WIDE_COUNTS = 3
"""Letters that a character of Chinese, Japanese or Korean counts for."""
_AROUND = 20
"""Factor of the greatest question length that a message may have with the mentions and quoted lines around it: a longer
one is not read."""
_NAMED = 8
"""Titles named when someone asks what is indexed."""


@dataclass(frozen=True)
class RulePlanner:
    """Decides in this order: injection, nothing indexed, empty, too long, small talk, too short, search."""

    index: Index
    passages: ChunkReader
    _: KW_ONLY
    max_question: int = 2000
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    async def plan(
        self, text: str, conversation: Conversation, audience: Audience, translator: Translator = ENGLISH_TRANSLATOR
    ) -> Plan:
        """Plan the answer to `text`. Raises Unavailable when the store cannot be reached."""
        if screen_message(text).flag:
            return DeclinedReply(reason=translator(canned_replies.INJECTION_REFUSED), flags=("prompt_injection",))
        if not audience.collections:
            empty = canned_replies.OUTSIDE_TEAM_REFUSED if audience.external else canned_replies.EMPTY_KNOWLEDGE_BASE
            return CannedReply(text=translator(empty), flags=("empty_knowledge_base",))
        if len(text) > _AROUND * self.max_question:
            return ClarifyingReply(reason=translator(canned_replies.QUESTION_TOO_LONG, limit=self.max_question))
        original = extract_question(text)
        question = resolve_reference(original, conversation.around)
        if question != original and screen_message(question).flag:
            return DeclinedReply(reason=translator(canned_replies.INJECTION_REFUSED), flags=("prompt_injection",))
        if question != original or screen_message(conversation.around.replied_to).flag:
            conversation = replace(conversation, around=NO_CONTEXT)
        if not any(character.isalnum() for character in question):
            return ClarifyingReply(reason=translator(canned_replies.QUESTION_EMPTY))
        if len(question) > self.max_question:
            return ClarifyingReply(reason=translator(canned_replies.QUESTION_TOO_LONG, limit=self.max_question))
        if talk := detect_small_talk(question):
            return await self._reply_to_small_talk(talk, audience, translator)
        if (
            _length(question) < MIN_QUESTION_CHARS
            and not _CODE.fullmatch(question)
            and not conversation.turns
            and not await self._is_known(question, audience)
        ):
            return ClarifyingReply(reason=translator(canned_replies.QUESTION_TOO_SHORT))
        search = _plan_show_all(question, conversation) or self._plan_search(question, conversation)
        return self._add_date(search, search.question if search.wants_all else question, conversation)

    async def _reply_to_small_talk(
        self, talk: SmallTalk, audience: Audience, translator: Translator
    ) -> CannedReply | ClarifyingReply:
        if talk is SmallTalk.THANKS:
            return CannedReply(text=translator(canned_replies.YOU_ARE_WELCOME))
        if talk is SmallTalk.SUMMARY:
            return ClarifyingReply(reason=translator(wording.THREAD_REQUIRED))
        documents = await self.passages.list_documents(audience)
        ids_by_title: dict[str, str] = {}
        for document in documents:
            if not document.flagged:
                ids_by_title.setdefault(document.title or document.filename, document.id)
        titles = list(ids_by_title)[: 1 if talk is SmallTalk.GREETING else _NAMED]
        named = {ids_by_title[title]: title for title in titles}
        if talk is SmallTalk.GREETING:
            return CannedReply(
                text=canned_replies.greeting_text("".join(titles), len(documents), translator), named=named
            )
        flags = ("more_documents",) if len(documents) > _NAMED else ()
        return CannedReply(
            text=canned_replies.introduction_text(titles, len(documents), translator), flags=flags, named=named
        )

    async def _is_known(self, question: str, audience: Audience) -> bool:
        """Return whether the documents know a word of a very short question: `VPN?` is a question."""
        terms = [term for term in query_terms(question) if term not in STOP_WORDS]
        if not terms:
            return False
        try:
            return bool((await self.index.search_lexical(terms, audience, 1)).hits)
        except CitewellError:
            return True

    def _plan_search(self, question: str, conversation: Conversation) -> SearchPlan:
        completed = complete_question(question, conversation.turns, conversation.around)
        intent = detect_intent(question)
        parts = split_comparison(completed.query) if intent is Intent.COMPARISON else split_question(completed.query)
        whole_query = () if parts and intent is not Intent.COMPARISON else (completed.query,)
        return SearchPlan(
            question=completed.question,
            user_wording=completed.user_wording,
            queries=(*(query for _, query in parts), *whole_query),
            sides=tuple(side for side, _ in parts),
            intent=intent,
            format=detect_answer_format(question, intent),
            context=completed.context,
            topic=completed.topic,
            thread=completed.thread,
        )

    def _add_date(self, search: SearchPlan, question: str, conversation: Conversation) -> SearchPlan:
        """Add to `search` the day since which changes are asked for, where they are."""
        query = parse_changes_query(question, self.today())
        if not query:
            return search
        about = complete_question(query.about, conversation.turns, conversation.around) if query.about else None
        return replace(search, since=query.day.isoformat(), about=about.question if about else "")


def _plan_show_all(question: str, conversation: Conversation) -> SearchPlan | None:
    """Return the last question again, with all of the list that was cut, where the message asks for that."""
    if not conversation.turns or not is_show_all(question):
        return None
    last = conversation.turns[-1]
    last_question = last.standalone or last.question
    intent = detect_intent(last_question)
    return SearchPlan(
        question=last_question,
        user_wording=last_question,
        queries=(last_question,),
        intent=intent,
        format=detect_answer_format(last_question, intent),
        topic=last.topic,
        wants_all=True,
    )


def _length(question: str) -> int:
    return len(question) + (_WIDE_COUNTS - 1) * len(_WIDE.findall(question))
