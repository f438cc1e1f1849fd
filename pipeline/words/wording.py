"""Texts for every platform and the terminal; the texts of a single platform are in its adapter.

Each text is in English here; `Translator` has it in the other languages. Texts for operators are not among them: people
in a chat can do nothing with a command line."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.translations import ENGLISH_TRANSLATOR, PluralText, TranslatableText, Translator
from pipeline.values import (
    AnswerStage,
    BlockKind,
    Confidence,
    ConfidenceLevel,
    IncomingMessage,
    ProgressEvent,
    RatingReason,
    ShownExtent,
    SpellingCorrection,
    Usage,
    require_every,
)

PROGRESS = {
    AnswerStage.PLANNING: TranslatableText("Reading the question"),
    AnswerStage.SEARCHING: TranslatableText("Searching the documents"),
    AnswerStage.WAITING: TranslatableText("Waiting for the language model"),
    AnswerStage.WRITING: TranslatableText("Writing and checking the answer"),
}
require_every(AnswerStage, PROGRESS)
CONFIDENCE_BADGES = {
    ConfidenceLevel.HIGH: TranslatableText("●●● High confidence"),
    ConfidenceLevel.MEDIUM: TranslatableText("●●○ Medium confidence"),
    ConfidenceLevel.LOW: TranslatableText("●○○ Low confidence"),
}
"""Readable without colour and by a screen reader: the level is in the words."""
require_every(ConfidenceLevel, CONFIDENCE_BADGES)

COMPARISON_TITLES = {
    "similarities": TranslatableText("Similarities"),
    "differences": TranslatableText("Differences"),
    "contradictions": TranslatableText("Contradictions"),
    "conclusion": TranslatableText("Conclusion"),
}
"""Title of each part of a comparison (`CitedSentence.section`)."""

ANSWER_NOT_FOUND = TranslatableText("I could not find an answer to this in the documents.")
RELATED_PASSAGES = TranslatableText("This is what the documents say about it. It may not be the answer:")
CLOSEST_PASSAGE = TranslatableText("The closest passage:")
NOT_FOUND_NEXT = TranslatableText("Try other words or a narrower question, or ask a person who knows the topic.")
NOTHING_CLOSE = TranslatableText("Nothing in the documents comes close enough to the question.")
NOT_NEGATED = TranslatableText("The question asks what is not the case, and the closest sentence does not say that.")
NAMES_MISSING = TranslatableText("The closest sentence does not mention everyone or everything that you named.")
NUMBERS_MISSING = TranslatableText("The closest sentence does not have the number that you named.")
TOO_FEW_DOCUMENTS = PluralText(
    "Only {number} document supports an answer, and {wanted} are required.",
    "Only {number} documents support an answer, and {wanted} are required.",
)
TOO_FEW_PASSAGES = PluralText(
    "Only {number} passage supports an answer, and {wanted} are required.",
    "Only {number} passages support an answer, and {wanted} are required.",
)
SOURCES_TITLE = TranslatableText("Sources")
"""Title above the references of an answer."""
PARTIAL_CUT = TranslatableText(
    "The answer ends here because the language model stopped before it was finished. Ask again for the rest."
)
YES, NO = TranslatableText("Yes."), TranslatableText("No.")
"""Our own words above an extract that decides a yes-or-no question."""
PARTIAL_DROPPED = TranslatableText("Part of the draft is not in the documents and was left out.")
PARTIAL_UNCHECKED = TranslatableText("Part of what the language model wrote could not be checked and was left out.")
SHOW_ALL = TranslatableText("show all")
"""Reply that asks for the rest of a long list; `--all` in the terminal."""
UNVERIFIED_CLAIM = TranslatableText("⚠ Unverified claim")
MODEL_SILENT = TranslatableText("The language model did not answer.")
MODEL_BUSY = TranslatableText("The language model is busy.")
MODEL_SLOW = TranslatableText("The language model is too slow to answer in time.")
MODEL_UNCHECKED = TranslatableText("What the language model wrote could not be checked.")
MODEL_UNSUPPORTED = TranslatableText("The documents do not support what the language model wrote.")
MODEL_BUDGET_SPENT = TranslatableText("Today's questions to the language model are used up.")
YES_NO_WORDS = frozenset({"yes", "no", "ja", "nein", "oui", "non", "sí", "sì", "sim", "não", "はい", "いいえ"})
"""Yes and no in documents of many languages."""
UNSEARCHED = TranslatableText("No documents were searched.")
AS_OF = TranslatableText("As of {date}")
MAY_BE_OUTDATED = TranslatableText("as of {date}, may be out of date")
CHANGED_SINCE = TranslatableText("Changed or reviewed since {date}, the newest first:")
CHANGED_SINCE_ABOUT = TranslatableText("About “{topic}”, changed or reviewed since {date}, the newest first:")
NO_CHANGES_SINCE = TranslatableText("Nothing was changed or reviewed since {date}, as far as the documents say.")
NO_CHANGES_ABOUT = TranslatableText(
    "About “{topic}”, nothing was changed or reviewed since {date}, as far as the documents say."
)
NO_DATED_DOCUMENTS = TranslatableText("None of the documents says when it was changed.")
DATES_EXPLAINED = TranslatableText("The dates come from the documents themselves or from their sources.")
INSTRUCTIONS_IGNORED = TranslatableText("⚠ contains instructions to an assistant, which were ignored")
LATE_ANSWER = TranslatableText("Sorry for the wait: I could not be reached when you asked.")
QUESTION_EXPIRED = TranslatableText(
    "I could not be reached when you asked this, and it is too old to answer now. Please ask again."
)
BOT_BUSY = TranslatableText("I am busy with many questions right now. Please ask again in a few minutes.")
ASK_AGAIN = TranslatableText("I was interrupted while answering. Please ask again.")
STOPPED = TranslatableText("Stopped, as you asked.")
SILENCED = TranslatableText("I stay out of this conversation until somebody mentions me.")
STOP_PHRASES, START_PHRASES = TranslatableText("stop, be quiet"), TranslatableText("start, come back")
"""Said alone, these send the bot out of a conversation and call it back."""
ONLY_YOU_SEE = TranslatableText(
    "Only you see this, because I am not sure that it is what you look for. "
    "Mention me, and everybody here sees the answer."
)
THREAD_REQUIRED = TranslatableText("Ask me that in a thread, and I sum up what was said there.")
THREAD_EMPTY = TranslatableText("This thread has no messages from people that I can read.")
THREAD_SUMMARY_QUESTION = TranslatableText(
    "What was asked in this thread, what was said to it, and what was decided or agreed? It began with: {title}"
)
"""Question that a summary of a thread answers."""
THREAD_LENGTH = PluralText(
    "This thread has {number} message. It began with: {title}",
    "This thread has {number} messages. It began with: {title}",
)
UNSILENCED = TranslatableText("I am back: I answer questions in this conversation again.")
TRY_AGAIN = TranslatableText("That did not work. Please try again in a minute.")
ANSWER_UNAVAILABLE = TranslatableText("This answer is no longer kept, or it rests on documents that you may not see.")
SHARE_REFUSED = TranslatableText(
    "This answer rests on documents that not everyone in this channel may see, so I cannot share it here."
)
ALREADY_SHARED = TranslatableText("This answer is shared here already.")
ASK_A_PERSON = TranslatableText("Ask a person")
ASK_SOMEBODY = TranslatableText("Ask {who}")
SORRY = TranslatableText("Sorry that this did not help. Somebody here may know better.")
SUBSCRIBE_BUTTON = TranslatableText("Tell me when this can be answered")
SUBSCRIBED = TranslatableText("I will tell you here once the documents answer this.")
SUBSCRIBED_PRIVATELY = TranslatableText("I will tell you in a direct message once the documents answer this.")
ALREADY_SUBSCRIBED = TranslatableText("I have noted that already, and will tell you once the documents answer this.")
TOO_MANY_SUBSCRIPTIONS = TranslatableText(
    "You are waiting for answers to {most} questions already. Take one back, or wait until I have told you."
)
SUBSCRIPTION_CANCELED = TranslatableText("Taken back: I will not tell you about this.")
SUBSCRIPTION_GONE = TranslatableText(
    "There is nothing to take back: you were told already, or it is not kept any more."
)
SUBSCRIPTION_INTRO = TranslatableText("You asked to be told when this can be answered:")
"""Introduction of an answer that a person waited for."""
SORRY_NOT_HELPED = TranslatableText("Sorry that this did not help.")
NOBODY_TO_ASK = TranslatableText("Nobody is set up here to be asked.")
HANDOFF_SENT = TranslatableText("I have passed this on. I will tell you when somebody replies.")
HANDOFF_ALREADY_SENT = TranslatableText("This was passed on already. The reply comes from me.")
HANDOFF_FAILED = TranslatableText("I could not pass your question on. Please ask somebody directly.")
REPLY_NOT_SENT = TranslatableText(
    "The person who asked does not see this. Press “{button}” above to send them a reply."
)
CONFIRM_REPLY = TranslatableText("The person who asked does not see this. Is it your reply to them?")
REPLY_UNREADABLE = TranslatableText("I cannot read that message any more, or it is somebody else's.")
HANDOFF_TITLE = TranslatableText("A question that the documents did not answer")
ANSWER_WITHHELD = TranslatableText("What I found rests on documents that not everyone in this channel may see.")
HANDOFF_REPLIED = TranslatableText("{who} replied to your question:")
HANDOFF_CLOSED = TranslatableText("{who} has dealt with your question:")
HANDOFF_RESOLVED_BY = TranslatableText("Resolved by {who}")
HANDOFF_RESOLVED = TranslatableText("Resolved. I tell the person who asked.")
HANDOFF_RESOLVED_SAVED = TranslatableText("Resolved. I keep your reply as an answer and tell the person who asked.")
HANDOFF_GONE = TranslatableText("This is resolved already, or it is not kept any more.")
REPLY_NOT_SAVED = TranslatableText(
    "Only a contributor can keep a reply as an answer, and only where a collection is set for replies. "
    "Send the reply again without keeping it."
)
ANSWERED_BY_PERSON = TranslatableText("Answered by a person: {question}")
FEEDBACK_REASONS = {
    RatingReason.WRONG: TranslatableText("It is wrong"),
    RatingReason.INCOMPLETE: TranslatableText("It is incomplete"),
    RatingReason.OUTDATED: TranslatableText("It is outdated"),
    RatingReason.NOT_FOUND: TranslatableText("It missed what the documents say"),
    RatingReason.UNCLEAR: TranslatableText("It is unclear"),
}
"""Reasons why an answer did not help."""
require_every(RatingReason, FEEDBACK_REASONS)
MESSAGE_WITHOUT_TEXT = TranslatableText("That message has no text that I can read.")
QUESTION_ERASED = TranslatableText("I stopped here, because this question was erased.")
ATTACHMENT_NOT_READ = TranslatableText(
    "I cannot read attached files ({names}); I answer from the indexed documents only."
)
ATTACHMENT_OFFERED = TranslatableText(
    "I answer from the indexed documents only. The button below adds the attached files ({names})."
)
SHARED_CHANNEL = TranslatableText(
    "This channel is shared with another organisation, and I may not answer here. "
    "Members of this workspace can ask me in a direct message or in a channel of their own."
)
NO_CITED_PASSAGE = TranslatableText("This answer rests on no passage.")
ENTRY_COUNT = PluralText("{number} entry", "{number} entries")
DAY_COUNT = PluralText("{number} day", "{number} days")
_FAILURE = TranslatableText(
    "Something went wrong on my side, and this question was not answered. Please ask again. If it "
    "happens again, tell the operator of this bot the number {incident}."
)
_LEFT_OUT = TranslatableText("Left out, not in the documents: {claim}")
_LEFT_OUT_UNCHECKED = TranslatableText("Left out, could not be checked: {claim}")
_DOUBT = TranslatableText("The documents may not answer this.")
_DIFFERING = TranslatableText("The documents do not agree.")
_SAY = TranslatableText("The documents say:")
THREAD_LABEL = TranslatableText("thread in {where}")
_SAID = TranslatableText("Somebody said in {where}:")
LIVE_RESULTS_NOT_SAVED = TranslatableText(
    "This was answered from messages that the search found at that time. Only links to them are kept."
)
SOURCE_REMOVED = TranslatableText("The document or message behind this was removed, so its text is no longer kept.")
_BEFORE_THIS = PluralText("{number} question is before this one", "{number} questions are before this one")
_STAGE_AND_PLACE = TranslatableText("{stage}: {place}")
_CLOSEST = PluralText("The closest passage says:", "The closest passages say:")
_QUOTED = TranslatableText("“{text}”")
_OR = TranslatableText("{first} or {last}")
_READ_AS = TranslatableText("“{word}” as “{meant}”")
_READ = TranslatableText("I read {words}.")
_MEANT = TranslatableText("Or did you mean {words}?")
_NOTHING_ABOUT = TranslatableText("I found nothing about {sides} in the documents.")
_SHOWN = {
    BlockKind.STEP: TranslatableText("{shown} of {total} steps are shown. For all of them, reply “{all}”."),
    BlockKind.ROW: TranslatableText("{shown} of {total} rows are shown. For all of them, reply “{all}”."),
    BlockKind.CODE: TranslatableText("{shown} of {total} lines are shown. For all of them, reply “{all}”."),
    BlockKind.ITEM: TranslatableText("{shown} of {total} entries are shown. For all of them, reply “{all}”."),
}
_UNANSWERED = PluralText(
    "Read {number} passage; it does not answer the question.",
    "Read {number} passages; none of them answers the question.",
)
_PASSAGES = PluralText("{number} passage", "{number} passages")
_FROM = PluralText("{passages} from {number} document", "{passages} from {number} documents")
_ALL_SUPPORTED = PluralText("the one sentence is supported", "all {number} sentences supported")
_SOME_SUPPORTED = PluralText("{kept} of {number} sentence supported", "{kept} of {number} sentences supported")
_REST_LEFT_OUT = PluralText(
    "{kept} of {number} sentence supported, the rest left out",
    "{kept} of {number} sentences supported, the rest left out",
)
_USED = TranslatableText("Used {from_what}; {checked}.")
_CONFIRMED = PluralText(
    "{number} person confirmed a passage of it for a question like this one.",
    "{number} people confirmed a passage of it for a question like this one.",
)
_EXTRACT = TranslatableText("Put together from the documents' own sentences, without a language model.")
_WRITTEN_BY = TranslatableText("Written by {writer}.")
_WRITTEN_FOR = TranslatableText("Written by {writer}; tokens: {read} read, {written} written.")
_WRITTEN_FOR_CACHED = TranslatableText(
    "Written by {writer}; tokens: {read} read, {cached} of them cached, {written} written."
)
_PROMPT_LIMIT = TranslatableText("The prompt could have up to {number} tokens.")


def handoff_button_label(who: str | None, translator: Translator) -> str:
    """Return the label of the button that passes a question on to people, who may have a name; empty where there are
    none."""
    if who is None:
        return ""
    return translator(ASK_SOMEBODY, who=who) if who else translator(ASK_A_PERSON)


def failure_message(incident: str, translator: Translator) -> str:
    """Return the text for a person after an unexpected error; the operator finds the incident id in the log."""
    return translator(_FAILURE, incident=incident)


def not_found_message(reason: str, translator: Translator) -> str:
    """Return the text for a question that the documents do not answer: the reason where there is one, and the next
    step."""
    return " ".join(filter(None, (translator(ANSWER_NOT_FOUND), reason, translator(NOT_FOUND_NEXT))))


def question_notes(
    message: IncomingMessage, translator: Translator = ENGLISH_TRANSLATOR, *, offered: bool = False
) -> list[str]:
    """Return the notes beside an answer: that the attached files are not read, unless the asker adds them."""
    if not message.attachments:
        return []
    names = ", ".join(attachment.name[:100] for attachment in message.attachments[:10])
    return [translator(ATTACHMENT_OFFERED if offered else ATTACHMENT_NOT_READ, names=names)]


def rejected_sentence_line(
    claim: str, translator: Translator = ENGLISH_TRANSLATOR, *, is_unchecked: bool = False
) -> str:
    """Return the line for a sentence of a model that is not shown, under "why"."""
    return translator(_LEFT_OUT_UNCHECKED if is_unchecked else _LEFT_OUT, claim=claim)


def extract_preface(
    level: ConfidenceLevel,
    translator: Translator,
    *,
    passages: int,
    differing: bool,
    instead: TranslatableText | None = None,
    verdict: bool | None = None,
    said_in: str = "",
) -> str:
    """Return the introduction of an extract: as the closest passages at `low`, as the documents' words at `medium`,
    none at `high`.

    `differing`: it shows two documents that do not agree; `instead`: the reason why it replaces a model's answer;
    `verdict`: it says yes or no; `said_in`: the channel of all its sentences."""
    introduction = translator(_SAID, where=said_in) if said_in else translator(_SAY)
    parts = [translator(instead)] if instead else []
    decided = verdict is not None and level is not ConfidenceLevel.LOW
    if decided:
        parts.append(translator(YES if verdict else NO))
    if level is ConfidenceLevel.HIGH:
        return " ".join(parts if decided or not parts else [*parts, introduction])
    if level is ConfidenceLevel.LOW:
        parts.append(translator(_DOUBT))
    if differing:
        parts.append(translator(_DIFFERING))
    closest = level is ConfidenceLevel.LOW or differing
    return " ".join([*parts, translator.pluralize(_CLOSEST, passages) if closest else introduction])


def confidence_badge(confidence: Confidence, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return the badge of a confidence level."""
    return translator(CONFIDENCE_BADGES[confidence.level])


