"""What the records of questions to a real model come to."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from bench.real_model.ask import Record
from pipeline.check.risk import find_unsupported_figure, find_unsupported_name
from pipeline.check.word_check import judge_sentence
from pipeline.values import Answer, CitedSentence, RetrievedChunk
from pipeline.words.text import distinct_terms, sentence_spans

NOT_ASKED = "not asked"
_NAMED = re.compile(r"^.* (is|are) not in the passages$")

Figures = dict[str, str]


def has_written(record: Record) -> bool:
    """Tell whether the model wrote a whole sentence, or a whole reply, before it was given up."""
    return bool(record.written) or any(
        (call.end is not None and call.text.strip()) or len(sentence_spans(call.text)) > 1 for call in record.calls
    )


def is_by_model(answer: Answer | None) -> bool:
    return answer is not None and answer.usage.writer not in ("extractive", "none")


def failure(record: Record) -> str:
    """Return why nothing was written: the note of the answer, or that the model was not asked."""
    if record.answer is None:
        return f"lost: {record.error}"
    notes = [note.removeprefix("model_failed: ") for note in record.answer.usage.notes if note.startswith("model_fail")]
    began = not has_written(record) and any(call.text.strip() for call in record.calls)
    reason = notes[0] if notes else NOT_ASKED if not record.calls else "no reason given"
    return f"{reason}, no whole sentence yet" if began else reason


def unsupported_words(sentence: CitedSentence, record: Record) -> str:
    """Return the figure, the name or the words of a shown sentence that its cited passages do not have; empty where
    they have them all. Words of the question count as known."""
    assert record.answer
    ids = {one.number: one.chunk_id for one in record.answer.citations}
    numbers = {*sentence.numbers, *sentence.cell_numbers}
    cited = [one for one in record.passages if one.chunk.id in {ids.get(number) for number in numbers}]
    known = distinct_terms("\n".join([record.question, record.answer.standalone, *map(_text, cited)]))
    asked = f"{record.question}\n{record.answer.standalone}"
    return (
        find_unsupported_figure(sentence.text, cited, asked)
        or find_unsupported_name(sentence.text, cited, asked)
        or " ".join(sorted(distinct_terms(sentence.text) - known))
    )


def _text(passage: RetrievedChunk) -> str:
    return "\n".join((passage.document.title, passage.document.filename, *passage.chunk.heading, passage.chunk.text))


def unsupported_sentences(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Return each sentence of a model's answer that its cited passages do not hold, with the words they lack."""
    found = [
        (sentence.text, unsupported_words(sentence, record))
        for record in records
        if record.answer and is_by_model(record.answer)
        for sentence in record.answer.sentences
    ]
    return [(text, words) for text, words in found if words]


def dropped_reasons(records: Iterable[Record]) -> Counter[str]:
    """Count why sentences that the model wrote are not shown, by the word check of each."""
    reasons: Counter[str] = Counter()
    for record in records:
        answer = record.answer
        shown = {sentence.text for sentence in answer.sentences} if answer and is_by_model(answer) else set[str]()
        for sentence in record.written:
            if sentence.text not in shown:
                judged = judge_sentence(sentence, record.passages, question=record.question)
                reason = "the rest of its draft was given up" if judged.is_supported else judged.reason
                reasons[_NAMED.sub("a number, date or name is not in the passages", reason)] += 1
    return reasons


def figures(records: Sequence[Record]) -> Figures:
    """Return the rows of the table about questions that were asked one after the other."""
    first = [record for record in records if not record.is_second]
    second = [record for record in records if record.is_second]
    unsupported = unsupported_sentences(records)
    shown = [one.answer.sentences for one in records if one.answer and is_by_model(one.answer)]
    return {
        "questions": str(len(first)),
        **_written_figures(first),
        "seconds to the first sentence or the extract, p50 / p95": percentiles([one.first_seconds for one in first]),
        "seconds to the end, p50 / p95": percentiles([one.total_seconds for one in first]),
        "seconds to the model's first word, p50 / p95": percentiles(
            [call.first_text for one in first for call in one.calls if call.first_text]
        ),
        **(_second_figures(second) if second else {}),
        **_token_figures(records),
        "sentences that the model wrote": str(sum(len(record.written) for record in records)),
        "  shown": str(sum(map(len, shown))),
        **{f"  dropped: {reason}": str(count) for reason, count in dropped_reasons(records).most_common()},
        "sentences shown that the documents do not hold, by words": str(len(unsupported)),
    }


