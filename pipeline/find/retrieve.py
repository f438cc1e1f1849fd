"""The hybrid retriever, with spelling correction and the search for changed documents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from pipeline import ports
from pipeline.errors import CitewellError
from pipeline.evidence.question_analysis import IDENTIFIER
from pipeline.find.calibration import ScoreCalibration
from pipeline.find.near_duplicates import remaining_passages, select_distinct
from pipeline.find.rank import SEARCH_DEPTH, RankedPassage, Ranker, Ranking, identity_calibration
from pipeline.find.rerank import apply_relevance_scorer, apply_reranker, boost_confirmed, is_scorable
from pipeline.ports import ChunkReader, Retriever
from pipeline.values import (
    Audience,
    ChangedDocuments,
    Retrieval,
    RetrievedChunk,
    SearchPlan,
    SpellingCorrection,
    replace,
)
from pipeline.values.planning import Intent, apply_corrections
from pipeline.words.language import FUNCTION_WORDS, detect_supported_language
from pipeline.words.text import split_words

# --- Spelling correction --------------------------------------------------------------------------
# In English the embedder knows which words there are. Of another language nobody here does: of 500 words of real pages
# in German and Spanish that a library lacks, 77 were read as another that it has (`armas` as `ramas`), and `wann` as
# `wenn` in every other question. Read as here about six are; for that, fewer slips are mended than 333 of 395 made by
# chance.

LONG_WORD = 8
"""Letters from which a word with one letter more, less or other is hardly a word of its own."""
_STEMMERS = {"de": "german", "fr": "french", "es": "spanish"}


async def correct_spelling(
    ranker: Ranker, tokenizer: ports.Tokenizer | None, query: str, missing: Sequence[str]
) -> tuple[SpellingCorrection, ...]:
    """Return corrections for those of the words `missing` that seem to be slips, and for codes that documents write in
    another way. A word that is one token of `tokenizer` is no slip."""
    codes = [code for code in IDENTIFIER.findall(query) if not set(split_words(code)).isdisjoint(missing)]
    if coded := codes and await ranker.similar([code.lower() for code in codes]):
        written = {code.lower(): coded[code.lower()][0] for code in codes if code.lower() in coded}
        capitals = {code.lower() for code in codes if code.isupper()}
        return tuple(
            SpellingCorrection(word=one, meant=to.upper() if one in capitals else to) for one, to in written.items()
        )
    language = detect_supported_language(query)
    small = FUNCTION_WORDS.get(language, frozenset())
    strange = [word for word in missing if word.isalpha() and len(word) > 3 and word not in small]
    if not strange:
        return ()
    found = await ranker.similar(strange)
    if language not in ("", "en"):
        found = {word: likely for word, near in found.items() if (likely := select_corrections(word, near, language))}
    if found and tokenizer:
        with suppress(CitewellError):
            found = {
                word: near for word, near in found.items() if await asyncio.to_thread(tokenizer.count_tokens, word) > 1
            }
    return tuple(
        SpellingCorrection(
            word=word, meant=near[0], others=tuple(near[1:]), form=is_inflection(word, near[0], language)
        )
        for word, near in found.items()
    )


def select_corrections(word: str, near: Sequence[str], language: str) -> list[str]:
    """Select corrections of a word in `language`, not English, from the words `near` to it, best first: forms of the
    same word, else the nearest one where two letters are exchanged or a long word has one slip behind its first
    letter."""
    forms = [one for one in near if is_inflection(word, one, language)]
    return forms or [one for one in near[:1] if _slipped(word, one)]


def is_inflection(word: str, other: str, language: str) -> bool:
    """Return whether both are forms of the same word: `Gletschern`, `Gletscher`."""
    return language in _STEMMERS and _stem(word, language) == _stem(other, language)


@lru_cache(maxsize=8192)
def _stem(word: str, language: str) -> str:
    return str(Stemmer.Stemmer(_STEMMERS[language]).stemWord(word))


def _slipped(word: str, other: str) -> bool:
    start = _alike(word, other)
    end = _alike(word[start:][::-1], other[start:][::-1])
    left, right = word[start : len(word) - end], other[start : len(other) - end]
    exchanged = len(left) == 2 and left == right[::-1]
    return start > 0 and (exchanged or (max(len(left), len(right)) == 1 and len(word) >= LONG_WORD))


def _alike(one: str, other: str) -> int:
    """Count the letters that both begin with."""
    different = (place for place, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
    return next(different, min(len(one), len(other)))


# --- Changed documents ----------------------------------------------------------------------------

CHANGES_SHOWN = 10
"""Documents that are named, unless all are asked for."""
MAX_CHANGES = 100
TOPIC_SCORE = 0.75
"""Score from which a passage besides the best few is about a topic: for ten questions over a handbook of 246 pages 22
of the 24 that are listed are, and with these 32 of 36."""


async def find_changes(
    search: SearchPlan, audience: Audience, library: ChunkReader, retriever: Retriever
) -> ChangedDocuments | None:
    """Return the documents that changed since `search.since`, each with one passage: the best of those about
    `search.about`, or its first. Return None where no dated document is about the topic: then the question is answered
    like any other. Raises Unavailable."""
    most = MAX_CHANGES if search.wants_all else CHANGES_SHOWN
    if search.about:
        about = SearchPlan(question=search.about, context=search.context)
        found = await retriever.retrieve(about, audience)
        best: dict[str, RetrievedChunk] = {}
        for passage in (*found.passages, *(one for one in remaining_passages(found) if one.score >= TOPIC_SCORE)):
            if passage.document.last_changed:
                best.setdefault(passage.document.id, passage)
        new = [one for one in best.values() if one.document.last_changed >= search.since]
        new.sort(key=lambda one: one.document.last_changed, reverse=True)
        return ChangedDocuments(passages=tuple(new[:most]), total=len(new), dated=True) if best else None
    rows, total = await library.changed_since(search.since, audience, most)
    first = (RetrievedChunk(chunk=chunk, document=document, score=1.0) for chunk, document in rows)
    dated = total or (await library.changed_since("0", audience, 0))[1]
    return ChangedDocuments(passages=tuple(first), total=total, dated=bool(dated))


# --- The retriever --------------------------------------------------------------------------------

CONCURRENCY = 8
"""Searches at the same time: more would slow each other down, and every answer would come as late as the last."""
WIDEN_FACTOR = 4
"""Factor by which a search goes deeper when duplicates and editions fill its results."""
WIDEN_VECTOR_FACTOR = 3
"""Factor by which the vector search goes deeper when no passage holds some word: 44 of 60 paraphrases have their
paragraph among the first five then (42)."""
_WHOLE = (Intent.SUMMARY, Intent.AGGREGATION)
"""Intents that need all passages, not the one that answers best."""
LANGUAGE_CHECKED = 3
"""Number of passages, found for a corrected question, whose language is detected."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of one query."""

    query: str
    """Query with its slips corrected."""
    ranked: list[RankedPassage]
    above: int
    """Number of leading passages that are above the floor."""
    good: list[RankedPassage]
    """Passages for the writer."""
    corrections: tuple[SpellingCorrection, ...]


