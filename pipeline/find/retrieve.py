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
from pipeline.find.near_duplicates import DistinctTexts, remaining_passages, select_distinct
from pipeline.find.rank import SEARCH_DEPTH, RankedPassage, Ranker, Ranking, identity_calibration
from pipeline.find.rerank import apply_relevance_scorer, apply_reranker, boost_confirmed, is_scorable
from pipeline.find.retrieved import RetrievedPassages, merge_rankings
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
    if code_suggestions := codes and await ranker.similar([code.lower() for code in codes]):
        spellings = {
            code.lower(): code_suggestions[code.lower()][0] for code in codes if code.lower() in code_suggestions
        }
        capitals = {code.lower() for code in codes if code.isupper()}
        return tuple(
            SpellingCorrection(word=code, meant=spelling.upper() if code in capitals else spelling)
            for code, spelling in spellings.items()
        )
    language = detect_supported_language(query)
    small = FUNCTION_WORDS.get(language, frozenset())
    unknown = [word for word in missing if word.isalpha() and len(word) > 3 and word not in small]
    if not unknown:
        return ()
    suggestions = await ranker.similar(unknown)
    if language not in ("", "en"):
        suggestions = {
            word: likely
            for word, candidates in suggestions.items()
            if (likely := select_corrections(word, candidates, language))
        }
    if suggestions and tokenizer:
        with suppress(CitewellError):
            suggestions = {
                word: candidates
                for word, candidates in suggestions.items()
                if await asyncio.to_thread(tokenizer.count_tokens, word) > 1
            }
    return tuple(
        SpellingCorrection(
            word=word,
            meant=candidates[0],
            others=tuple(candidates[1:]),
            form=is_inflection(word, candidates[0], language),
        )
        for word, candidates in suggestions.items()
    )


def select_corrections(word: str, candidates: Sequence[str], language: str) -> list[str]:
    """Select corrections of a word in `language`, not English, from the words `near` to it, best first: forms of the
    same word, else the nearest one where two letters are exchanged or a long word has one slip behind its first
    letter."""
    forms = [candidate for candidate in candidates if is_inflection(word, candidate, language)]
    return forms or [candidate for candidate in candidates[:1] if _is_slip(word, candidate)]


def is_inflection(word: str, other: str, language: str) -> bool:
    """Return whether both are forms of the same word: `Gletschern`, `Gletscher`."""
    return language in _STEMMERS and _stem(word, language) == _stem(other, language)


@lru_cache(maxsize=8192)
def _stem(word: str, language: str) -> str:
    return str(Stemmer.Stemmer(_STEMMERS[language]).stemWord(word))


def _is_slip(word: str, other: str) -> bool:
    start = _common_prefix(word, other)
    end = _common_prefix(word[start:][::-1], other[start:][::-1])
    removed, added = word[start : len(word) - end], other[start : len(other) - end]
    exchanged = len(removed) == 2 and removed == added[::-1]
    return start > 0 and (exchanged or (max(len(removed), len(added)) == 1 and len(word) >= LONG_WORD))


def _common_prefix(word: str, other: str) -> int:
    """Count the letters that both begin with."""
    different = (
        place for place, (letter, other_letter) in enumerate(zip(word, other, strict=False)) if letter != other_letter
    )
    return next(different, min(len(word), len(other)))


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
    limit = MAX_CHANGES if search.wants_all else CHANGES_SHOWN
    if search.about:
        about = SearchPlan(question=search.about, context=search.context)
        retrieval = await retriever.retrieve(about, audience)
        best: dict[str, RetrievedChunk] = {}
        for passage in (
            *retrieval.passages,
            *(passage for passage in remaining_passages(retrieval) if passage.score >= TOPIC_SCORE),
        ):
            if passage.document.last_changed:
                best.setdefault(passage.document.id, passage)
        changed = [passage for passage in best.values() if passage.document.last_changed >= search.since]
        changed.sort(key=lambda passage: passage.document.last_changed, reverse=True)
        return ChangedDocuments(passages=tuple(changed[:limit]), total=len(changed), dated=True) if best else None
    rows, total = await library.changed_since(search.since, audience, limit)
    first = (RetrievedChunk(chunk=chunk, document=document, score=1.0) for chunk, document in rows)
    dated = total or (await library.changed_since("0", audience, 0))[1]
    return ChangedDocuments(passages=tuple(first), total=total, dated=bool(dated))


