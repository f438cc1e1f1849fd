"""What is said without looking anything up."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.translations import Message, Plural, Words

INJECTION = Message(
    "I cannot do that: the message asks me to change how I work rather than for something in the documents. "
    "Ask me about the documents in your own words."
)
EMPTY_KNOWLEDGE_BASE = Message(
    "There are no documents yet that everyone here may see. Whoever runs this bot can add some."
)
OUTSIDE = Message(
    "Members of this team may ask me about its documents. Guests and people from elsewhere may not see any of them."
)
EMPTY_QUESTION = Message("What would you like to know? Ask a question about the documents in plain words.")
TOO_SHORT = Message("That is a little short for me to search well. What exactly would you like to know?")
TOO_LONG = Message(
    "That is longer than I can take as one question ({limit} characters at most). Please ask in fewer words."
)
WELCOME = Message("You are welcome. Ask whenever there is something else to look up.")
_HELLO = Message("Hello!")
_WHAT_I_DO = Plural(
    "I answer questions from {number} document and show where every sentence comes from.",
    "I answer questions from {number} documents and show where every sentence comes from.",
)
_EXAMPLE = Message("Ask me, for example: “What is {title} about?”")
_INDEXED = Message("I know: {titles}.")
_AND_MORE = Plural("{titles} and {number} more", "{titles} and {number} more")
_HOW = Message("Ask in plain words, and follow up in the same thread.")


def greeting(title: str, documents: int, words: Words) -> str:
    """A short hello with one question that can be asked; `title` is that of a document."""
    example = [words(_EXAMPLE, title=title)] if title else []
    return " ".join([words(_HELLO), words.count(_WHAT_I_DO, documents), *example])


def introduction(titles: Sequence[str], documents: int, words: Words) -> str:
    """Who we are, what is indexed and how to ask; `titles` may be only some of the documents."""
    named, more = ", ".join(titles), documents - len(titles)
    listed = words.count(_AND_MORE, more, titles=named) if more > 0 else named
    return f"{words.count(_WHAT_I_DO, documents)}\n\n{words(_INDEXED, titles=listed)}\n\n{words(_HOW)}"
