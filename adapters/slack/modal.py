"""The form behind the thumbs-down. Pure."""

from __future__ import annotations

from adapters.replies import words
from adapters.slack.blocks import Block
from pipeline import wording
from pipeline.translations import ENGLISH, Words
from pipeline.values import Rating, Reason


def reason_form(answer_id: str, speech: Words = ENGLISH) -> Block:
    """The modal behind the thumbs-down; the vote itself is already counted."""
    options = [
        {"text": {"type": "plain_text", "text": speech(text)}, "value": reason.value}
        for reason, text in wording.REASONS.items()
    ]
    return {
        "type": "modal",
        "callback_id": "reason",
        "private_metadata": answer_id,
        "title": {"type": "plain_text", "text": speech(words.REASON_TITLE)},
        "submit": {"type": "plain_text", "text": speech(words.SEND)},
        "close": {"type": "plain_text", "text": speech(words.CLOSE)},
        "blocks": [
            {
                "type": "input",
                "block_id": "reason",
                "optional": True,
                "label": {"type": "plain_text", "text": speech(words.REASON_LABEL)},
                "element": {"type": "radio_buttons", "action_id": "reason", "options": options},
            },
            {
                "type": "input",
                "block_id": "comment",
                "optional": True,
                "label": {"type": "plain_text", "text": speech(words.COMMENT_LABEL)},
                "element": {"type": "plain_text_input", "action_id": "comment", "multiline": True, "max_length": 1000},
            },
        ],
    }


def reason_given(view: Block, rating: Rating) -> Rating:
    """`rating` with what the submitted form says."""
    values = view["state"]["values"]
    chosen = values["reason"]["reason"].get("selected_option")
    return rating.model_copy(
        update={
            "reason": Reason(chosen["value"]) if chosen else None,
            "comment": values["comment"]["comment"].get("value") or "",
        }
    )