# --- The retriever --------------------------------------------------------------------------------

CONCURRENCY = 8
"""Searches at the same time: more would slow each other down, and every answer would come as late as the last."""
WIDEN_FACTOR = 4
"""Factor by which a search goes deeper when duplicates and editions fill its results."""
WIDEN_VECTOR_FACTOR = 3
"""Factor by which the vector search goes deeper when the words find nothing."""
WORDLESS_SHARE = 0.9
"""Share of the question's words, by rarity, that no passage read for it holds, from which the words find nothing. The
question has to be in a language of the embedder. docs/decisions/0009-walk.md has the figures."""
_BROAD_INTENTS = (Intent.SUMMARY, Intent.AGGREGATION)
"""Intents that need all passages, not the one that answers best."""
LANGUAGE_CHECKED = 3
"""Number of passages, found for a corrected question, whose language is detected."""


@dataclass(frozen=True, slots=True)
class _QueryResult:
    """The result of one query."""

    query: str
    """Query with its slips corrected."""
    ranked: list[RankedPassage]
    texts: DistinctTexts[RankedPassage]
    """The different texts of `ranked`."""
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
            results = await _gather(
                [self._find(ranker, number, query, search.context, share) for number, query in enumerate(queries)]
            )
        skipped = ""
        if self._reader and len(results) == 1:
            result, skipped = await self._apply_scorer(self._reader, ranker.degraded, results[0], search, share)
            results = [result]
        elif self._reranker:
            question = "" if len(queries) > 1 else search.question
            results = await _gather(
                [self._apply_reranker(self._reranker, ranker.degraded, result, question, share) for result in results]
            )
        results = [_lift_confirmed(result, share) for result in results]
        if len(results) == 1:
            ranked, texts, good = results[0].ranked, results[0].texts, results[0].good
        else:
            ranked = merge_rankings([result.ranked for result in results])
            texts, good = DistinctTexts(ranked), merge_rankings([result.good for result in results])
        passages = RetrievedPassages(ranked)
        return Retrieval(
            passages=tuple(map(passages.describe, good)),
            candidates=passages if ranked else (),
            nearest=tuple(map(passages.describe, texts.select(self._top_k)[0])),
            document_ids=tuple(dict.fromkeys(passage.document.id for passage in ranked)),
            degraded=tuple(sorted(ranker.degraded)),
            scorer_skipped=skipped,
            corrections=await self._locate_corrections(
                dict.fromkeys(correction for result in results for correction in result.corrections), audience
            ),
        )

    async def _locate_corrections(
        self, corrections: Iterable[SpellingCorrection], audience: Audience
    ) -> tuple[SpellingCorrection, ...]:
        """Add to each correction the documents that its words are from."""

        async def locate(correction: SpellingCorrection) -> SpellingCorrection:
            hits_by_word = [
                (await self._index.search_lexical([word], audience, 1)).hits
                for word in (correction.meant, *correction.others)
            ]
            rows = await self._passages.get_chunks([hit.chunk_id for hits in hits_by_word for hit in hits])
            return replace(correction, documents=tuple(dict.fromkeys(document.id for _, document in rows)))

        return tuple([await locate(correction) for correction in corrections])

    async def _find(self, ranker: Ranker, number: int, query: str, thread: str, share: int) -> _QueryResult:
        """Search for `query`, or for its correction where that fits better; go deeper where duplicates fill the
        results, or the words find nothing."""
        ranking = await ranker.rank(number, query, thread)
        corrections = await correct_spelling(ranker, self._tokenizer, query, ranking.missing)
        if corrections:
            corrected = apply_corrections(query, corrections)
            corrected_ranking = await ranker.rank(number, corrected, thread)
            is_better = corrected_ranking.best > ranking.best and not _is_other_language(query, corrected_ranking)
            query, ranking, corrections = (
                (corrected, corrected_ranking, corrections) if is_better else (query, ranking, ())
            )
        if ranking.unmatched_share >= WORDLESS_SHARE:
            ranking = await ranker.widen_vector(WIDEN_VECTOR_FACTOR).rank(number, query, thread)
        result, taken = self._select_good(query, ranking.passages, corrections, share)
        if taken < share and result.above >= SEARCH_DEPTH:
            ranking = await ranker.widen(WIDEN_FACTOR).rank(number, query, thread)
            result, _ = self._select_good(query, ranking.passages, corrections, share)
        return result

    def _select_good(
        self, query: str, ranked: list[RankedPassage], corrections: tuple[SpellingCorrection, ...], share: int
    ) -> tuple[_QueryResult, int]:
        """Return the result of a query, with the distinct ones above the floor for a writer, and how many texts those
        took."""
        floor = self._floor + _length_penalty(query)
        texts = DistinctTexts(ranked)
        good, taken = texts.select(share, floor)
        above = sum(passage.score >= floor for passage in ranked)
        return _QueryResult(query, ranked, texts, above, good, corrections), taken

    async def _apply_reranker(
        self, reranker: ports.Reranker, degraded: set[str], result: _QueryResult, question: str, share: int
    ) -> _QueryResult:
        """Sort a result by the reranker; keep it as it is where that fails. The reranker gets the whole `question`,
        where there is one, rather than the query."""
        if result.above < 2:
            return result
        full_question = apply_corrections(question, result.corrections) if question else result.query
        try:
            above = await apply_reranker(reranker, full_question, result.ranked[: result.above])
        except CitewellError:
            degraded.add("reranker")
            return result
        ranked = [*above, *result.ranked[result.above :]]
        return replace(result, ranked=ranked, texts=DistinctTexts(ranked), good=select_distinct(above, share))

    async def _apply_scorer(
        self, reader: ports.RelevanceScorer, degraded: set[str], result: _QueryResult, search: SearchPlan, share: int
    ) -> tuple[_QueryResult, str]:
        """Sort a result by the relevance scorer; return it unchanged, with the reason, where there was no time. The
        floor is applied again after that."""
        if search.intent in _BROAD_INTENTS or not is_scorable(result.query, result.ranked):
            return result, ""
        full_question = apply_corrections(search.about_topic, result.corrections)
        try:
            ranked = await apply_relevance_scorer(reader, full_question, result.ranked, threaded=bool(search.context))
        except CitewellError:
            degraded.add("reader")
            return result, ""
        if ranked is None:
            return result, "there was no time for it"
        return self._select_good(result.query, ranked, result.corrections, share)[0], ""


