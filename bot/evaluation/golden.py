"""Golden questions, compared with a baseline by shares: one row alone never decides."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

from pipeline.drafting.draft import REJECTED_DRAFT_FAILURES
from pipeline.errors import Refused
from pipeline.values import Answer, AnswerOutcome, ConfidenceLevel, SupportBasis, require_every

# --- Golden questions -----------------------------------------------------------------------------

CRITERIA = ("outcome", "documents", "facts", "absent")
"""The criteria: the outcome, the cited documents, texts that must occur and texts that must not."""
SIGNIFICANCE_LEVEL = 0.05
"""Level at which five rows worse and none better fail, and four do not: one row may depend on chance, a share does not.
"""
_DEVIATIONS = NormalDist().inv_cdf(1 - SIGNIFICANCE_LEVEL / 2)

GoldenRow = Mapping[str, Any]
GoldenScores = Mapping[str, Mapping[str, Any]]
"""Scores by criterion, by the row's id."""


def score_answer(row: GoldenRow, answer: Answer) -> dict[str, bool | int]:
    """Return an answer's scores; a row without expectations for a criterion passes it."""
    body = answer.body.lower()
    cited = {
        name for citation in answer.citations for name in (citation.filename, citation.document_id, citation.title)
    }
    return {
        "outcome": (row.get("outcome") or answer.outcome) == answer.outcome,
        "documents": all(name in cited for name in row.get("documents") or ()),
        "facts": all(fact.lower() in body for fact in row.get("facts") or ()),
        "absent": not any(text.lower() in body for text in row.get("absent") or ()),
        "words": len(answer.body.split()),
    }


class ScoreChange(NamedTuple):
    """The difference of two runs in one criterion, over the rows of both."""

    kind: str
    right: int
    before: int
    rows: int
    worse: tuple[str, ...]
    better: tuple[str, ...]

    @property
    def fails(self) -> bool:
        """True when more rows got worse, and fewer better, than chance explains."""
        return sign_test(len(self.worse), len(self.better)) <= SIGNIFICANCE_LEVEL


def compare_runs(now: GoldenScores, before: GoldenScores) -> list[ScoreChange]:
    """Return a `ScoreChange` for each criterion, over the rows of both runs."""
    shared = [name for name in now if name in before]
    return [
        ScoreChange(
            kind,
            right=sum(bool(now[name][kind]) for name in shared),
            before=sum(bool(before[name][kind]) for name in shared),
            rows=len(shared),
            worse=tuple(name for name in shared if before[name][kind] and not now[name][kind]),
            better=tuple(name for name in shared if now[name][kind] and not before[name][kind]),
        )
        for kind in CRITERIA
    ]


def sign_test(worse: int, better: int) -> float:
    """Return the probability that `worse` or more of the changed rows get worse if both are equally likely (exact sign
    test)."""
    changed = worse + better
    return float(sum(comb(changed, count) for count in range(worse, changed + 1)) / 2**changed)


def wilson_interval(right: int, rows: int) -> tuple[float, float]:
    """Return the 95 % interval of the share of right rows (Wilson's score interval)."""
    share, spread = right / rows, _DEVIATIONS**2 / rows
    middle = share + spread / 2
    half = _DEVIATIONS * sqrt(share * (1 - share) / rows + spread / (4 * rows))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def read_baseline(path: Path) -> dict[str, dict[str, Any]]:
    """Return the scores of a baseline. Raises Refused for a file that is none."""
    try:
        baseline = json.loads(path.read_text(encoding="utf-8"))
        is_valid = isinstance(baseline, dict) and all(set(CRITERIA) <= row.keys() for row in baseline.values())
    except (OSError, ValueError, AttributeError):
        is_valid = False
    if not is_valid:
        raise Refused(f"{path} is no baseline", what_to_do="Write it anew with --write.")
    return dict(baseline)


def write_baseline(path: Path, scores: GoldenScores) -> None:
    """Write a baseline with one line a row, so that a difference can be read."""
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in scores.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def collect_rows(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return rows of helpful answers.

    An extract's facts are expected word for word; a model's words change, so only its documents are expected.
    """
    return [
        {
            "id": answer.id,
            "question": answer.standalone or answer.question,
            "outcome": answer.outcome.value,
            "documents": list(dict.fromkeys(citation.filename for citation in answer.citations)),
            "facts": list(answer.key_facts) if answer.usage.writer == "extractive" else [],
        }
        for answer in answers
    ]


# --- What becomes of what a model writes: how much of it people see, and what decided that --------

_DECIDED = {
    SupportBasis.VERBATIM: "in the passages' words",
    SupportBasis.JUDGED: "found there by the judge",
    SupportBasis.REFUSED: "not found there by the judge",
    SupportBasis.VETOED: "with a figure that no passage has",
    SupportBasis.UNSURE: "read by nobody",
}
require_every(SupportBasis, _DECIDED)


def summarize_drafts(answers: Sequence[Answer]) -> Mapping[str, str]:
    """Return figures on the answers that a model wrote or should have written.

    They are shares by what a reader sees, by badge, and by the check of each sentence; and tokens for each answer.
    Empty if no model was called.
    """
    model_answers = [answer for answer in answers if _is_written(answer) or _draft_failure(answer)]
    if not model_answers:
        return {}
    written = [answer for answer in model_answers if _is_written(answer)]
    shown = [answer for answer in written if answer.outcome is not AnswerOutcome.NOT_FOUND]
    complete = [answer for answer in shown if not answer.ungrounded_claims]
    sentences = Counter(claim.support for answer in written for claim in answer.claims if claim.support)
    tokens = [answer.usage.input_tokens + answer.usage.output_tokens for answer in model_answers]
    return {
        "answers shown whole": _share(len(complete), len(model_answers)),
        "shown without some sentences": _share(len(shown) - len(complete), len(model_answers)),
        "not in the documents, it says": _share(len(written) - len(shown), len(model_answers)),
        "replaced by the extract: what it wrote": _share(
            sum(_draft_failure(answer) in REJECTED_DRAFT_FAILURES for answer in model_answers), len(model_answers)
        ),
        "replaced by the extract: it failed": _share(
            sum(
                bool(_draft_failure(answer)) and _draft_failure(answer) not in REJECTED_DRAFT_FAILURES
                for answer in model_answers
                if not _is_written(answer)
            ),
            len(model_answers),
        ),
        **{
            f"at {level}": _share(sum(answer.confidence.level is level for answer in shown), len(shown))
            for level in ConfidenceLevel
        },
        **{
            f"sentences {text}": _share(sentences[support], sentences.total())
            for support, text in _DECIDED.items()
            if sentences.total()
        },
        "tokens an answer": str(round(sum(tokens) / len(tokens))),
    }


def _is_written(answer: Answer) -> bool:
    return answer.usage.writer not in ("extractive", "none")


def _draft_failure(answer: Answer) -> str:
    """Return why the extract replaced the model's draft; empty if it did not."""
    notes = (note.removeprefix("model_failed: ") for note in answer.usage.notes if note.startswith("model_failed: "))
    return "" if _is_written(answer) else next(notes, "")


def _share(count: int, total: int) -> str:
    return f"{count} of {total} ({count / total:.0%})" if total else "0 of 0"