def _written_figures(records: Sequence[Record]) -> Figures:
    """Return the rows about what the model wrote in time, and what came in its place."""
    wrote = [record for record in records if has_written(record)]
    shown = [record for record in wrote if is_by_model(record.answer) and record.answer and record.answer.sentences]
    absent = [record for record in wrote if is_by_model(record.answer) and record not in shown]
    replaced = Counter(failure(record) for record in wrote if not is_by_model(record.answer))
    failures = Counter(failure(record) for record in records if not has_written(record))
    return {
        "the model wrote within its deadline": f"{len(wrote)} of {len(records)}",
        "  its sentences were shown": str(len(shown)),
        "  it says that the documents lack it": str(len(absent)),
        **{f"  the extract was shown: {reason}": str(count) for reason, count in replaced.most_common()},
        **{f"nothing written: {reason}": str(count) for reason, count in failures.most_common()},
    }


def _second_figures(records: Sequence[Record]) -> Figures:
    """Return the rows about the second questions of conversations."""
    shares = [record.cached_share for record in records if record.cached_share is not None]
    wrote = sum(map(has_written, records))
    return {
        "second questions of a conversation: the model wrote": f"{wrote} of {len(records)}",
        "  seconds to their first sentence or extract, p50 / p95": percentiles([one.first_seconds for one in records]),
        "  share of their prompt that the server had cached, median": (
            f"{statistics.median(shares):.2f} (of {len(shares)})" if shares else "not told"
        ),
    }


def _token_figures(records: Sequence[Record]) -> Figures:
    calls = [call for record in records for call in record.calls]
    ends = [call.end for call in calls if call.end]
    told = [end for end in ends if end.cached_tokens is not None]
    depth = [one.answer.usage.context_tokens for one in records if one.answer and one.answer.usage.context_tokens]
    failed = Counter(call.error for call in calls if call.error)
    cached = sum(end.cached_tokens or 0 for end in told)
    return {
        "requests to the model": f"{len(calls)}, {len(ends)} answered to the end",
        "  refused or failed": ", ".join(f"{name} {count}" for name, count in failed.most_common()) or "0",
        "tokens of a prompt, estimated, median (range)": spread([call.prompt for call in calls]),
        "depth (limit of a prompt), median (range)": spread(depth) if depth else "not told",
        "tokens read for requests answered to the end": f"{sum(end.input_tokens for end in ends):,}",
        "  of these cached": f"{cached:,}" if told else "not told",
        "tokens written for them": f"{sum(end.output_tokens for end in ends):,}",
    }


def details(record: Record) -> dict[str, Any]:
    """Return what came of one question, for JSON."""
    answer = record.answer
    return {
        "question": record.question,
        "second": record.is_second,
        "first_seconds": round(record.first_seconds, 2),
        "total_seconds": round(record.total_seconds, 2),
        "wrote": has_written(record),
        "shown": [sentence.text for sentence in answer.sentences] if answer and is_by_model(answer) else [],
        "written": [sentence.text for sentence in record.written],
        "texts": [call.text for call in record.calls],
        "prompts": [call.prompt for call in record.calls],
        "ends": [call.end.model_dump() if call.end else call.error for call in record.calls],
        "usage": answer.usage.model_dump() if answer else {},
        "error": record.error,
    }


def together_figures(records: Sequence[Record]) -> Figures:
    """Return the rows about questions that were asked at the same time."""
    wrote = sum(map(has_written, records))
    return {
        f"{len(records)} questions at once: the model wrote": f"{wrote} of {len(records)}",
        "  people were told that they wait": str(sum(record.was_told_to_wait for record in records)),
        "  seconds to the first sentence or the extract, last": f"{max(one.first_seconds for one in records):.1f}",
        "  seconds to the end, last": f"{max(one.total_seconds for one in records):.1f}",
    }


def percentiles(values: Sequence[float]) -> str:
    """Return the median and the 95th percentile (nearest rank) of the values."""
    ordered = sorted(values)
    if not ordered:
        return "-"
    rank = max(0, -(-95 * len(ordered) // 100) - 1)
    return f"{statistics.median(ordered):.1f} / {ordered[rank]:.1f}"


def spread(values: Sequence[float]) -> str:
    """Return the median of the values, and the least and the greatest."""
    return f"{statistics.median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f})" if values else "-"
