"""What is kept about a person as they are given it: without what was said to them that they may not see by now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from pipeline.ports import Passages
from pipeline.values import Answer, Document, Turn

Record = dict[str, Any]
Kept = dict[str, list[Record]]
"""Rows by what they are: see `storage.people.person`."""
WITHHELD = {"withheld": True}
"""Marks a record of which something is left out."""


async def withholding(
    kept: Mapping[str, Sequence[Record]],
    seen: Callable[[str], Awaitable[Answer | None]],
    library: Passages,
    collections: Collection[str],
    instead: str,
) -> Kept:
    """`kept` for somebody who may see `collections`. `seen` gives an answer by its id as they may see it, None where
    they may not; `instead` stands in the place of one. What they wrote, rated and chose is never left out."""
    answers = {one["id"]: await seen(one["id"]) for one in kept["answers"]}
    hidden = {one["body"] for one in kept["answers"] if answers[one["id"]] is None}
    turns = [Turn.model_validate({name: one[name] for name in one if name != "conversation"}) for one in kept["turns"]]
    cited = await library.chunks([chunk for turn in turns for chunk in turn.chunk_ids])
    visible = {chunk.id for chunk, document in cited if document.collection in collections}

    def answer(record: Record) -> Record:
        shown = answers[record["id"]]
        if shown:
            return shown.model_dump(mode="json")
        return Answer.model_validate(record).untold(instead).model_dump(mode="json") | WITHHELD

    def turn(record: Record, told: Turn) -> Record:
        if visible.issuperset(told.chunk_ids) and told.answer not in hidden:
            return record
        return record | told.untold.model_dump(mode="json") | {"answer": instead, "standalone": ""} | WITHHELD

    async def handoff(record: Record) -> Record:
        return record if await seen(record["answer_id"]) else record | {"reply": instead} | WITHHELD

    def added(record: Record) -> Record:
        if record["collection"] in collections:
            return record
        return Document(id=record["id"], filename="", title=instead).model_dump(mode="json") | WITHHELD

    completed = {one["standalone"]: one["question"] for one in kept["answers"] if answers[one["id"]] is None}

    return {
        **{name: list(records) for name, records in kept.items()},
        "answers": [answer(one) for one in kept["answers"]],
        "turns": [turn(record, told) for record, told in zip(kept["turns"], turns, strict=True)],
        "handoffs": [await handoff(one) for one in kept["handoffs"]],
        "wishes": [one | {"question": completed.get(one["question"], one["question"])} for one in kept["wishes"]],
        "added": [added(one) for one in kept["added"]],
    }