def extent_line(extent: ShownExtent, translator: Translator) -> str:
    """Return the line about a shortened list: `7 of 60 steps are shown.`"""
    message = _SHOWN.get(extent.kind, _SHOWN[BlockKind.ITEM])
    return translator(message, shown=extent.shown, total=extent.total, all=translator(SHOW_ALL))


def corrections_line(corrections: Sequence[SpellingCorrection], translator: Translator) -> str:
    """Return the line about corrected words that no document holds, other forms of the same word aside; with the
    alternatives."""
    corrections = [correction for correction in corrections if not correction.form]
    if not corrections:
        return ""
    read = ", ".join(translator(_READ_AS, word=correction.word, meant=correction.meant) for correction in corrections)
    others = _join_alternatives([other for correction in corrections for other in correction.others], translator)
    return " ".join([translator(_READ, words=read), *([translator(_MEANT, words=others)] if others else [])])


def unanswered_side_line(sides: Sequence[str], translator: Translator) -> str:
    """Return the closing line for the parts of a question that found nothing."""
    return translator(_NOTHING_ABOUT, sides=_join_alternatives(sides, translator))


def reasoning_line(
    *, passages: int, documents: int, kept: int, drafted: int, left_out: bool, confirmed: int, translator: Translator
) -> str:
    """Return the line about the basis of an answer: `Used 3 passages from 2 documents; all 4 sentences supported.`"""
    if not kept:
        return translator.pluralize(_UNANSWERED, passages)
    used = translator.pluralize(_FROM, documents, passages=translator.pluralize(_PASSAGES, passages))
    checked = translator.pluralize(_ALL_SUPPORTED, kept)
    if kept != drafted:
        checked = translator.pluralize(_REST_LEFT_OUT if left_out else _SOME_SUPPORTED, drafted, kept=kept)
    line = translator(_USED, from_what=used, checked=checked)
    return f"{line} {translator.pluralize(_CONFIRMED, confirmed)}" if confirmed else line


