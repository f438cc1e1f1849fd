"""A question that people are asked: what is posted, as texts and links that each platform writes down, and the form
for the reply. Pure."""

from __future__ import annotations

from typing import NamedTuple

from adapters.chat.words.forms import ChoiceField, Filled, Form, TextField
from pipeline.compose import cite
from pipeline.translations import Message, Words
from pipeline.values import About, Answer, MessageKey, Notice
from pipeline.words import wording
from pipeline.words.text import visible

QUESTION, ANSWER, REPLY = 1_000, 1_200, 2_500
"""Characters that are shown of each."""
SOURCES = 5
RESOLVE, SEND, CLOSE = Message("Reply or resolve"), Message("Send"), Message("Close")
FORM_TITLE = Message("Your reply")
REPLY_LABEL, REPLY_HINT = Message("What you reply"), Message("Leave it empty if whoever asked knows already.")
KEEP_LABEL = Message("Keep it as an answer?")
KEEP_YES, KEEP_NO = Message("Yes, for everybody who asks this"), Message("No, for whoever asked alone")
COLLEAGUE = Message("A colleague")
"""Whoever has no name."""
ORIGIN = Message("Where it was asked")


SEND_AND_KEEP = Message("Send and keep")
RESOLVE_BUTTON, RESOLVED = "resolve", "resolved"
"""What opens the form, and the form."""
SEND_BUTTON, KEEP_BUTTON = "send", "sendkeep"
"""What sends a message that somebody wrote where people were asked, and what keeps it, too."""


class Unsent(NamedTuple):
    """What somebody is told who wrote where people were asked, instead of pressing the button there."""

    text: str
    notice: MessageKey
    """The message that asks people."""
    buttons: tuple[tuple[str, str], ...] = ()
    """Each with its label and its action; none below what is no reply."""


def unsent(notice: MessageKey, words: Words, *, sendable: bool, keep: bool) -> Unsent:
    """`sendable`: it can be a reply. `keep`: replies can be kept there."""
    if not sendable:
        return Unsent(words(wording.NOT_SENT, button=words(RESOLVE)), notice)
    kept = ((words(SEND_AND_KEEP), KEEP_BUTTON),) if keep else ()
    return Unsent(words(wording.SEND_IT), notice, ((words(SEND), SEND_BUTTON), *kept))


class NoticeLink(NamedTuple):
    text: str
    url: str = ""


class Told(NamedTuple):
    """All foreign text in it is to be shown as it stands."""

    heading: str
    quoted: str = ""
    """The question, or the reply."""
    found: str = ""
    """What was answered."""
    sources: tuple[NoticeLink, ...] = ()
    note: str = ""
    button: str = ""
    """Resolves it."""
    origin: str = ""
    """What the link says that leads to where it was asked."""


def told(notice: Notice) -> Told:
    words = Words(notice.language)
    question = _short(notice.handoff.question, QUESTION)
    match notice.about:
        case About.ASKED:
            return _asked(question, notice.found, words)
        case About.RESOLVED:
            heading = words(wording.REPLIED if notice.reply else wording.DEALT_WITH, who=notice.resolver)
            return Told(heading, quoted=_short(notice.reply, REPLY), note=question)
        case About.UNDELIVERED:
            return Told(words(wording.NOT_PASSED_ON), note=question)


def _short(text: str, room: int) -> str:
    """Without what hides in it, over as many lines as it has."""
    shown = visible(text).strip()
    return shown if len(shown) <= room else f"{shown[: room - 1].rstrip()}…"


def _asked(question: str, answer: Answer | None, words: Words) -> Told:
    shown = (*answer.citations, *answer.nearest)[:SOURCES] if answer else ()
    return Told(
        words(wording.ASKED_FOR),
        quoted=question,
        found=_short(" ".join(sentence.text for sentence in answer.sentences), ANSWER) if answer else "",
        sources=tuple(NoticeLink(_short(cite.reference(citation, words), 200), citation.url) for citation in shown),
        note="" if answer else words(wording.WITHHELD),
        button=words(RESOLVE),
        origin=words(ORIGIN),
    )


def form(about: str, words: Words, *, keep: bool) -> Form:
    """The one for the reply. `keep`: it may be kept as an answer."""
    reply = TextField("reply", words(REPLY_LABEL), words(REPLY_HINT), REPLY, lines=True)
    kept = ChoiceField("keep", words(KEEP_LABEL), {"no": words(KEEP_NO), "yes": words(KEEP_YES)}, ("no",))
    return Form(RESOLVED, about, words(FORM_TITLE), words(SEND), words(CLOSE), (reply, kept) if keep else (reply,))


def given(filled: Filled) -> tuple[str, bool]:
    """The reply, and whether it is to be kept."""
    return shortened("".join(filled.get("reply", ()))), "yes" in filled.get("keep", ())


def shortened(reply: str) -> str:
    return reply[:REPLY].strip()
