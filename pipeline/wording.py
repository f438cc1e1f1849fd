"""What is said on every platform and in the terminal, in one place; what one platform alone says is in its adapter."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.values import BlockKind, Confidence, Correction, Extent, IncomingMessage, Level, Reason, Stage, Usage

PROGRESS = {
    Stage.PLANNING: "Reading the question",
    Stage.SEARCHING: "Searching the documents",
    Stage.WRITING: "Writing and checking the answer",
}
BADGE = {Level.HIGH: "●●● High confidence", Level.MEDIUM: "●●○ Medium confidence", Level.LOW: "●○○ Low confidence"}
"""Readable without colour and by a screen reader: the level is in the words."""

PARTS = {name: name.capitalize() for name in ("similarities", "differences", "contradictions", "conclusion")}
"""What stands above each part of a comparison (`CitedSentence.section`)."""

NOT_FOUND = "I could not find an answer to this in the documents."
NOT_FOUND_NEXT = "Try other words or a narrower question, or ask whoever owns the topic."
NO_PASSAGE = "no passage comes close to the question"
NEAREST = "What came closest:"
PARTIAL_CUT = "The answer ends here because the language model stopped before it was finished. Ask again for the rest."
YES, NO = "Yes.", "No."
"""Our own words above an extract that decides a yes-or-no question."""
PARTIAL_DROPPED = "Some of what was drafted is not in the documents and was left out."
SHOW_ALL = "show all"
"""What a person replies to have the rest of a long list; `--all` in the terminal."""
UNVERIFIED = "⚠ Unverified claim"
MODEL_SILENT = "The language model did not answer."
MODEL_UNSUPPORTED = "The documents do not support what the language model wrote."
MODEL_SPENT = "Today's questions to the language model are used up."
DECISIONS = frozenset({"yes", "no", "ja", "nein", "oui", "non", "sí", "sì", "sim", "não"})
"""Yes and no in the languages of LANGUAGES."""
UNSEARCHED = "no documents were searched"
FLAGGED = "⚠ holds instructions to an assistant, which were ignored"
LATE = "Sorry for the wait: I could not be reached when you asked."
EXPIRED = "I could not be reached when you asked this, and it is too old to answer now. Please ask again."
BUSY = "I am busy with many questions right now. Please ask again in a few minutes."
ASK_AGAIN = "I was interrupted while answering. Please ask again."
STOPPED = "Stopped, as you asked."
SILENCED = "I stay out of this conversation from now on, until somebody mentions me."
CALLED_BACK = "I am back: I answer questions in this conversation again."
TRY_AGAIN = "That did not work. Please try again in a minute."
NO_ANSWER = "This answer is no longer kept, or it rests on documents that you may not see."
NOT_SHARED = "This answer rests on documents that not everyone in this channel may see, so I cannot share it here."
SHARED_ALREADY = "This answer is shared here already."
REASONS = {
    Reason.WRONG: "It is wrong",
    Reason.INCOMPLETE: "It is incomplete",
    Reason.OUTDATED: "It is outdated",
    Reason.NOT_FOUND: "It did not find what exists",
    Reason.UNCLEAR: "It is unclear",
}
"""Why an answer did not help."""
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "it": "Italiano", "pt": "Português"}
"""The languages of answers that are offered for choosing, in their own words."""
NO_TEXT = "That message has no text that I can read."
SOURCES = "Sources:"
"""Stands above the references of an answer with end notes."""
WITHDRAWN = "I stopped here, because this question was erased."
ATTACHMENT = "I cannot read attached files ({names}); I answer from the indexed documents only."
SHARED_CHANNEL = (
    "This channel is shared with another organisation, and I am not allowed to answer there. "
    "Ask me in a direct message or in a channel of your own."
)


def failure(incident: str) -> str:
    """What a person sees of an unexpected error; the operator finds the incident id in the log."""
    return (
        f"Something went wrong on my side, and this question was not answered. "
        f"Please ask again; if it happens again, tell the operator this incident id: {incident}"
    )


def not_found(reason: str) -> str:
    """What is said when the documents do not answer, with why and what to try next."""
    why = f": {reason}" if reason else ""
    return f"{NOT_FOUND.rstrip('.')}{why}. {NOT_FOUND_NEXT}"


def notes_on(message: IncomingMessage) -> list[str]:
    """What is said of a question beside its answer: that its files are not read."""
    if not message.attachments:
        return []
    names = ", ".join(attachment.name[:100] for attachment in message.attachments[:10])
    return [ATTACHMENT.format(names=names)]


def left_out(claim: str) -> str:
    """A sentence of a model that is not shown, under "why"."""
    return f"Left out, not in the documents: {claim}"


def too_few(found: int, wanted: int, noun: str) -> str:
    """Why an answer is not shown that rests on less than the operator asks for."""
    return f"only {counted(found, noun)} would support an answer, and it must rest on {wanted}"


def preface(level: Level, *, passages: int, differing: bool, instead: str = "", verdict: bool | None = None) -> str:
    """How an extract is introduced: below `high` as what came closest, never as fact. `differing`: it shows two
    documents that do not agree; `instead`: why it stands in for a model; `verdict`: it says yes or no."""
    failed = f"{instead} " if instead else ""
    if verdict is not None and level is not Level.LOW:
        failed = f"{failed}{YES if verdict else NO} "
        if level is Level.HIGH:
            return failed.rstrip()
    doubt = "The documents may not answer this. " if level is Level.LOW else ""
    doubt += "The documents do not agree. " if differing else ""
    if level is Level.HIGH:
        return f"{failed}The documents say:" if failed else ""
    says = "The closest passage says:" if passages == 1 else "The closest passages say:"
    return f"{failed}{doubt}{says}"


def badge(confidence: Confidence) -> str:
    return BADGE[confidence.level]


def shown_of(extent: Extent) -> str:
    """`7 of 60 steps are shown.`"""
    noun = {BlockKind.STEP: "steps", BlockKind.ROW: "rows", BlockKind.CODE: "lines"}.get(extent.kind, "entries")
    return f"{extent.shown} of {extent.total} {noun} are shown. For all of them, reply “{SHOW_ALL}”."


def understood(corrections: Sequence[Correction]) -> str:
    """How words were read that no document holds; with the other words they may be."""
    read = ", ".join(f"“{one.word}” as “{one.meant}”" for one in corrections)
    others = " or ".join(f"“{other}”" for one in corrections for other in one.others)
    return f"I read {read}.{f' Or did you mean {others}?' if others else ''}" if read else ""


def unanswered_side(sides: Sequence[str]) -> str:
    """The closing line when a part of the question found nothing."""
    return f"I found nothing about {_and([f'“{side}”' for side in sides])} in the documents."


def reasoning(*, passages: int, documents: int, kept: int, drafted: int, left_out: bool) -> str:
    """One line on how an answer came about: `used 3 passages from 2 documents; all 4 sentences supported`."""
    if not kept:
        none = "it does not answer" if passages == 1 else "none of them answers"
        return f"read {counted(passages, 'passage')}; {none} the question"
    used = f"used {counted(passages, 'passage')} from {counted(documents, 'document')}"
    if kept == drafted:
        whole = {1: "the one sentence is supported", 2: "both sentences supported"}
        checked = whole.get(kept, f"all {kept} sentences supported")
    else:
        checked = f"{kept} of {drafted} sentences supported{', the rest left out' if left_out else ''}"
    return f"{used}; {checked}"


def written_by(usage: Usage) -> str:
    """Who wrote an answer, and what it cost: shown beside the parts of its confidence."""
    if usage.writer in ("extractive", "none"):
        return "Put together from the documents' own sentences, without a language model."
    cost = f": {counted(usage.input_tokens, 'token')} read, {usage.output_tokens} written"
    return f"Written by {usage.writer}{cost if usage.output_tokens else ''}."


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 document`, `2 documents`; `plural` where it is not the noun with an s."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def _and(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " or " + parts[-1]


# --- What the planner says without looking anything up ------------------------------------------

INJECTION = (
    "I cannot do that: the message asks me to change how I work rather than for something in the documents. "
    "Ask me about the documents in your own words."
)
EMPTY_KNOWLEDGE_BASE = (
    "There are no documents yet that everyone here may see. "
    "Whoever runs this bot adds a file or a folder with `citewell index PATH`; after that, ask me again."
)
EMPTY_QUESTION = (
    "What would you like to know? Ask a question about the documents in plain words; "
    "“Which documents do you have?” is answered with what is indexed."
)
TOO_SHORT = "That is a little short for me to search well. What exactly would you like to know?"
WELCOME = "You are welcome. Ask whenever there is something else to look up."


def too_long(limit: int) -> str:
    return f"That is longer than I can take as one question ({limit:,} characters at most). Please ask in fewer words."


def introduction(titles: Sequence[str], documents: int, *, greeting: bool) -> str:
    """Who we are, what is indexed and how to ask; `titles` may be only some of the documents."""
    rest = f" and {documents - len(titles)} more. Whoever runs this bot lists them all with `citewell documents`"
    more = rest if documents > len(titles) else ""
    return (
        f"{'Hello! ' if greeting else ''}I answer questions from {counted(documents, 'indexed document')} "
        f"and show where every sentence comes from.\n\n"
        f"Indexed: {', '.join(titles)}{more}.\n\n"
        "Ask in plain words, for example “How do I …?”, “What is the difference between … and …?” or “List all …”, "
        "and follow up in the same thread."
    )
