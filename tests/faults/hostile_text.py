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
    from pipeline.plan.question import clean

    return clean


def _planning() -> Run:
    from pipeline.plan.followup import complete
    from pipeline.plan.intent import format_of, intent_of
    from pipeline.plan.plan import compared, parts
    from pipeline.plan.question import clean
    from pipeline.plan.smalltalk import small_talk

    def run(text: str) -> None:
        question = clean(text)
        small_talk(question)
        complete(question, ())
        format_of(question, intent_of(question))
        compared(question)
        parts(question)

    return run


def _message() -> Run:
    from pipeline.screen import screen

    return screen


def _document() -> Run:
    from pipeline.screen import screen_document

    return screen_document


def _flagged() -> Run:
    from pipeline.screen import addressed_to_assistant

    return lambda text: addressed_to_assistant(text, text)


def _draft() -> Run:
    from pipeline.write.markup import Parser

    def run(text: str) -> None:
        parser = Parser()
        for start in range(0, len(text), 24):
            parser.feed(text[start : start + 24])
        parser.close()

    return run


def _text() -> Run:
    from pipeline.words import text as module

    def run(text: str) -> None:
        module.sentences(text)
        module.terms(text)
        module.query_terms(text)
        module.lexical_form(text)

    return run


def _splitting() -> Run:
    from pipeline.ingest.split import Splitter, WordCount
    from pipeline.values import Block, BlockKind, Document, Parsed

    def run(text: str) -> None:
        if text.strip():
            for kind in (BlockKind.PROSE, BlockKind.ITEM, BlockKind.ROW, BlockKind.CODE):
                blocks = (Block(kind=kind, text=text),)
                Splitter(WordCount()).split(Parsed(document=Document(id="d", filename="d", title="D"), blocks=blocks))

    return run


def _figures() -> Run:
    from pipeline.read.differing import differ

    return lambda text: differ(text, text, text)


def _instead() -> Run:
    from pipeline.read.siblings import instead
    from pipeline.words.text import distinct_terms

    return lambda text: instead(distinct_terms(text), (text, text), [text[1:], text])


def _asking() -> Run:
    from pipeline.read.asked import read

    return read


def _addresses() -> Run:
    from pipeline.write.synthesize import strange

    return lambda text: strange(text, [text])


def _file(suffix: str) -> Callable[[], Run]:
    def load() -> Run:
        from adapters.files.child import read_format

        return lambda text: read_format(suffix, text.encode("utf-8", "replace"))

    return load


def _names() -> Run:
    from adapters.files.outline import Outline, clean, label, safe_url
    from pipeline.values import BlockKind

    def run(text: str) -> None:
        clean(text)
        label(text)
        Outline().row(BlockKind.ROW, [text])
        safe_url(f"https://a{text}")

    return run


def _roles() -> Run:
    from adapters.files.text.rst import widened
    from adapters.files.text.sphinx import named_directives, named_roles, without_options

    def run(text: str) -> None:
        for read in (named_directives, named_roles, without_options, widened):
            read(text)

    return run


def _slack_message() -> Run:
    from adapters.slack.events.incoming import Me, read

    me = Me(team="T0TEAM", user="U0BOT")
    event = {"type": "message", "channel": "C0TEAM", "user": "U0ANN", "ts": "2.0", "thread_ts": "1.0"}
    return lambda text: read({"team_id": me.team, "event": {**event, "text": text}}, me)


def _slack_sources() -> Run:
    from adapters.chat.reply.answer import reply
    from adapters.chat.reply.panels import passages
    from adapters.slack.parts.render import posts
    from tests.contracts.answers import citation, cited

    def run(text: str) -> None:
        answer = cited("Thirty days.", citations=[citation(title=text, heading=(text,), quote=text)])
        posts(reply(answer))
        posts(passages(answer))

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
