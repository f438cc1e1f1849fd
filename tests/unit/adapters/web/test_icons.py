"""The page draws the symbols of our texts itself: a machine without an emoji font shows no boxes."""

from __future__ import annotations

import pytest

from adapters.chat.reply import labels
from adapters.chat.reply.parts import Reply, ReplyButton, ReplyHeading, ReplyParagraph, ReplyText
from adapters.web import pages
from adapters.web.ask import conversations
from adapters.web.icons import ICONS, pieces
from pipeline.translations import ENGLISH_TRANSLATOR
from pipeline.values import ConfidenceLevel
from pipeline.words import wording
from tests.doubles.icons import icons, without_icons


def symbols(html: str) -> set[str]:
    return {symbol for symbol in ICONS if symbol in html}


@pytest.mark.parametrize(
    "text",
    [
        *wording.CONFIDENCE_BADGES.values(),
        wording.UNVERIFIED_CLAIM,
        wording.INSTRUCTIONS_IGNORED,
        *labels.BUTTON_LABELS.values(),
    ],
)
def test_every_symbol_of_our_texts_has_an_icon(text: str) -> None:
    words = "".join(piece.words for piece in pieces(text))
    assert not [one for one in words if ord(one) > 0x2100], words


def test_a_text_is_cut_into_its_words_and_its_icons() -> None:
    parts = [(one.words, one.icon) for one in pieces("●●○ Medium, ⚠ old") if one != ("", "")]
    assert parts == [("", "medium"), (" Medium, ", ""), ("", "warning"), (" old", "")]


def test_a_warning_is_drawn_and_says_the_same_in_words() -> None:
    said = ReplyText(text="Seven marbles", warning=f"{ENGLISH_TRANSLATOR(wording.UNVERIFIED_CLAIM)}: ")
    html = conversations.render_draft_html(Reply(blocks=(ReplyParagraph(sentences=(said,)),)), ENGLISH_TRANSLATOR)
    assert not symbols(html)
    assert "<svg" in html
    assert "Unverified claim: " in html


def test_a_panel_draws_the_confidence_and_a_button_its_thumb() -> None:
    heading = ReplyHeading(text=ReplyText(text=ENGLISH_TRANSLATOR(wording.CONFIDENCE_BADGES[ConfidenceLevel.LOW])))
    shown = Reply(blocks=(heading,), answer_id="a" * 16, buttons=(ReplyButton.HELPFUL, ReplyButton.UNHELPFUL))
    by = {"shown": [shown], "form": None}
    html = pages.render_fragment(
        "pressed.html", ENGLISH_TRANSLATOR, by=by, visitor={"csrf": "c"}, labels=labels.BUTTON_LABELS, id="c" * 32
    )
    assert not symbols(html)
    assert html.count("<svg") == 3
    assert "<svg" not in without_icons(html)
    assert "Low confidence" in html


def test_an_icon_is_hidden_from_screen_readers_and_has_the_colour_of_its_text() -> None:
    for icon in icons():
        assert 'aria-hidden="true"' in icon
        assert "currentColor" in icon
        assert "style" not in icon


def test_the_symbols_of_a_document_stay_as_they_are() -> None:
    html = conversations.render_draft_html(
        Reply(blocks=(ReplyHeading(text=ReplyText(text="⚠ Hot")), ReplyParagraph(sentences=(ReplyText(text="👍"),)))),
        ENGLISH_TRANSLATOR,
    )
    assert "⚠ Hot" in html
    assert "👍" in html
    assert "<svg" not in html


def test_an_svg_that_is_not_ours_is_no_icon() -> None:
    for planted in ("<svg onload=alert(1)>", *(icon.replace("<svg", "<svg onload='x'") for icon in icons())):
        assert without_icons(planted) == planted
