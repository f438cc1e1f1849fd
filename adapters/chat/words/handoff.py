"""A question that people are asked: what is posted, as texts and links that each platform writes down, and the form
for the reply. Pure."""

from __future__ import annotations

from typing import NamedTuple

from adapters.chat.words.forms import ChoiceField, Form, FormValues, TextField
from pipeline.compose import citations
from pipeline.translations import TranslatableText, Translator
from pipeline.values import Answer, HandoffNotice, MessageKey, NoticeKind
from pipeline.words import wording
from pipeline.words.text import strip_invisible

NOTICE_QUESTION, NOTICE_ANSWER, NOTICE_REPLY = 1_000, 1_200, 2_500
"""Characters that are shown of each."""
MAX_NOTICE_SOURCES = 5
RESOLVE_LABEL, REPLY_SEND_LABEL, REPLY_CLOSE_LABEL = (
    TranslatableText("Reply or resolve"),
    TranslatableText("Send"),
    TranslatableText("Close"),
)
FORM_TITLE = TranslatableText("Your reply")
REPLY_LABEL, REPLY_HINT = (
    TranslatableText("What you reply"),
    TranslatableText("Leave it empty if the person who asked knows already."),
)
KEEP_LABEL = TranslatableText("Keep it as an answer?")
KEEP_YES, KEEP_NO = (
    TranslatableText("Yes, for everybody who asks this"),
    TranslatableText("No, only for the person who asked"),
)
UNNAMED_PERSON = TranslatableText("A colleague")
"""Whoever has no name."""
ORIGIN_LABEL = TranslatableText("Where it was asked")


SEND_AND_KEEP = TranslatableText("Send and keep")
RESOLVE_BUTTON, HANDOFF_FORM = "resolve", "resolved"
"""What opens the form, and the form."""
SEND_BUTTON, KEEP_BUTTON = "send", "sendkeep"
"""What sends a message that somebody wrote where people were asked, and what keeps it, too."""


class UnsentReply(NamedTuple):
    """What somebody is told who wrote where people were asked, instead of pressing the button there."""

    text: str
    notice: MessageKey
    """The message that asks people."""
    buttons: tuple[tuple[str, str], ...] = ()
    """Each with its label and its action; none below what is no reply."""


def build_unsent_reply(notice: MessageKey, words: Translator, *, sendable: bool, keep: bool) -> UnsentReply:
    """`sendable`: it can be a reply. `keep`: replies can be kept there."""
    if not sendable:
        return UnsentReply(words(wording.REPLY_NOT_SENT, button=words(RESOLVE_LABEL)), notice)
    kept = ((words(SEND_AND_KEEP), KEEP_BUTTON),) if keep else ()
    return UnsentReply(words(wording.CONFIRM_REPLY), notice, ((words(REPLY_SEND_LABEL), SEND_BUTTON), *kept))


class NoticeLink(NamedTuple):
    text: str
    url: str = ""


class NoticeText(NamedTuple):
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


def build_notice_text(notice: HandoffNotice) -> NoticeText:
    words = Translator(notice.language)
    question = _short(notice.handoff.question, NOTICE_QUESTION)
    match notice.about:
        case NoticeKind.ASKED:
            return _asked(question, notice.answer, words)
        case NoticeKind.RESOLVED:
            heading = words(wording.HANDOFF_REPLIED if notice.reply else wording.HANDOFF_CLOSED, who=notice.resolver)
            return NoticeText(heading, quoted=_short(notice.reply, NOTICE_REPLY), note=question)
        case NoticeKind.UNDELIVERED:
            return NoticeText(words(wording.HANDOFF_FAILED), note=question)


def _short(text: str, room: int) -> str:
    """Without what hides in it, over as many lines as it has."""
    shown = strip_invisible(text).strip()
    return shown if len(shown) <= room else f"{shown[: room - 1].rstrip()}…"


def _asked(question: str, answer: Answer | None, words: Translator) -> NoticeText:
    shown = (*answer.citations, *answer.nearest)[:MAX_NOTICE_SOURCES] if answer else ()
    return NoticeText(
        words(wording.HANDOFF_TITLE),
        quoted=question,
        found=_short(" ".join(sentence.text for sentence in answer.sentences), NOTICE_ANSWER) if answer else "",
        sources=tuple(
            NoticeLink(_short(citations.citation_reference(citation, words), 200), citation.url) for citation in shown
        ),
        note="" if answer else words(wording.ANSWER_WITHHELD),
        button=words(RESOLVE_LABEL),
        origin=words(ORIGIN_LABEL),
    )


def handoff_form(about: str, words: Translator, *, keep: bool) -> Form:
    """The one for the reply. `keep`: it may be kept as an answer."""
    reply = TextField("reply", words(REPLY_LABEL), words(REPLY_HINT), NOTICE_REPLY, is_multiline=True)
    kept = ChoiceField("keep", words(KEEP_LABEL), {"no": words(KEEP_NO), "yes": words(KEEP_YES)}, ("no",))
    return Form(
        HANDOFF_FORM,
        about,
        words(FORM_TITLE),
        words(REPLY_SEND_LABEL),
        words(REPLY_CLOSE_LABEL),
        (reply, kept) if keep else (reply,),
    )


def parse_handoff_form(filled: FormValues) -> tuple[str, bool]:
    """The reply, and whether it is to be kept."""
    return shorten_reply("".join(filled.get("reply", ()))), "yes" in filled.get("keep", ())


def shorten_reply(reply: str) -> str:
    return reply[:NOTICE_REPLY].strip()
