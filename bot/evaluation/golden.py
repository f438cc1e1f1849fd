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
from pipeline.values import Answer, AnswerOutcome, ConfidenceLevel, SupportBasis

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
    said = answer.body.lower()
    cited = {name for one in answer.citations for name in (one.filename, one.document_id, one.title)}
    return {
        "outcome": (row.get("outcome") or answer.outcome) == answer.outcome,
        "documents": all(name in cited for name in row.get("documents") or ()),
        "facts": all(fact.lower() in said for fact in row.get("facts") or ()),
        "absent": not any(text.lower() in said for text in row.get("absent") or ()),
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
        found = json.loads(path.read_text(encoding="utf-8"))
        whole = isinstance(found, dict) and all(set(CRITERIA) <= row.keys() for row in found.values())
    except (OSError, ValueError, AttributeError):
        whole = False
    if not whole:
        raise Refused(f"{path} is no baseline", what_to_do="Write it anew with --write.")
    return dict(found)


def write_baseline(path: Path, found: GoldenScores) -> None:
    """Write a baseline with one line a row, so that a difference can be read."""
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
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


def summarize_drafts(answers: Sequence[Answer]) -> Mapping[str, str]:
    """Return figures on the answers that a model wrote or should have written.

    They are shares by what a reader sees, by badge, and by the check of each sentence; and tokens for each answer.
    Empty if no model was called.
    """
    asked = [one for one in answers if _written(one) or _failure(one)]
    if not asked:
        return {}
    written = [one for one in asked if _written(one)]
    said = [one for one in written if one.outcome is not AnswerOutcome.NOT_FOUND]
    whole = [one for one in said if not one.ungrounded_claims]
    sentences = Counter(claim.support for one in written for claim in one.claims if claim.support)
    tokens = [one.usage.input_tokens + one.usage.output_tokens for one in asked]
    return {
        "answers shown whole": _share(len(whole), len(asked)),
        "shown without some sentences": _share(len(said) - len(whole), len(asked)),
        "not in the documents, it says": _share(len(written) - len(said), len(asked)),
        "replaced by the extract: what it wrote": _share(
            sum(_failure(one) in REJECTED_DRAFT_FAILURES for one in asked), len(asked)
        ),
        "replaced by the extract: it failed": _share(
            sum(
                bool(_failure(one)) and _failure(one) not in REJECTED_DRAFT_FAILURES
                for one in asked
                if not _written(one)
            ),
            len(asked),
        ),
        **{
            f"at {level}": _share(sum(one.confidence.level is level for one in said), len(said))
            for level in ConfidenceLevel
        },
        **{
            f"sentences {text}": _share(sentences[support], sentences.total())
            for support, text in _DECIDED.items()
            if sentences.total()
        },
        "tokens an answer": str(round(sum(tokens) / len(tokens))),
    }


def _written(answer: Answer) -> bool:
    return answer.usage.writer not in ("extractive", "none")


def _failure(answer: Answer) -> str:
    """Return why the extract replaced the model's draft; empty if it did not."""
    notes = (note.removeprefix("model_failed: ") for note in answer.usage.notes if note.startswith("model_failed: "))
    return "" if _written(answer) else next(notes, "")


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({count / of:.0%})" if of else "0 of 0"
