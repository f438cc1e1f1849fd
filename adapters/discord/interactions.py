"""What happens after the answer: ratings, passages, why, share, and a person's own data.

Discord never sends a press or a command a second time: what is interrupted here says nothing and can be pressed again.
"""

from __future__ import annotations

import io

import discord

from adapters.conversation.clicks import Clicks
from adapters.conversation.press import next_steps, press
from adapters.discord import buttons, limits
from adapters.discord.audience import Audiences
from adapters.discord.blocks import Row
from adapters.discord.ephemeral import Interaction, Presser, by_locale, honest, say
from adapters.discord.handoff import resolved
from adapters.discord.knowledge import Knowledge
from adapters.discord.modal import filled, modal
from adapters.discord.sharing import Sharing
from adapters.replies import forms, handoff, knowledge, words
from adapters.replies.parts import Button, Look
from pipeline import wording
from pipeline.ports import Desk, Inbox
from pipeline.translations import Words
from pipeline.values import Rating, Vote

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
                by = Presser(interaction, self._desk, self._audiences, match["answer"], match["root"])
                await self._act(interaction, by, match["action"])

    async def _act(self, interaction: Interaction, by: Presser, action: str) -> None:
        match action:
            case Button.UNHELPFUL:
                await interaction.response.send_modal(modal(forms.reason_form(by.about, by_locale(interaction))))
                await self._desk.rate(_rating(by, Vote.UNHELPFUL))
            case Button.SHARE:
                await self._share(interaction, by)
            case handoff.RESOLVE_BUTTON:
                await press(self._desk, self._inbox, by, action)
            case handoff.RESOLVED:
                await resolved(self._desk, interaction, by)
            case Button.ADD:
                await self._knowledge.offered(interaction)
            case knowledge.ADDING:
                await self._knowledge.submitted(interaction, by.about)
            case buttons.TAKE_BACK:
                await self._knowledge.take_back(interaction, by.about)
            case _:
                await interaction.response.defer(ephemeral=True, thinking=True)
                await self._act_privately(interaction, by, action)

    async def _act_privately(self, interaction: Interaction, by: Presser, action: str) -> None:
        speech = await by.words()
        match action:
            case Button.HELPFUL:
                await self._desk.rate(_rating(by, Vote.HELPFUL))
                await by.say(speech(words.THANKS))
            case forms.REASON:
                rating = _rating(by, Vote.UNHELPFUL)
                await self._desk.rate(forms.with_reason(rating, filled(interaction.data)))
                await say(interaction, (speech(words.THANKS_REASON),), row=await self._next_row(by))
            case buttons.EXPORT:
                await self._export(interaction, by, speech)
            case buttons.FORGET:
                sure = [(speech(words.FORGET_NOW_LABEL), buttons.custom_id(buttons.FORGET_NOW))]
                await say(interaction, (speech(words.FORGET_WARNING),), row=sure)
            case buttons.FORGET_NOW:
                count = await self._desk.forget(by.person)
                await by.say(speech(words.FORGOTTEN, entries=speech.count(wording.ENTRIES, count)))
            case _:
                await press(self._desk, self._inbox, by, action)

    async def _next_row(self, by: Presser) -> Row:
        steps = await next_steps(self._desk, by)
        return [(label, buttons.custom_id(step, by.about, by.below)) for step, label in steps]

    async def _share(self, interaction: Interaction, by: Presser) -> None:
        """Post a private answer in the channel, once, if everyone who reads there may see what it cites."""
        await interaction.response.defer()
        if done := await self._sharing.share(interaction, by):
            await by.say(done)

    async def _export(self, interaction: Interaction, by: Presser, speech: Words) -> None:
        data = (await self._desk.export(by.person)).encode()
        parts = [data[start : start + limits.FILE] for start in range(0, len(data), limits.FILE)] or [b"{}"]
        for number, part in enumerate(parts, start=1):
            name = "citewell-export.json" if len(parts) == 1 else f"citewell-export-{number}.json.part"
            await interaction.followup.send(
                speech(words.EXPORTED), file=discord.File(io.BytesIO(part), name), ephemeral=True
            )


def _rating(by: Presser, vote: Vote) -> Rating:
    return Rating(answer_id=by.about, person=by.person, vote=vote)
