"""An answer as pages."""

from __future__ import annotations

import discord
import pytest

from adapters.chat.reply.builder import build_partial_reply, build_reply
from adapters.chat.reply.panels import documents_panel
from adapters.chat.reply.parts import ReplyButton
from adapters.discord.permissions import build_intents, build_permissions
from adapters.discord.post.delivery import prepend_heading, thread_name
from adapters.discord.rendering import render
from adapters.discord.rendering.components import build_card, build_layout
from pipeline.errors import UnusableResponse
from pipeline.values import BlockKind, CitedSentence, Document
from pipeline.words import wording
from tests.contracts.answers import citation, cited, not_found

LONG = [f"Rule {number} says that request {number} needs form {number}." for number in range(300)]


def test_a_list_of_many_documents_names_the_first_and_counts_the_rest() -> None:
    found = [
        Document(id=str(n), collection="hr" if n < 15 else "it", filename=f"{n}.md", title=f"Guide {n:03}")
        for n in range(1000)
    ]
    (text,) = render.render_texts(documents_panel(found))
    assert "**1000 documents that you may see here**" in text
    assert [f"Guide {n:03}" in text for n in (0, 15, 19, 20)] == [True, True, True, False]
    assert text.endswith("… and 980 more")
    assert "more" not in render.render_texts(documents_panel(found[:20]))[0]


def test_a_long_answer_is_numbered_pages_and_the_last_one_has_the_buttons() -> None:
    *first, last = render.render_pages(build_reply(cited(*LONG)))
    assert [page.status for page in first] == [f"-# Part {n} of {len(first) + 1}" for n in range(1, len(first) + 1)]
    assert not any(page.buttons for page in first)
    assert last.buttons


def test_what_is_shown_while_writing_begins_what_is_shown_in_the_end() -> None:
    parts = ["", "similarities", "differences"]
    sentences = [
        CitedSentence(text=text, numbers=(n % 2 + 1,), section=parts[n // 20 % 3]) for n, text in enumerate(LONG)
    ]
    end = render.render_pages(build_reply(cited(sentences=sentences, citations=[citation(1), citation(2)])))[0].body
    for count in (1, 10, 60, 300):
        shown = render.render_progress(build_partial_reply(sentences[:count]), "Writing").body
        assert end.startswith(shown)


def test_an_unverified_claim_is_marked() -> None:
    sentence = CitedSentence(text="Perhaps.", kind=BlockKind.ITEM, verified=False)
    (page,) = render.render_pages(build_reply(cited(sentences=[sentence])))
    assert page.body.startswith(f"- {wording.UNVERIFIED_CLAIM}: Perhaps.")


def test_a_wide_table_is_a_list_that_names_every_column() -> None:
    rows = [("Country | Days of annual leave | Days of sick leave with full pay", BlockKind.HEADER),
            ("Germany | 30 | 42", BlockKind.ROW)]  # fmt: skip
    (page,) = render.render_pages(
        build_reply(cited(sentences=[CitedSentence(text=text, kind=kind) for text, kind in rows]))
    )
    assert (
        page.body == "- **Country:** Germany · **Days of annual leave:** 30 · **Days of sick leave with full pay:** 42"
    )


def test_the_long_cells_of_a_comparison_stand_under_each_other() -> None:
    sides = (
        "Full-time staff get thirty days of paid leave each year.",
        "Contractors agree days off with the team lead.",
    )
    rows = [CitedSentence(text="full-time | contractors", kind=BlockKind.HEADER, opens=True),
            *[CitedSentence(text=" | ".join(sides), kind=BlockKind.ROW)] * 2]  # fmt: skip
    (page,) = render.render_pages(build_reply(cited(sentences=rows)))
    shown = "\n".join(f"- **{name}:** {said}" for name, said in zip(("full-time", "contractors"), sides, strict=True))
    assert page.body == f"{shown}\n\n{shown}"


def test_the_cells_of_a_wide_table_without_a_header_stand_apart() -> None:
    row = "E1 | Sensor not found | Check the plug; clean the contacts; replace the sensor if it stays"
    (page,) = render.render_pages(
        build_reply(cited(sentences=[CitedSentence(text=row, kind=BlockKind.ROW, numbers=(1,))]))
    )
    cells = "E1 · Sensor not found · Check the plug; clean the contacts; replace the sensor if it stays"
    assert page.body == f"- {cells} \\[1\\]"


def test_as_many_buttons_as_there_are_fit_below_an_answer() -> None:
    """Discord takes five in a row."""
    (page,) = render.render_pages(build_reply(not_found().with_handoff_button("Ask HR"), stoppable=True))
    assert len(page.buttons) == 6
    shown = build_card(page).to_components()[0]
    rows = [one["components"] for one in shown["components"] if one["type"] == discord.ComponentType.action_row.value]
    assert [len(row) for row in rows] == [5, 1]


@pytest.mark.parametrize("body", ["Thirty days.", "x" * render.MAX_BODY_LENGTH])
def test_what_stands_above_an_answer_is_on_its_first_page_or_before_it(body: str) -> None:
    above = f"<@1> **{wording.SUBSCRIPTION_INTRO}**\n> {'Who? ' * 60}"
    shown = prepend_heading((render.DiscordPage(body=body),), above)
    assert [build_card(page) for page in shown]
    assert "".join(page.above + page.body for page in shown) == above + body
    assert len(shown) == (2 if len(body) > 100 else 1)


@pytest.mark.parametrize("texts", [(), ("",), ("x" * 4001,), ("x" * 2500, "y" * 1600), ("🙂" * 2001,)])
def test_a_card_beyond_the_limits_is_never_made(texts: tuple[str, ...]) -> None:
    with pytest.raises(UnusableResponse):
        build_layout(texts)


def test_an_answer_id_that_fits_no_button_is_refused() -> None:
    with pytest.raises(UnusableResponse):
        build_card(render.DiscordPage(body="x", answer_id="a" * 80, buttons=(ReplyButton.CONFIDENCE,)))


@pytest.mark.parametrize("question", ["How?", "word " * 90, "🙂" * 120, "", "\n\u202e"])
def test_a_thread_is_named_after_the_question_within_the_limit(question: str) -> None:
    name = thread_name(question)
    assert 1 <= len(name.encode("utf-16-le")) // 2 <= 100
    assert "\n" not in name


def test_only_the_least_is_asked_for() -> None:
    assert build_intents(message_content=False) == discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
    assert build_permissions().value == 309237746688
    assert not build_permissions().mention_everyone
