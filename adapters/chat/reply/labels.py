"""Texts of buttons, panels and commands, on every platform. Texts about an answer are in `pipeline.words.wording`."""

from __future__ import annotations

from adapters.chat.reply.parts import ReplyButton
from pipeline.translations import PluralText, TranslatableText
from pipeline.words import wording

QUESTION_LABEL = TranslatableText("Question")
SHARED_BY = TranslatableText("Shared by {person}")
SHARED_HERE = TranslatableText("✓ Shared in this channel.")
LOOKING_UP = TranslatableText("Looking that up. Only you will see the answer.")
PRIVATE_REPLY_CUT = TranslatableText(
    "The rest of this answer does not fit into a private reply. Ask me in a direct message to read all of it."
)
CODE_IN_FILE = TranslatableText("{shown} of {total} lines are shown here; all of it is in the file {name}.")
PART_OF = TranslatableText("Part {number} of {parts}")

EXPORT_LABEL, FORGET_LABEL, FORGET_NOW_LABEL = (
    TranslatableText("Export my data"),
    TranslatableText("Forget me"),
    TranslatableText("Yes, erase everything about me"),
)
BUTTON_LABELS = {
    ReplyButton.HELPFUL: TranslatableText("👍 Helpful"),
    ReplyButton.UNHELPFUL: TranslatableText("👎 Not helpful"),
    ReplyButton.PASSAGES: TranslatableText("Show passages"),
    ReplyButton.CONFIDENCE: TranslatableText("Why this confidence?"),
    ReplyButton.SHARE: TranslatableText("Share in channel"),
    ReplyButton.SUBSCRIBE: wording.SUBSCRIBE_BUTTON,
    ReplyButton.UNSUBSCRIBE: TranslatableText("Take it back"),
    ReplyButton.STOP: TranslatableText("Stay out of this thread"),
    ReplyButton.ADD: TranslatableText("Add to knowledge"),
    ReplyButton.EXPORT: EXPORT_LABEL,
    ReplyButton.FORGET: FORGET_LABEL,
    ReplyButton.FORGET_CONFIRMED: FORGET_NOW_LABEL,
}
DESCRIPTIONS = {
    ReplyButton.HELPFUL: TranslatableText("This answer was helpful"),
    ReplyButton.UNHELPFUL: TranslatableText("This answer was not helpful; opens a form for the reason"),
}
"""Descriptions for screen readers."""

# --- Panels ----------------------------------------------------------------------------------------

DOCUMENT_FITS = TranslatableText("{title} fits the question to {share}.")
DOCUMENT_COUNT = PluralText("{number} document that you may see here", "{number} documents that you may see here")
AND_MORE = TranslatableText("… and {count} more")
REASON_TITLE, REASON_LABEL, COMMENT_LABEL = (
    TranslatableText("What was wrong?"),
    TranslatableText("The answer did not help because"),
    TranslatableText("Comment"),
)
FEEDBACK_SEND_LABEL, FEEDBACK_CLOSE_LABEL = TranslatableText("Send"), TranslatableText("Close")
THANKS = TranslatableText("Thank you. Your rating is kept with this answer.")
THANKS_REASON = TranslatableText("Thank you. That helps to find what is missing.")
NOT_MEMBER = TranslatableText("I am not a member of this channel. Invite me with `/invite`, then try again.")
NO_PERMISSION = TranslatableText("I lack the permission {permission} for that. An admin can add it to the app.")

# --- A person's own data, and how they want to be answered ---------------------------------------------

