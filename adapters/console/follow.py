"""An answer as it comes: what is being done, then every checked sentence, until the whole answer takes their place."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from adapters.chat.reply.draft import Draft
from adapters.console.render import draft
from pipeline.ports import AnswerStream
from pipeline.translations import ENGLISH, Words
from pipeline.values import Answer, Progress, Stage, Written
from pipeline.words import wording


async def follow(stream: AnswerStream, console: Console, words: Words = ENGLISH) -> Answer:
    """Show an answer on a terminal while it comes, and return it; elsewhere show nothing.

    What was shown is gone when this returns: the caller prints the answer."""
    growing = Draft(words=words)
    spinner = Spinner("dots", words(wording.PROGRESS[Stage.PLANNING]))
    with Live(spinner, console=console, transient=True) as live:
        async with stream:
            async for event in stream:
                match event:
                    case Progress():
                        spinner.update(text=words(wording.PROGRESS[event.stage]))
                    case Written():
                        growing.add(event)
                        live.update(Group(draft(growing.reply), spinner))
            answer = await stream.answer()
        live.update(Text(""))
    return answer
