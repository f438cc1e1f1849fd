"""What Discord's own commands and buttons say; everything else comes from `pipeline.wording`."""

from __future__ import annotations

THANKS = "Thank you. Your rating is kept with this answer."
THANKS_REASON = "Thank you. That helps to find what is missing."
WITHHELD = (
    "Discord did not show me your text. Mention me in your question, or leave the ping of your reply to me switched on."
)
FORGOTTEN = "Done: {entries} about you erased."
FORGET_WARNING = (
    "This erases your questions, their answers, your ratings and your preferences here. It cannot be undone."
)
EXPORTED = "Everything that is kept about you is in this file."
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
EXPORT_LABEL, FORGET_LABEL, FORGET_NOW_LABEL = "Export my data", "Forget me", "Yes, erase everything about me"
REASON_TITLE, REASON_LABEL, COMMENT_LABEL = "What was wrong?", "The answer did not help because", "Comment"
