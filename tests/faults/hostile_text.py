"""Feeds hostile text to one entry point: `python -m tests.faults.hostile_text ENTRY`.

Each input gets as much processor time as its entry point is allowed; the kernel ends the process at the one that takes
more, which is the last that was named on standard output.
"""

from __future__ import annotations

import math
import resource
import string
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline.errors import Refused

Run = Callable[[str], object]

UNITS = (
    *string.punctuation,
    *" \n\t\r01aAé日。、！？…“”’»🙂",
    *("\u00ad", "\u200b", "\u0300\u0315", "\u0315\u00ad\u0300", "ﾞ\u0300"),
    *("A. ", "a. ", "e.g. ", "No. ", "No. 1 ", "etc.) ", '." ', "a?! ", "... ", "a。", "?! ", '?" '),
    *("- a\n", "* ", "1. a\n", "> a\n", "# ", "## ", "|a", "|-", "| a |\n", "a\n", "A\n\n", "\r\n", "=\n", "a\n=\n"),
    *(
        "[1]",
        "[1, ",
        "[1†A. ",
        "(1",
        "[a](",
        "![",
        "[[",
        "``",
        "`a",
        "**a",
        "*a_ ",
        "_a ",
        "<!--",
        "<a ",
        "<b>",
        "</b>",
    ),
    *(
        "&#",
        "&#1",
        "&#11111",
        "&amp;",
        "%41",
        "\\u00",
        "\\x4",
        "0x",
        "12 ",
        "1,",
        "1-",
        "10:30 ",
        ".- ",
        "a-",
        "a_",
        "a'",
    ),
    *("a@", "@a.", "a.", "a/", "://", ":a", ":a:`", ":a:`b <", "a: ", "; ", ", ", "!a", "!1", "a!", "1a", "é1!"),
    *("please ", "please, ", "hi! ", "thanks ", "if ", "and ", "what ", "how ", "vs ", "ignore ", "previous ", "say "),
    *("your answer ", "question: ", "3 May 2024 ", "room 7 ", "E4 ", "at least 1 ", ".. a::\n", '{"a":', "<div>"),
    *("<p>a", "<ul><li>", "<header>", "<span hidden>a</span>", "<table><tr><td>", "+---+\n"),
)
AROUND = (
    *(("", unit, "b") for unit in UNITS),
    *(("what is it ", unit, "b") for unit in ("!", "! ", ", ", "\n", "\n>", "thanks ", "please, ", '"')),
    *(('"', unit, '"b') for unit in ("a", "'", '"')),
    *(("---\na", unit, "x\n---\nb") for unit in (" ", "a", ":", "- ", "\n")),
    *(("[1] a", unit, "\nb") for unit in ("A. ", "!", "† A. ", "[1] ", "(")),
)
"""What is put before and behind many times a unit: a pattern that nearly matches looks again from each place."""


@dataclass(frozen=True)
class Entry:
    """What is fed, how long the inputs are, and the seconds of processor time for each: many times the need."""

    load: Callable[[], Run]
    characters: int
    seconds: int = 3


def inputs(characters: int) -> Iterator[tuple[str, str]]:
    for before, unit, after in AROUND:
        yield f"{before!r} {unit!r} {after!r}", before + (unit * characters)[:characters] + after


def _question() -> Run:
    from pipeline.plan.question import extract_question

    return extract_question


def _planning() -> Run:
    from pipeline.plan.follow_up import complete_question
    from pipeline.plan.intent import detect_answer_format, detect_intent
    from pipeline.plan.question import extract_question
    from pipeline.plan.rule_planner import split_comparison, split_question
    from pipeline.plan.smalltalk import detect_small_talk

    def run(text: str) -> None:
        question = extract_question(text)
        detect_small_talk(question)
        complete_question(question, ())
        detect_answer_format(question, detect_intent(question))
        split_comparison(question)
        split_question(question)

    return run


def _message() -> Run:
    from pipeline.screen import screen_message

    return screen_message


def _document() -> Run:
    from pipeline.screen import screen_document

    return screen_document


def _flagged() -> Run:
    from pipeline.screen import is_assistant_instruction

    return lambda text: is_assistant_instruction(text, text)


def _draft() -> Run:
    from pipeline.write.draft_parser import DraftParser

    def run(text: str) -> None:
        parser = DraftParser()
        for start in range(0, len(text), 24):
            parser.feed(text[start : start + 24])
        parser.close()

    return run


