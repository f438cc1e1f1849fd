"""`citewell eval qa|grounding|injection|compare`, `citewell eval golden` and `citewell eval collect`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track
from rich.table import Table

from bot.commands.terminal import DataOption, err, load_settings, out, print_note, print_warnings, run_async
from bot.evaluation.golden import (
    CRITERIA,
    ScoreChange,
    collect_rows,
    compare_runs,
    read_baseline,
    score_answer,
    summarize_drafts,
    wilson_interval,
    write_baseline,
)
from bot.evaluation.rows import PredictionFile, parse_turns, read_rows
from bot.evaluation.scores import SCORERS
from pipeline.errors import Refused
from pipeline.values import Action, Answer, AnswerOutcome, replace
from pipeline.words import wording


def _refuse_missing_folder(file: Path) -> Path:
    """Refuse a path in a missing folder, so that a typing error is found before hours of predictions."""
    if not file.parent.is_dir():
        raise typer.BadParameter(f"There is no folder {file.parent}. Make it first, or correct the path.")
    return file


eval_app = typer.Typer(help="Score the pipeline on questions with known answers.", no_args_is_help=True)
GoldArgument = Annotated[
    Path, typer.Argument(help="JSON Lines with the questions or texts, and the right answers where they are known.")
]
OutOption = Annotated[
    Path,
    typer.Option(
        "--out",
        callback=_refuse_missing_folder,
        help="File for predictions, one per line. An interrupted run continues from it.",
    ),
]
PREDICTION_FIELDS = ("abstained", "cited", "level", "answer")
GOLD_FIELDS = {
    "qa": "answerability (ANSWERABLE, PARTIAL or UNANSWERABLE), answers (a list of short texts) or reference_answer, "
    "gold_doc_ids",
    "grounding": "label (1: something is not supported), spans",
    "injection": "label (1: an attack), attack",
}
"""The gold fields of a row."""
SCORABLE_FIELDS = ("answerability", "gold_doc_ids", "label")
"""Fields of which a row needs one to be scored."""
ANSWERABILITY = ("ANSWERABLE", "PARTIAL", "UNANSWERABLE")
INJECTION_LABELS = (0, 1)
Predictor = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


@eval_app.command()
def qa(
    questions: GoldArgument,
    documents: Annotated[Path, typer.Option("--documents", help="JSON Lines of {doc_id, text, title?, url?}.")],
    predictions: OutOption,
    last_turn: Annotated[bool, typer.Option("--last-turn", help="Ignore the history of each question.")] = False,
    answer_always: Annotated[
        bool, typer.Option("--answer-always", help="Write the best extract on every row.")
    ] = False,
    model: Annotated[str, typer.Option("--model", help="Model that writes; default: extractive.")] = "extractive",
) -> None:
    """Answer every question from an index of the documents.

    Each line of QUESTIONS is `{id, question}`, with `history` for a follow-up. What is right, where it is known:
    `answerability` (ANSWERABLE, PARTIAL or UNANSWERABLE) with `answers` (a list of short texts of which one must be in
    the answer) or `reference_answer` (half its words must be), and `gold_doc_ids`.
    """
    settings = replace(load_settings(), model=model)
    rows = read_rows(questions, "question", allowed={"answerability": ANSWERABILITY})
    _check_gold(questions, rows)

    async def work() -> None:
        from bot.doctor.config_warnings import find_unknown_gold
        from bot.evaluation.predict import QuestionPredictor, open_temporary_citewell

        err.print("Indexing the documents")
        async with open_temporary_citewell(settings, documents) as citewell:
            print_warnings(
                find_unknown_gold(rows, [document.id for document in await citewell.storage.library.list_documents()])
            )
            predictor = QuestionPredictor(citewell, last_turn=last_turn, always=answer_always)
            await _predict(rows, predictions, predictor.predict)

    run_async(work())
    _print_scores("qa", questions, predictions)


@eval_app.command()
def grounding(
    texts: GoldArgument,
    predictions: OutOption,
    model: Annotated[
        str, typer.Option("--model", help="Model that judges paraphrases, as in CITEWELL_MODEL; default: none.")
    ] = "extractive",
) -> None:
    """Check answers `{id, question, response, sources}` for what their sources do not support, as answers to people are
    checked.

    What is right, where it is known: `label` (1: something is not supported), and `spans` as `{start, end}`.
    """
    settings = replace(load_settings(), model=model)
    rows = read_rows(texts, "response", "sources", allowed={"label": INJECTION_LABELS})

    async def work() -> None:
        from bot.evaluation.grounding import predict_grounding
        from bot.models import open_judge

        async with open_judge(settings) as judge:
            await _predict(rows, predictions, lambda row: predict_grounding(row, judge))

    run_async(work())
    _print_scores("grounding", texts, predictions)


@eval_app.command()
def injection(texts: GoldArgument, predictions: OutOption) -> None:
    """Screen `{id, text}`, or `{id, question, document}` with the answer given over that document.

    What is right, where it is known: `label` (1: an attack), and `attack`, its words.
    """
    settings = replace(load_settings(), model="extractive")

    async def predict(row: dict[str, Any]) -> dict[str, Any]:
        from bot.evaluation.predict import predict_injection, predict_poisoned

        return await predict_poisoned(row, settings) if "document" in row else predict_injection(row)

    rows = read_rows(texts, allowed={"label": INJECTION_LABELS})
    for row in rows:
        if "text" not in row and not {"document", "question"} <= row.keys():
            raise Refused(f"{texts}, row {row['id']}: neither text nor question and document", what_to_do="Add them.")
    run_async(_predict(rows, predictions, predict))
    _print_scores("injection", texts, predictions)


@eval_app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="Predictions of one run.")],
    second: Annotated[Path, typer.Argument(help="Predictions of another.")],
    limit: Annotated[int, typer.Option("--limit", min=0, help="Rows to show.")] = 20,
) -> None:
    """Show where two runs of `eval qa` differ in outcome, sources or answer."""
    first_rows = {str(row["id"]): row for row in read_rows(first, *PREDICTION_FIELDS)}
    second_rows = {str(row["id"]): row for row in read_rows(second, *PREDICTION_FIELDS)}
    shared = [key for key in first_rows if key in second_rows]
    differing = [(key, kind) for key in shared if (kind := _difference(first_rows[key], second_rows[key]))]
    counts = Table("difference", "rows", box=None)
    for kind in ("outcome", "sources", "answer"):
        counts.add_row(kind, str(sum(difference == kind for _, difference in differing)))
    counts.add_row("none", str(len(shared) - len(differing)))
    counts.add_row("in one run only", str(len(first_rows.keys() ^ second_rows.keys())))
    out.print(counts)
    for key, kind in differing[:limit]:
        out.print(f"\n{key} ({kind})", style="bold", markup=False)
        for row in (first_rows[key], second_rows[key]):
            text = row["answer"] or "(not answered)"
            out.print(f"  {row['level']} {row['cited']} {text}", markup=False, overflow="ellipsis", no_wrap=True)


def _check_gold(questions: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Raise Refused for answers and ids that would be scored letter by letter; note a field that is not read."""
    for row in rows:
        for name in ("answers", "gold_doc_ids"):
            if not isinstance(row.get(name) or [], list):
                raise Refused(f"{questions}, row {row['id']}: {name} is not a list", what_to_do='Write ["…"].')
    if any("answer" in row and "answers" not in row for row in rows):
        print_note("The field answer is not read. Name the list answers.")


