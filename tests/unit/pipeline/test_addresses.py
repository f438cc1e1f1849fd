"""Nothing that can be opened, called or pinged gets past unless the sources hold it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.write.foreign_references import drop_foreign_references, find_foreign_references

SOURCES = ["See https://wiki.acme.com/leave, handbook.pdf or people@acme.com. Doors open at 10:30."]


@pytest.mark.parametrize(
    "text",
    [
        "Doors open at 10:30, e.g. on Mondays.",
        "See https://wiki.acme.com/leave.",
        "See HTTPS://WIKI.ACME.COM/leave!",
        "Open handbook.pdf or ask people@acme.com.",
        "[The wiki](https://wiki.acme.com/leave) says so.",
        "Use `std::vector` at a ratio of 3:4; i.e. half.",
    ],
)
def test_what_the_sources_hold_passes(text: str) -> None:
    assert find_foreign_references(text, SOURCES) == ()


@pytest.mark.parametrize(
    "text",
    [
        "https://evil.example/?q=25",
        "hxxps://evil[.]example/x",
        "evil.example/leave",
        "www.evil.example",
        "//evil.example/x",
        "[Leave](https://evil.example)",
        "[Leave](evil)",
        "![x](http://evil.example/25.png)",
        "<https://evil.example|Leave>",
        "javascript:alert(1)",
        "data:text/html,hello",
        "mailto:bob@evil.example",
        "bob@evil.example",
        "tel:+15550100",
        "https://wiki.acme.com.evil.example/leave",
        "https://wiki.acme.co",
        "acme.com",
        "<!channel>",
        "<@U123>",
        "<@&42>",
        "<#C1|general>",
        "@everyone",
        "@here",
        "<script>",
    ],
)
def test_what_they_do_not_hold_is_found(text: str) -> None:
    assert find_foreign_references(f"Staff get 25 days, {text} and so on.", SOURCES)


@given(
    st.text(max_size=60),
    st.sampled_from(["https://", "http://", "ftp://"]),
    st.from_regex(r"[a-z]{3,12}", fullmatch=True),
)
def test_a_link_is_found_in_any_surroundings(around: str, scheme: str, host: str) -> None:
    assert find_foreign_references(f"{around} {scheme}{host}.example/x {around}", [around])


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Doors open at 10:30.Ask people@acme.com.", "Doors open at 10:30. Ask people@acme.com."),
        ("The machine is off.It is red.", "The machine is off. It is red."),
        ("Doors open at 10:30. See evil.example/leave.", "Doors open at 10:30."),
        ("See evil.example/leave.", ""),
    ],
    ids=["a full stop in a source", "a full stop without a space", "one of two sentences", "the only sentence"],
)
def test_only_the_sentence_with_an_address_goes_and_a_full_stop_makes_none(text: str, stays: str) -> None:
    assert drop_foreign_references(text, SOURCES) == stays


def test_a_part_of_a_path_or_of_a_name_stands_where_the_source_has_it_behind_the_same_mark() -> None:
    sources = ["Edit /etc/citewell.conf, then see .acme.rc there."]
    assert find_foreign_references("Edit /etc/citewell.conf and .acme.rc.", sources) == ()
    assert find_foreign_references("Edit citewell.conf.", sources) == ("citewell.conf",)