async def _gather(works: Sequence[Awaitable[_QueryResult]]) -> list[_QueryResult]:
    """Do all works at once; one alone needs no task of its own."""
    return [await works[0]] if len(works) == 1 else await asyncio.gather(*works)


def _lift_confirmed(result: _QueryResult, share: int) -> _QueryResult:
    """Move confirmed passages up: none passes the floor by that, and none is shown less."""
    if not any(passage.confirmed or passage.document.is_solved for passage in result.ranked[: result.above]):
        return result
    above = boost_confirmed(result.ranked[: result.above])
    if not any(passage.confirmation_boost for passage in above):
        return result
    shown_ids = {passage.chunk.id for passage in result.good}
    entering = [
        replace(passage, confirmation_boost=passage.score)
        for passage in select_distinct(above, share)
        if passage.chunk.id not in shown_ids
    ]
    good = sorted(
        [*(passage for passage in above if passage.chunk.id in shown_ids), *entering],
        key=lambda passage: -passage.score,
    )
    ranked = [*above, *result.ranked[result.above :]]
    return replace(result, ranked=ranked, texts=DistinctTexts(ranked), good=good)


def _is_other_language(question: str, ranking: Ranking) -> bool:
    """Return whether the passages found with a correction are in another language than the question, in which the word
    is none: `mache` is no slip of `march`."""
    question_language = detect_supported_language(question)
    passage_language = (
        detect_supported_language(" ".join(passage.chunk.text for passage in ranking.passages[:LANGUAGE_CHECKED]))
        if question_language
        else ""
    )
    return bool(passage_language) and question_language != passage_language


def _length_penalty(question: str) -> float:
    count = len(split_words(question))
    return 0.0 if count <= 3 else 0.05 if count <= 6 else 0.1
