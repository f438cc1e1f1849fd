"""Texts of a handoff to people: the notice, as texts and links that each platform renders, and the form for the reply.
Pure."""

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
    TranslatableText("Leave it empty if whoever asked knows already."),
)
KEEP_LABEL = TranslatableText("Keep it as an answer?")
KEEP_YES, KEEP_NO = (
    TranslatableText("Yes, for everybody who asks this"),
    TranslatableText("No, for whoever asked alone"),
)
UNNAMED_PERSON = TranslatableText("A colleague")
"""Name of a person without a name."""
ORIGIN_LABEL = TranslatableText("Where it was asked")


SEND_AND_KEEP = TranslatableText("Send and keep")
RESOLVE_BUTTON, HANDOFF_FORM = "resolve", "resolved"
"""The button that opens the form, and the form."""
SEND_BUTTON, KEEP_BUTTON = "send", "sendkeep"
"""The button that sends a message written below the notice as reply, and the one that keeps it, too."""


class UnsentReply(NamedTuple):
    """Offer to send a message as reply, for a person who wrote below a handoff notice instead of pressing its
    button."""

    text: str
    notice: MessageKey
    """The handoff notice."""
    buttons: tuple[tuple[str, str], ...] = ()
    """Label and action of each; empty below what is no reply."""


def build_unsent_reply(notice: MessageKey, translator: Translator, *, sendable: bool, keep: bool) -> UnsentReply:
    """Build the offer. `sendable`: the message can be a reply. `keep`: replies can be kept there."""
    if not sendable:
        return UnsentReply(translator(wording.REPLY_NOT_SENT, button=translator(RESOLVE_LABEL)), notice)
    keep_button = ((translator(SEND_AND_KEEP), KEEP_BUTTON),) if keep else ()
    return UnsentReply(
        translator(wording.CONFIRM_REPLY), notice, ((translator(REPLY_SEND_LABEL), SEND_BUTTON), *keep_button)
    )


class NoticeLink(NamedTuple):
    text: str
    url: str = ""


class NoticeText(NamedTuple):
    """The texts of a handoff notice. All foreign text in it is shown literally."""

    heading: str
    quoted: str = ""
    """The question, or the reply."""
    found: str = ""
    """The bot's answer."""
    sources: tuple[NoticeLink, ...] = ()
    note: str = ""
    button: str = ""
    """The label of the button that resolves it."""
    origin: str = ""
    """The label of the link to the question."""


def build_notice_text(notice: HandoffNotice) -> NoticeText:
    translator = Translator(notice.language)
    question = _shorten(notice.handoff.question, NOTICE_QUESTION)
    match notice.about:
        case NoticeKind.ASKED:
            return _question_text(question, notice.answer, translator)
        case NoticeKind.RESOLVED:
            heading = translator(
                wording.HANDOFF_REPLIED if notice.reply else wording.HANDOFF_CLOSED, who=notice.resolver
            )
            return NoticeText(heading, quoted=_shorten(notice.reply, NOTICE_REPLY), note=question)
        case NoticeKind.UNDELIVERED:
            return NoticeText(translator(wording.HANDOFF_FAILED), note=question)


def _shorten(text: str, room: int) -> str:
    """Return the text without hidden characters, shortened, with its line ends."""
    visible = strip_invisible(text).strip()
    return visible if len(visible) <= room else f"{visible[: room - 1].rstrip()}…"


def _question_text(question: str, answer: Answer | None, translator: Translator) -> NoticeText:
    sources = (*answer.citations, *answer.nearest)[:MAX_NOTICE_SOURCES] if answer else ()
    return NoticeText(
        translator(wording.HANDOFF_TITLE),
        quoted=question,
        found=_shorten(" ".join(sentence.text for sentence in answer.sentences), NOTICE_ANSWER) if answer else "",
        sources=tuple(
            NoticeLink(_shorten(citations.citation_reference(citation, translator), 200), citation.url)
            for citation in sources
        ),
        note="" if answer else translator(wording.ANSWER_WITHHELD),
        button=translator(RESOLVE_LABEL),
        origin=translator(ORIGIN_LABEL),
    )


def handoff_form(subject_id: str, translator: Translator, *, keep: bool) -> Form:
    """Return the form for the reply. `keep`: it may be kept as an answer."""
    reply = TextField("reply", translator(REPLY_LABEL), translator(REPLY_HINT), NOTICE_REPLY, is_multiline=True)
    keep_field = ChoiceField(
        "keep", translator(KEEP_LABEL), {"no": translator(KEEP_NO), "yes": translator(KEEP_YES)}, ("no",)
    )
    return Form(
        HANDOFF_FORM,
        subject_id,
        translator(FORM_TITLE),
        translator(REPLY_SEND_LABEL),
        translator(REPLY_CLOSE_LABEL),
        (reply, keep_field) if keep else (reply,),
    )


def parse_handoff_form(values: FormValues) -> tuple[str, bool]:
    """Return the reply, and whether it is to be kept."""
    return shorten_reply("".join(values.get("reply", ()))), "yes" in values.get("keep", ())


def shorten_reply(reply: str) -> str:
    return reply[:NOTICE_REPLY].strip()
