"""What is said on every platform and in the terminal, in one place; what one platform alone says is in its adapter.

Each sentence stands here in English; `Words` says it in the other languages. Words for operators are not among them:
people in a chat can do nothing with a command line.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.translations import ENGLISH, Message, Plural, Words
from pipeline.values import BlockKind, Confidence, Correction, Extent, IncomingMessage, Level, Reason, Stage, Usage

PROGRESS = {
    Stage.PLANNING: Message("Reading the question"),
    Stage.SEARCHING: Message("Searching the documents"),
    Stage.WRITING: Message("Writing and checking the answer"),
}
BADGE = {
    Level.HIGH: Message("●●● High confidence"),
    Level.MEDIUM: Message("●●○ Medium confidence"),
    Level.LOW: Message("●○○ Low confidence"),
}
"""Readable without colour and by a screen reader: the level is in the words."""

PARTS = {
    "similarities": Message("Similarities"),
    "differences": Message("Differences"),
    "contradictions": Message("Contradictions"),
    "conclusion": Message("Conclusion"),
}
"""What stands above each part of a comparison (`CitedSentence.section`)."""

NOT_FOUND = Message("I could not find an answer to this in the documents.")
ABOUT = Message("This is what the documents say about it. It may not be the answer:")
CLOSEST = Message("The closest passage:")
NOT_FOUND_NEXT = Message("Try other words or a narrower question, or ask whoever owns the topic.")
NOTHING_CLOSE = Message("Nothing in the documents comes close enough to the question.")
NOT_NEGATED = Message("The question is about what is not so, and the closest sentence does not say that.")
NAMES_MISSING = Message("The closest sentence does not mention everyone or everything that you named.")
NUMBERS_MISSING = Message("The closest sentence does not have the number that you named.")
TOO_FEW_DOCUMENTS = Plural(
    "Only {number} document supports an answer, and {wanted} are required.",
    "Only {number} documents support an answer, and {wanted} are required.",
)
TOO_FEW_PASSAGES = Plural(
    "Only {number} passage supports an answer, and {wanted} are required.",
    "Only {number} passages support an answer, and {wanted} are required.",
)
SOURCES = Message("Sources")
"""Stands above the references of an answer."""
PARTIAL_CUT = Message(
    "The answer ends here because the language model stopped before it was finished. Ask again for the rest."
)
YES, NO = Message("Yes."), Message("No.")
"""Our own words above an extract that decides a yes-or-no question."""
PARTIAL_DROPPED = Message("Some of what was drafted is not in the documents and was left out.")
SHOW_ALL = Message("show all")
"""What a person replies to have the rest of a long list; `--all` in the terminal."""
UNVERIFIED = Message("⚠ Unverified claim")
MODEL_SILENT = Message("The language model did not answer.")
MODEL_UNSUPPORTED = Message("The documents do not support what the language model wrote.")
MODEL_SPENT = Message("Today's questions to the language model are used up.")
DECISIONS = frozenset({"yes", "no", "ja", "nein", "oui", "non", "sí", "sì", "sim", "não", "はい", "いいえ"})
"""Yes and no in documents of many languages."""
UNSEARCHED = Message("No documents were searched.")
AS_OF = Message("As of {date}")
STALE = Message("as of {date}, may be out of date")
NEW = Message("Changed or reviewed since {date}, the newest first:")
NEW_ABOUT = Message("About “{topic}”, changed or reviewed since {date}, the newest first:")
NOTHING_NEW = Message("Nothing was changed or reviewed since {date}, as far as the documents say.")
NOTHING_NEW_ABOUT = Message(
    "About “{topic}”, nothing was changed or reviewed since {date}, as far as the documents say."
)
NOTHING_DATED = Message("None of the documents says when it was changed.")
DAYS_TOLD = Message("The days are those that the documents themselves or their sources tell.")
FLAGGED = Message("⚠ holds instructions to an assistant, which were ignored")
LATE = Message("Sorry for the wait: I could not be reached when you asked.")
EXPIRED = Message("I could not be reached when you asked this, and it is too old to answer now. Please ask again.")
BUSY = Message("I am busy with many questions right now. Please ask again in a few minutes.")
ASK_AGAIN = Message("I was interrupted while answering. Please ask again.")
STOPPED = Message("Stopped, as you asked.")
SILENCED = Message("I stay out of this conversation from now on, until somebody mentions me.")
STOP, START = Message("stop, be quiet"), Message("start, come back")
"""Said alone, these send the bot out of a conversation and call it back."""
FOR_YOU_ALONE = Message(
    "Only you see this, because I am not sure that it is what you look for. "
    "Mention me, and everybody here sees the answer."
)
NOT_IN_A_THREAD = Message("Ask me that in a thread, and I sum up what was said there.")
NOTHING_SAID = Message("There is nothing in this thread that people said and that I can read.")
SUMMED_UP = Message(
    "What was asked in this thread, what was said to it, and what was decided or agreed? It began with: {title}"
)
"""What a summary of a thread answers."""
OF_THREAD = Plural(
    "This thread has {number} message. It began with: {title}",
    "This thread has {number} messages. It began with: {title}",
)
CALLED_BACK = Message("I am back: I answer questions in this conversation again.")
TRY_AGAIN = Message("That did not work. Please try again in a minute.")
NO_ANSWER = Message("This answer is no longer kept, or it rests on documents that you may not see.")
NOT_SHARED = Message(
    "This answer rests on documents that not everyone in this channel may see, so I cannot share it here."
)
SHARED_ALREADY = Message("This answer is shared here already.")
ASK_A_PERSON = Message("Ask a person")
ASK_SOMEBODY = Message("Ask {who}")
SORRY = Message("Sorry that this did not help. Somebody here may know better.")
TELL_ME = Message("Tell me when this can be answered")
WISHED = Message("I will tell you here once the documents answer this.")
WISHED_ALONE = Message("I will tell you in a direct message once the documents answer this.")
WISHED_ALREADY = Message("I have noted that already, and will tell you once the documents answer this.")
TOO_MANY_WISHES = Message(
    "I am to tell you about {most} questions already. Take one back, or wait until I have told you."
)
WISH_TAKEN_BACK = Message("Taken back: I will not tell you about this.")
WISH_GONE = Message("There is nothing to take back: you were told already, or it is not kept any more.")
YOU_WANTED = Message("You asked to be told when this can be answered:")
"""Stands above an answer that nobody asks for now."""
NOT_HELPED = Message("Sorry that this did not help.")
NOBODY_TO_ASK = Message("Nobody is set up here to be asked.")
PASSED_ON = Message("I have passed this on. When there is a reply, you hear of it from me.")
PASSED_ON_ALREADY = Message("This was passed on already. The reply comes from me.")
NOT_PASSED_ON = Message("I could not pass your question on. Please ask somebody directly.")
NOT_SENT = Message("Whoever asked does not see this. Press “{button}” above to send them a reply.")
SEND_IT = Message("Whoever asked does not see this. Is it your reply to them?")
NOT_YOUR_REPLY = Message("I cannot read that message any more, or it is somebody else's.")
ASKED_FOR = Message("A question that the documents did not answer")
WITHHELD = Message("What I found rests on documents that not everyone in this channel may see.")
REPLIED = Message("{who} replied to your question:")
DEALT_WITH = Message("{who} has dealt with your question:")
RESOLVED_BY = Message("Resolved by {who}")
RESOLVED = Message("Resolved. Whoever asked hears of it.")
RESOLVED_AND_KEPT = Message("Resolved, and your reply is kept as an answer. Whoever asked hears of it.")
HANDOFF_GONE = Message("This is resolved already, or it is not kept any more.")
NOT_KEPT = Message(
    "A reply is kept as an answer only by a contributor, and only where a collection is set for that. Send it again "
    "without that."
)
BY_A_PERSON = Message("Answered by a person: {question}")
REASONS = {
    Reason.WRONG: Message("It is wrong"),
    Reason.INCOMPLETE: Message("It is incomplete"),
    Reason.OUTDATED: Message("It is outdated"),
    Reason.NOT_FOUND: Message("It did not find what exists"),
    Reason.UNCLEAR: Message("It is unclear"),
}
"""Why an answer did not help."""
NO_TEXT = Message("That message has no text that I can read.")
WITHDRAWN = Message("I stopped here, because this question was erased.")
ATTACHMENT = Message("I cannot read attached files ({names}); I answer from the indexed documents only.")
ATTACHMENT_OFFERED = Message(
    "I answer from the indexed documents only. The button below adds the attached files ({names})."
)
SHARED_CHANNEL = Message(
    "This channel is shared with another organisation, and I may not answer here. "
    "Members of this workspace can ask me in a direct message or in a channel of their own."
)
NO_PASSAGE = Message("This answer rests on no passage.")
ENTRIES = Plural("{number} entry", "{number} entries")
DAYS = Plural("{number} day", "{number} days")
_FAILURE = Message(
    "Something went wrong on my side, and this question was not answered. "
    "Please ask again; if it happens again, tell whoever runs this bot the number {incident}."
)
_LEFT_OUT = Message("Left out, not in the documents: {claim}")
_DOUBT = Message("The documents may not answer this.")
_DIFFERING = Message("The documents do not agree.")
_SAY = Message("The documents say:")
THREAD = Message("thread in {where}")
_SAID = Message("Somebody said in {where}:")
FOUND_NOT_KEPT = Message(
    "This was answered from messages that the search found just then. Nothing of them is kept but links."
)
REMOVED = Message("This rested on a document or a message that was removed. Its words are not kept any more.")
_CLOSEST = Plural("The closest passage says:", "The closest passages say:")
_QUOTED = Message("“{text}”")
_OR = Message("{first} or {last}")
_READ_AS = Message("“{word}” as “{meant}”")
_READ = Message("I read {words}.")
_MEANT = Message("Or did you mean {words}?")
_NOTHING_ABOUT = Message("I found nothing about {sides} in the documents.")
_SHOWN = {
    BlockKind.STEP: Message("{shown} of {total} steps are shown. For all of them, reply “{all}”."),
    BlockKind.ROW: Message("{shown} of {total} rows are shown. For all of them, reply “{all}”."),
    BlockKind.CODE: Message("{shown} of {total} lines are shown. For all of them, reply “{all}”."),
    BlockKind.ITEM: Message("{shown} of {total} entries are shown. For all of them, reply “{all}”."),
}
_UNANSWERED = Plural(
    "Read {number} passage; it does not answer the question.",
    "Read {number} passages; none of them answers the question.",
)
_PASSAGES = Plural("{number} passage", "{number} passages")
_FROM = Plural("{passages} from {number} document", "{passages} from {number} documents")
_ALL_SUPPORTED = Plural("the one sentence is supported", "all {number} sentences supported")
_SOME_SUPPORTED = Plural("{kept} of {number} sentence supported", "{kept} of {number} sentences supported")
_REST_LEFT_OUT = Plural(
    "{kept} of {number} sentence supported, the rest left out",
    "{kept} of {number} sentences supported, the rest left out",
)
_USED = Message("Used {from_what}; {checked}.")
_CONFIRMED = Plural(
    "{number} person confirmed a passage of it for a question like this one.",
    "{number} people confirmed a passage of it for a question like this one.",
)
_EXTRACT = Message("Put together from the documents' own sentences, without a language model.")
_WRITTEN_BY = Message("Written by {writer}.")
_WRITTEN_FOR = Message("Written by {writer}; tokens: {read} read, {written} written.")


def ask_button(who: str | None, words: Words) -> str:
    """What the button says that passes a question on to people, who may have a name; nothing where there are none."""
    if who is None:
        return ""
    return words(ASK_SOMEBODY, who=who) if who else words(ASK_A_PERSON)


def failure(incident: str, words: Words) -> str:
    """What a person sees of an unexpected error; the operator finds the incident id in the log."""
    return words(_FAILURE, incident=incident)


def not_found(reason: str, words: Words) -> str:
    """What is said when the documents do not answer, with why where there is more to tell, and what to try next."""
    return " ".join(filter(None, (words(NOT_FOUND), reason, words(NOT_FOUND_NEXT))))


def notes_on(message: IncomingMessage, words: Words = ENGLISH, *, offered: bool = False) -> list[str]:
    """What is said of a question beside its answer: that its files are not read, unless the asker adds them."""
    if not message.attachments:
        return []
    names = ", ".join(attachment.name[:100] for attachment in message.attachments[:10])
    return [words(ATTACHMENT_OFFERED if offered else ATTACHMENT, names=names)]


def left_out(claim: str, words: Words = ENGLISH) -> str:
    """A sentence of a model that is not shown, under "why"."""
    return words(_LEFT_OUT, claim=claim)


def preface(
    level: Level,
    words: Words,
    *,
    passages: int,
    differing: bool,
    instead: Message | None = None,
    verdict: bool | None = None,
    said_in: str = "",
) -> str:
    """How an extract is introduced: at `low` as what came closest, at `medium` as the documents' words; at `high` it
    speaks for itself. `differing`: it shows two documents that do not agree; `instead`: why it stands in for a model;
    `verdict`: it says yes or no; `said_in`: the channel that all of it was said in."""
    say = words(_SAID, where=said_in) if said_in else words(_SAY)
    said = [words(instead)] if instead else []
    decided = verdict is not None and level is not Level.LOW
    if decided:
        said.append(words(YES if verdict else NO))
    if level is Level.HIGH:
        return " ".join(said if decided or not said else [*said, say])
    if level is Level.LOW:
        said.append(words(_DOUBT))
    if differing:
        said.append(words(_DIFFERING))
    closest = level is Level.LOW or differing
    return " ".join([*said, words.count(_CLOSEST, passages) if closest else say])


def badge(confidence: Confidence, words: Words = ENGLISH) -> str:
    return words(BADGE[confidence.level])


def shown_of(extent: Extent, words: Words) -> str:
    """`7 of 60 steps are shown.`"""
    message = _SHOWN.get(extent.kind, _SHOWN[BlockKind.ITEM])
    return words(message, shown=extent.shown, total=extent.total, all=words(SHOW_ALL))


def understood(corrections: Sequence[Correction], words: Words) -> str:
    """How words were read that no document holds, but for other forms of the same word; with the other words they may
    be."""
    corrections = [one for one in corrections if not one.form]
    if not corrections:
        return ""
    read = ", ".join(words(_READ_AS, word=one.word, meant=one.meant) for one in corrections)
    others = _any([other for one in corrections for other in one.others], words)
    return " ".join([words(_READ, words=read), *([words(_MEANT, words=others)] if others else [])])


def unanswered_side(sides: Sequence[str], words: Words) -> str:
    """The closing line when a part of the question found nothing."""
    return words(_NOTHING_ABOUT, sides=_any(sides, words))


def reasoning(
    *, passages: int, documents: int, kept: int, drafted: int, left_out: bool, confirmed: int, words: Words
) -> str:
    """How an answer came about: `Used 3 passages from 2 documents; all 4 sentences supported.`"""
    if not kept:
        return words.count(_UNANSWERED, passages)
    used = words.count(_FROM, documents, passages=words.count(_PASSAGES, passages))
    checked = words.count(_ALL_SUPPORTED, kept)
    if kept != drafted:
        checked = words.count(_REST_LEFT_OUT if left_out else _SOME_SUPPORTED, drafted, kept=kept)
    said = words(_USED, from_what=used, checked=checked)
    return f"{said} {words.count(_CONFIRMED, confirmed)}" if confirmed else said


def written_by(usage: Usage, words: Words = ENGLISH) -> str:
    """Who wrote an answer, and what it cost: shown beside the parts of its confidence."""
    if usage.writer in ("extractive", "none"):
        return words(_EXTRACT)
    if not usage.output_tokens:
        return words(_WRITTEN_BY, writer=usage.writer)
    return words(_WRITTEN_FOR, writer=usage.writer, read=usage.input_tokens, written=usage.output_tokens)


def quoted(text: str, words: Words = ENGLISH) -> str:
    return words(_QUOTED, text=text)


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 document`, `2 documents`; `plural` where it is not the noun with an s. For the operator, in English."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def _any(texts: Sequence[str], words: Words) -> str:
    """`“a”, “b” or “c”`."""
    named = [quoted(text, words) for text in texts]
    return words(_OR, first=", ".join(named[:-1]), last=named[-1]) if len(named) > 1 else "".join(named)


# --- What the confidence of an answer is made of ------------------------------------------------

PERCENT = Message("{number}%")
ANSWERS = Message("The passages are {share} likely to hold the answer.")
RELEVANCE = Message("The best passage fits the question to {share}.")
TERMS = Message("{share} of what was asked is in or around the best sentence.")
SUPPORTED = Plural(
    "{supported} of {number} sentence is supported by the sources.",
    "{supported} of {number} sentences are supported by the sources.",
)
AGREEMENT = Plural("{number} more document says something as close.", "{number} more documents say something as close.")
DISAGREE = Message("“{one}” and “{other}” do not agree.")
CONSISTENT = Message("No two documents disagree.")
READ_BY_WRITER = Message("What is said in other words was checked only by the model that wrote it, {name}.")
READ_BY_ANOTHER = Message("What is said in other words was checked by another model, {name}.")
SAYS_MORE = Message("A passage has a condition or a limit that a sentence may leave out: it is quoted below.")
CITED = Plural("{number} document is cited.", "{number} documents are cited.")
HEDGED = Message("The wording says that something is not known.")
CAUTIOUS = Message("The wording is cautious.")
DEFINITE = Message("The wording is definite.")
FIGURES = Message("It has definite figures.")
NO_FIGURES = Message("It has no definite figures.")
LENGTH = Plural("It is {number} word long.", "It is {number} words long.")


def factor(message: Message, share: float, words: Words, **fields: str) -> str:
    """A part that is a share of 1."""
    return words(message, share=words(PERCENT, number=round(share * 100)), **fields)


# --- Where in a document something stands -------------------------------------------------------

SHEET = Message("sheet {name}")
PAGE = Message("page {number}")
SOURCE = Message("Source: {reference}")

# --- Insights: what the documents lack ----------------------------------------------------------

WRITE_NEW = Message("Write a document that answers it; nothing is near.")
ADD_TO = Message("Write down the answer: a new document, or a section of “{title}”, which comes nearest.")
CHECK_IN = Message("Check what “{title}” says about it.")
SAY_PLAINLY = Message("Say it plainly in “{title}”, in the words people ask with.")
CLOSEST_WORDS = Message("Closest, in “{title}”: “{quote}”")
TO_BE_CHECKED = Message("Draft: somebody who knows has to check it and fill in what is open.")
TO_FILL_IN = Message("To be filled in: {question}")
CHECK_THIS = Message("{text} (to be checked)")
