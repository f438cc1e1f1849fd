"""What the walk as a whole promises, beyond its stages."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import pytest

from pipeline.budget import TokenBudget
from pipeline.check.judge_prompt import PendingClaim
from pipeline.check.word_check import judge_sentence
from pipeline.drafting.task import AnswerModel, ClaimJudge
from pipeline.ports import SearchFunction, Writer
from pipeline.respond import Responder
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    NOT_CHECKED,
    AdditionalPassages,
    Answer,
    AnswerFormat,
    AnswerLimits,
    AnswerOptions,
    AnswerOutcome,
    AnswerRequest,
    AnswerStyle,
    Audience,
    BlockKind,
    ConfidenceLevel,
    Conversation,
    DraftEnd,
    DraftSentence,
    Judgement,
    Retrieval,
    RetrievedChunk,
    SearchPlan,
    SentenceEvent,
    SpellingCorrection,
    SupportBasis,
    Turn,
    Usage,
    WritingBrief,
    replace,
)
from pipeline.words import wording
from pipeline.write.draft_failures import DRAFT_WITHOUT_SOURCE, MODEL_QUEUE_FULL, MODEL_TOO_SLOW, WINDOW_FULL
from tests.doubles.llm.walk import EVERYBODY, NoHistory, Straight, Tally, passage

SAID = ("Full-time staff get 25 days of paid leave a year.", "Unused days of paid leave lapse in March.")
PASSAGES = [passage("c1", *SAID)]
OWN = "Each year, someone who works full-time can take 25 days off with pay."
FALSE = "Contractors can take 25 days off with pay as well."
OTHER = "What was not taken is lost when spring begins."
WRONG = "Full-time staff get 52 days of paid leave a year."
QUESTION = "How many days of paid leave do full-time staff get a year?"
FAR = passage("c2", "Team leads approve paid leave in the portal.", title="Approval", score=0.3)

Pieces = AsyncGenerator[DraftSentence | AdditionalPassages | DraftEnd, None]


class Drafting:
    """A model that drafts `texts`, each after some `turns` of others, says when it has written the last one, and writes
    again what `again` has a text for."""

    def __init__(self, *texts: str | DraftSentence, turns: int = 1, again: Mapping[str, str] | None = None) -> None:
        self._texts = texts or SAID
        self._turns = turns
        self._again = again or {}
        self.ended = asyncio.Event()
        self.refused: list[dict[str, str]] = []
        """Each time that it was asked to write again: what, and why."""

    async def write(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        search: SearchFunction | None = None,
        seconds: float | None = None,
    ) -> Pieces:
        yield AdditionalPassages(passages=tuple(passages))
        for text in self._texts:
            for _ in range(self._turns):
                await asyncio.sleep(0)
            yield text if isinstance(text, DraftSentence) else DraftSentence(text=text, chunk_ids=("c1",))
        self.ended.set()
        yield DraftEnd(usage=Usage(input_tokens=10, output_tokens=5))

    async def rewrite(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        draft: Sequence[DraftSentence],
        refused: Mapping[int, str],
    ) -> tuple[Mapping[int, DraftSentence], int]:
        self.refused.append({draft[number].text: reason for number, reason in refused.items()})
        texts = {number: self._again.get(draft[number].text) for number in refused}
        return {n: replace(draft[n], text=text) for n, text in texts.items() if text}, 40

    def kept_chunks(self, conversation: str) -> Sequence[str]:
        return ()


class Failing(Drafting):
    """A model that writes nothing, for a reason."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self._reason = reason

    async def write(self, *_: Any, **__: Any) -> Pieces:
        yield DraftEnd(is_complete=False, reason=self._reason)


class Wordless(Straight):
    """Searches slowly, and without its vectors."""

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        await asyncio.sleep(0.02)
        found = await super().retrieve(search, audience)
        return replace(found, degraded=("embedder",))


