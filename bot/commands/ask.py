"""`citewell ask`, `chat` and `demo`."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from adapters.console import follow_answer, render
from bot.commands.terminal import (
    DataOption,
    bind_question_id,
    enum_option,
    err,
    load_settings,
    no_documents_hint,
    out,
    print_note,
    print_warnings,
    reject_binary_input,
    run_async,
)
from bot.config.settings import Settings
from bot.handbook import DEMO_QUESTIONS, open_handbook
from pipeline.values import Answer, AnswerFormat, AnswerOutcome, AnswerStyle, BlockKind, CitationStyle
from pipeline.words.language import choose_words, detect_supported_language

_FORMS = {AnswerFormat.TABLE: BlockKind.ROW, AnswerFormat.STEPS: BlockKind.STEP}
"""Formats that an answer takes only if the documents have them, and the block kinds they are made of."""
ThreadOption = Annotated[
    str, typer.Option("--thread", help="Name of a conversation. Later questions may refer to earlier ones.")
]
CitationsOption = Annotated[
    CitationStyle | None, typer.Option("--citations", **enum_option(CitationStyle), help="How citations are marked.")
]
StyleOption = Annotated[
    AnswerStyle | None, typer.Option("--style", **enum_option(AnswerStyle), help="How detailed the answer is.")
]
FormatOption = Annotated[
    AnswerFormat | None,
    typer.Option(
        "--format", **enum_option(AnswerFormat), help="Format of the answer; default: the one that suits the question."
    ),
]
PassagesOption = Annotated[bool, typer.Option("--passages", help="Show the exact passages that are quoted.")]
WhyOption = Annotated[bool, typer.Option("--why", help="Show how the confidence was computed.")]


def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    thread: ThreadOption = "",
    citations: CitationsOption = None,
    style: StyleOption = None,
    format_: FormatOption = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all entries of a list, table or script.")] = False,
    passages: PassagesOption = False,
    why: WhyOption = False,
    json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
    data: DataOption = None,
) -> None:
    """Ask one question.

    Exit status 0: answered. 1: not answered; the reason is printed."""
    settings = load_settings(data)
    with reject_binary_input():
        text = typer.get_text_stream("stdin").read() if question == "-" else question
        text.encode()  # bytes of an argument that are not UTF-8 come as surrogates

    async def work() -> Answer:
        from bot.doctor.config_warnings import warn_stale_embeddings, warn_unreachable_server
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False, asked=True) as citewell:
            print_warnings(await warn_unreachable_server(settings.chroma_url))
            bind_question_id()
            stream = await citewell.stream(
                text, thread=thread, style=style, format=format_, citations=citations, everything=everything
            )
            answer = await follow_answer(stream, err, choose_words(None, (detect_supported_language(text),)))
            print_warnings(await warn_stale_embeddings(citewell))
            return answer

    answer = asyncio.run(work())
    if "empty_knowledge_base" in answer.safety_flags:
        print_note(no_documents_hint(settings))
    if "more_documents" in answer.safety_flags:
        print_note("To list all: citewell documents")
    if (
        format_ in _FORMS
        and answer.sentences
        and _FORMS[format_] not in {sentence.kind for sentence in answer.sentences}
    ):
        print_note(f"The answer has no {format_.value}.")
    if json:
        out.print_json(data=answer_to_dict(answer))
    else:
        out.print(_render_answer(answer, settings, passages=passages, why=why))
    if (
        answer.outcome not in (AnswerOutcome.ANSWERED, AnswerOutcome.PARTIAL)
        or "empty_knowledge_base" in answer.safety_flags
    ):
        raise typer.Exit(1)


def _render_answer(answer: Answer, settings: Settings, *, passages: bool, why: bool) -> RenderableType:
    """Render the answer with the parts that were asked for."""
    return render(
        answer, citations=settings.include_citations, confidence=settings.include_confidence, passages=passages, why=why
    )


def answer_to_dict(answer: Answer) -> dict[str, Any]:
    """Return every field of the answer; its text also as `answer`, and documents also as `doc_id`, as `eval` names
    them."""
    fields = answer.model_dump(mode="json")
    for citation in (*fields["citations"], *fields["nearest"]):
        citation["doc_id"] = citation["document_id"]
    return {"answer": answer.body, **fields}


def chat(
    thread: Annotated[
        str, typer.Option("--thread", help="Name of a conversation to continue; default: a new one.")
    ] = "",
    passages: PassagesOption = False,
    why: WhyOption = False,
    data: DataOption = None,
) -> None:
    """Have a conversation. An empty line, Ctrl-C or Ctrl-D ends it."""
    from bot.citewell import Citewell
    from bot.wiring import open_citewell

    async def answer(citewell: Citewell, text: str) -> Answer:
        bind_question_id()
        stream = await citewell.stream(text, thread=thread)
        return await follow_answer(stream, err, choose_words(None, (detect_supported_language(text),)))

    thread = thread or f"chat-{secrets.token_hex(3)}"
    settings = load_settings(data)
    opening = open_citewell(settings, make=False, asked=True)
    with asyncio.Runner() as runner, reject_binary_input():
        citewell = runner.run(opening.__aenter__())
        try:
            if not runner.run(citewell.storage.library.list_collections()):
                print_note(no_documents_hint(settings))
            out.print("[dim]Ask; an empty line ends the conversation.[/dim]")
            while text := out.input("[bold]> [/bold]").strip():
                out.print(_render_answer(runner.run(answer(citewell, text)), settings, passages=passages, why=why))
                out.print()
        except (EOFError, KeyboardInterrupt):
            out.print()
        finally:
            err.print(f"To go on with this conversation: citewell chat --thread {shlex.quote(thread)}", markup=False)
            runner.run(opening.__aexit__(None, None, None))


def demo() -> None:
    """Show a conversation about a small example handbook. It has a data folder of its own."""
    with tempfile.TemporaryDirectory(prefix="citewell-demo-") as folder, open_handbook() as documents:
        settings = load_settings().isolated(Path(folder))

        async def work() -> None:
            from bot.wiring import open_citewell

            async with open_citewell(settings) as citewell:
                with err.status("Indexing the example handbook"):
                    summary = await citewell.index([documents])
                out.print(f"[dim]Indexed {summary.added} documents of the example handbook. The conversation:[/dim]\n")
                for question in DEMO_QUESTIONS:
                    out.rule(f"[dim]{question.demonstrates}[/dim]", align="left", style="dim")
                    out.print(f"\n[bold]> {question.text}[/bold]\n")
                    answer = await citewell.answer(question.text, thread=question.thread)
                    out.print(render(answer, passages=question.passages))
                    out.print()
                out.print("[dim]Now index your own: citewell index FOLDER, then citewell ask or citewell chat.[/dim]")

        run_async(work())
