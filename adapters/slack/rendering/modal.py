"""Forms as Slack's modals. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat.words.forms import ChoiceField, Form, FormValues, TextField
from adapters.slack.events.incoming import SlackPayload
from adapters.slack.rendering.blocks import SlackBlock

MAX_OPTION_LENGTH = 75
"""Characters of an option's label."""


def build_modal(form: Form, above: Sequence[SlackBlock] = ()) -> SlackBlock:
    """Return the view that `views.open` takes."""
    return {
        "type": "modal",
        "callback_id": form.name,
        "private_metadata": form.subject_id,
        "title": _plain(form.title),
        "submit": _plain(form.submit_label),
        "close": _plain(form.cancel_label),
        "blocks": [*above, *map(_input, form.fields)],
    }


def parse_form_values(view: SlackPayload) -> FormValues:
    """Return the values of a submitted form."""
    return {str(name): _field_values(elements[name]) for name, elements in view["state"]["values"].items()}


def _field_values(element: SlackPayload) -> tuple[str, ...]:
    options = [*(element.get("selected_options") or ()), element.get("selected_option")]
    return tuple(
        str(value) for value in [*(option["value"] for option in options if option), element.get("value")] if value
    )


def _input(field: TextField | ChoiceField) -> SlackBlock:
    return {
        "type": "input",
        "block_id": field.name,
        "optional": not field.required,
        "label": _plain(field.label),
        "element": _text_input(field) if isinstance(field, TextField) else _choice_input(field),
        **({"hint": _plain(field.hint)} if field.hint else {}),
    }


def _text_input(field: TextField) -> SlackBlock:
    initial = {"initial_value": field.value} if field.value else {}
    room = {"multiline": field.is_multiline, "max_length": field.max_length}
    return {"type": "plain_text_input", "action_id": field.name, **room, **initial}


def _choice_input(field: ChoiceField) -> SlackBlock:
    options = {
        value: {"text": _plain(name[:MAX_OPTION_LENGTH]), "value": value} for value, name in field.options.items()
    }
    first = [options[value] for value in field.initial]
    kind = "checkboxes" if field.is_multiple else "static_select" if field.is_collapsed else "radio_buttons"
    initial = {"initial_options": first} if field.is_multiple else {"initial_option": first[0] if first else None}
    preset = initial if first else {}
    return {"type": kind, "action_id": field.name, "options": list(options.values()), **preset}


def _plain(text: str) -> SlackBlock:
    return {"type": "plain_text", "text": text}