def progress_parts(event: ProgressEvent, translator: Translator = ENGLISH_TRANSLATOR) -> Sequence[str]:
    """Return the stage of an answer, and how many questions are before it where it waits for others."""
    stage = translator(PROGRESS[event.stage])
    return (stage, translator.pluralize(_BEFORE_THIS, event.ahead)) if event.ahead else (stage,)


def progress_line(event: ProgressEvent, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return the same in one line: `Waiting for the language model: 2 questions are before this one`."""
    stage, *place = progress_parts(event, translator)
    return translator(_STAGE_AND_PLACE, stage=stage, place=place[0]) if place else stage


def usage_line(usage: Usage, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return the line about the writer of an answer and its tokens, for the details of its confidence."""
    if usage.writer in ("extractive", "none"):
        return translator(_EXTRACT)
    message = _WRITTEN_BY
    if usage.output_tokens:
        message = _WRITTEN_FOR_CACHED if usage.cached_tokens else _WRITTEN_FOR
    line = translator(
        message,
        writer=usage.writer,
        read=usage.input_tokens,
        cached=usage.cached_tokens,
        written=usage.output_tokens,
    )
    return f"{line} {translator(_PROMPT_LIMIT, number=usage.context_tokens)}" if usage.context_tokens else line


def quote_text(text: str, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return the text in quotation marks."""
    return translator(_QUOTED, text=text)


def count_noun(number: int, noun: str, plural: str = "") -> str:
    """Return `1 document`, `2 documents`; `plural` where it is not the noun with an s. For the operator, in English."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def _join_alternatives(texts: Sequence[str], translator: Translator) -> str:
    """Join texts as alternatives: `“a”, “b” or “c”`."""
    named = [quote_text(text, translator) for text in texts]
    return translator(_OR, first=", ".join(named[:-1]), last=named[-1]) if len(named) > 1 else "".join(named)


# --- What the confidence of an answer is made of ------------------------------------------------

PERCENT = TranslatableText("{number}%")
ANSWERABILITY_FACTOR = TranslatableText("The passages are {share} likely to contain the answer.")
RELEVANCE_FACTOR = TranslatableText("The relevance of the best passage is {share}.")
TERMS_FACTOR = TranslatableText("{share} of the question's words are in or around the best sentence.")
SUPPORT_FACTOR = PluralText(
    "{supported} of {number} sentence is supported by the sources.",
    "{supported} of {number} sentences are supported by the sources.",
)
AGREEMENT_FACTOR = PluralText(
    "{number} more document comes as close to the question.", "{number} more documents come as close to the question."
)
CONFLICT_FACTOR = TranslatableText("“{one}” and “{other}” do not agree.")
CONSISTENCY_FACTOR = TranslatableText("No two documents disagree.")
JUDGED_BY_WRITER = TranslatableText("Paraphrased sentences were checked only by the model that wrote them, {name}.")
JUDGED_BY_ANOTHER = TranslatableText("Paraphrased sentences were checked by another model, {name}.")
UNCHECKED_FACTOR = PluralText(
    "{number} sentence could not be checked, because the model that checks gave no verdict.",
    "{number} sentences could not be checked, because the model that checks gave no verdict.",
)
CONDITION_MISSING = TranslatableText(
    "A passage has a condition or a limit that a sentence may leave out: it is quoted below."
)
CITED_FACTOR = PluralText("{number} document is cited.", "{number} documents are cited.")
HEDGED_FACTOR = TranslatableText("The wording says that something is not known.")
CAUTIOUS_FACTOR = TranslatableText("The wording is cautious.")
DEFINITE_FACTOR = TranslatableText("The wording is definite.")
FIGURES_FACTOR = TranslatableText("It has definite figures.")
NO_FIGURES_FACTOR = TranslatableText("It has no definite figures.")
LENGTH_FACTOR = PluralText("It is {number} word long.", "It is {number} words long.")


def factor_line(message: TranslatableText, share: float, translator: Translator, **fields: str) -> str:
    """Return the line of a factor that is a share of 1."""
    return translator(message, share=translator(PERCENT, number=round(share * 100)), **fields)


# --- Where in a document something stands -------------------------------------------------------

SHEET_LABEL = TranslatableText("sheet {name}")
PAGE_LABEL = TranslatableText("page {number}")
SOURCE_LINE = TranslatableText("Source: {reference}")

# --- Insights: what the documents lack ----------------------------------------------------------

ADVICE_WRITE_DOCUMENT = TranslatableText("Write a document that answers it. No document comes close.")
ADVICE_ADD_ANSWER = TranslatableText(
    "Write down the answer: a new document, or a section of “{title}”, which comes nearest."
)
ADVICE_CHECK_DOCUMENT = TranslatableText("Check what “{title}” says about it.")
ADVICE_REPHRASE = TranslatableText("Say it plainly in “{title}”, in the words people ask with.")
CLOSEST_QUOTE = TranslatableText("Closest, in “{title}”: “{quote}”")
PROPOSAL_NOTICE = TranslatableText("Draft: somebody who knows the topic has to check it and fill in the gaps.")
PROPOSAL_GAP = TranslatableText("To be filled in: {question}")
PROPOSAL_UNCHECKED = TranslatableText("{text} (to be checked)")