class HybridRetriever:
    """Finds passages by lexical and vector search within an audience."""

    def __init__(
        self,
        index: ports.Index,
        passages: ports.ChunkReader,
        embedder: ports.Embedder | None,
        *,
        reranker: ports.Reranker | None = None,
        reader: ports.RelevanceScorer | None = None,
        scale: Callable[[], Awaitable[ScoreCalibration]] = identity_calibration,
        tokenizer: ports.Tokenizer | None = None,
        confirmations: ports.Confirmations | None = None,
        top_k: int = 5,
        floor: float = 0.25,
    ) -> None:
        """Set the models and limits of a retriever.

        `reranker`: sorts what is above the floor. `reader`: scores the best passages together with the question, where
        there is only one. `scale`: loads the calibration of the `embedder`. `tokenizer`: a word that is one token of it
        is no slip. `floor`: least score of a passage that is given to a writer. Questions of more than three words need
        0.05 more, of more than six 0.1: the more words, the more of them match by chance."""
        self._index = index
        self._passages = passages
        self._embedder = embedder
        self._reranker = reranker
        self._reader = reader
        self._scale = scale
        self._tokenizer = tokenizer
        self._confirmations = confirmations
        self._top_k = top_k
        self._floor = floor
        self._turns = asyncio.Semaphore(CONCURRENCY)

    def with_index(self, index: ports.Index) -> HybridRetriever:
        """Return a copy over another index, to observe what is asked of it."""
        other = copy(self)
        other._index = index  # noqa: SLF001 one of ours
        return other

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        """Search every query of `search` and merge the results, best first.

        Never raises for a failing embedder, index or reranker: `degraded` names what did not work. Raises Unavailable
        when the passages themselves cannot be read."""
        queries = search.queries or (search.question,)
        ranker = Ranker(
            self._index, self._passages, self._embedder, audience, self._scale, confirmations=self._confirmations
        )
        share = max(self._top_k, 3 * len(queries)) // len(queries)
        async with self._turns:
            found = await asyncio.gather(
                *(self._find(ranker, number, query, search.context, share) for number, query in enumerate(queries))
            )
        unread = ""
        if self._reader and len(found) == 1:
            one, unread = await self._read(self._reader, ranker.degraded, found[0], search, share)
            found = [one]
        elif self._reranker:
            question = "" if len(queries) > 1 else search.question
            found = await asyncio.gather(
                *(self._reread(self._reranker, ranker.degraded, one, question, share) for one in found)
            )
        found = [_lifted(one, share) for one in found]
        ranked = _merged([one.ranked for one in found])
        good = tuple(map(_passage, _merged([one.good for one in found])))
        return Retrieval(
            passages=good,
            candidates=tuple(map(_passage, ranked)),
            nearest=tuple(map(_passage, select_distinct(ranked, self._top_k)[0])),
            document_ids=tuple(dict.fromkeys(one.document.id for one in ranked)),
            degraded=tuple(sorted(ranker.degraded)),
            scorer_skipped=unread,
            corrections=await self._placed(dict.fromkeys(one for of in found for one in of.corrections), audience),
        )

    async def _placed(
        self, corrections: Iterable[SpellingCorrection], audience: Audience
    ) -> tuple[SpellingCorrection, ...]:
        """Add to each correction the documents that its words are from."""

        async def placed(one: SpellingCorrection) -> SpellingCorrection:
            found = [(await self._index.search_lexical([word], audience, 1)).hits for word in (one.meant, *one.others)]
            held = await self._passages.get_chunks([hit.chunk_id for hits in found for hit in hits])
            return replace(one, documents=tuple(dict.fromkeys(document.id for _, document in held)))

        return tuple([await placed(one) for one in corrections])

    async def _find(self, ranker: Ranker, number: int, query: str, thread: str, share: int) -> _Found:
        """Search for `query`, or for its correction where that fits better; go deeper where duplicates fill the
        results, or some of its words are in no passage."""
        ranking = await ranker.rank(number, query, thread)
        corrections = await correct_spelling(ranker, self._tokenizer, query, ranking.missing)
        if corrections:
            mended = apply_corrections(query, corrections)
            other = await ranker.rank(number, mended, thread)
            better = other.best > ranking.best and not _foreign(query, other)
            query, ranking, corrections = (mended, other, corrections) if better else (query, ranking, ())
        if ranking.unmatched_share:
            ranking = await ranker.widen_vector(WIDEN_VECTOR_FACTOR).rank(number, query, thread)
        above, good, texts = self._good(query, ranking.passages, share)
        if texts < share and above >= SEARCH_DEPTH:
            ranking = await ranker.widen(WIDEN_FACTOR).rank(number, query, thread)
            above, good, _ = self._good(query, ranking.passages, share)
        return _Found(query, ranking.passages, above, good, corrections)

    def _good(self, query: str, ranked: Sequence[RankedPassage], share: int) -> tuple[int, list[RankedPassage], int]:
        """Return the number of passages above the floor, the distinct ones of them for a writer, and how many texts
        those took."""
        floor = self._floor + _step(query)
        above = [one for one in ranked if one.score >= floor]
        return (len(above), *select_distinct(above, share))

    async def _reread(
        self, reranker: ports.Reranker, degraded: set[str], found: _Found, question: str, share: int
    ) -> _Found:
        """Sort a result by the reranker; keep it as it is where that fails. The reranker gets the whole `question`,
        where there is one, rather than the query."""
        if found.above < 2:
            return found
        asked = apply_corrections(question, found.corrections) if question else found.query
        try:
            above = await apply_reranker(reranker, asked, found.ranked[: found.above])
        except CitewellError:
            degraded.add("reranker")
            return found
        return replace(found, ranked=[*above, *found.ranked[found.above :]], good=select_distinct(above, share)[0])

    async def _read(
        self, reader: ports.RelevanceScorer, degraded: set[str], found: _Found, search: SearchPlan, share: int
    ) -> tuple[_Found, str]:
        """Sort a result by the relevance scorer; return it unchanged, with the reason, where there was no time. The
        floor is applied again after that."""
        if search.intent in _WHOLE or not is_scorable(found.query, found.ranked):
            return found, ""
        asked = apply_corrections(search.about_topic, found.corrections)
        try:
            ranked = await apply_relevance_scorer(reader, asked, found.ranked, threaded=bool(search.context))
        except CitewellError:
            degraded.add("reader")
            return found, ""
        if ranked is None:
            return found, "there was no time for it"
        above, good, _ = self._good(found.query, ranked, share)
        return replace(found, ranked=ranked, above=above, good=good), ""