@dataclass
class Reader:
    """A judge that finds what is in `finds`, waits for `after` from the `waits`th time on, and remembers what it was
    asked each time."""

    finds: tuple[str, ...] = ()
    after: asyncio.Event | None = None
    waits: int = 1
    name: str = "reading"
    omitted_conditions: str = ""
    asked: list[list[str]] = field(default_factory=list)

    async def review(
        self,
        claims: Sequence[PendingClaim],
        passages: Sequence[RetrievedChunk],
        *,
        question: str = "",
        history_text: str = "",
        seconds: float = math.inf,
    ) -> tuple[Sequence[Judgement], int]:
        words = [judge_sentence(one.sentence, passages, question=question, header=one.header) for one in claims]
        self.asked.append([one.sentence.text for one in claims])
        if self.after and len(self.asked) >= self.waits:
            await self.after.wait()
        return [self._read(*one) for one in zip(claims, words, strict=True)], 100

    def _read(self, said: PendingClaim, words: Judgement) -> Judgement:
        if words.support is not SupportBasis.UNSURE:
            return words
        if said.sentence.text in self.finds:
            found = {
                "chunk_ids": ("c1",),
                "quote": SAID[0],
                "judge": self.name,
                "omitted_conditions": self.omitted_conditions,
            }
            return Judgement(support=SupportBasis.JUDGED, score=0.9, **found)
        return Judgement(support=SupportBasis.REFUSED, score=0.2, reason="the passages do not say it", judge=self.name)


async def answered(
    request: AnswerRequest,
    *,
    limits: AnswerLimits | None = None,
    judge: ClaimJudge | None = None,
    model: Writer | None = None,
    passages: Sequence[RetrievedChunk] = PASSAGES,
    grounded: bool = True,
    retriever: Straight | None = None,
) -> tuple[Answer, list[str]]:
    """The answer, and what the operator was told."""
    told: list[str] = []
    options = AnswerOptions(limits=limits or AnswerLimits(), require_grounding=grounded)
    stream = responding(retriever or Wordless(passages), told, model, judge, options).respond(request)
    return await stream.answer(), told


def responding(
    found: Straight,
    told: list[str],
    model: Writer | None = None,
    judge: ClaimJudge | None = None,
    options: AnswerOptions | None = None,
) -> Responder:
    """`told`: what the operator is."""
    budget = TokenBudget(Tally(), per_person=0, per_space=0, per_answer=1)
    return Responder(
        planner=found,
        retriever=found,
        model=AnswerModel(name="drafting", writer=model, budget=budget, judge=judge) if model else None,
        history=NoHistory(),
        options=options or AnswerOptions(),
        report=lambda incident, error: told.append(str(error)),
        warn=lambda event, reason: told.append(f"{event}: {reason}"),
    )


def asking(**how: object) -> AnswerRequest:
    return AnswerRequest(text=QUESTION, audience=EVERYBODY, **how)


def said(answer: Answer) -> list[str]:
    return [sentence.text for sentence in answer.sentences]


async def test_the_wait_for_the_first_sentence_counts_from_the_question() -> None:
    answer, told = await answered(asking(), limits=AnswerLimits(first_sentence_seconds=0.01), model=Drafting(turns=5))
    assert answer.usage.writer == "extractive"
    assert answer.preface.startswith(wording.MODEL_SILENT)
    assert "model_not_used: it took too long" in told


@pytest.mark.parametrize(
    ("failure", "notice"),
    [
        (MODEL_QUEUE_FULL, wording.MODEL_BUSY),
        (MODEL_TOO_SLOW, wording.MODEL_SLOW),
        (DRAFT_WITHOUT_SOURCE, wording.MODEL_UNSUPPORTED),
        (WINDOW_FULL, wording.MODEL_SILENT),
    ],
)
async def test_people_read_why_the_extract_stands_in(failure: str, notice: str) -> None:
    answer, told = await answered(asking(), model=Failing(failure))
    assert answer.usage.writer == "extractive"
    assert answer.preface.startswith(notice)
    assert (f"model_not_used: {failure}" in told) is (failure != MODEL_TOO_SLOW), "its writer reports that, once"


async def test_a_search_without_vectors_is_told_to_the_operator_and_noted_with_the_answer() -> None:
    answer, told = await answered(asking())
    assert told == ["search_degraded: embedder"]
    assert "search_degraded: embedder" in answer.usage.notes


@pytest.mark.parametrize(
    ("request_", "form"),
    [
        (asking(), AnswerFormat.PROSE),
        (asking(format=AnswerFormat.TABLE), AnswerFormat.TABLE),
        (asking(style=AnswerStyle.BULLET), AnswerFormat.BULLETS),
    ],
    ids=["nothing", "a format", "a style"],
)
async def test_an_answer_names_the_form_that_was_asked_for(request_: AnswerRequest, form: AnswerFormat) -> None:
    answer, _ = await answered(request_)
    assert answer.format is form


