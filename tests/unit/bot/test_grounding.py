"""`eval grounding` shows what people would be shown, with places in the response."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bench.judged import Knowing, labels
from bot.evaluation.grounding import predict_grounding, split_response
from bot.evaluation.scores import score_shown_sentences
from pipeline.check.model_judge import ModelJudge

SOURCES = ["Full-time staff get 25 days of paid leave a year. Unused days may be carried into March."]
VERBATIM, REWORDED = (
    "Full-time staff get 25 days of paid leave a year.",
    "You can take days you did not use into March.",
)
MADE_UP = "Managers receive a company yacht worth 90,000 dollars."
RESPONSE = f"{VERBATIM} **{REWORDED[:-1]}** [1].\n\n- {MADE_UP}"
ROW: dict[str, Any] = {
    "id": "1",
    "response": RESPONSE,
    "sources": SOURCES,
    "spans": [{"start": RESPONSE.index("Managers"), "end": len(RESPONSE)}],
}


def shown(predicted: dict[str, Any]) -> dict[str, bool]:
    return {RESPONSE[one["start"] : one["end"]]: one["shown"] for one in predicted["sentences"]}


async def test_without_a_judge_only_what_stands_in_a_source_is_shown() -> None:
    predicted = await predict_grounding(ROW)
    assert shown(predicted) == {VERBATIM[:-1]: True, REWORDED[:-1]: False, MADE_UP[:-1]: False}
    assert predicted["flag"]
    assert [RESPONSE[start:end] for start, end in predicted["spans"]] == [MADE_UP[:-1]]


async def test_with_a_judge_what_it_finds_is_shown_as_well() -> None:
    model = Knowing(labels(ROW), lambda claim: False)
    predicted = await predict_grounding(ROW, ModelJudge(model))
    assert shown(predicted) == {VERBATIM[:-1]: True, REWORDED[:-1]: True, MADE_UP[:-1]: False}
    assert len(model.spent) == 1
    assert score_shown_sentences([(ROW, predicted)]) == {"right_kept": 1.0, "wrong_through": 0.0}


async def test_the_more_is_made_up_the_higher_the_score() -> None:
    one, two = [
        (await predict_grounding(ROW | {"response": text}))["score"]
        for text in ("Managers get a yacht.", "Managers get a yacht. It was built in Genoa in 1987.")
    ]
    assert 0 < one < two < 1


@given(st.text(max_size=120))
def test_every_sentence_has_its_place_in_the_response(response: str) -> None:
    places = [(start, end) for _, start, end in split_response(response)]
    assert all(0 <= start <= end <= len(response) for start, end in places)
    assert places == sorted(places)