AS_SET, LANGUAGE_AS_SET = TranslatableText("As the operator set it"), TranslatableText("The language of the question")
PREFERENCES_TEXT = TranslatableText(
    "**How I answer you**\n- Style: {style}\n- Citations: {citations}\n- Language: {language}\n"
    "-# Change it with the options of `/{preferences}`. It holds for all answers to you, until you erase your data."
)
EXPORTED = TranslatableText("Everything that is kept about you is in this file.")
FORGET_WARNING = TranslatableText(
    "This erases your questions, their answers, your ratings and your preferences here. It cannot be undone."
)
FORGOTTEN = TranslatableText("Done: {entries} about you erased.")
PRIVACY_TEXT = TranslatableText(
    "**What is kept**\n"
    "- Your questions and my answers, so that follow-ups work, and your ratings. They are erased after {time}.\n"
    "- What you chose with `/{preferences}`, until you erase it.\n"
    "- Your Discord user id, to keep them apart from others'. Not your name, and nothing else you write.\n"
    "**What it is used for**\n"
    "- To answer you. Not to train models; shared with nobody but the language model the operator chose, if any.\n"
    "**Your choice**\n"
    "- Export everything about you, or erase it, with the buttons below."
)
HELP_TEXT = TranslatableText(
    "**Ask me about the documents.** Every sentence of my answers shows its source.\n"
    "- Write to me in a direct message, or mention me in a channel.\n"
    "- Follow up by replying to my answer or, in a thread where I answered, by just asking on.\n"
    "- `/{ask}` answers only to you; “{share}” shows it to the channel.\n"
    "- Right-click a message > Apps > “{menu}”.\n"
    "- `/{sources}` lists what is indexed and visible to you; `/{privacy}` shows what is kept, exports and erases it.\n"
    "- `/{preferences}` sets the style, the citations and the language of my answers to you.\n"
    "- The buttons under an answer show the quoted passages, explain the confidence and take your rating."
)
TEXT_WITHHELD = TranslatableText(
    "Discord did not show me your text. Mention me in your question, or leave the ping of your reply to me switched on."
)

STYLE_NAMES = {
    "concise": TranslatableText("Concise"),
    "detailed": TranslatableText("Detailed"),
    "bullet": TranslatableText("Bullet"),
}
CITATION_NAMES = {
    "numbered": TranslatableText("Numbered"),
    "inline": TranslatableText("Inline"),
    "footnote": TranslatableText("Footnote"),
    "endnote": TranslatableText("Endnote"),
}
"""Names by the values of `Style` and `CitationStyle`."""

# --- Slack's App Home ----------------------------------------------------------------------------------

SUGGESTED_PROMPTS = (
    (TranslatableText("What can I ask?"), TranslatableText("What can I ask?")),
    (TranslatableText("What is indexed?"), TranslatableText("Which documents do you have?")),
)
"""Titles and messages of the suggested prompts, which the planner answers by itself; `manifest.yml` has the same."""
HOME_HOW_TITLE, HOME_INDEXED_TITLE = TranslatableText("Ask the documents"), TranslatableText("What is indexed")
HOME_PREFERENCES_TITLE, HOME_DATA_TITLE = TranslatableText("How I answer you"), TranslatableText("Your data")
HOME_HOW_TO_ASK = TranslatableText(
    "Mention me in a channel, write to me in the Messages tab, or use `/ask` for an answer only you can see. "
    "In a thread that I have answered in, ask on without mentioning me. "
    "The message menu has *Answer this message*. Every sentence is marked with its source."
)
HOME_PRIVACY = TranslatableText(
    "I am an automated assistant. I keep your questions, my answers and your ratings for as long as the operator "
    "has set, to understand follow-ups and to improve. I do not read channels for their own sake: only messages "
    "addressed to me, and replies in threads that I have answered in."
)
HOME_EMPTY = TranslatableText("Nothing that you may see has been indexed yet.")
HOME_PRIVATE = TranslatableText("Shown for you alone. Documents that you may not see are not listed.")
HOME_EXPORT, HOME_FORGET, HOME_SURE = (
    TranslatableText("Send me my data"),
    TranslatableText("Erase my data"),
    TranslatableText("Erase your data?"),
)
HOME_WARNING = TranslatableText("Your questions, my answers to them and your ratings are erased.")
HOME_ERASE, HOME_KEEP = TranslatableText("Erase"), TranslatableText("Keep")
HOME_EXPORTED = TranslatableText("Your data is in the Messages tab, as a file.")
CITATIONS_AS_SET, CITATIONS_LABEL = TranslatableText("Citations as set"), TranslatableText("{style} citations")
HOME_LANGUAGE_AS_SET = TranslatableText("In the question's language")
