"""What buttons, panels and commands say, on every platform; what is said of an answer is in `pipeline.wording`."""

from __future__ import annotations

from adapters.replies.parts import Button

QUESTION = "Question"
SHARED_BY = "Shared by {person}"
SHARED = "✓ Shared in this channel."
LOOKING = "Looking that up. Only you will see the answer."
LONGER = "The rest of this answer does not fit into a private reply. Ask me in a direct message to read all of it."
IN_FILE = "{shown} of {total} lines are shown here; all of it is in the file {name}."
PART = "Part {number} of {parts}"

LABELS = {
    Button.HELPFUL: "👍 Helpful",
    Button.UNHELPFUL: "👎 Not helpful",
    Button.PASSAGES: "Show passages",
    Button.WHY: "Why this confidence?",
    Button.SHARE: "Share in channel",
}
DESCRIBED = {
    Button.HELPFUL: "This answer was helpful",
    Button.UNHELPFUL: "This answer was not helpful; opens a form for the reason",
}
"""For screen readers."""

# --- Panels ----------------------------------------------------------------------------------------

FITS = "{title} fits the question to {score:.0%}."
DOCUMENTS = "{documents} that you may see here"
MORE = "… and {count} more"
REASON_TITLE, REASON_LABEL, COMMENT_LABEL = "What was wrong?", "The answer did not help because", "Comment"
SEND, CLOSE = "Send", "Close"
THANKS = "Thank you. Your rating is kept with this answer."
THANKS_REASON = "Thank you. That helps to find what is missing."
NOT_MEMBER = "I am not a member of this channel. Invite me with `/invite`, then try again."
NO_PERMISSION = "I lack the permission {permission} for that. An admin can add it to the app."

# --- A person's own data, and how they want to be answered ---------------------------------------------

AS_SET, LANGUAGE_AS_SET = "As the operator set it", "The language of the question"
PREFERENCES = (
    "**How I answer you**\n- Style: {style}\n- Citations: {citations}\n- Language: {language}\n"
    "-# Change it with the options of `/preferences`. It holds for all answers to you, until you erase your data."
)
EXPORT_LABEL, FORGET_LABEL, FORGET_NOW_LABEL = "Export my data", "Forget me", "Yes, erase everything about me"
EXPORTED = "Everything that is kept about you is in this file."
FORGET_WARNING = (
    "This erases your questions, their answers, your ratings and your preferences here. It cannot be undone."
)
FORGOTTEN = "Done: {entries} about you erased."
PRIVACY = (
    "**What is kept**\n"
    "- Your questions and my answers, so that follow-ups work, and your ratings. They are erased after {time}.\n"
    "- What you chose with `/preferences`, until you erase it.\n"
    "- Your Discord user id, to keep them apart from others'. Not your name, and nothing else you write.\n"
    "**What it is used for**\n"
    "- To answer you. Not to train models; shared with nobody but the language model the operator chose, if any.\n"
    "**Your choice**\n"
    "- Export everything about you, or erase it, with the buttons below."
)
HELP = (
    "**Ask me about the documents.** Every sentence of my answers shows its source.\n"
    "- Write to me in a direct message, or mention me in a channel.\n"
    "- Follow up by replying to my answer or, in a thread where I answered, by just asking on.\n"
    "- `/ask` answers only to you; “Share in channel” shows it to the channel.\n"
    "- Right-click a message > Apps > “Answer this message”.\n"
    "- `/sources` lists what is indexed and visible to you; `/privacy` shows what is kept, exports and erases it.\n"
    "- `/preferences` sets the style, the citations and the language of my answers to you.\n"
    "- The buttons under an answer show the quoted passages, explain the confidence and take your rating."
)
WITHHELD = (
    "Discord did not show me your text. Mention me in your question, or leave the ping of your reply to me switched on."
)

# --- Slack's App Home ----------------------------------------------------------------------------------

PROMPTS = (
    ("What can I ask?", "What can I ask?"),
    ("What is indexed?", "Which documents do you have?"),
)
"""Titles and messages of the suggested prompts, which the planner answers by itself; `manifest.yml` has the same."""
HOME_HOW_TITLE, HOME_INDEXED_TITLE = "Ask the documents", "What is indexed"
HOME_PREFERENCES_TITLE, HOME_DATA_TITLE = "How I answer you", "Your data"
HOME_HOW = (
    "Mention me in a channel, write to me in the Messages tab, or use `/ask` for an answer only you can see. "
    "In a thread that I have answered in, ask on without mentioning me. "
    "The message menu has *Answer this message*. Every sentence is marked with its source."
)
HOME_PRIVACY = (
    "I am an automated assistant. I keep your questions, my answers and your ratings for as long as the operator "
    "has set, to understand follow-ups and to improve. I do not read channels for their own sake: only messages "
    "addressed to me, and replies in threads that I have answered in."
)
HOME_EMPTY = "Nothing that you may see has been indexed yet."
HOME_ALONE = "Shown for you alone. Documents that you may not see are not listed."
HOME_EXPORT, HOME_FORGET, HOME_SURE = "Send me my data", "Erase my data", "Erase your data?"
HOME_WARNING = "Your questions, my answers to them and your ratings are erased."
HOME_ERASE, HOME_KEEP = "Erase", "Keep"
HOME_EXPORTED = "Your data is in the Messages tab, as a file."
HOME_FORGOTTEN = "Your questions, answers and ratings are erased ({entries})."
HOME_FAILED = "That did not work. {what_to_do}"
HOME_TRY_AGAIN = "Please try again in a minute."
CITATIONS_AS_SET, CITATIONS = "Citations as set", "{style} citations"
HOME_LANGUAGE_AS_SET = "In the question's language"
