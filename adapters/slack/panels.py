"""What is shown to one person on request: passages, the parts of a confidence, the form for a reason. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from adapters.slack import markup
from adapters.slack.blocks import Block, context, section, short
from adapters.slack.render import Post, fallback
from pipeline import wording
from pipeline.compose import cite
from pipeline.values import Answer, Citation, Rating, Reason

QUOTE = 2_500
ROOM = 9_000


def passages(answer: Answer) -> list[Post]:
    """The exact spans that were quoted, under their numbers."""
    shown = answer.citations or answer.nearest
    blocks = [block for citation in shown for block in _passage(citation)]
    return _posts(blocks or [section("This answer rests on no passage.")], "Passages")


def why(answer: Answer) -> list[Post]:
    """The parts of the confidence, in words."""
    lines = [f"• {short(factor.text, 500)} ({factor.value:.2f})" for factor in answer.confidence.reasons]
    lines += [f"• {wording.left_out(short(claim, 500))}" for claim in answer.ungrounded_claims]
    head = f"*{wording.badge(answer.confidence)}* ({answer.confidence.score:.2f})"
    notes = [short(text, 500) for text in (answer.reasoning, wording.written_by(answer.usage))]
    blocks = [section(head), *(section(line) for line in lines), context(*filter(None, notes))]
    return _posts(blocks, "Why this confidence")


def reason_form(answer_id: str) -> Block:
    """The modal behind the thumbs-down; the vote itself is already counted."""
    options = [
        {"text": {"type": "plain_text", "text": text}, "value": reason.value}
        for reason, text in wording.REASONS.items()
    ]
    return {
        "type": "modal",
        "callback_id": "reason",
        "private_metadata": answer_id,
        "title": {"type": "plain_text", "text": "What was wrong?"},
        "submit": {"type": "plain_text", "text": "Send"},
        "close": {"type": "plain_text", "text": "Close"},
        "blocks": [
            {
                "type": "input",
                "block_id": "reason",
                "optional": True,
                "label": {"type": "plain_text", "text": "The answer did not help because"},
                "element": {"type": "radio_buttons", "action_id": "reason", "options": options},
            },
            {
                "type": "input",
                "block_id": "comment",
                "optional": True,
                "label": {"type": "plain_text", "text": "Comment"},
                "element": {"type": "plain_text_input", "action_id": "comment", "multiline": True, "max_length": 1000},
            },
        ],
    }


def reason_given(view: Block, rating: Rating) -> Rating:
    """`rating` with what the submitted form says."""
    values = view["state"]["values"]
    chosen = values["reason"]["reason"].get("selected_option")
    return rating.model_copy(
        update={
            "reason": Reason(chosen["value"]) if chosen else None,
            "comment": values["comment"]["comment"].get("value") or "",
        }
    )


def _passage(citation: Citation) -> Iterator[Block]:
    """Rich text holds every character literally: nothing in a quote is markup."""
    title = markup.one_line(f"[{citation.number}] {cite.reference(citation)}")
    text = markup.clean(citation.quote or citation.snippet)
    for at in range(0, max(len(text), 1), QUOTE):
        yield {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [{"type": "text", "text": title[:QUOTE], "style": {"bold": True}}],
                },
                {"type": "rich_text_quote", "elements": [{"type": "text", "text": text[at : at + QUOTE] or "-"}]},
            ],
        }


def _posts(blocks: list[Block], title: str) -> list[Post]:
    groups: list[list[Block]] = [[]]
    for block in blocks:
        if groups[-1] and (len(str([*groups[-1], block])) > ROOM or len(groups[-1]) >= 40):
            groups.append([])
        groups[-1].append(block)
    return [Post(markdown="", footer=tuple(group), text=fallback(title)) for group in groups]
