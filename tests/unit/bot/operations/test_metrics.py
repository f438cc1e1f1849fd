"""What is counted of an answer, and that no label tells of a person or a text."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from bot.run.operations.metrics import (
    DRAFT_FAILURES,
    DROPPED_SUPPORT,
    JUDGE,
    NOBODY,
    OTHER,
    STAGES,
    UNAVAILABLE,
    Metrics,
)
from pipeline.values import (
    Answer,
    AnswerOutcome,
    CitedSentence,
    Claim,
    Confidence,
    ConfidenceLevel,
    SupportBasis,
    Usage,
    Vote,
)
from storage.messages.levels import StorageLevels
from tests.contracts.answers import cited

PLATFORMS = ("slack", "discord")
WRITER = "openai:small"
ALLOWED = {
    "platform": {*PLATFORMS, OTHER},
    "outcome": {one.value for one in AnswerOutcome},
    "confidence": {one.value for one in ConfidenceLevel},
    "writer": {WRITER, "extractive", NOBODY, OTHER},
    "stage": set(STAGES),
    "reason": {*DRAFT_FAILURES.values(), UNAVAILABLE, JUDGE, OTHER, *(one.value for one in DROPPED_SUPPORT)},
    "direction": {"input", "output"},
    "vote": {one.value for one in Vote},
    "name": {"backup"},
}
LEVELS = StorageLevels(
    waiting=3, oldest_waiting_at=990.0, given_up=1, documents=2, passages=7, newest_document_at=500.0
)


def metrics(price_input: float = 0.0, price_output: float = 0.0) -> Metrics:
    return Metrics(PLATFORMS, [WRITER], price_input=price_input, price_output=price_output)


def values(counted: Metrics) -> dict[str, float]:
    """Every sample: `name{label="value"}` -> its value."""
    found = {}
    for family in text_string_to_metric_families(counted.render().decode()):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def labels(counted: Metrics) -> set[tuple[str, str]]:
    """Every label and value but the bounds of histograms."""
    families = text_string_to_metric_families(counted.render().decode())
    pairs = {pair for family in families for sample in family.samples for pair in sample.labels.items()}
    return {(name, value) for name, value in pairs if name != "le"}


def test_an_answer_is_counted_by_platform_outcome_confidence_and_writer() -> None:
    counted = metrics()
    for _ in range(2):
        counted.observe("slack", cited("Thirty days.", usage=Usage(writer=WRITER)))
    found = values(counted)
    assert (
        found[f'citewell_answers_total{{confidence="high",outcome="answered",platform="slack",writer="{WRITER}"}}'] == 2
    )


def test_stages_are_in_seconds() -> None:
    counted = metrics()
    counted.observe("slack", cited("Thirty days.", usage=Usage(milliseconds={"plan": 2.0, "total": 1500.0})))
    found = values(counted)
    assert found["citewell_answer_seconds_sum"] == 1.5
    assert found['citewell_stage_seconds_sum{stage="plan"}'] == 0.002
    assert found['citewell_stage_seconds_bucket{le="0.0025",stage="plan"}'] == 1


def test_tokens_cost_what_the_settings_say() -> None:
    counted = metrics(price_input=2.0, price_output=10.0)
    counted.observe("slack", cited("Thirty days.", usage=Usage(input_tokens=3000, output_tokens=100)))
    found = values(counted)
    assert found['citewell_model_tokens_total{direction="input"}'] == 3000
    assert round(found["citewell_model_cost_total"], 6) == 0.007


def test_cached_tokens_are_part_of_the_input_and_counted_apart() -> None:
    counted = metrics()
    counted.observe("slack", cited("Thirty days.", usage=Usage(input_tokens=3000, cached_tokens=1000)))
    counted.observe("slack", cited("Thirty days.", usage=Usage(input_tokens=500)))
    found = values(counted)
    assert found["citewell_model_cached_tokens_total"] == 1000
    assert found['citewell_model_tokens_total{direction="input"}'] == 3500


def test_a_model_that_failed_is_counted_by_why_and_not_by_what_its_provider_said() -> None:
    counted = metrics()
    for why in ("it took too long", "openai: the key of Ann is wrong"):
        counted.observe("slack", cited("Thirty days.", usage=Usage(notes=(f"model_failed: {why}",))))
    counted.observe("slack", cited("Thirty days.", usage=Usage(notes=("judge_failed: it could not be checked",))))
    found = values(counted)
    assert found['citewell_model_failures_total{reason="judge"}'] == 1
    assert found['citewell_model_failures_total{reason="too_late"}'] == 1
    assert found['citewell_model_failures_total{reason="unavailable"}'] == 1


def test_a_sentence_that_is_shown_as_unverified_was_not_dropped() -> None:
    counted = metrics()
    claims = (
        Claim(claim="Thirty days.", supported=True, support=SupportBasis.VERBATIM),
        Claim(claim="Forty days.", supported=False, support=SupportBasis.VETOED),
        Claim(claim="Perhaps fifty.", supported=False, support=SupportBasis.UNSURE),
    )
    shown = (CitedSentence(text="Thirty days.", numbers=(1,)), CitedSentence(text="Perhaps fifty.", verified=False))
    counted.observe("slack", cited(sentences=shown, claims=claims))
    found = values(counted)
    assert found["citewell_sentences_checked_total"] == 3
    assert found['citewell_sentences_dropped_total{reason="vetoed"}'] == 1
    assert found['citewell_sentences_dropped_total{reason="unsure"}'] == 0


def test_what_is_kept_elsewhere_is_read_when_it_is_asked_for() -> None:
    counted = metrics()
    at = datetime(2026, 11, 1, tzinfo=UTC)
    counted.update_gauges(
        LEVELS, {Vote.HELPFUL: 4}, {"backup": at}, {"slack": True, "discord": False}, now=1000.0, healthy=False
    )
    found = values(counted)
    assert found["citewell_queue_questions"] == 3
    assert found["citewell_queue_oldest_seconds"] == 10
    assert found["citewell_questions_given_up"] == 1
    assert (found["citewell_index_documents"], found["citewell_index_passages"]) == (2, 7)
    assert found["citewell_index_changed_timestamp_seconds"] == 500
    assert found['citewell_ratings{vote="helpful"}'] == 4
    assert found['citewell_job_succeeded_timestamp_seconds{name="backup"}'] == at.timestamp()
    assert found['citewell_platform_connected{platform="discord"}'] == 0
    assert found["citewell_healthy"] == 0


def test_two_bots_in_one_process_count_for_themselves() -> None:
    one, other = metrics(), metrics()
    one.observe("slack", cited("Thirty days.", usage=Usage(milliseconds={"total": 1.0})))
    assert [values(each)["citewell_answer_seconds_count"] for each in (one, other)] == [1, 0]


def test_every_kind_of_answer_is_there_before_the_first_one_so_that_prometheus_sees_it_rise() -> None:
    kinds = [name for name in values(metrics()) if name.startswith("citewell_answers_total{")]
    assert len(kinds) == len(PLATFORMS) * len(AnswerOutcome) * len(ConfidenceLevel) * 3


texts = st.text(max_size=20)
answers = st.builds(
    lambda outcome, level, usage, claims, question: cited(
        "Thirty days.",
        question=question,
        outcome=outcome,
        confidence=Confidence(level=level, score=0.5),
        usage=usage,
        claims=claims,
    ),
    st.sampled_from(AnswerOutcome),
    st.sampled_from(ConfidenceLevel),
    st.builds(
        Usage,
        writer=texts,
        input_tokens=st.integers(0, 10**6),
        output_tokens=st.integers(0, 10**6),
        milliseconds=st.dictionaries(texts | st.sampled_from(STAGES), st.floats(0, 1e6)),
        notes=st.tuples(texts, texts.map(lambda text: f"model_failed: {text}")),
    ),
    st.tuples(
        st.builds(Claim, claim=texts, supported=st.just(False), support=st.sampled_from(DROPPED_SUPPORT) | st.none())
    ),
    texts,
)


@given(st.lists(st.tuples(texts | st.sampled_from(PLATFORMS), answers), max_size=5))
def test_no_label_ever_holds_anything_else_than_the_kinds_of_things_there_are(said: list[tuple[str, Answer]]) -> None:
    counted = metrics()
    counted.update_gauges(LEVELS, dict.fromkeys(Vote, 1), {}, dict.fromkeys(PLATFORMS, True), now=1000.0, healthy=True)
    for platform, answer in said:
        counted.observe(platform, answer)
    assert [pair for pair in labels(counted) if pair[1] not in ALLOWED[pair[0]]] == []
