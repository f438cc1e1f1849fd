"""What becomes of what a model writes: how much of it people see, and what decided that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pipeline.drafting.drafts import WROTE
from pipeline.values import Answer, Level, Outcome, Support

_DECIDED = {
    Support.VERBATIM: "in the passages' words",
    Support.JUDGED: "found there by the judge",
    Support.REFUSED: "not found there by the judge",
    Support.VETOED: "with a figure that no passage has",
    Support.UNSURE: "read by nobody",
}


def drafts(answers: Sequence[Answer]) -> Mapping[str, str]:
    """Of the answers that a model wrote or should have: shares by what a reader sees, by badge, and by what decided on
    each sentence; tokens of an answer. Empty where no model was asked."""
    asked = [one for one in answers if _written(one) or _failure(one)]
    if not asked:
        return {}
    written = [one for one in asked if _written(one)]
    said = [one for one in written if one.outcome is not Outcome.NOT_FOUND]
    whole = [one for one in said if not one.ungrounded_claims]
    sentences = Counter(claim.support for one in written for claim in one.claims if claim.support)
    tokens = [one.usage.input_tokens + one.usage.output_tokens for one in asked]
    return {
        "answers shown whole": _share(len(whole), len(asked)),
        "shown without some sentences": _share(len(said) - len(whole), len(asked)),
        "not in the documents, it says": _share(len(written) - len(said), len(asked)),
        "replaced by the extract: what it wrote": _share(sum(_failure(one) in WROTE for one in asked), len(asked)),
        "replaced by the extract: it failed": _share(
            sum(bool(_failure(one)) and _failure(one) not in WROTE for one in asked if not _written(one)), len(asked)
        ),
        **{f"at {level}": _share(sum(one.confidence.level is level for one in said), len(said)) for level in Level},
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
    """Why the extract stands in for the model's draft; empty where it does not."""
    notes = (note.removeprefix("model_failed: ") for note in answer.usage.notes if note.startswith("model_failed: "))
    return "" if _written(answer) else next(notes, "")


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({count / of:.0%})" if of else "0 of 0"
