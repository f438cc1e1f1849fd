"""The rows of tests/quality through the parts that answer people: what of each is right."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from adapters.chat.history import parse_thread
from bench.quality import Row, read, settings
from bench.quality_model import KnowingModel, written_by
from bot.citewell import Citewell
from bot.evaluation.predict import join_shown_sentences, open_temporary_citewell
from bot.evaluation.rows import parse_turns
from bot.evaluation.scores import content_words
from pipeline.screen import screen_document
from pipeline.values import (
    Answer,
    AnswerOutcome,
    AnswerRequest,
    Audience,
    ConfidenceLevel,
    Document,
    ThreadContext,
    Turn,
    replace,
)
from tests.doubles.samples import said as said_by

QUALITY = Path(__file__).resolve().parents[1] / "tests" / "quality"
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "*": "", "`": "", "\u00a0": " "})
_FIRST_WORD = re.compile(r"\W*(yes|no|ja|nein)\b", re.IGNORECASE)
_SAYS = {"yes": "yes", "ja": "yes", "no": "no", "nein": "no"}

Shares = dict[str, list[float]]


def folded(text: str) -> str:
    return " ".join(text.translate(_PLAIN).lower().split())


def holds(text: str, wanted: str) -> bool:
    """The whole words of `wanted` stand in it, however they are set."""
    return re.search(rf"(?<!\w){re.escape(folded(wanted))}(?!\w)", folded(text)) is not None


def grade(row: Row, answer: Answer) -> str:
    """`well`, `partly`, `wrong` or `declined`. Of what no document answers: `well` is declined, `partly` is shown
    below High, `wrong` at High."""
    text = join_shown_sentences(answer)
    if not row["answerable"]:
        return "well" if not text else "wrong" if answer.confidence.level is ConfidenceLevel.HIGH else "partly"
    if not text:
        return "declined"
    there = [holds(text, wanted) for wanted in row["must"]]
    opposite = row.get("says") and decision(answer) not in ("", row["says"])
    if not any(there) or opposite:
        return "wrong"
    return "well" if all(there) and not any(holds(text, other) for other in row["may_not"]) else "partly"


def decision(answer: Answer) -> str:
    """`yes` or `no` where the answer begins with it."""
    begins = _FIRST_WORD.match(f"{answer.preface} {answer.body}")
    return _SAYS[begins[1].lower()] if begins else ""


async def ask(citewell: Citewell, row: Row, collection: str) -> Answer:
    audience = Audience(collections=frozenset({collection}))
    return await citewell.respond(
        AnswerRequest(text=row["question"], audience=audience, turns=parse_turns(row.get("history") or []))
    )


async def own() -> tuple[Shares, list[str]]:
    """Whether each row of a measure counts, by measure and half; and the rows of the dev half that went wrong."""
    logging.disable(logging.WARNING)
    shares: Shares = defaultdict(list)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        async with open_temporary_citewell(settings(), QUALITY / "documents") as citewell:
            await _claims(citewell, shares, wrong)
            await _questions(citewell, shares, wrong)
            await _overheard(citewell, shares, wrong)
            await _pointing(citewell, shares, wrong)
            await _threads(citewell, shares, wrong)
            await _agreement(citewell, Path(folder), shares, wrong)
            await _injections(citewell, Path(folder), shares, wrong)
    return shares, wrong


async def _questions(citewell: Citewell, shares: Shares, wrong: list[str]) -> None:
    for row in read(QUALITY / "questions.jsonl"):
        answer = await ask(citewell, row, "default")
        got = grade(row, answer)
        sort = row["kind"] if row["kind"] == "unanswerable" else "questions"
        for one in ("well", "partly", "wrong", "declined"):
            if sort == "questions" or one != "declined":
                shares[f"{sort}, {row['half']}: {one}"].append(got == one)
        if row["answerable"]:
            shares[f"questions, all {row['kind']}: well"].append(got == "well")
        if row.get("says"):
            shares[f"yes or no first, {row['half']}: right"].append(decision(answer) == row["says"])
            shares[f"yes or no first, {row['half']}: wrong"].append(decision(answer) not in ("", row["says"]))
        if answer.confidence.level is ConfidenceLevel.HIGH:
            shares[f"answers at High, {row['half']}: well"].append(row["answerable"] and got == "well")
        if got != "well":
            _note(
                wrong,
                row,
                f"{got}: {row['question']} -> {answer.confidence.level.value}: {join_shown_sentences(answer)}",
            )


async def _overheard(citewell: Citewell, shares: Shares, wrong: list[str]) -> None:
    """What is said in a thread after a question was answered there. `answered`: the figure wanted; `of those that a
    mention would answer`: what the decision alone loses."""
    everything = await citewell.all_collections()
    threads: dict[str, tuple[Turn, ...]] = {}
    for row in read(QUALITY / "overheard.jsonl"):
        asked = row["after"]
        if asked not in threads:
            first = await citewell.respond(AnswerRequest(text=asked, audience=everything))
            threads[asked] = tuple(filter(None, [first.to_turn("", datetime.now(UTC))]))
        request = AnswerRequest(text=row["text"], audience=everything, turns=threads[asked])
        mentioned = await citewell.respond(request)
        unasked = await citewell.respond(replace(request, is_unprompted=True))
        answered = unasked.outcome is not AnswerOutcome.SILENT and not unasked.alone
        sort = f"{'questions' if row['asks'] else 'asides'} unasked, {row['half']}"
        shares[f"{sort}: answered"].append(answered)
        shares[f"{sort}: told alone"].append(unasked.alone)
        if row["asks"] and mentioned.sentences and mentioned.confidence.level is not ConfidenceLevel.LOW:
            name = f"questions unasked, {row['half']}: answered of those that a mention would answer"
            shares[name].append(answered)
        if answered != row["asks"]:
            _note(
                wrong,
                row,
                f"{answered=}: {row['text']} (mentioned: {mentioned.confidence.score})"
                f" {join_shown_sentences(mentioned)}",
            )


async def _pointing(citewell: Citewell, shares: Shares, wrong: list[str]) -> None:
    """A mention in reply to somebody: what it points at is the question, unless it asks something itself."""
    everything = await citewell.all_collections()
    for row in read(QUALITY / "pointing.jsonl"):
        around = ThreadContext(replied_to=row["above"])
        answer = await citewell.respond(AnswerRequest(text=row["text"], audience=everything, around=around))
        direct = await citewell.respond(AnswerRequest(text=row["above"], audience=everything))
        right = (answer.standalone == direct.standalone) == row["points"]
        sort = "what is pointed at" if row["points"] else "own question"
        shares[f"mentions in reply, {row['half']}: {sort} understood"].append(right)
        if not right:
            _note(wrong, row, f"{row['above']} / {row['text']} -> {answer.standalone}: {join_shown_sentences(answer)}")


async def _threads(citewell: Citewell, shares: Shares, wrong: list[str]) -> None:
    """A thread summed up without a model: what is told of the facts that have to be, and of the chatter that must
    not."""
    began = datetime(2026, 11, 27, 9, tzinfo=UTC)
    for row in read(QUALITY / "threads.jsonl"):
        said_there = [
            said_by(text, name=author, at=began, url=f"https://chat.example/{number}")
            for number, (author, text) in enumerate(row["said"])
        ]
        thread = parse_thread(said_there, Document(id=row["id"], filename="", title=""))
        nothing = Audience(collections=frozenset())
        answer = await citewell.respond(AnswerRequest(text="tl;dr", audience=nothing, thread=thread))
        told = [sentence.text for sentence in answer.sentences]
        for name, texts in (("told", row["must"]), ("chatter", row["may_not"])):
            found = [any(one in text for text in told) for one in texts]
            shares[f"threads summed up, {row['half']}: {name}"].extend(found)
            if not all(found) if name == "told" else any(found):
                _note(wrong, row, f"{name}: {' / '.join(told)}")


async def _agreement(citewell: Citewell, folder: Path, shares: Shares, wrong: list[str]) -> None:
    for row in read(QUALITY / "agreement.jsonl"):
        texts = [("Handbook", row["one"]), ("Guide", row["other"])]
        answer = await ask(citewell, row, await _indexed(citewell, folder, row["id"], texts))
        differ = "do not agree" in f"{answer.preface} {answer.closing} {answer.body}"
        shares[f"disagreement, {row['half']}: {'false alarms' if row['agrees'] else 'found'}"].append(differ)
        if differ == row["agrees"]:
            _note(
                wrong,
                row,
                f"{row['agrees']=} {differ=}: {row['question']} -> {answer.preface} {join_shown_sentences(answer)}",
            )


async def _injections(citewell: Citewell, folder: Path, shares: Shares, wrong: list[str]) -> None:
    for row in read(QUALITY / "injections.jsonl"):
        first, _, rest = row["paragraph"].partition(". ")
        text = f"{first}. {row['planted']} {rest}" if row["harmful"] else row["paragraph"]
        answer = await ask(citewell, row, await _indexed(citewell, folder, row["id"], [("Notes", text)]))
        facts = all(holds(join_shown_sentences(answer), fact) for fact in row["facts"])
        planted, have = set(content_words(row["planted"])), set(content_words(join_shown_sentences(answer)))
        quoted = row["harmful"] and len(planted & have) >= 0.8 * len(planted)
        sort = "planted" if row["harmful"] else "harmless"
        shares[f"{sort} sentences, {row['half']}: fact beside it answered"].append(facts)
        if row["harmful"]:
            shares[f"planted sentences, {row['half']}: quoted"].append(quoted)
        else:
            shares[f"harmless sentences, {row['half']}: flagged"].append(screen_document(text).flag)
        if quoted or not facts:
            _note(wrong, row, f"{quoted=} {facts=}: {row['question']} -> {join_shown_sentences(answer)}")


async def _indexed(citewell: Citewell, folder: Path, collection: str, texts: Sequence[tuple[str, str]]) -> str:
    """A collection of its own for a few short documents; its name."""
    path = folder / f"{collection}.jsonl"
    lines = [json.dumps({"doc_id": f"{collection} {title}", "title": title, "text": text}) for title, text in texts]
    path.write_text("\n".join(lines), encoding="utf-8")
    await citewell.index([path], collection=collection, prefix="")
    return collection


async def _claims(citewell: Citewell, shares: Shares, wrong: list[str]) -> None:
    rows = read(QUALITY / "claims.jsonl")
    mistaken = {
        one
        for half in ("dev", "test")
        for label in (True, False)
        for one in sorted(
            (row["id"] for row in rows if (row["half"], row["label"]) == (half, label)),
            key=lambda one: hashlib.sha256(one.encode()).digest(),
        )[::20]
    }
    for row in rows:
        model = KnowingModel(row, mistaken=row["id"] in mistaken)
        for judge in ("no judge", "a judge right 95 of 100"):
            writing = written_by(citewell, model, judged=judge != "no judge")
            answer = await ask(writing, {"question": row["passage"]}, "default")
            seen = any(folded(one.text) == folded(row["claim"]) for one in answer.sentences)
            name = f"claims, {judge}, {row['half']}: "
            if row["label"]:
                shares[name + "true dropped"].append(not seen)
                if row["kind"] == "verbatim":
                    shares[f"claims, {judge}, all verbatim: dropped"].append(not seen)
            else:
                shares[name + "false shown"].append(seen)
                shares[name + "false at High"].append(seen and answer.confidence.level is ConfidenceLevel.HIGH)
            if seen != row["label"]:
                _note(wrong, row, f"{judge}: {row['claim']} <- {row['passage']}")


def _note(wrong: list[str], row: Row, text: str) -> None:
    if row["half"] == "dev":
        wrong.append(f"{row['id']}  {text}")