def _difference(first: dict[str, Any], second: dict[str, Any]) -> str:
    if first["abstained"] != second["abstained"]:
        return "outcome"
    if set(first["cited"]) != set(second["cited"]):
        return "sources"
    return "answer" if first["answer"] != second["answer"] else ""


async def _predict(rows: list[dict[str, Any]], predictions: Path, predict: Predictor) -> None:
    file = PredictionFile(predictions)
    missing = list(file.missing_rows(rows))
    for row in track(missing, description="Answering", console=err, disable=not err.is_terminal, transient=True):
        file.add(await predict(row))


def _print_scores(kind: str, gold: Path, predictions: Path) -> None:
    pairs = PredictionFile(predictions).pairs(read_rows(gold))
    table = Table("figure", "value", box=None)
    labelled: Sequence[tuple[dict[str, Any], dict[str, Any]]] = [
        pair for pair in pairs if not pair[0].keys().isdisjoint(SCORABLE_FIELDS)
    ]
    if labelled:
        for scorer in SCORERS[kind]:
            for name, value in scorer(labelled).items():
                table.add_row(name, f"{value:.4f}" if isinstance(value, float) else str(value))
    else:
        print_note(f"The rows have no right answers, so nothing is scored. Fields for them: {GOLD_FIELDS[kind]}.")
    waits = sorted(predicted["ms"] for _, predicted in pairs if "ms" in predicted)
    if len(waits) > 1:
        table.add_row("ms p50", f"{statistics.median(waits):.1f}")
        table.add_row("ms p95", f"{statistics.quantiles(waits, n=20)[-1]:.1f}")
    out.print(table)