async def test_what_a_model_says_in_its_own_words_is_read_by_the_judge() -> None:
    judge = Reader(finds=(OWN,))
    answer, _ = await answered(asking(), judge=judge, model=Drafting(OWN, SAID[1], FALSE))
    assert said(answer) == [OWN, SAID[1]]
    assert answer.ungrounded_claims == (FALSE,)
    assert answer.usage.input_tokens == 10 + 2 * 100 + 40


async def test_what_is_written_again_and_read_again_counts() -> None:
    model = Drafting(FALSE, again={FALSE: OWN})
    answer, _ = await answered(asking(), judge=Reader(finds=(OWN,)), model=model)
    assert said(answer) == [OWN]
    assert answer.usage.input_tokens == 10 + 2 * 100 + 40


async def test_the_first_sentence_that_words_do_not_decide_is_read_at_once_and_all_others_together() -> None:
    judge = Reader(finds=(OWN, FALSE))
    answer, _ = await answered(asking(), judge=judge, model=Drafting(SAID[0], OWN, FALSE, OTHER, SAID[1]))
    assert judge.asked == [[OWN], [FALSE, OTHER]]
    assert said(answer) == [SAID[0], OWN, FALSE, SAID[1]]


async def test_sentences_that_do_not_stand_are_written_again_together_and_shown_in_their_place() -> None:
    judge, model = Reader(finds=(OWN,)), Drafting(FALSE, SAID[0], WRONG, OTHER, again={FALSE: OWN, WRONG: SAID[1]})
    answer, told = await answered(asking(), judge=judge, model=model)
    assert said(answer) == [OWN, SAID[0], SAID[1]]
    assert answer.ungrounded_claims == (OTHER,)
    assert judge.asked == [[FALSE], [OTHER], [OWN, SAID[1]]]
    why = "the passages do not say it"
    assert model.refused == [{FALSE: why, WRONG: "52 days is not in the passages", OTHER: why}]
    assert told == ["search_degraded: embedder"]


@pytest.mark.parametrize("again", [{}, {FALSE: OTHER}, {FALSE: WRONG}], ids=["left out", "refused", "vetoed"])
async def test_what_does_not_stand_when_it_is_written_again_is_left_out_and_not_written_once_more(
    again: dict[str, str],
) -> None:
    model = Drafting(SAID[0], FALSE, SAID[1], again=again)
    answer, told = await answered(asking(), judge=Reader(), model=model)
    assert said(answer) == list(SAID)
    assert answer.usage.writer == "drafting"
    assert answer.ungrounded_claims == (FALSE,)
    assert wording.PARTIAL_DROPPED in answer.limitations
    assert len(model.refused) == 1
    assert told == ["search_degraded: embedder"]


@pytest.mark.parametrize(
    "text", ["Yes.", DraftSentence(text="leave --days 12", kind=BlockKind.CODE, chunk_ids=("c1",))]
)
async def test_captions_and_code_are_not_written_again(text: str | DraftSentence) -> None:
    model = Drafting(text, SAID[0])
    answer, _ = await answered(asking(), model=model)
    assert SAID[0] in said(answer)
    assert model.refused == []


async def test_the_extract_steps_in_only_where_nothing_of_a_draft_stands() -> None:
    answer, told = await answered(asking(), judge=Reader(), model=Drafting(FALSE, OTHER))
    assert answer.usage.writer == "extractive"
    assert answer.preface.startswith(wording.MODEL_UNSUPPORTED)
    assert "model_not_used: the passages do not support its answer" in told


async def test_a_sentence_that_a_passage_states_needs_no_mark() -> None:
    answer, _ = await answered(asking(), model=Drafting(DraftSentence(text=SAID[0])))
    assert said(answer) == [SAID[0]]
    assert [citation.chunk_id for citation in answer.citations] == ["c1"]


SOON = AnswerLimits(first_sentence_seconds=0.3, total_seconds=0.3)


