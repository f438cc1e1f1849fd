"""Forms as Slack's modals. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat.words.forms import ChoiceField, Filled, Form, TextField
from adapters.slack.events.incoming import Body
from adapters.slack.parts.blocks import Block

OPTION = 75
"""Characters of what an option is called."""


def view(form: Form, above: Sequence[Block] = ()) -> Block:
    """What `views.open` takes."""
    return {
        "type": "modal",
        "callback_id": form.name,
        "private_metadata": form.about,
        "title": _plain(form.title),
        "submit": _plain(form.send),
        "close": _plain(form.close),
        "blocks": [*above, *map(_input, form.fields)],
    }


def filled(view: Body) -> Filled:
    """What a submitted form says."""
    return {str(name): _given(elements[name]) for name, elements in view["state"]["values"].items()}


def _given(element: Body) -> tuple[str, ...]:
    chosen = [*(element.get("selected_options") or ()), element.get("selected_option")]
    return tuple(str(one) for one in [*(option["value"] for option in chosen if option), element.get("value")] if one)


def _input(field: TextField | ChoiceField) -> Block:
    return {
        "type": "input",
        "block_id": field.name,
        "optional": not field.required,
        "label": _plain(field.label),
        "element": _typed(field) if isinstance(field, TextField) else _chosen(field),
        **({"hint": _plain(field.hint)} if field.hint else {}),
    }


def _typed(field: TextField) -> Block:
    initial = {"initial_value": field.value} if field.value else {}
    room = {"multiline": field.lines, "max_length": field.most}
    return {"type": "plain_text_input", "action_id": field.name, **room, **initial}


def _chosen(field: ChoiceField) -> Block:
    options = {value: {"text": _plain(name[:OPTION]), "value": value} for value, name in field.options.items()}
    first = [options[value] for value in field.first]
    kind = "checkboxes" if field.several else "static_select" if field.folded else "radio_buttons"
    initial = {"initial_options": first} if field.several else {"initial_option": first[0] if first else None}
    chosen = initial if first else {}
    return {"type": kind, "action_id": field.name, "options": list(options.values()), **chosen}


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}
