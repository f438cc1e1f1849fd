"""Answers as the messages Slack is sent: `CITEWELL_GOLDEN=write` writes the files anew, to be looked at in the diff."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adapters.chat.reply.builder import build_reply
from adapters.chat.reply.panels import confidence_panel, passages_panel
from adapters.chat.reply.parts import RenderOptions
from adapters.chat.words.forms import reason_form
from adapters.slack.interactions.app_home import home_view
from adapters.slack.rendering.modal import build_modal
from adapters.slack.rendering.render import SlackPost, render_posts
from pipeline.values import (
    AnswerOutcome,
    AnswerStyle,
    BlockKind,
    CitationStyle,
    CitedSentence,
    Document,
    Preferences,
    replace,
)
from pipeline.words import canned_replies, wording
from tests.contracts.answers import broken, citation, cited, not_found

GOLDEN = Path(__file__).parent / "slack_messages"


def sentence(text: str, kind: BlockKind = BlockKind.PROSE, *numbers: int, opens: bool = False) -> CitedSentence:
    return CitedSentence(text=text, kind=kind, numbers=numbers, opens=opens, language="bash")


RICH = cited(
    sentences=[
        sentence(
            "Full-time staff get **30 days**; see [the policy](https://wiki.acme.example/leave?lang=en&v=2).",
            BlockKind.PROSE,
            1,
        ),
        sentence("Ask your lead", BlockKind.STEP, 1, opens=True),
        sentence("File form `A-1` & wait", BlockKind.STEP, 1, 2),
        sentence("Carry-over ends in March", BlockKind.ITEM, 2, opens=True),
        sentence("Years | Days", BlockKind.HEADER, opens=True),
        sentence("1 | 30", BlockKind.ROW, 1),
        sentence("5 | 32", BlockKind.ROW, 1),
        sentence("leave --days 3 > form.txt", BlockKind.CODE, 2, opens=True),
    ],
    citations=[citation(1), citation(2, title="How to file | <forms>", url="", page=None, sheet="Forms", score=0.5)],
    preface="The closest passages say:",
    closing="I found nothing about contractors in the documents.",
)
MESSAGES = {
    "answer": lambda: render_posts(build_reply(RICH)),
    "answer_private": lambda: render_posts(build_reply(cited("Thirty days."), shareable=True)),
    "answer_plain": lambda: render_posts(
        build_reply(cited("Thirty days."), RenderOptions(citations=False, confidence=False))
    ),
    "answer_footnotes": lambda: render_posts(build_reply(cited("Thirty days.", citation_style=CitationStyle.FOOTNOTE))),
    "answer_with_a_file": lambda: render_posts(
        build_reply(cited("Thirty days."), notes=[wording.ATTACHMENT_NOT_READ.format(names="a.png")])
    ),
    "not_found": lambda: render_posts(build_reply(not_found())),
    "failed": lambda: render_posts(build_reply(broken())),
    "declined": lambda: render_posts(
        build_reply(
            replace(
                cited(body=canned_replies.INJECTION_REFUSED, outcome=AnswerOutcome.DECLINED), sentences=(), citations=()
            )
        )
    ),
    "passages": lambda: render_posts(passages_panel(RICH)),
    "why": lambda: render_posts(confidence_panel(RICH)),
    "reason_form": lambda: build_modal(reason_form("a1b2c3")),
    "home": lambda: home_view(
        [Document(id="1", filename="a.md", title="Leave <policy>")], Preferences(style=AnswerStyle.BULLET)
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_what_it_was(name: str) -> None:
    made = MESSAGES[name]()
    if isinstance(made, list):
        made = [{"text": post.text, "blocks": post.blocks} for post in made if isinstance(post, SlackPost)]
    file = GOLDEN / f"{name}.json"
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("CITEWELL_GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()
