"""An answer as Discord gets it, byte for byte: `golden.json` shows what a card is made of."""

from __future__ import annotations

import json
import os
from pathlib import Path

from adapters.chat.reply.builder import build_reply
from adapters.discord.rendering.components import build_card
from adapters.discord.rendering.render import render_pages, render_plain
from pipeline.values import BlockKind, CitedSentence
from tests.contracts.answers import citation, cited

GOLDEN = Path(__file__).with_name("golden.json")
SENTENCES = (
    CitedSentence(text="Full-time staff get **30 days** of annual leave.", numbers=(1,)),
    CitedSentence(text="Ask in `People > Time off`; <@everyone> is told at https://evil.example.", numbers=(2,)),
    CitedSentence(text="Open the calendar.", kind=BlockKind.STEP, numbers=(2,), opens=True),
    CitedSentence(text="Choose the days.", kind=BlockKind.STEP, numbers=(2,)),
    CitedSentence(text="Country | Days", kind=BlockKind.HEADER),
    CitedSentence(text="Germany | 30", kind=BlockKind.ROW, numbers=(1,)),
    CitedSentence(text="print('leave')", kind=BlockKind.CODE, language="python", numbers=(2,)),
)
ANSWER = cited(
    sentences=SENTENCES,
    citations=(citation(1), citation(2, title="Time off [draft]", url="", page=None, heading=())),
    closing="I found nothing about part-timers in the documents.",
)


async def test_an_answer_becomes_this_card() -> None:
    (page,) = render_pages(build_reply(ANSWER))
    shown = {
        "card": build_card(page, root="1573625817055887372").to_components(),
        "plain": list(render_plain(build_reply(ANSWER))),
    }
    if os.environ.get("CITEWELL_GOLDEN") == "write":
        GOLDEN.write_text(json.dumps(shown, indent=1, ensure_ascii=False) + "\n")
    assert shown == json.loads(GOLDEN.read_text())
