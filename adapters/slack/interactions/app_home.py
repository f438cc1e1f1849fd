"""The App Home: how to ask, what is indexed, preferences, setup, and the person's own data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.chat.interactions.personal_data import save_preferences
from adapters.chat.reply import labels as words
from adapters.chat.reply.panels import (
    CITATION_CHOICES,
    LANGUAGE_CHOICES,
    MAX_DOCUMENTS,
    PREFERENCE_CHOICES,
    STYLE_CHOICES,
    current_choices,
)
from adapters.chat.reply.parts import ReplyButton
from adapters.slack.events.incoming import SlackPayload
from adapters.slack.interactions.context import SlackInteractionContext, SlackInteractionDependencies
from adapters.slack.interactions.setup import SlackSetupForm
from adapters.slack.post.typing_indicator import TypingIndicators
from adapters.slack.rendering.blocks import SlackBlock, button_block, context_block, section_block, shorten_label
from pipeline.errors import CitewellError
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import USE_DEFAULT, Document, Preferences

PREFERENCE_ACTION = "prefer_"
"""Prefix of a select's action; its field follows."""


def home_view(
    documents: Sequence[Document],
    preferences: Preferences,
    notice: str = "",
    more: Sequence[SlackBlock] = (),
    translator: Translator = ENGLISH_TRANSLATOR,
) -> SlackBlock:
    """Return the view for `views.publish`. `more` stands before the data section."""
    notice_text = shorten_label(notice, 500)
    blocks = [
        *([section_block(notice_text)] if notice_text else []),
        _header(translator(words.HOME_HOW_TITLE)),
        section_block(translator(words.HOME_HOW_TO_ASK)),
        _header(translator(words.HOME_INDEXED_TITLE)),
        section_block(_document_list(documents, translator)),
        _header(translator(words.HOME_PREFERENCES_TITLE)),
        _choices(preferences, translator),
        *more,
        _header(translator(words.HOME_DATA_TITLE)),
        section_block(translator(words.HOME_PRIVACY)),
        {
            "type": "actions",
            "elements": [button_block(translator(words.HOME_EXPORT), "export", "export"), _erase_button(translator)],
        },
        context_block(translator(words.HOME_PRIVATE)),
    ]
    return {"type": "home", "blocks": blocks}


def _header(text: str) -> SlackBlock:
    return {"type": "header", "text": {"type": "plain_text", "text": text}}


def _document_list(documents: Sequence[Document], translator: Translator) -> str:
    if not documents:
        return translator(words.HOME_EMPTY)
    titles = [
        f"• {shorten_label(document.title, 120) or shorten_label(document.filename, 120)}"
        for document in documents[:MAX_DOCUMENTS]
    ]
    rest = [translator(words.AND_MORE, count=len(documents) - MAX_DOCUMENTS)] if len(documents) > MAX_DOCUMENTS else []
    return "\n".join([*titles, *rest])


def _erase_button(translator: Translator) -> SlackBlock:
    return {
        **button_block(translator(words.HOME_FORGET), "forget", "forget"),
        "style": "danger",
        "confirm": {
            "title": {"type": "plain_text", "text": translator(words.HOME_SURE)},
            "text": {"type": "plain_text", "text": translator(words.HOME_WARNING)},
            "confirm": {"type": "plain_text", "text": translator(words.HOME_ERASE)},
            "deny": {"type": "plain_text", "text": translator(words.HOME_KEEP)},
        },
    }


def _choices(preferences: Preferences, translator: Translator) -> SlackBlock:
    """Return a select for each choice. An option whose name says too little by itself says what it is about."""
    marks = {
        value: translator(words.CITATIONS_LABEL, style=translator(name)) for value, name in CITATION_CHOICES.items()
    }
    choices = {
        "style": {value: translator(name) for value, name in STYLE_CHOICES.items()},
        "citations": {**marks, USE_DEFAULT: translator(words.CITATIONS_AS_SET)},
        "language": {
            **{value: translator(name) for value, name in LANGUAGE_CHOICES.items()},
            USE_DEFAULT: translator(words.HOME_LANGUAGE_AS_SET),
        },
    }
    current = current_choices(preferences)
    return {"type": "actions", "elements": [_select(field, names, current[field]) for field, names in choices.items()]}


def _select(field: str, names: Mapping[str, str], value: str) -> SlackBlock:
    options = {value: {"text": {"type": "plain_text", "text": name}, "value": value} for value, name in names.items()}
    return {
        "type": "static_select",
        "action_id": f"{PREFERENCE_ACTION}{field}",
        "options": list(options.values()),
        "initial_option": options.get(value, options[USE_DEFAULT]),
    }


log = structlog.get_logger(__name__)


class SlackHomeContext(SlackInteractionContext):
    """An interaction in the App Home, where private text is shown at the top of the page."""

    def __init__(
        self,
        context: SlackInteractionDependencies,
        body: SlackPayload,
        ack: AsyncAck,
        publish: Callable[[SlackHomeContext, str], Awaitable[None]],
    ) -> None:
        super().__init__(context, body, ack)
        self._publish = publish

    async def reply_privately(self, text: str) -> None:
        await self.ensure_acked()
        await self._publish(self, text)


class SlackAppHome:
    """The App Home of a person. It shows only what that person may see."""

    def __init__(self, context: SlackInteractionDependencies, setup: SlackSetupForm) -> None:
        self._context = context
        self._services = context.services
        self._setup = setup
        self._indicators = TypingIndicators(context.web)

    def register(self, app: AsyncApp) -> None:
        app.event("app_home_opened")(self.on_opened)
        app.action(ReplyButton.EXPORT.value)(self.on_action)
        app.action(ReplyButton.FORGET.value)(self.on_action)
        for field in PREFERENCE_CHOICES:
            app.action(f"{PREFERENCE_ACTION}{field}")(self.on_preference)

    async def on_opened(self, event: dict[str, Any], ack: AsyncAck) -> None:
        context = self._make_context(ack, {"user": {"id": event["user"]}})
        if event.get("tab") == "messages":
            translator = await context.words()
            prompts = [
                {"title": translator(title), "message": translator(message)}
                for title, message in words.SUGGESTED_PROMPTS
            ]
            await self._indicators.try_call(
                "assistant.threads.setSuggestedPrompts", channel_id=event["channel"], prompts=prompts
            )
        else:
            await self._publish(context, "")

    async def on_action(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await self._context.chat.handle_interaction(self._make_context(ack, body))

    async def on_preference(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        context = self._make_context(ack, body)
        await context.ensure_acked()
        field, value = (
            context.payload.action.removeprefix(PREFERENCE_ACTION),
            str(body["actions"][0]["selected_option"]["value"]),
        )
        async with context.report_errors():
            await save_preferences(self._services, context.payload.person_id, {field: value})

    def _make_context(self, ack: AsyncAck, body: SlackPayload) -> SlackHomeContext:
        return SlackHomeContext(self._context, body, ack, self._publish)

    async def _publish(self, context: SlackHomeContext, notice: str) -> None:
        try:
            documents = await self._services.list_documents(await context.readers())
            preferences = await self._services.preferences(context.payload.person_id)
            view = home_view(documents, preferences, notice, await self._setup.blocks(context), await context.words())
            await self._context.web.call("views.publish", user_id=context.interaction.user_id, view=view)
        except CitewellError as error:
            log.warning("slack_home_not_shown", reason=str(error))
