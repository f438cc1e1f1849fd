"""What is said where somebody adds a file or a link to the documents, and what they chose from. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adapters.chat.reply.cut import NAME, one_line
from adapters.chat.words.forms import ChoiceField, Filled, Form
from pipeline.ports import Added, NotAdded
from pipeline.translations import Message, Plural, Words
from pipeline.words import wording

ADD = Message("Add to knowledge")
WHAT_LABEL, WHERE_LABEL = Message("What to add"), Message("Into which collection")
WHERE_HINT = Message("Everyone who may see that collection gets answers from it.")
CANCEL = Message("Cancel")
READING = Message("Reading {name} …")
ADDED = Message("{name} is in the collection {collection} now, as “{title}”.")
PASSAGES = Plural("{number} passage was read.", "{number} passages were read.")
REPLACED = Message("It replaces what you added under the same name.")
HOW_BACK = Message(
    "To take it back, press the button; whoever runs me can do it with `citewell documents remove {id}`."
)
NOT_ADDED = Message("{name} was left out: {reason}")
TAKE_BACK = Message("Take it back")
TAKEN_BACK = Message("“{title}” is taken back: no answer rests on it any more.")
NOT_THERE = Message("It is not among the documents any more.")
CONTRIBUTORS_ONLY = Message("Only a contributor may add to my knowledge. Whoever runs me says who is one.")
NOT_YOURS = Message("Only whoever added it, or an admin, may take it back.")
NOTHING_TO_ADD = Message("That message has no file and no link that I could add.")
NO_COLLECTION = Message("There is no collection here that you could add to.")
OUT_OF_DATE = Message("This is out of date. Choose “{add}” again.")

UNREADABLE = Message("I read {formats}, with text in them and without a password.")
TOO_LARGE = Message("it is larger than {megabytes} MB.")
NOT_PUBLIC = Message("I open public web pages only.")
NOT_OPEN = Message("the page is not there, or it asks to sign in.")
NOT_GOT = Message("I could not get it. Please try again in a minute.")
GONE = Message("the file is not there any more, or I may not see it. Send it to me in a direct message.")
ELSEWHERE = Message("the file is kept outside {platform}, and I have no access to it.")
NO_ACCESS = Message("I may not open files here. Whoever runs me can give me the permission {permission}.")

ADDING = "adding"
MOST = 10
"""Files and links of one message that can be added."""
_ADDRESS = re.compile(r"https?://[^\s<>|\"]+")
_AFTER = ".,;:!?'*_~"


class Thing(NamedTuple):
    """One file or link of a message."""

    name: str
    file: str = ""
    """Its id on the platform; empty for a link, whose name is its address."""


def links(text: str) -> list[Thing]:
    """The addresses in a text as it was typed, each once; a mark that ends a sentence is not part of one."""
    found = (one.rstrip(_AFTER if "(" in one else f"{_AFTER})") for one in _ADDRESS.findall(text))
    return [Thing(one) for one in dict.fromkeys(found)]


def label(thing: Thing) -> str:
    """What the form calls it."""
    return one_line(thing.name, 75)


def told(thing: Thing, added: Added, words: Words) -> str:
    """What was read, and where it is."""
    name, title = one_line(thing.name, NAME), one_line(added.title, NAME)
    return " ".join(
        [
            words(ADDED, name=name, collection=added.collection, title=title),
            words.count(PASSAGES, added.passages),
            *([words(REPLACED)] if added.replaced else []),
            *([f"{words(wording.FLAGGED)}."] if added.flagged else []),
        ]
    )


def how_back(added: Added, words: Words) -> str:
    """How to take it back, in Markdown of any kind."""
    return words(HOW_BACK, id=added.document)


def left_out(thing: Thing, error: NotAdded, words: Words) -> str:
    """Why it is not there."""
    return words(NOT_ADDED, name=one_line(thing.name, NAME), reason=words(error.reason, **error.fields))


def not_got(thing: Thing, words: Words) -> str:
    return words(NOT_ADDED, name=one_line(thing.name, NAME), reason=words(NOT_GOT))


def form(about: str, things: Sequence[Thing], collections: Sequence[str], words: Words) -> Form:
    """What of a message, where there are several, the files ticked; and into which collection."""
    fields = []
    if len(things) > 1:
        named = {str(place): label(thing) for place, thing in enumerate(things)}
        files = tuple(str(place) for place, thing in enumerate(things) if thing.file)
        fields.append(ChoiceField("what", words(WHAT_LABEL), named, files or tuple(named), several=True, required=True))
    if len(collections) > 1:
        names = {name: name for name in collections}
        hint = words(WHERE_HINT)
        fields.append(
            ChoiceField("where", words(WHERE_LABEL), names, tuple(collections[:1]), hint, folded=True, required=True)
        )
    return Form(ADDING, about, words(ADD), words(ADD), words(CANCEL), tuple(fields))


def given(filled: Filled, things: Sequence[Thing]) -> tuple[list[Thing], str]:
    """What was ticked, and the collection; that is empty where there was none to choose."""
    ticked = {str(place): thing for place, thing in enumerate(things)}
    chosen = [ticked[place] for place in filled["what"] if place in ticked] if "what" in filled else list(things)
    return chosen, "".join(filled.get("where", ()))
