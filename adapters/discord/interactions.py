"""What happens after the answer: ratings, passages, why, share, and a person's own data.

Discord never sends a press or a command a second time: what is interrupted here says nothing and can be pressed again.
"""

from __future__ import annotations

import io

import discord

from adapters.discord import buttons, limits, render
from adapters.discord.audience import Audiences
from adapters.discord.blocks import Row
from adapters.discord.ephemeral import Interaction, by_locale, honest, person, places_of, say, words_of
from adapters.discord.handoff import Handoffs, conversation
from adapters.discord.knowledge import Knowledge
from adapters.discord.modal import filled, modal
from adapters.discord.sharing import Sharing
from adapters.replies import forms, handoff, knowledge, panels, words
from adapters.replies.clicks import Clicks
from adapters.replies.parts import Button, Look
from pipeline import wording
from pipeline.ports import Desk, Inbox
from pipeline.translations import Words
from pipeline.values import Answer, Rating, Vote

_SHOWN = (
    Button.PASSAGES,
    Button.WHY,
    Button.HELPFUL,
    Button.UNHELPFUL,
    Button.ADD,
    buttons.EXPORT,
    buttons.TAKE_BACK,
)
"""What answers each press with something to see."""


class Actions:
    def __init__(
        self, desk: Desk, inbox: Inbox, audiences: Audiences, knowledge: Knowledge, *, look: Look, threads: bool
    ) -> None:
        self._desk = desk
        self._inbox = inbox
        self._audiences = audiences
        self._sharing = Sharing(desk, inbox, audiences, look=look, threads=threads)
        self._handoffs = Handoffs(desk, audiences)
        self._knowledge = knowledge
        self._clicks = Clicks()

    async def press(self, interaction: Interaction, custom_id: str) -> None:
        """Do what a button or a submitted modal of ours stands for; anything else is not ours."""
        match = buttons.TEMPLATE.fullmatch(custom_id)
        if match is None:
            return
        async with honest(interaction, match["action"]):
            where = interaction.message.id if interaction.message else 0
            shows = match["action"] in _SHOWN
            if shows and self._clicks.again(interaction.user.id, custom_id, where):
                await interaction.response.defer()
            else:
                await self._act(interaction, match["action"], match["answer"], match["root"])

    async def _act(self, interaction: Interaction, action: str, answer_id: str, root: str) -> None:
        match action:
            case Button.UNHELPFUL:
                await interaction.response.send_modal(modal(forms.reason_form(answer_id, by_locale(interaction))))
                await self._desk.rate(_rating(interaction, answer_id, Vote.UNHELPFUL))
            case Button.SHARE:
                await self._share(interaction, answer_id)
            case buttons.RESOLVE:
                await self._handoffs.open(interaction, answer_id)
            case handoff.RESOLVED:
                await self._handoffs.resolved(interaction, answer_id)
            case Button.ADD:
                await self._knowledge.offered(interaction)
            case knowledge.ADDING:
                await self._knowledge.submitted(interaction, answer_id)
            case buttons.TAKE_BACK:
                await self._knowledge.take_back(interaction, answer_id)
            case _:
                await interaction.response.defer(ephemeral=True, thinking=True)
                await self._act_privately(interaction, action, answer_id, root)

    async def _act_privately(self, interaction: Interaction, action: str, answer_id: str, root: str) -> None:
        speech = await words_of(self._desk, interaction)
        match action:
            case Button.HELPFUL:
                await self._desk.rate(_rating(interaction, answer_id, Vote.HELPFUL))
                await say(interaction, (speech(words.THANKS),))
            case forms.REASON:
                rating = _rating(interaction, answer_id, Vote.UNHELPFUL)
                await self._desk.rate(forms.with_reason(rating, filled(interaction.data)))
                await say(interaction, (speech(words.THANKS_REASON),), row=await self._ask_row(interaction, answer_id))
            case Button.ASK:
                await say(interaction, (await self._handoffs.ask(interaction, answer_id, root),))
            case Button.STOP:
                await self._inbox.silence(conversation(interaction))
                await say(interaction, (speech(wording.SILENCED),))
            case Button.PASSAGES:
                answer = await self._answer(interaction, answer_id)
                await say(
                    interaction, render.texts(panels.passages(answer)) if answer else (speech(wording.NO_ANSWER),)
                )
            case Button.WHY:
                answer = await self._answer(interaction, answer_id)
                await say(interaction, render.texts(panels.why(answer)) if answer else (speech(wording.NO_ANSWER),))
            case buttons.EXPORT:
                await self._export(interaction, speech)
            case buttons.FORGET:
                sure = [(speech(words.FORGET_NOW_LABEL), buttons.custom_id(buttons.FORGET_NOW))]
                await say(interaction, (speech(words.FORGET_WARNING),), row=sure)
            case buttons.FORGET_NOW:
                count = await self._desk.forget(person(interaction))
                erased = speech.count(wording.ENTRIES, count)
                await say(interaction, (speech(words.FORGOTTEN, entries=erased),))

    async def _ask_row(self, interaction: Interaction, answer_id: str) -> Row:
        """The button to ask a person, where there is one to ask."""
        place = await self._desk.places.of(places_of(interaction))
        speech = await self._desk.words(person(interaction), locale=str(interaction.locale))
        message = interaction.message
        seen = str(message.id) if message and not message.flags.ephemeral else ""
        label = wording.ask_button(place.ask_name or "", speech)
        return [(label, buttons.custom_id(Button.ASK, answer_id, seen))] if place.ask else ()

    async def _answer(self, interaction: Interaction, answer_id: str) -> Answer | None:
        return await self._desk.answer(answer_id, await self._audiences.of_presser(interaction))

    async def _share(self, interaction: Interaction, answer_id: str) -> None:
        """Post a private answer in the channel, once, if everyone who reads there may see what it cites."""
        await interaction.response.defer()
        done = await self._sharing.share(interaction, answer_id, await words_of(self._desk, interaction))
        if done:
            await say(interaction, (done,))

    async def _export(self, interaction: Interaction, speech: Words) -> None:
        data = (await self._desk.export(person(interaction))).encode()
        parts = [data[start : start + limits.FILE] for start in range(0, len(data), limits.FILE)] or [b"{}"]
        for number, part in enumerate(parts, start=1):
            name = "citewell-export.json" if len(parts) == 1 else f"citewell-export-{number}.json.part"
            await interaction.followup.send(
                speech(words.EXPORTED), file=discord.File(io.BytesIO(part), name), ephemeral=True
            )


def _rating(interaction: Interaction, answer_id: str, vote: Vote) -> Rating:
    return Rating(answer_id=answer_id, person=person(interaction), vote=vote)