def _text() -> Run:
    from pipeline.words import text as module

    def run(text: str) -> None:
        module.sentence_spans(text)
        module.content_terms(text)
        module.query_terms(text)
        module.lexical_form(text)

    return run


def _splitting() -> Run:
    from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
    from pipeline.values import Block, BlockKind, Document, ParsedDocument

    def run(text: str) -> None:
        if text.strip():
            for kind in (BlockKind.PROSE, BlockKind.ITEM, BlockKind.ROW, BlockKind.CODE):
                blocks = (Block(kind=kind, text=text),)
                TokenSplitter(WordTokenizer()).split(
                    ParsedDocument(document=Document(id="d", filename="d", title="D"), blocks=blocks)
                )

    return run


def _figures() -> Run:
    from pipeline.evidence.conflicts import is_conflict

    return lambda text: is_conflict(text, text, text)


def _instead() -> Run:
    from pipeline.evidence.substituted_terms import find_named_terms
    from pipeline.words.text import distinct_terms

    return lambda text: find_named_terms(distinct_terms(text), (text, text)).find_substituted([text[1:], text])


def _asking() -> Run:
    from pipeline.evidence.question_analysis import analyze_question

    return analyze_question


def _addresses() -> Run:
    from pipeline.write.foreign_references import find_foreign_references

    return lambda text: find_foreign_references(text, [text])


def _file(suffix: str) -> Callable[[], Run]:
    def load() -> Run:
        from adapters.files.reader_worker import read_format

        return lambda text: read_format(suffix, text.encode("utf-8", "replace"))

    return load


def _names() -> Run:
    from adapters.files.content import OutlineBuilder, clean_label, clean_text, safe_url
    from pipeline.values import BlockKind

    def run(text: str) -> None:
        clean_text(text)
        clean_label(text)
        OutlineBuilder().add_row(BlockKind.ROW, [text])
        safe_url(f"https://a{text}")

    return run


def _roles() -> Run:
    from adapters.files.text.rst import widen_table
    from adapters.files.text.sphinx import directive_names, role_names, strip_directive_options

    def run(text: str) -> None:
        for read in (directive_names, role_names, strip_directive_options, widen_table):
            read(text)

    return run


def _slack_message() -> Run:
    from adapters.slack.events.incoming import SlackBot, parse_event

    me = SlackBot(team="T0TEAM", user="U0BOT")
    event = {"type": "message", "channel": "C0TEAM", "user": "U0ANN", "ts": "2.0", "thread_ts": "1.0"}
    return lambda text: parse_event({"team_id": me.team, "event": {**event, "text": text}}, me)


def _slack_sources() -> Run:
    from adapters.chat.reply.builder import build_reply
    from adapters.chat.reply.panels import passages_panel
    from adapters.slack.rendering.render import render_posts
    from tests.contracts.answers import citation, cited

    def run(text: str) -> None:
        answer = cited("Thirty days.", citations=[citation(title=text, heading=(text,), quote=text)])
        render_posts(build_reply(answer))
        render_posts(passages_panel(answer))

    return run


ENTRIES = {
    "a message in Slack": Entry(_slack_message, 40_000),
    "sources in Slack": Entry(_slack_sources, 24_000),
    "a message's question": Entry(_question, 40_000),
    "planning": Entry(_planning, 2_000),
    "screening a message": Entry(_message, 20_000),
    "screening a document": Entry(_document, 20_000),
    "screening a sentence": Entry(_flagged, 3_000),
    "a draft in small pieces": Entry(_draft, 3_000),
    "sentences and terms": Entry(_text, 20_000),
    "splitting": Entry(_splitting, 4_000),
    "what is asked for": Entry(_asking, 3_000),
    "figures": Entry(_figures, 15_000),
    "what stands instead": Entry(_instead, 20_000),
    "addresses": Entry(_addresses, 20_000),
    "Markdown": Entry(_file(".md"), 3_000, 20),
    "plain text": Entry(_file(".txt"), 3_000, 20),
    "HTML": Entry(_file(".html"), 5_000, 20),
    "CSV": Entry(_file(".csv"), 2_500, 20),
    "names of documents": Entry(_names, 30_000),
    "roles in reStructuredText": Entry(_roles, 20_000),
}


def main(entry: Entry) -> None:
    run = entry.load()
    run("What is there? A first run loads what the others need.")
    for name, text in inputs(entry.characters):
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        until = math.ceil(time.process_time() + entry.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
        try:
            run(text)
        except Refused:
            continue


if __name__ == "__main__":
    main(ENTRIES[sys.argv[1]])
