"""What `citewell run` tells the operator when it starts."""

from __future__ import annotations

from collections.abc import Callable, Collection

import structlog

from bot import known
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.doctor.checks import doubtful_platforms, idle_rules, missing_server, not_embedded
from bot.doctor.data import examine_room
from bot.writers import EXTRACTIVE, model_spec
from pipeline.words import wording
from storage.messages.inbox import SQLInbox

log = structlog.get_logger(__name__)


async def greet(citewell: Citewell, listening: Collection[str], say: Callable[[str], None], *, answers: bool) -> None:
    """What there is to answer from, where it is listened, who writes, and what may be missing."""
    settings = citewell.settings
    documents = await citewell.storage.library.count()
    indexed = wording.counted(documents, "document is", "documents are")
    connecting = f"Connecting to {' and '.join(_titles(listening))}." if listening else "Nothing is listened to here."
    say(f"{indexed} indexed. {connecting}")
    if answers and not documents:
        say(
            "The sources of citewell.toml are taken in soon."
            if settings.sources
            else "To index a file or a folder, type in another terminal: citewell index PATH"
        )
    say(_who_writes(settings) if answers else "What is asked is taken in here, and answered by another citewell run.")
    if settings.operations:
        say(f"Health and metrics: http://{settings.operations}/healthz, /readyz and /metrics.")
    for finding in examine_room(settings.data):
        say(f"{finding.said}. {finding.fix}")
    if not answers:
        return
    for line in (
        *await idle_rules(citewell),
        *await not_embedded(citewell),
        *await missing_server(settings.chroma_url),
        *doubtful_platforms(settings),
    ):
        say(line)
    await tell_backlog(citewell.storage.inbox, say)


def _who_writes(settings: Settings) -> str:
    spec = model_spec(settings)
    if spec == EXTRACTIVE:
        return "No language model is set: answers are made of the documents' own sentences."
    judge = {"auto": "by itself", "none": "by words alone"}.get(settings.judge, f"by {settings.judge}")
    return f"{spec} writes, and its sentences are checked {judge}."


async def tell_backlog(inbox: SQLInbox, say: Callable[[str], None]) -> None:
    """Tell the operator which questions wait since before, and which were given up and why."""
    waiting, given_up = (await inbox.counts()).get("open", 0), await inbox.given_up()
    if waiting:
        say(f"{wording.counted(waiting, 'question')} from before will be answered now.")
    if given_up:
        log.warning("questions_given_up", reasons=given_up)
        say(
            f"{wording.counted(sum(given_up.values()), 'question')} could not be delivered: "
            f"{', '.join(f'{count} × {why}' for why, count in given_up.items())}. "
            "They are not tried again: once the cause is mended, whoever asked has to ask again."
        )


def _titles(names: Collection[str]) -> list[str]:
    """As people call them."""
    return [platform.title for platform in known.platforms() if platform.name in names]
