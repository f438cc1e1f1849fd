"""Metrics for Prometheus. A label names a kind of thing: never a person, a place or a text.

Documented in docs/operations/metrics.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import product

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from pipeline.drafting import draft
from pipeline.values import Answer, AnswerOutcome, ConfidenceLevel, SupportBasis, Vote
from pipeline.write import draft_failures
from storage.messages.levels import StorageLevels

MILLION = 1e6
DURATION_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
STAGES = ("plan", "retrieve", "read", "write", "validate", "review", "repair", "assess", "compose")
NOBODY, OTHER = "none", "other"
DRAFT_FAILURES = {
    draft_failures.DRAFT_TOO_LATE: "too_late",
    draft.DRAFT_UNSUPPORTED: "unsupported",
    draft.TOO_FEW_CITATIONS: "cites_too_little",
    draft.DRAFT_TOO_SHORT: "too_short",
    draft_failures.DRAFT_WITHOUT_SOURCE: "without_source",
    draft.TOKENS_EXHAUSTED: "no_tokens",
    draft_failures.MODEL_TOO_SLOW: "too_slow",
    draft_failures.MODEL_QUEUE_FULL: "queue_full",
    draft_failures.WINDOW_FULL: "window_full",
}
"""Reasons why a model's draft was not used; a provider's own error is `unavailable`."""
UNAVAILABLE, JUDGE = "unavailable", "judge"
DROPPED_SUPPORT = (SupportBasis.VETOED, SupportBasis.UNSURE, SupportBasis.REFUSED)


class Metrics:
    """The metrics of one process, in a registry of their own.

    `platforms` and `writers` are the only values of these labels; anything else is `other`. Prices are for a million
    tokens.
    """

    def __init__(
        self, platforms: Collection[str], writers: Collection[str], *, price_input: float, price_output: float
    ) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call] # they would double the page
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._platforms = frozenset(platforms)
        self._writers = frozenset((*writers, "extractive", NOBODY))
        self._prices = (price_input, price_output)
        self._answers = Counter(
            "citewell_answers",
            "Answers made, shown or not.",
            ("platform", "outcome", "confidence", "writer"),
            registry=registry,
        )
        self._answer_seconds = Histogram(
            "citewell_answer_seconds",
            "Making an answer, from the question.",
            buckets=DURATION_BUCKETS,
            registry=registry,
        )
        self._stage_seconds = Histogram(
            "citewell_stage_seconds", "A stage of an answer.", ("stage",), buckets=DURATION_BUCKETS, registry=registry
        )
        self._failures = Counter(
            "citewell_model_failures", "Answers in which a model failed.", ("reason",), registry=registry
        )
        self._tokens = Counter(
            "citewell_model_tokens", "Tokens that models read and wrote.", ("direction",), registry=registry
        )
        self._cached = Counter(
            "citewell_model_cached_tokens", "Input tokens that the model's server had cached.", registry=registry
        )
        self._cost = Counter("citewell_model_cost", "The same at the prices that are set.", registry=registry)
        self._checked = Counter("citewell_sentences_checked", "Sentences drafted.", registry=registry)
        self._dropped = Counter(
            "citewell_sentences_dropped", "Sentences that the check left out.", ("reason",), registry=registry
        )
        self._degraded = Counter(
            "citewell_searches_degraded", "Searches without all of their parts.", registry=registry
        )
        self._unread = Counter(
            "citewell_answers_unread", "Answers that the second reader had no time for.", registry=registry
        )
        self._waiting = Gauge("citewell_queue_questions", "Questions without a complete reply.", registry=registry)
        self._oldest = Gauge("citewell_queue_oldest_seconds", "Age of the oldest of them.", registry=registry)
        self._given_up = Gauge("citewell_questions_given_up", "Given up within the last day.", registry=registry)
        self._documents = Gauge("citewell_index_documents", "Documents indexed.", registry=registry)
        self._passages = Gauge("citewell_index_passages", "Passages indexed.", registry=registry)
        self._changed = Gauge(
            "citewell_index_changed_timestamp_seconds", "When a document was last indexed.", registry=registry
        )
        self._ratings = Gauge("citewell_ratings", "Ratings that are kept.", ("vote",), registry=registry)
        self._jobs = Gauge(
            "citewell_job_succeeded_timestamp_seconds",
            "When a scheduled job last did its work.",
            ("name",),
            registry=registry,
        )
        self._connected = Gauge(
            "citewell_platform_connected", "Whether a platform reaches us.", ("platform",), registry=registry
        )
        self._healthy = Gauge("citewell_healthy", "Whether /healthz is 200.", registry=registry)
        self._initialize_labels()

    def _initialize_labels(self) -> None:
        """Initialize each counter with 0: a counter that Prometheus has not seen rise is no increase to it."""
        for kind in product(self._platforms, AnswerOutcome, ConfidenceLevel, self._writers):
            self._answers.labels(*map(str, kind))
        for reason in (*DRAFT_FAILURES.values(), UNAVAILABLE, JUDGE):
            self._failures.labels(reason)
        for support in DROPPED_SUPPORT:
            self._dropped.labels(support.value)

    def observe(self, platform: str, answer: Answer) -> None:
        """Count an answer."""
        usage = answer.usage
        self._answers.labels(
            platform if platform in self._platforms else OTHER,
            answer.outcome.value,
            answer.confidence.level.value,
            self._writer(answer),
        ).inc()
        seconds = {stage: milliseconds / 1000 for stage, milliseconds in usage.milliseconds.items()}
        if "total" in seconds:
            self._answer_seconds.observe(seconds["total"])
        for stage in STAGES:
            if stage in seconds:
                self._stage_seconds.labels(stage).observe(seconds[stage])
        for direction, tokens, price in zip(
            ("input", "output"), (usage.input_tokens, usage.output_tokens), self._prices, strict=True
        ):
            self._tokens.labels(direction).inc(tokens)
            self._cost.inc(tokens * price / MILLION)
        self._cached.inc(usage.cached_tokens)
        for note in usage.notes:
            what, _, why = note.partition(": ")
            if what == "model_failed":
                self._failures.labels(DRAFT_FAILURES.get(why, UNAVAILABLE)).inc()
            elif what == "judge_failed":
                self._failures.labels(JUDGE).inc()
            elif what == "search_degraded":
                self._degraded.inc()
            elif what == "reader_left_out":
                self._unread.inc()
        self._count_sentences(answer)

    def _writer(self, answer: Answer) -> str:
        writer = NOBODY if answer.outcome is AnswerOutcome.FAILED else answer.usage.writer
        return writer if writer in self._writers else OTHER

    def _count_sentences(self, answer: Answer) -> None:
        shown = {sentence.text for sentence in answer.sentences}
        self._checked.inc(len(answer.claims))
        for claim in answer.claims:
            if not claim.supported and claim.claim not in shown:
                self._dropped.labels(claim.support.value if claim.support else OTHER).inc()

    def update_gauges(
        self,
        levels: StorageLevels,
        ratings: Mapping[Vote, int],
        jobs: Mapping[str, datetime],
        connected: Mapping[str, bool],
        *,
        now: float,
        healthy: bool,
    ) -> None:
        """Set the gauges to numbers stored elsewhere."""
        self._waiting.set(levels.waiting)
        self._oldest.set(max(now - levels.oldest_waiting_at, 0.0) if levels.oldest_waiting_at else 0.0)
        self._given_up.set(levels.given_up)
        self._documents.set(levels.documents)
        self._passages.set(levels.passages)
        self._changed.set(levels.newest_document_at or 0.0)
        for vote, count in ratings.items():
            self._ratings.labels(vote.value).set(count)
        for name, at in jobs.items():
            self._jobs.labels(name).set(at.timestamp())
        for platform, is_connected in connected.items():
            self._connected.labels(platform).set(is_connected)
        self._healthy.set(healthy)

    def render(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)
