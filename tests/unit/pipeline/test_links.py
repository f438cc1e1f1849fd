"""Which links of a passage may be opened in a sentence that rests on it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.values import Block, BlockKind, Document, Link, RetrievedChunk
from pipeline.words.links import find_links, is_same_host, split_by_links
from tests.doubles.samples import indexed

HOME = "https://docs.example/guide/leave.html"
FORM = "https://docs.example/guide/form"


def passage(*blocks: tuple[str, list[tuple[str, str]]], url: str = HOME) -> RetrievedChunk:
    """One chunk of rows, each with the words and addresses of its links."""
    document = Document(id="d", filename="leave.html", title="Leave", url=url)
    found = [
        Block(kind=BlockKind.ROW, text=text, links=tuple(Link(text=words, url=to) for words, to in links))
        for text, links in blocks
    ]
    (one,) = indexed(document, *found)
    return one


def opened(text: str, *blocks: tuple[str, list[tuple[str, str]]], quote: str = "", url: str = HOME) -> dict[str, str]:
    return {link.text: link.url for link in find_links(text, [passage(*blocks, url=url)], quote)}


@pytest.mark.parametrize(
    ("url", "leads_to"),
    [
        ("form", FORM),
        ("../faq#sick", "https://docs.example/faq#sick"),
        ("/a?b=c", "https://docs.example/a?b=c"),
        ("#who", f"{HOME}#who"),
        ("http://DOCS.example/x", "http://DOCS.example/x"),
        ("//docs.example/x", "https://docs.example/x"),
    ],
)
def test_an_address_on_the_documents_own_host_is_opened_by_the_words_that_led_to_it(url: str, leads_to: str) -> None:
    assert opened("Fill in the leave form.", ("Fill in the leave form.", [("leave form", url)])) == {
        "leave form": leads_to
    }


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/form",
        "//evil.example/form",
        "https://docs.example.evil.example/form",
        "https://sub.docs.example/form",
        "https://docs.example:8443/form",
        "https://ann:secret@docs.example/form",
        "https://docs.example@evil.example/form",
        "https://docs.example\\@evil.example/form",
        "/\\evil.example",
        "https://dоcs.example/form",
        "https://docs。example/form",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "mailto:hr@docs.example",
        "file:///etc/passwd",
        "https://[docs.example/form",
        "https://docs.example/a b",
        "https://docs.example/<!here>",
        "https://docs.example/a|b",
        "https://docs.example/\u202ea",
        "https://docs.example/\x1b]8;;",
        "https://docs.example/" + "x" * 2000,
        "",
    ],
)
def test_every_other_address_is_text(url: str) -> None:
    if url:
        assert opened("Fill in the leave form.", ("Fill in the leave form.", [("leave form", url)])) == {}
    assert not is_same_host(url, HOME)


@pytest.mark.parametrize("url", ["", "file:///srv/leave.html", "leave.html", "https://ann:pw@docs.example/leave"])
def test_a_document_without_an_address_of_its_own_has_no_links(url: str) -> None:
    for to in ("form", FORM, "https://ann:pw@docs.example/x"):
        assert opened("Fill in the form.", ("Fill in the form.", [("form", to)]), url=url) == {}


@pytest.mark.parametrize(
    "words",
    ["https://bank.example", "bank.example", "bank.example/login", "bank．example", "bank。example", "bаnk.рф",
     "www.bank.example", "hr@bank.example", "b\u200bank.example", "ftp:/bank", "docs.example/guide/form", "𝐛.example"],
)  # fmt: skip
def test_words_that_look_like_another_address_are_text(words: str) -> None:
    assert opened(f"Go to {words} now.", (f"Go to {words} now.", [(words, "form")])) == {}


def test_words_that_are_the_address_are_a_link() -> None:
    assert opened(f"See {FORM}.", (f"See {FORM}.", [(FORM, FORM)])) == {FORM: FORM}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("You fill in the leave form first.", True),
        ("You fill in the Leave Form first.", False),
        ("You fill in the leave forms first.", False),
        ("You fill in a pre-leave form.", False),
        ("See https://evil.example/leave form", False),
        ("Nothing of it.", False),
    ],
)
def test_a_sentence_has_a_link_where_its_words_are_the_links_own(text: str, found: bool) -> None:
    assert bool(opened(text, ("Fill in the leave form.", [("leave form", "form")]))) is found


def test_words_of_a_script_without_spaces_are_found_between_others() -> None:
    text = "詳細はこちらをご覧ください。"
    assert opened(text, (text, [("こちら", "form")])) == {"こちら": FORM}


def test_the_same_words_lead_where_the_quoted_ones_do() -> None:
    rows = ("Leave | Edit", [("Edit", "leave")]), ("Sick | Edit", [("Edit", "sick")])
    assert opened("Sick | Edit", *rows, quote="Sick | Edit") == {"Edit": "https://docs.example/guide/sick"}
    assert opened("Both have Edit.", *rows, quote="") == {}
    assert opened("Both have Edit.", *rows, quote="Leave | Edit\nSick | Edit") == {}


def test_links_of_a_long_paragraph_go_with_their_sentences() -> None:
    text = " ".join(f"Rule {n} is explained here, with all that belongs to it and much more." for n in range(40))
    links = tuple(Link(text="here", url=f"/{n}") for n in range(40))
    document = Document(id="d", filename="d.md", title="D", url=HOME)
    blocks = [Block(kind=BlockKind.PROSE, text=text, links=links)]
    chunks = [found.chunk for found in indexed(document, *blocks, tokens=100)]
    assert len(chunks) > 3
    for chunk in chunks:
        for start, end, url in chunk.links:
            assert chunk.text[start:end] == "here"
            number = url.rpartition("/")[2]
            assert chunk.text[:start].endswith(f"Rule {number} is explained ")
    assert {url for chunk in chunks for *_, url in chunk.links} == {f"https://docs.example/{n}" for n in range(40)}


@given(
    st.text(alphabet="ab .[]|日é", max_size=40),
    st.dictionaries(st.text("ab .[]|日é", min_size=1, max_size=5), st.just("u")),
)
def test_the_parts_of_a_text_are_the_text(text: str, links: dict[str, str]) -> None:
    parts = [*split_by_links(text, links)]
    assert "".join(words for words, _ in parts) == text
    assert all(words in links for words, url in parts if url)


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_an_address_is_it_is_judged(base: str, url: str) -> None:
    assert not is_same_host(url, HOME) or url.lower().startswith(("https://docs.example", "http://docs.example"))
    assert opened("The form.", ("The form.", [("form", url)]), url=base) in ({}, {"form": opened_at(base, url)})


def opened_at(base: str, url: str) -> str:
    (link,) = find_links("The form.", [passage(("The form.", [("form", url)]), url=base)], "") or (
        Link(text="", url=""),
    )
    return link.url