@pytest.mark.parametrize(
    ("judge", "model"),
    [
        (Reader(finds=(OWN,), after=asyncio.Event(), waits=2), Drafting(OWN, OTHER, SAID[1])),
        (
            Reader(finds=(OWN, OTHER), after=asyncio.Event(), waits=2),
            Drafting(OWN, FALSE, SAID[1], again={FALSE: OTHER}),
        ),
    ],
    ids=["reading", "reading what was written again"],
)
async def test_when_time_is_up_what_stands_by_then_is_shown(judge: Reader, model: Drafting) -> None:
    answer, _ = await answered(asking(), limits=SOON, judge=judge, model=model)
    assert said(answer) == [OWN, SAID[1]]
    assert answer.usage.writer == "drafting"


async def test_nothing_shown_is_taken_back_and_what_follows_a_doubtful_sentence_waits_for_it() -> None:
    model, told = Drafting(SAID[0], FALSE, SAID[1], again={FALSE: OWN}), list[str]()
    written: list[str] = []
    async for event in responding(Straight(PASSAGES), told, model, Reader(finds=(OWN,))).respond(asking()):
        if isinstance(event, SentenceEvent):
            written.append(event.sentence.text)
            assert model.refused or written == [SAID[0]]
    assert written == [SAID[0], OWN, SAID[1]]
    assert told == []


class Absent(Reader):
    """A judge that does not answer."""

    async def review(self, claims: Sequence[PendingClaim], *_: object, **__: object) -> tuple[Sequence[Judgement], int]:
        return [Judgement(support=SupportBasis.UNSURE, score=0.2, reason=NOT_CHECKED) for _ in claims], 0


async def test_where_nothing_is_shown_it_is_said_that_the_models_words_could_not_be_checked() -> None:
    limits = AnswerLimits(minimum_sources=2)
    answer, _ = await answered(asking(), judge=Absent(), model=Drafting(OWN), limits=limits)
    assert answer.outcome is AnswerOutcome.NOT_FOUND
    assert answer.preface.startswith(wording.MODEL_UNCHECKED)
    assert answer.abstain_reason.startswith(wording.MODEL_UNCHECKED)


class Private(Straight):
    """Finds a passage for people of one collection."""

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        found = await super().retrieve(search, audience)
        allowed = search.question == "who approves leave" and "people" in audience.collections
        return Retrieval(passages=(FAR,)) if allowed else found


class Searching(Drafting):
    """Searches before it drafts."""

    async def write(self, *given: Any, **deadline: Any) -> Pieces:
        *about, look = given
        yield AdditionalPassages(passages=tuple(await look("who approves leave")))
        async for piece in super().write(*about):
            yield piece


@pytest.mark.parametrize(("collections", "shown"), [({"people"}, [FAR.chunk.text, SAID[0]]), ({"default"}, [SAID[0]])])
async def test_a_model_finds_by_searching_again_what_the_asker_may_read_and_no_more(
    collections: set[str], shown: list[str]
) -> None:
    request = AnswerRequest(text=QUESTION, audience=Audience(collections=frozenset(collections)))
    drafted = Searching(DraftSentence(text=FAR.chunk.text, chunk_ids=("c2",)), SAID[0])
    answer, _ = await answered(request, retriever=Private(PASSAGES), model=drafted)
    assert said(answer) == shown


class Later(Drafting):
    """Searches when it has drafted all but its end."""

    async def write(self, *given: Any, **deadline: Any) -> Pieces:
        async for piece in super().write(*given):
            if isinstance(piece, DraftEnd):
                yield AdditionalPassages(passages=(FAR,))
            yield piece


class Elsewhere(Reader):
    """Rests on what was found, from the second reading on."""

    def _read(self, said: PendingClaim, words: Judgement) -> Judgement:
        found = super()._read(said, words)
        return replace(found, chunk_ids=("c2",)) if len(self.asked) > 1 else found


async def test_a_sentence_may_rest_on_what_was_found_after_it_was_written() -> None:
    other = "Somebody in charge says yes to it."
    judge = Elsewhere(finds=(OWN, other))
    answer, _ = await answered(asking(), judge=judge, model=Later(SAID[0], OWN, other))
    assert said(answer) == [SAID[0], OWN, other]
    assert [citation.chunk_id for citation in answer.citations] == ["c1", "c2"]


async def test_nothing_is_written_again_that_is_said_already() -> None:
    answer, _ = await answered(asking(), judge=Reader(), model=Drafting(SAID[0], FALSE, again={FALSE: SAID[0]}))
    assert said(answer) == [SAID[0]]


