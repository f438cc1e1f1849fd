"""Replies without a search."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.translations import PluralText, TranslatableText, Translator

INJECTION_REFUSED = TranslatableText(
    "I cannot do that: the message asks me to change how I work rather than for something in the documents. "
    "Ask me about the documents in your own words."
)
EMPTY_KNOWLEDGE_BASE = TranslatableText(
    "There are no documents yet that everyone here may see. Whoever runs this bot can add some."
)
OUTSIDE_TEAM_REFUSED = TranslatableText(
    "Members of this team may ask me about its documents. Guests and people from elsewhere may not see any of them."
)
QUESTION_EMPTY = TranslatableText("What would you like to know? Ask a question about the documents in plain words.")
QUESTION_TOO_SHORT = TranslatableText(
    "That is a little short for me to search well. What exactly would you like to know?"
)
QUESTION_TOO_LONG = TranslatableText(
    "That is longer than I can take as one question ({limit} characters at most). Please ask in fewer words."
)
YOU_ARE_WELCOME = TranslatableText("You are welcome. Ask whenever there is something else to look up.")
_HELLO = TranslatableText("Hello!")
_WHAT_I_DO = PluralText(
    "I answer questions from {number} document and show where every sentence comes from.",
    "I answer questions from {number} documents and show where every sentence comes from.",
)
_EXAMPLE = TranslatableText("Ask me, for example: “What is {title} about?”")
_INDEXED = TranslatableText("I know: {titles}.")
_AND_MORE = PluralText("{titles} and {number} more", "{titles} and {number} more")
_HOW = TranslatableText("Ask in plain words, and follow up in the same thread.")


def greeting_text(title: str, documents: int, translator: Translator) -> str:
    """Return a short hello with one question that can be asked; `title` is that of a document."""
    example = [translator(_EXAMPLE, title=title)] if title else []
    return " ".join([translator(_HELLO), translator.pluralize(_WHAT_I_DO, documents), *example])


def introduction_text(titles: Sequence[str], documents: int, translator: Translator) -> str:
    """Return an introduction of the bot: its documents and how to ask; `titles` may be only some of the documents."""
    named, more = ", ".join(titles), documents - len(titles)
    listed = translator.pluralize(_AND_MORE, more, titles=named) if more > 0 else named
    return (
        f"{translator.pluralize(_WHAT_I_DO, documents)}\n\n{translator(_INDEXED, titles=listed)}\n\n{translator(_HOW)}"
    )
