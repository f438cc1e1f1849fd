"""The App Home: what is indexed, how to ask, preferences, setting up, and what is kept and how to get or erase it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.chat.press.person import prefer
from adapters.chat.reply import labels as words
from adapters.chat.reply.panels import CHOICES, CITATIONS, LISTED, STYLES, TONGUES, chosen
from adapters.chat.reply.parts import Button
from adapters.slack.events.incoming import Body
from adapters.slack.parts.blocks import Block, button, context, section, short
from adapters.slack.post.activity import Presence
from adapters.slack.press.presser import Context, SlackPresser
from adapters.slack.press.setup import SetupForm
from pipeline.errors import CitewellError
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


log = structlog.get_logger(__name__)


class AtHome(SlackPresser):
    """Somebody in the App Home, where they are told something at the top of the page."""

    def __init__(
        self, context: Context, body: Body, ack: AsyncAck, publish: Callable[[AtHome, str], Awaitable[None]]
    ) -> None:
        super().__init__(context, body, ack)
        self._publish = publish

    async def tell(self, text: str) -> None:
        await self.acked()
        await self._publish(self, text)


class Homepage:
    """One person's page. Everything shown there is what that person alone may see."""

    def __init__(self, context: Context, setup: SetupForm) -> None:
        self._context = context
        self._desk = context.desk
        self._setup = setup
        self._presence = Presence(context.web)

    def register(self, app: AsyncApp) -> None:
        app.event("app_home_opened")(self.opened)
        app.action(Button.EXPORT.value)(self.press)
        app.action(Button.FORGET.value)(self.press)
        for field in CHOICES:
            app.action(f"{PREFER}{field}")(self.prefer)

    async def opened(self, event: dict[str, Any], ack: AsyncAck) -> None:
        by = self._by(ack, {"user": {"id": event["user"]}})
        if event.get("tab") == "messages":
            speech = await by.words()
            prompts = [{"title": speech(title), "message": speech(message)} for title, message in words.PROMPTS]
            await self._presence.attempt(
                "assistant.threads.setSuggestedPrompts", channel_id=event["channel"], prompts=prompts
            )
        else:
            await self._publish(by, "")

    async def press(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await self._context.chat.press(self._by(ack, body))

    async def prefer(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        by = self._by(ack, body)
        await by.acked()
        field, chosen = by.pressed.action.removeprefix(PREFER), str(body["actions"][0]["selected_option"]["value"])
        async with by.honest():
            await prefer(self._desk, by.pressed.person, {field: chosen})

    def _by(self, ack: AsyncAck, body: Body) -> AtHome:
        return AtHome(self._context, body, ack, self._publish)

    async def _publish(self, by: AtHome, notice: str) -> None:
        try:
            documents = await self._desk.documents(await by.readers())
            preferences = await self._desk.preferences(by.pressed.person)
            view = home(documents, preferences, notice, await self._setup.blocks(by), await by.words())
            await self._context.web.call("views.publish", user_id=by.spot.user_id, view=view)
        except CitewellError as error:
            log.warning("slack_home_not_shown", reason=str(error))
