"""Two writers, one answer: what a model drafts, sentence by sentence as each is checked, and the extract that steps in.

Nothing unchecked is given on, and nothing given on is taken back. What stands of a model's draft is shown; the extract
answers where nothing does.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import cache
from itertools import pairwise

from pipeline.check.model import NOT_READ
from pipeline.compose.compose import Checked, Drafted
from pipeline.compose.confidence import EXTRACTIVE
from pipeline.drafting.nearest import told
from pipeline.drafting.review import header_above, in_time, is_answer, is_caption, says_much, settled
from pipeline.drafting.task import Model, Task
from pipeline.read.asked import Question
from pipeline.read.candidates import Candidate, leans
from pipeline.read.differing import values
from pipeline.read.evidence import Evidence
from pipeline.values import BlockKind, Cells, Finished, Found, Intent, Judgement, Sentence, Usage, replace
from pipeline.words import wording
from pipeline.words.text import leads_in
from pipeline.write.extract import extract
from pipeline.write.synthesize import NOT_IN_DOCUMENTS

NO_TOKENS = "the tokens of the day are spent"
TOO_SHORT = "its answer is too short"
TOO_LITTLE = "it cites too little"
UNSUPPORTED = "the passages do not support its answer"
WROTE = (TOO_SHORT, TOO_LITTLE, UNSUPPORTED)
"""Where the model worked, and what it wrote was no answer."""
SPENT = Drafted(failure=NO_TOKENS, instead=wording.MODEL_SPENT)
TIMES = frozenset({"time", "date", "clock", "year"})
"""What `values` calls points in time and stretches of it."""
SHORT = 4
"""Words below which a sentence may be all of an answer: it stays where it is."""


async def write(
    task: Task, model: Model | None, failed: Drafted | None = None
) -> AsyncGenerator[Checked | Found | Drafted, None]:
    """The sentences to show, in their order, and last one `Drafted`: what `model` writes; the extract where there is
    no model (`failed`: why not), or where nothing that it wrote may be shown."""
    begun = False
    if model:
        async with aclosing(by_model(task, model)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Drafted) and piece.failure and not begun:
                    failed = piece
                else:
                    begun = begun or not isinstance(piece, Found)
                    yield piece
    if failed or not model:
        shown, drafted = by_extract(task, failed)
        for one in shown:
            yield one
        yield drafted


async def by_model(task: Task, model: Model) -> AsyncGenerator[Checked | Found | Drafted, None]:
    """What stands of what `model` writes. Nothing is given on before it rests on as much as the operator asks for."""
    checked: list[Checked] = []
    held: list[Checked] = []
    captions: list[Checked] = []
    given, finished = False, Finished(complete=False)
    async with aclosing(in_time(task, model)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Finished):
                finished = piece
                break
            if isinstance(piece, Found):
                task = task.finding(piece.passages)
                yield piece
                continue
            if not is_caption(piece.sentence):
                checked.append(piece)
            stands, captions = settled(captions, piece, grounded=task.grounded)
            held += stands
            if held and not task.too_few(checked):
                given = True
                for one in held:
                    yield one
                held = []
    if not given and checked == captions and is_answer(checked) and not task.too_few(checked):
        given = True
        yield checked[0]
    yield _drafted(task, model, checked, finished, given=given)


def _drafted(task: Task, model: Model, checked: list[Checked], finished: Finished, *, given: bool) -> Drafted:
    absent = finished.reason == NOT_IN_DOCUMENTS
    wrote = any(says_much(one.sentence) for one in checked)
    short = finished.complete and not (given or absent or wrote)
    failure = ""
    if short:
        failure = TOO_SHORT
    elif not finished.complete:
        failure = finished.reason or "cut off"
    elif not (given or absent):
        unread = any(one.judgement.reason == NOT_READ for one in checked)
        stands = any(one.judgement.supported for one in checked)
        failure = TOO_LITTLE if stands else NOT_READ if unread else UNSUPPORTED
    return Drafted(
        checked=tuple(checked),
        assessment=task.assessed(checked, model.name),
        usage=replace(finished.usage, writer=model.name),
        tokens=finished.usage.input_tokens + finished.usage.output_tokens if finished.counted else None,
        failure=failure,
        instead=(wording.MODEL_UNSUPPORTED if wrote and failure != NOT_READ else wording.MODEL_SILENT)
        if failure
        else None,
        missing=finished.missing,
        flags=("answer_too_short",) if short else (),
        too_few=task.too_few(checked),
    )


def by_extract(task: Task, failed: Drafted | None) -> tuple[Sequence[Checked], Drafted]:
    """The passages' own sentences, where they answer, and how that ended; `failed` is the model's draft that they stand
    in for."""
    with task.watch.stage("write"):
        drafted = task.made or extract(task.brief, task.evidence)
    judged = cache(task.judged)
    checked, stands = _judged_all(judged, drafted.sentences)
    if orders := {one.sentence.text for one in checked if one.judgement.forbidden}:
        task = replace(task, evidence=task.evidence.without(orders))
        drafted = extract(task.brief, task.evidence)
        checked, stands = _judged_all(judged, drafted.sentences)
    assessment = task.assessed(checked, EXTRACTIVE, drafted.extent)
    if other := _missing(assessment.differing, stands):
        checked, stands = _judged_all(judged, [*drafted.sentences, *other])
        assessment = task.assessed(checked, EXTRACTIVE, drafted.extent)
    too_few = task.too_few(checked)
    preface, shown = "", list[Checked]()
    if stands and (task.always or not (too_few or (task.limits.abstain and assessment.abstain))):
        shown = told(task, _in_order(assessment.differing, stands), drafted, assessment)
        if task.brief.intent is Intent.FACTUAL and not assessment.differing:
            shown = leading(task.evidence, shown, decided=assessment.verdict is not None)
        if {one.sentence.text for one in stands}.difference(one.sentence.text for one in shown):
            assessment = replace(assessment, extent=None)  # of a list that is not said
        preface = wording.preface(
            assessment.confidence.level,
            task.words,
            passages=len({one.judgement.chunk_ids[0] for one in shown}),
            differing=bool(assessment.differing) and not _missing(assessment.differing, stands),
            instead=failed.instead if failed else None,
            verdict=assessment.verdict,
            said_in=_said_in(task, shown),
        )
        shown = [one._replace(preface=preface) if number == 0 else one for number, one in enumerate(shown)]
    usage = failed.usage if failed else Usage()
    return shown, Drafted(
        checked=tuple(checked),
        assessment=assessment,
        usage=replace(usage, writer=EXTRACTIVE),
        tokens=failed.tokens if failed else 0,
        failure=failed.failure if failed else "",
        preface=preface,
        flags=failed.flags if failed else (),
        too_few=too_few if checked else "",
    )


def _said_in(task: Task, shown: Sequence[Checked]) -> str:
    """The channel that all that is shown was said in; empty where it was not one."""
    cited = {chunk_id for one in shown for chunk_id in one.judgement.chunk_ids}
    where = {passage.document.said_in for passage in task.passages if passage.chunk.id in cited}
    return where.pop() if len(where) == 1 else ""


def _judged_all(
    judged: Callable[[Sentence, Cells], Judgement], sentences: Sequence[Sentence]
) -> tuple[list[Checked], list[Checked]]:
    """All of them but captions with what the check thinks, and those that stand."""
    pieces = [
        Checked(sentence, judged(sentence, header_above(sentence, sentences[:number])))
        for number, sentence in enumerate(sentences)
    ]
    stands: list[Checked] = []
    captions: list[Checked] = []
    for piece in pieces:
        more, captions = settled(captions, piece, grounded=True)
        stands += more
    return [piece for piece in pieces if not is_caption(piece.sentence)], stands


def _in_order(differing: Sequence[Sentence], stands: Sequence[Checked]) -> list[Checked]:
    """What stands, where two sentences of it do not agree: the one to be said first before the other and its caption,
    each with its day."""
    said = [piece.sentence.text for piece in stands]
    if not differing or any(said.count(one.text) != 1 for one in differing):
        return list(stands)
    days = {one.text: one.as_of for one in differing if one.as_of}
    shown = [_of(piece, days[piece.sentence.text]) if piece.sentence.text in days else piece for piece in stands]
    first, second = (said.index(one.text) for one in differing)
    if first < second:
        return shown
    before = second
    while before and is_caption(shown[before - 1].sentence):
        before -= 1
    shown.insert(before, shown.pop(first))
    return shown


def _of(piece: Checked, day: str) -> Checked:
    return piece._replace(sentence=replace(piece.sentence, as_of=day, opens=True))


def _missing(differing: Sequence[Sentence], stands: Sequence[Checked]) -> list[Sentence]:
    """What of two sentences that do not agree is not said."""
    said = {one.sentence.text for one in stands}
    return [sentence for sentence in differing if sentence.text not in said]


def leading(evidence: Evidence, said: Sequence[Checked], *, decided: bool) -> list[Checked]:
    """`said` from the sentence on that answers best, where all is prose and one thing is asked for, or a yes or no is
    `decided`; of those that give a value of the kind that is asked for, where it is one. What stands before it comes
    behind its passage.

    Of 204 questions of squad2 that are answered 110 then have the gold in the first sentence, without 71; of 174 of
    doc2dial 37, without 29."""
    told = {one.text: one for units in reversed(evidence.units) for one in reversed(units) if one.says}
    found = [told.get(one.sentence.text) for one in said]
    shown = [one for one in found if one and one.kind is BlockKind.PROSE]
    prose = len(shown) == len(said) > 0 and all(one.sentence.kind is BlockKind.PROSE for one in said)
    if not (prose and (evidence.asked.one or decided)):
        return list(said)
    start = shown.index(_answer(evidence.asked, shown))
    start = next((n for n in range(start) if _opens(shown[n : start + 1])), start)
    stop = next((n for n in range(start + 1, len(shown)) if shown[n].place != shown[start].place), len(shown))
    moved = [*said[start:stop], *said[:start], *said[stop:]]
    first = {id(one) for one in (said[0], moved[0])} if start else set[int]()
    return [_opening(one) if id(one) in first else one for one in moved]


def _opens(shown: Sequence[Candidate]) -> bool:
    """Whether the last sentence needs the first, beside which it stands: all between point back to the one before, or
    the first leads in, or says little but `Nothing.`"""
    first, *rest = shown
    beside = all(a.place == b.place and a.index + 1 == b.index for a, b in pairwise(shown))
    return beside and (leads_in(first.text) or len(first.text.split()) < SHORT or all(map(leans, rest)))


def _answer(asked: Question, shown: Sequence[Candidate]) -> Candidate:
    """The best sentence, of those that give what is asked for where some do."""
    given = [one for one in shown if asked.figure and _gives(asked, one)]
    return max(given or shown, key=lambda one: one.score)


def _gives(asked: Question, one: Candidate) -> bool:
    """Whether it gives a value of the kind that is asked for."""
    kinds = values(one.text, asked.text).keys()
    return bool(TIMES.intersection(kinds) if asked.timed else kinds)


def _opening(one: Checked) -> Checked:
    return one._replace(sentence=replace(one.sentence, opens=True))