class Broken(Reader):
    """A judge that fails in a way that nobody foresaw."""

    async def review(self, *_: object, **__: object) -> NoReturn:
        raise ValueError("a defect")


async def test_a_judge_that_fails_unforeseen_keeps_nobody_waiting() -> None:
    answer, _ = await answered(
        asking(), judge=Broken(), model=Drafting(OWN), limits=AnswerLimits(first_sentence_seconds=600)
    )
    assert answer.incident


async def test_a_judge_that_comes_too_late_is_not_what_the_passages_say() -> None:
    late = AnswerLimits(first_sentence_seconds=0.2, total_seconds=0.2)
    answer, told = await answered(asking(), judge=Reader(after=asyncio.Event()), model=Drafting(OWN), limits=late)
    assert answer.usage.writer == "extractive"
    assert f"model_not_used: {NOT_CHECKED}" in told
    assert answer.preface.startswith(wording.MODEL_UNCHECKED)


async def test_a_judge_that_does_not_answer_is_noted_with_the_answer() -> None:
    answer, _ = await answered(asking(), judge=Absent(), model=Drafting(SAID[0], OWN))
    assert said(answer) == [SAID[0]]
    assert f"judge_failed: {NOT_CHECKED}" in answer.usage.notes
    assert (answer.outcome, answer.closing) == (AnswerOutcome.PARTIAL, wording.PARTIAL_UNCHECKED)
    assert wording.PARTIAL_DROPPED not in answer.limitations
    [unchecked] = [one.text for one in answer.confidence.reasons if one.name == "unchecked"]
    assert unchecked.startswith("1 sentence could not be checked")
    assert [claim.support for claim in answer.claims] == [SupportBasis.VERBATIM, SupportBasis.UNSURE]


@pytest.mark.parametrize(("name", "level"), [("reading", ConfidenceLevel.HIGH), ("drafting", ConfidenceLevel.MEDIUM)])
async def test_an_answer_that_only_its_writer_has_read_is_of_medium_confidence_at_most(
    name: str, level: ConfidenceLevel
) -> None:
    answer, _ = await answered(asking(), judge=Reader(finds=(OWN,), name=name), model=Drafting(OWN, SAID[1]))
    assert answer.confidence.level is level
    [read] = [one for one in answer.confidence.reasons if one.name == "read"]
    assert name in read.text


async def test_what_stands_in_the_passages_word_for_word_needs_no_reader_to_be_sure() -> None:
    answer, _ = await answered(asking(), judge=Reader(name="drafting"), model=Drafting(*SAID))
    assert answer.confidence.level is ConfidenceLevel.HIGH
    assert not any(one.name == "read" for one in answer.confidence.reasons)


async def test_what_a_judge_rested_on_stands_below_an_answer_that_may_say_less_which_is_not_sure() -> None:
    judge = Reader(finds=(OWN,), omitted_conditions=SAID[0])
    answer, _ = await answered(asking(), judge=judge, model=Drafting(OWN, SAID[1]))
    assert said(answer) == [OWN, SAID[1]]
    assert [one.text for one in answer.quoted if one.kind is not BlockKind.HEADING] == [SAID[0]]
    assert {one.numbers for one in answer.quoted} == {(1,)}
    assert answer.confidence.level is ConfidenceLevel.MEDIUM
    assert "more" in {one.name for one in answer.confidence.reasons}


class Wide(Straight):
    """Finds more than the best passages."""

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        found = await super().retrieve(search, audience)
        return replace(found, candidates=(FAR,))


async def test_a_model_may_rest_on_what_is_read_besides_the_best_passages_and_an_extract_may_not() -> None:
    drafted = Drafting(SAID[0], DraftSentence(text=FAR.chunk.text, chunk_ids=("c2",)))
    answer, _ = await answered(asking(), retriever=Wide(PASSAGES), model=drafted)
    assert said(answer) == [SAID[0], FAR.chunk.text]
    assert [citation.chunk_id for citation in answer.citations] == ["c1", "c2"]
    without, _ = await answered(asking(), retriever=Wide(PASSAGES))
    assert {citation.chunk_id for citation in (*without.citations, *without.nearest)} == {"c1"}


