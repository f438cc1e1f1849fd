"""What buttons, panels and commands say, on every platform; what is said of an answer is `pipeline.words.wording`."""

from __future__ import annotations

from adapters.chat.reply.parts import Button
from pipeline.translations import Message, Plural
from pipeline.words import wording

QUESTION = Message("Question")
SHARED_BY = Message("Shared by {person}")
SHARED = Message("✓ Shared in this channel.")
LOOKING = Message("Looking that up. Only you will see the answer.")
LONGER = Message(
    "The rest of this answer does not fit into a private reply. Ask me in a direct message to read all of it."
)
IN_FILE = Message("{shown} of {total} lines are shown here; all of it is in the file {name}.")
PART = Message("Part {number} of {parts}")

EXPORT_LABEL, FORGET_LABEL, FORGET_NOW_LABEL = (
    Message("Export my data"),
    Message("Forget me"),
    Message("Yes, erase everything about me"),
)
LABELS = {
    Button.HELPFUL: Message("👍 Helpful"),
    Button.UNHELPFUL: Message("👎 Not helpful"),
    Button.PASSAGES: Message("Show passages"),
    Button.WHY: Message("Why this confidence?"),
    Button.SHARE: Message("Share in channel"),
    Button.TELL: wording.TELL_ME,
    Button.UNTELL: Message("Take it back"),
    Button.STOP: Message("Stay out of this thread"),
    Button.ADD: Message("Add to knowledge"),
    Button.EXPORT: EXPORT_LABEL,
    Button.FORGET: FORGET_LABEL,
    Button.FORGET_NOW: FORGET_NOW_LABEL,
}
DESCRIBED = {
    Button.HELPFUL: Message("This answer was helpful"),
    Button.UNHELPFUL: Message("This answer was not helpful; opens a form for the reason"),
}
"""For screen readers."""

# --- Panels ----------------------------------------------------------------------------------------

FITS = Message("{title} fits the question to {share}.")
DOCUMENTS = Plural("{number} document that you may see here", "{number} documents that you may see here")
MORE = Message("… and {count} more")
REASON_TITLE, REASON_LABEL, COMMENT_LABEL = (
    Message("What was wrong?"),
    Message("The answer did not help because"),
    Message("Comment"),
)
SEND, CLOSE = Message("Send"), Message("Close")
THANKS = Message("Thank you. Your rating is kept with this answer.")
THANKS_REASON = Message("Thank you. That helps to find what is missing.")
NOT_MEMBER = Message("I am not a member of this channel. Invite me with `/invite`, then try again.")
NO_PERMISSION = Message("I lack the permission {permission} for that. An admin can add it to the app.")

# --- A person's own data, and how they want to be answered ---------------------------------------------

AS_SET, LANGUAGE_AS_SET = Message("As the operator set it"), Message("The language of the question")
PREFERENCES = Message(
    "**How I answer you**\n- Style: {style}\n- Citations: {citations}\n- Language: {language}\n"
    "-# Change it with the options of `/{preferences}`. It holds for all answers to you, until you erase your data."
)
EXPORTED = Message("Everything that is kept about you is in this file.")
FORGET_WARNING = Message(
    "This erases your questions, their answers, your ratings and your preferences here. It cannot be undone."
)
FORGOTTEN = Message("Done: {entries} about you erased.")
PRIVACY = Message(
    "**What is kept**\n"
    "- Your questions and my answers, so that follow-ups work, and your ratings. They are erased after {time}.\n"
    "- What you chose with `/{preferences}`, until you erase it.\n"
    "- Your Discord user id, to keep them apart from others'. Not your name, and nothing else you write.\n"
    "**What it is used for**\n"
    "- To answer you. Not to train models; shared with nobody but the language model the operator chose, if any.\n"
    "**Your choice**\n"
    "- Export everything about you, or erase it, with the buttons below."
)
HELP = Message(
    "**Ask me about the documents.** Every sentence of my answers shows its source.\n"
    "- Write to me in a direct message, or mention me in a channel.\n"
    "- Follow up by replying to my answer or, in a thread where I answered, by just asking on.\n"
    "- `/{ask}` answers only to you; “{share}” shows it to the channel.\n"
    "- Right-click a message > Apps > “{menu}”.\n"
    "- `/{sources}` lists what is indexed and visible to you; `/{privacy}` shows what is kept, exports and erases it.\n"
    "- `/{preferences}` sets the style, the citations and the language of my answers to you.\n"
    "- The buttons under an answer show the quoted passages, explain the confidence and take your rating."
)
WITHHELD = Message(
    "Discord did not show me your text. Mention me in your question, or leave the ping of your reply to me switched on."
)

STYLES = {
    "concise": Message("Concise"),
    "detailed": Message("Detailed"),
    "bullet": Message("Bullet"),
}
MARKS = {
    "numbered": Message("Numbered"),
    "inline": Message("Inline"),
    "footnote": Message("Footnote"),
    "endnote": Message("Endnote"),
}
"""Values of `Style` and `CitationStyle` by name."""

# --- Slack's App Home ----------------------------------------------------------------------------------

PROMPTS = (
    (Message("What can I ask?"), Message("What can I ask?")),
    (Message("What is indexed?"), Message("Which documents do you have?")),
)
"""Titles and messages of the suggested prompts, which the planner answers by itself; `manifest.yml` has the same."""
HOME_HOW_TITLE, HOME_INDEXED_TITLE = Message("Ask the documents"), Message("What is indexed")
HOME_PREFERENCES_TITLE, HOME_DATA_TITLE = Message("How I answer you"), Message("Your data")
HOME_HOW = Message(
    "Mention me in a channel, write to me in the Messages tab, or use `/ask` for an answer only you can see. "
    "In a thread that I have answered in, ask on without mentioning me. "
    "The message menu has *Answer this message*. Every sentence is marked with its source."
)
HOME_PRIVACY = Message(
    "I am an automated assistant. I keep your questions, my answers and your ratings for as long as the operator "
    "has set, to understand follow-ups and to improve. I do not read channels for their own sake: only messages "
    "addressed to me, and replies in threads that I have answered in."
)
HOME_EMPTY = Message("Nothing that you may see has been indexed yet.")
HOME_ALONE = Message("Shown for you alone. Documents that you may not see are not listed.")
HOME_EXPORT, HOME_FORGET, HOME_SURE = Message("Send me my data"), Message("Erase my data"), Message("Erase your data?")
HOME_WARNING = Message("Your questions, my answers to them and your ratings are erased.")
HOME_ERASE, HOME_KEEP = Message("Erase"), Message("Keep")
HOME_EXPORTED = Message("Your data is in the Messages tab, as a file.")
CITATIONS_AS_SET, CITATIONS = Message("Citations as set"), Message("{style} citations")
HOME_LANGUAGE_AS_SET = Message("In the question's language")
