"""The context of one interaction in Slack, which Slack never sends again, and the files and links of its message."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.chat.adapter import ChatApp
from adapters.chat.audience import AudienceFacts
from adapters.chat.interactions.context import Acknowledgement, ChannelInteractionContext, HandoffReply
from adapters.chat.interactions.upload_source import UploadResult, post_reading_notice
from adapters.chat.interactions.uploads import UPLOAD_COMMAND
from adapters.chat.reply import labels, splitting
from adapters.chat.reply.builder import text_reply
from adapters.chat.reply.parts import RenderOptions, Reply
from adapters.chat.words.forms import Form
from adapters.chat.words.uploads import UploadCandidate
from adapters.slack.audience import SlackAudienceResolver
from adapters.slack.events import plain_text
from adapters.slack.events.files import SlackFiles
from adapters.slack.events.incoming import SlackBot, SlackPayload, message_key
from adapters.slack.interactions.payload import SlackInteraction, parse_interaction, with_located_buttons
from adapters.slack.platform import SLACK
from adapters.slack.post import private
from adapters.slack.post.announcements import fetch_permalink, interaction_error_text
from adapters.slack.post.sender import NO_PREVIEW_ARGUMENTS
from adapters.slack.rendering.blocks import SlackBlock, literal_block, section_block, shorten_label
from adapters.slack.rendering.footer import SlackUploadSelection, select_uploads
from adapters.slack.rendering.modal import build_modal
from adapters.slack.rendering.render import SlackPost, fallback_text, render_posts
from adapters.slack.web_client import SlackWebClient
from pipeline.errors import CitewellError, PostRefused
from pipeline.ports import BotServices, Upload
from pipeline.ports.services import PostService
from pipeline.translations import TranslatableText, Translator
from pipeline.values import Actor, Answer, ConversationId, MessageKey, PlaceId, Readers
from pipeline.words import wording


def build_upload_source(
    web: SlackWebClient,
    audience_resolver: SlackAudienceResolver,
    files: SlackFiles,
    post_service: PostService,
    interaction: SlackInteraction,
    body: SlackPayload,
) -> SlackUploadSource:
    """Return the candidates of a message, which the shortcut holds, and the button and the form carry."""
    menu = interaction.payload.action == UPLOAD_COMMAND
    choice = (
        select_uploads(interaction.channel, body["message"])
        if menu
        else SlackUploadSelection.parse(interaction.payload.subject_id)
    )
    return SlackUploadSource(web, audience_resolver, files, post_service, choice, interaction)


class SlackUploadSource:
    """The port `UploadSource`."""

    def __init__(
        self,
        web: SlackWebClient,
        audience_resolver: SlackAudienceResolver,
        files: SlackFiles,
        post_service: PostService,
        choice: SlackUploadSelection,
        interaction: SlackInteraction,
    ) -> None:
        self._web = web
        self._audience_resolver = audience_resolver
        self._files = files
        self._post_service = post_service
        self._selection = choice
        self._interaction = interaction

    @property
    def candidates(self) -> Sequence[UploadCandidate]:
        return self._selection.candidates

    @property
    def form_state(self) -> str:
        return str(self._selection)

    async def resolve(self, candidate: UploadCandidate) -> Upload:
        if not candidate.file_id:
            return Upload(candidate.name, candidate.name)
        file = await self._files.find(candidate.file_id)
        link = file.link or await fetch_permalink(self._web, self._selection.channel, self._selection.ts)
        return Upload(file.name, link, partial(self._files.download, file))

    async def announce_reading(
        self, notice: str, translator: Translator, *, privately: bool
    ) -> Callable[[UploadResult], Awaitable[None]]:
        """Post the notice below the message; to the person alone also where the bot is no member, or strangers read."""
        places = await self._places(privately=privately)
        return await post_reading_notice(
            self._post_service, places, self._interaction.payload.person_id, notice, translator
        )

    async def _places(self, *, privately: bool) -> list[tuple[str, str]]:
        """Return where the notice may go, with the thread there; each is tried where the one before refuses."""
        interaction, team = self._interaction, self._interaction.payload.conversation.space
        direct = (str(SLACK.person_id(team, interaction.user_id)), "")
        if not interaction.is_direct and (privately or await self._audience_resolver.is_shared(interaction.channel)):
            return [direct]
        channel = PlaceId(platform=SLACK.name, space=team, channel=self._selection.channel)
        return [(str(channel), self._selection.thread), direct]


MAX_FIELD_ERROR_LENGTH = 150
"""Characters of an error at a field."""


@dataclass(frozen=True)
class SlackInteractionDependencies:
    """The services that interactions of one workspace need."""

    web: SlackWebClient
    me: SlackBot
    chat: ChatApp[SlackPost]
    audience_resolver: SlackAudienceResolver
    services: BotServices
    files: SlackFiles
    render_options: RenderOptions
    shared_channels: bool
    """True where answers are shared also where other organisations read along."""


class SlackInteractionContext(ChannelInteractionContext):
    """One interaction in a workspace."""

    shows_votes = True

    def __init__(self, context: SlackInteractionDependencies, body: SlackPayload, ack: AsyncAck) -> None:
        self.interaction: SlackInteraction = parse_interaction(body, context.me)
        super().__init__(self.interaction.payload, context.services)
        self._context = context
        self._web = context.web
        self._ack = ack
        self._acked = False
        self._has_line = False
        """True while the acknowledgement of a command stands where the first response goes."""
        self.body = body

    @asynccontextmanager
    async def report_errors(self) -> AsyncIterator[None]:
        """Tell the person if something inside fails, and acknowledge the interaction in the end."""
        async with super().report_errors():
            yield
        await self.ensure_acked()

    async def actor(self) -> Actor:
        return await self._context.audience_resolver.actors.resolve(self.interaction.user)

    async def private_readers(self) -> Readers:
        return await self._build_readers(
            self._context.audience_resolver.person_facts(self.interaction.user_id, self.interaction.channel)
        )

    async def channel_readers(self) -> Readers:
        audience_resolver, interaction = self._context.audience_resolver, self.interaction
        return await self._build_readers(
            audience_resolver.person_facts(interaction.user_id)
            if interaction.is_direct
            else audience_resolver.channel_facts(interaction.channel)
        )

    async def share_readers(self) -> Readers | TranslatableText:
        audience_resolver = self._context.audience_resolver
        if not self._context.shared_channels and await audience_resolver.is_shared(self.interaction.channel):
            return wording.SHARED_CHANNEL
        return await self._build_readers(audience_resolver.channel_facts(self.interaction.channel))

    async def _build_readers(self, facts: Awaitable[AudienceFacts]) -> Readers:
        return await self._context.chat.audience.build(await facts)

    async def direct_conversation(self) -> ConversationId:
        return ConversationId(platform="slack", space=self._context.me.team, channel=await self.direct_channel())

    async def direct_channel(self) -> str:
        opened = await self._web.call("conversations.open", users=self.interaction.user_id)
        return str(opened["channel"]["id"])

    async def message_link(self) -> str:
        return await fetch_permalink(self._web, self.interaction.channel, self.payload.message)

    async def upload_source(self) -> SlackUploadSource:
        context = self._context
        return build_upload_source(
            context.web, context.audience_resolver, context.files, context.services.posts, self.interaction, self.body
        )

    async def ack(self, kind: Acknowledgement) -> None:
        """Acknowledge a command with a line; leave a form that may be refused until it is handled."""
        if "command" in self.body and not self._acked:
            self._acked = self._has_line = True
            await self._ack(
                text=(await self._services.translator_for(self.payload.person_id))(labels.LOOKING_UP),
                response_type="ephemeral",
            )
        elif kind is not Acknowledgement.FORM_VALIDATION:
            await self.ensure_acked()

    async def ensure_acked(self) -> None:
        if not self._acked:
            self._acked = True
            await self._ack()

    async def reply_privately(self, text: str) -> None:
        await self.ensure_acked()
        if self.interaction.response_url:
            await self._respond(text_reply(text))
        elif self.interaction.channel:
            await self._post(text_reply(text))

    async def show_privately(self, reply: Reply) -> None:
        await self.ensure_acked()
        if self._has_line or self.interaction.is_ephemeral:
            await self._respond(reply)
        else:
            await self._post(reply, **({"thread_ts": self.interaction.thread} if self.interaction.thread else {}))

    async def _respond(self, reply: Reply) -> None:
        first, *more = render_posts(with_located_buttons(reply, self.interaction))
        instead, self._has_line = self._has_line, False
        await private.post_response(self._web, self.interaction.response_url, [first], instead=instead)
        await private.post_response(self._web, self.interaction.response_url, more)

    async def _post(self, reply: Reply, **thread: str) -> None:
        arguments = {"channel": self.interaction.channel, "user": self.interaction.user_id, **thread}
        for post in render_posts(with_located_buttons(reply, self.interaction)):
            await self._web.call("chat.postEphemeral", **arguments, text=post.text, blocks=post.blocks, parse="none")

    async def open_form(self, form: Form, above: Sequence[SlackBlock] = ()) -> None:
        """Open a modal. Its metadata carry the place that it was opened from."""
        await self.ensure_acked()
        modal = {
            **build_modal(form, above),
            "private_metadata": f"{self.interaction.channel} {self.payload.message} {form.subject_id}",
        }
        await self._web.call("views.open", trigger_id=self.body["trigger_id"], view=modal)

    async def show_field_error(self, text: str, field: str) -> bool:
        if self._acked or self.body.get("type") != "view_submission":
            return False
        self._acked = True
        at = field or next(iter(self.payload.form_values))
        await self._ack(response_action="errors", errors={at: splitting.shorten_line(text, MAX_FIELD_ERROR_LENGTH)})
        return True

    async def replace_message(self, text: str) -> None:
        await self._update_message(fallback_text(text), [literal_block(text)], self.payload.message)

    async def handoff_reply(self) -> HandoffReply | None:
        """Return the message that the button names by its thread and its ts."""
        # As `SlackNotifier.offer_handoff_reply` writes it.
        thread, _, ts = self.payload.subject_id.partition(" ")
        arguments: dict[str, Any] = {
            "channel": self.interaction.channel,
            "ts": thread,
            "oldest": ts,
            "latest": ts,
            "limit": 2,
        }
        messages = (await self._web.call("conversations.replies", **arguments, inclusive=True)).get("messages") or ()
        own_messages = [
            message
            for message in messages
            if message.get("ts") == ts and message.get("user") == self.interaction.user_id
        ]
        if not own_messages:
            return None
        me, channel = self._context.me, self.interaction.channel
        notice = message_key(me.team, channel, thread)
        text = plain_text.message_to_text(str(own_messages[0].get("text") or ""), me.user)
        return HandoffReply(text, notice, await fetch_permalink(self._web, channel, ts))

    async def show_shared_note(self, answer: Answer) -> None:
        await private.show_shared(self._web, self.interaction.response_url, self._context.render_options, answer)

    async def mark_done(self, heading: str, at: MessageKey | None = None) -> None:
        await self.ensure_acked()
        ts = at.message if at else self.payload.message
        arguments: dict[str, Any] = {"channel": self.interaction.channel, "ts": ts, "limit": 1}
        (message, *_) = (await self._web.call("conversations.replies", **arguments))["messages"]
        blocks = [block for block in message.get("blocks") or () if block["type"] != "actions"]
        await self._update_message(
            str(message.get("text") or ""), [section_block(f"*✓ {shorten_label(heading, 300)}*"), *blocks[1:]], ts
        )

    async def _update_message(self, text: str, blocks: Sequence[SlackBlock], ts: str) -> None:
        await self._web.call(
            "chat.update", channel=self.interaction.channel, ts=ts, text=text, blocks=blocks, **NO_PREVIEW_ARGUMENTS
        )

    async def send_export(self, data: str) -> None:
        await self._web.upload(await self.direct_channel(), "citewell-data.json", data)
        await self.reply_privately((await self.words())(labels.HOME_EXPORTED))

    def error_text(self, error: CitewellError, translator: Translator) -> str:
        return str(error) if isinstance(error, PostRefused) else interaction_error_text(error, translator)