@pytest.mark.parametrize(
    ("how", "hindered"),
    [
        ({"retriever": Straight(PASSAGES), "judge": Reader(), "model": Drafting(FALSE, SAID[1])}, False),
        ({"retriever": Straight(PASSAGES), "judge": Absent(), "model": Drafting(SAID[0], OWN)}, True),
        ({"retriever": Wordless(PASSAGES)}, True),
    ],
    ids=["what the model wrote was no answer", "the judge was away", "the embedder was away"],
)
async def test_an_answer_says_whether_a_later_one_may_be_better(how: dict[str, Any], hindered: bool) -> None:
    answer, _ = await answered(asking(), **how)
    assert answer.usage.hindered is hindered


async def test_the_judge_reads_while_the_model_goes_on_writing() -> None:
    model = Drafting(OWN, SAID[1])
    answer, _ = await answered(asking(), judge=Reader(finds=(OWN,), after=model.ended), model=model)
    assert said(answer) == [OWN, SAID[1]]


async def test_without_a_judge_only_the_passages_own_words_stand() -> None:
    answer, _ = await answered(asking(), model=Drafting(SAID[0], OWN))
    assert said(answer) == [SAID[0]]


@pytest.mark.parametrize(("sentence", "stands"), [(SAID[0], True), (FALSE, False)])
async def test_a_yes_stands_and_falls_with_the_sentence_beside_it(sentence: str, stands: bool) -> None:
    answer, _ = await answered(asking(), judge=Reader(), model=Drafting("Yes.", sentence))
    assert ("Yes." in said(answer)) is stands


@pytest.mark.parametrize(
    ("read", "shown"),
    [((OWN,), [OWN]), (("This is how it is:", OWN), ["This is how it is:", OWN]), (("This is how it is:",), [])],
    ids=["not the lead-in", "both", "not what it leads to"],
)
async def test_a_lead_in_is_read_like_any_sentence_and_never_stands_alone(
    read: tuple[str, ...], shown: list[str]
) -> None:
    drafted = ("This is how it is:", DraftSentence(text=OWN, kind=BlockKind.ITEM, chunk_ids=("c1",)))
    answer, _ = await answered(asking(), judge=Reader(finds=read), model=Drafting(*drafted))
    assert (said(answer) if answer.usage.writer == "drafting" else []) == shown


async def test_a_lead_in_in_bold_never_stands_alone() -> None:
    drafted = ("**This is how it is:**", DraftSentence(text=FALSE, kind=BlockKind.ITEM, chunk_ids=("c1",)))
    answer, _ = await answered(asking(), judge=Reader(finds=drafted[:1]), model=Drafting(*drafted))
    assert answer.usage.writer == "extractive"
    assert "This is how it is" not in answer.body


async def test_a_lead_in_that_is_all_there_is_answers() -> None:
    alone = "Someone who works full-time has to apply for leave on this form:"
    answer, _ = await answered(asking(), judge=Reader(finds=(alone,)), model=Drafting(alone))
    assert (answer.usage.writer, said(answer)) == ("drafting", [alone])


async def test_a_header_stands_where_a_row_under_it_does() -> None:
    rows = [
        DraftSentence(text="Who | Paid leave", kind=BlockKind.HEADER, chunk_ids=("c1",)),
        DraftSentence(text="Full-time staff | 25 days", kind=BlockKind.ROW, chunk_ids=("c1",)),
        DraftSentence(text="Contractors | 12 days", kind=BlockKind.ROW, chunk_ids=("c1",)),
    ]
    answer, _ = await answered(asking(), judge=Reader(finds=("Full-time staff | 25 days",)), model=Drafting(*rows))
    assert said(answer) == ["Who | Paid leave", "Full-time staff | 25 days"]


async def test_a_few_letters_are_no_answer_of_a_model() -> None:
    answer, told = await answered(asking(), model=Drafting("Sure!"))
    assert "answer_too_short" in answer.safety_flags
    assert "model_not_used: its answer is too short" in told
    assert answer.usage.writer == "extractive"


async def test_a_short_fact_with_its_source_is_an_answer() -> None:
    answer, _ = await answered(asking(), judge=Reader(finds=("25 days.",)), model=Drafting("25 days."))
    assert answer.safety_flags == ()
    assert answer.body == "25 days. [1]"