def _lifted(found: _Found, share: int) -> _Found:
    """Move confirmed passages up: none passes the floor by that, and none is shown less."""
    above = boost_confirmed(found.ranked[: found.above])
    if not any(one.confirmation_boost for one in above):
        return found
    there = {one.chunk.id for one in found.good}
    entering = [
        replace(one, confirmation_boost=one.score)
        for one in select_distinct(above, share)[0]
        if one.chunk.id not in there
    ]
    good = sorted([*(one for one in above if one.chunk.id in there), *entering], key=lambda one: -one.score)
    return replace(found, ranked=[*above, *found.ranked[found.above :]], good=good)


def _foreign(question: str, found: Ranking) -> bool:
    """Return whether the passages found with a correction are in another language than the question, in which the word
    is none: `mache` is no slip of `march`."""
    asked = detect_supported_language(question)
    read = (
        detect_supported_language(" ".join(one.chunk.text for one in found.passages[:LANGUAGE_CHECKED]))
        if asked
        else ""
    )
    return bool(read) and asked != read


def _step(question: str) -> float:
    count = len(split_words(question))
    return 0.0 if count <= 3 else 0.05 if count <= 6 else 0.1


def _merged(found: Sequence[Sequence[RankedPassage]]) -> list[RankedPassage]:
    """Merge the passages of all queries, each once (for the query it fits best), best first."""
    best: dict[str, RankedPassage] = {}
    for one in sorted((one for ranked in found for one in ranked), key=lambda one: -one.score):
        best.setdefault(one.chunk.id, one)
    return list(best.values())


def _passage(ranked: RankedPassage) -> RetrievedChunk:
    return RetrievedChunk(
        chunk=ranked.chunk,
        document=ranked.document,
        score=round(min(ranked.score, 1.0), 4),
        unit_scores=tuple(ranked.unit_scores.tolist()),
        relevance=ranked.relevance,
        query_index=ranked.query_index,
        confirmed=ranked.confirmed,
        confirmation_boost=ranked.confirmation_boost,
    )
