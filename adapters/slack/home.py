"""The App Home tab: what is indexed, how to ask, what is kept and how to get or erase it. Views are pure."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.slack.blocks import Block, button, context, section, short
from pipeline.translations import LANGUAGES
from pipeline.values import AS_SET, CitationStyle, Document, Preferences, Style

LISTED = 20
PROMPTS = (
    ("What can I ask?", "What can I ask?"),
    ("What is indexed?", "Which documents do you have?"),
)
"""Titles and messages of the suggested prompts, which the planner answers by itself; `manifest.yml` has the same."""
_HOW = (
    "Mention me in a channel, write to me in the Messages tab, or use `/ask` for an answer only you can see. "
    "In a thread that I have answered in, ask on without mentioning me. "
    "The message menu has *Answer this message*. Every sentence is marked with its source."
)
_PRIVACY = (
    "I am an automated assistant. I keep your questions, my answers and your ratings for as long as the operator "
    "has set, to understand follow-ups and to improve. I do not read channels for their own sake: only messages "
    "addressed to me, and replies in threads that I have answered in."
)


def home(
    documents: Sequence[Document], preferences: Preferences, notice: str = "", more: Sequence[Block] = ()
) -> Block:
    """The view for `views.publish`. `more` stands before what is kept."""
    told = short(notice, 500)
    blocks = [
        *([section(told)] if told else []),
        _header("Ask the documents"),
        section(_HOW),
        _header("What is indexed"),
        section(_indexed(documents)),
        _header("How I answer you"),
        _choices(preferences),
        *more,
        _header("Your data"),
        section(_PRIVACY),
        {"type": "actions", "elements": [button("Send me my data", "export", "export"), _forget()]},
        context("Shown for you alone. Documents that you may not see are not listed."),
    ]
    return {"type": "home", "blocks": blocks}


def _header(text: str) -> Block:
    return {"type": "header", "text": {"type": "plain_text", "text": text}}


def _indexed(documents: Sequence[Document]) -> str:
    if not documents:
        return "Nothing that you may see has been indexed yet."
    titles = [f"• {short(document.title, 120) or short(document.filename, 120)}" for document in documents[:LISTED]]
    more = [f"… and {len(documents) - LISTED} more"] if len(documents) > LISTED else []
    return "\n".join([*titles, *more])


def _forget() -> Block:
    return {
        **button("Erase my data", "forget", "forget"),
        "style": "danger",
        "confirm": {
            "title": {"type": "plain_text", "text": "Erase your data?"},
            "text": {"type": "plain_text", "text": "Your questions, my answers to them and your ratings are erased."},
            "confirm": {"type": "plain_text", "text": "Erase"},
            "deny": {"type": "plain_text", "text": "Keep"},
        },
    }


def _choices(preferences: Preferences) -> Block:
    styles = {style.value: style.value.capitalize() for style in Style}
    marks = {style.value: f"{style.value.capitalize()} citations" for style in CitationStyle}
    return {
        "type": "actions",
        "elements": [
            _select("prefer_style", "As the operator set it", styles, preferences.style),
            _select("prefer_citations", "Citations as set", marks, preferences.citations),
            _select("prefer_language", "In the question's language", LANGUAGES, preferences.language),
        ],
    }


def _select(action: str, default: str, options: dict[str, str], chosen: str | None) -> Block:
    texts = {AS_SET: default, **options}
    choices = {
        value: {"text": {"type": "plain_text", "text": text}, "value": str(value)} for value, text in texts.items()
    }
    return {
        "type": "static_select",
        "action_id": action,
        "options": list(choices.values()),
        "initial_option": choices.get(str(chosen) if chosen else AS_SET, choices[AS_SET]),
    }


def chosen(preferences: Preferences, action: str, value: str) -> Preferences:
    """`preferences` after a choice in one of the selects."""
    return preferences.choosing({action.removeprefix("prefer_"): value})
