"""What happens after the answer: what a press carries, as what it stands for.

Discord never sends a press or a command a second time: what is interrupted here says nothing and can be pressed again.
"""

from __future__ import annotations

from adapters.chat.press.dispatch import Dispatcher
from adapters.discord.audience import DiscordAudiences
from adapters.discord.parts import buttons
from adapters.discord.post.alone import Interaction
from adapters.discord.press.presser import DiscordPresser, honest
from pipeline.ports import Desk


class DiscordInteractions:
    def __init__(self, desk: Desk, audiences: DiscordAudiences, dispatcher: Dispatcher[DiscordPresser]) -> None:
        self._desk = desk
        self._audiences = audiences
        self._dispatcher = dispatcher

    async def press(self, interaction: Interaction, custom_id: str) -> None:
        """Do what a button or a submitted modal of ours stands for; anything else is not ours."""
        if match := buttons.TEMPLATE.fullmatch(custom_id):
            by = DiscordPresser(interaction, self._desk, self._audiences, *match.group("action", "answer", "root"))
            await self.act(by)

    async def act(self, by: DiscordPresser) -> None:
        async with honest(by.interaction, by.pressed.action):
            await self._dispatcher.press(by)
