"""The App Home tab: what is indexed, how to ask, what is kept and how to get or erase it. Views are pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adapters.chat.reply import labels as words
from adapters.chat.reply.panels import CITATIONS, LISTED, STYLES, TONGUES, chosen
from adapters.slack.parts.blocks import Block, button, context, section, short
from pipeline.translations import ENGLISH, Words
from pipeline.values import AS_SET, Document, Preferences

PREFER = "prefer_"
"""How the action of a select begins; its field follows."""


def home(
    documents: Sequence[Document],
    preferences: Preferences,
    notice: str = "",
    more: Sequence[Block] = (),
    speech: Words = ENGLISH,
) -> Block:
    """The view for `views.publish`. `more` stands before what is kept."""
    told = short(notice, 500)
    blocks = [
        *([section(told)] if told else []),
        _header(speech(words.HOME_HOW_TITLE)),
        section(speech(words.HOME_HOW)),
        _header(speech(words.HOME_INDEXED_TITLE)),
        section(_indexed(documents, speech)),
        _header(speech(words.HOME_PREFERENCES_TITLE)),
        _choices(preferences, speech),
        *more,
        _header(speech(words.HOME_DATA_TITLE)),
        section(speech(words.HOME_PRIVACY)),
        {"type": "actions", "elements": [button(speech(words.HOME_EXPORT), "export", "export"), _forget(speech)]},
        context(speech(words.HOME_ALONE)),
    ]
    return {"type": "home", "blocks": blocks}


def _header(text: str) -> Block:
    return {"type": "header", "text": {"type": "plain_text", "text": text}}


def _indexed(documents: Sequence[Document], speech: Words) -> str:
    if not documents:
        return speech(words.HOME_EMPTY)
    titles = [f"• {short(document.title, 120) or short(document.filename, 120)}" for document in documents[:LISTED]]
    more = [speech(words.MORE, count=len(documents) - LISTED)] if len(documents) > LISTED else []
    return "\n".join([*titles, *more])


def _forget(speech: Words) -> Block:
    return {
        **button(speech(words.HOME_FORGET), "forget", "forget"),
        "style": "danger",
        "confirm": {
            "title": {"type": "plain_text", "text": speech(words.HOME_SURE)},
            "text": {"type": "plain_text", "text": speech(words.HOME_WARNING)},
            "confirm": {"type": "plain_text", "text": speech(words.HOME_ERASE)},
            "deny": {"type": "plain_text", "text": speech(words.HOME_KEEP)},
        },
    }


def _choices(preferences: Preferences, speech: Words) -> Block:
    """A select for each choice; one that shows no name of its own says what it is about."""
    marks = {value: speech(words.CITATIONS, style=speech(name)) for value, name in CITATIONS.items()}
    offered = {
        "style": {value: speech(name) for value, name in STYLES.items()},
        "citations": {**marks, AS_SET: speech(words.CITATIONS_AS_SET)},
        "language": {
            **{value: speech(name) for value, name in TONGUES.items()},
            AS_SET: speech(words.HOME_LANGUAGE_AS_SET),
        },
    }
    now = chosen(preferences)
    return {"type": "actions", "elements": [_select(field, names, now[field]) for field, names in offered.items()]}


def _select(field: str, names: Mapping[str, str], value: str) -> Block:
    options = {value: {"text": {"type": "plain_text", "text": name}, "value": value} for value, name in names.items()}
    return {
        "type": "static_select",
        "action_id": f"{PREFER}{field}",
        "options": list(options.values()),
        "initial_option": options.get(value, options[AS_SET]),
    }