MAX_NAMED_ROWS = 10
"""Rows that a change names."""


@eval_app.command()
def golden(
    file: Annotated[Path, typer.Argument(help="JSON Lines: {id, question, outcome?, documents?, facts?, absent?}.")],
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Baseline to compare with; default: FILE.baseline.json.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Save this run as the baseline.")] = False,
    data: DataOption = None,
) -> None:
    """Answer questions from the indexed documents and compare the results with a baseline.

    `documents` are file names that must be cited, `facts` texts that must be said, `absent` texts that must not. Where
    a model is set, also what people see of what it writes, and what decided that. Exit status 1: a share got worse by
    more than chance; one row never does that.
    """
    settings = load_settings(data)
    rows = read_rows(file, "question", allowed={"outcome": (*AnswerOutcome, "")})
    against = baseline or file.with_name(f"{file.name}.baseline.json")
    scores: dict[str, dict[str, Any]] = {}
    answers: list[Answer] = []

    async def work() -> None:
        from bot.wiring import open_citewell
        from pipeline.values import AnswerRequest

        async with open_citewell(settings, make=False) as citewell:
            everything = await citewell.all_collections()
            for row in track(rows, "Answering", console=err, disable=not err.is_terminal, transient=True):
                request = AnswerRequest(
                    text=row["question"], audience=everything, turns=parse_turns(row.get("history") or [])
                )
                answers.append(await citewell.respond(request))
                scores[str(row["id"])] = score_answer(row, answers[-1])

    run_async(work())
    _print_shares(scores)
    _print_drafts(answers)
    if write:
        write_baseline(against, scores)
        out.print(f"This is the baseline now: {against}", markup=False)
    elif not against.exists():
        print_note(f"There is no baseline yet; --write keeps this run as {against}.")
    elif not _print_changes(compare_runs(scores, read_baseline(against))):
        raise typer.Exit(1)


def _print_shares(scores: dict[str, dict[str, Any]]) -> None:
    table = Table("right", "rows", "share", "95 %", box=None)
    for kind in CRITERIA:
        right = sum(bool(row[kind]) for row in scores.values())
        low, high = wilson_interval(right, len(scores))
        table.add_row(kind, f"{right} of {len(scores)}", f"{right / len(scores):.0%}", f"{low:.0%} to {high:.0%}")
    out.print(table)


def _print_drafts(answers: list[Answer]) -> None:
    """Print what readers see of a model's drafts, if a model is set."""
    if figures := summarize_drafts(answers):
        table = Table("what the model wrote", "", box=None)
        for name, value in figures.items():
            table.add_row(name, value)
        out.print("", table)


def _print_changes(changes: list[ScoreChange]) -> bool:
    """Print the changes. Return True if nothing got worse by more than chance."""
    for change in changes:
        if change.worse or change.better:
            verdict = "worse" if change.fails else "within chance"
            out.print(f"{change.kind}: {change.before} -> {change.right} of {change.rows} ({verdict})", markup=False)
            for name, rows in (("worse", change.worse), ("better", change.better)):
                if rows:
                    more = f" and {len(rows) - MAX_NAMED_ROWS} more" if len(rows) > MAX_NAMED_ROWS else ""
                    out.print(f"  {name}: {', '.join(rows[:MAX_NAMED_ROWS])}{more}", markup=False)
    if not any(change.worse or change.better for change in changes):
        out.print("Nothing changed since the baseline.")
    return not any(change.fails for change in changes)


@eval_app.command()
def collect(
    file: Annotated[Path, typer.Argument(help="File to add rows to. Rows that it has are not changed.")],
    data: DataOption = None,
) -> None:
    """Add rows for `eval golden` from answers that everybody who rated them found helpful."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            await citewell.authority.require(OPERATOR_ACTOR, Action.READ_RATINGS)
            answers = await citewell.storage.feedback.helpful()
        known_ids = {str(row["id"]) for row in read_rows(file)} if file.exists() and file.stat().st_size else set()
        new = [row for row in collect_rows(answers) if row["id"] not in known_ids]
        with file.open("a", encoding="utf-8") as rows:
            rows.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in new)
        out.print(f"{wording.count_noun(len(new), 'row')} added to {file}.", markup=False)

    run_async(work())