class Misspelled(Straight):
    """Takes a word of the question for another."""

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        found = await super().retrieve(search, audience)
        slip = SpellingCorrection(word="vacaton", meant="vacation", others=("vacancy",))
        return replace(found, corrections=(slip,))


async def test_what_a_slip_of_spelling_was_read_as_is_said_before_anything_else() -> None:
    stream = responding(Misspelled(PASSAGES), []).respond(asking())
    written = [event async for event in stream if isinstance(event, SentenceEvent)]
    answer = await stream.answer()
    said = "I read “vacaton” as “vacation”. Or did you mean “vacancy”?"
    assert written[0].preface.startswith(said)
    assert answer.preface.startswith(said)
    assert answer.corrections[0].meant == "vacation"


async def test_a_yes_falls_with_the_sentence_beside_it_whatever_follows() -> None:
    answer, _ = await answered(asking(), judge=Reader(), model=Drafting("Yes.", "For all.", SAID[0]))
    assert said(answer) == [SAID[0]]


async def test_what_stands_above_a_row_cites_nothing_that_the_row_does_not_rest_on() -> None:
    passages = [*PASSAGES, passage("c2", "Contractors get no paid leave.", title="Contracts")]
    rows = [
        DraftSentence(text="Who | Paid leave", kind=BlockKind.HEADER, chunk_ids=("c2", "c1")),
        DraftSentence(text="Full-time staff | 25 days", kind=BlockKind.ROW, chunk_ids=("c1",)),
        DraftSentence(text="Contractors | 12 days", kind=BlockKind.ROW, chunk_ids=("c2",)),
    ]
    judge = Reader(finds=("Full-time staff | 25 days",))
    answer, _ = await answered(asking(), judge=judge, model=Drafting(*rows), passages=passages)
    assert [citation.chunk_id for citation in answer.citations] == ["c1"]


async def test_where_the_operator_wants_it_what_is_not_supported_is_shown_in_its_place_and_marked() -> None:
    drafted = [
        DraftSentence(text="Who | Paid leave", kind=BlockKind.HEADER, chunk_ids=("c1",)),
        DraftSentence(text="Contractors | 12 days", kind=BlockKind.ROW, chunk_ids=("c1",)),
        DraftSentence(text="leave --days 12", kind=BlockKind.CODE, chunk_ids=("c1",)),
        SAID[0],
    ]
    answer, _ = await answered(asking(), judge=Reader(), model=Drafting(*drafted), grounded=False)
    assert [sentence.kind for sentence in answer.sentences[:3]] == [BlockKind.HEADER, BlockKind.ROW, BlockKind.CODE]
    assert [sentence.verified for sentence in answer.sentences[1:]] == [False, False, True]
    assert f"| {wording.UNVERIFIED_CLAIM}: Contractors | 12 days |" in answer.body
    assert f"{wording.UNVERIFIED_CLAIM}:\n```\nleave --days 12" in answer.body


async def test_what_is_shown_unverified_is_neither_called_supported_nor_left_out() -> None:
    answer, _ = await answered(asking(), judge=Reader(), model=Drafting(SAID[0], FALSE), grounded=False)
    assert said(answer) == [SAID[0], FALSE]
    assert answer.reasoning.endswith("1 of 2 sentences supported.")
    assert wording.PARTIAL_DROPPED not in answer.limitations


class Corrected(Straight):
    """Finds what was meant by a side that is written with a slip."""

    async def plan(
        self, text: str, conversation: Conversation, audience: Audience, translator: Translator = ENGLISH_TRANSLATOR
    ) -> SearchPlan:
        sides = ("full-tyme staff", "contractors")
        return SearchPlan(question=text, queries=sides, sides=sides)

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        found = await super().retrieve(search, audience)
        return replace(found, corrections=(SpellingCorrection(word="tyme", meant="time"),))


async def test_a_slip_is_corrected_in_the_names_of_sides_as_well() -> None:
    passages = [passage("c1", *SAID), replace(passage("c2", "Contractors get no paid leave."), query_index=1)]
    request = AnswerRequest(
        text="Paid leave: full-tyme staff or contractors?", audience=EVERYBODY, format=AnswerFormat.TABLE
    )
    answer, _ = await answered(request, retriever=Corrected(passages))
    assert "tyme" not in answer.body + answer.closing
    assert said(answer)[0] == "full-time staff | contractors"
