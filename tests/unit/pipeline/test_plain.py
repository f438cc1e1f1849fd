"""What programs are given of an answer is plain text: nothing of a document works in it, however it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pipeline.compose.body import render_body
from pipeline.compose.plain_text import plain_answer, plain_sentence
from pipeline.values import Answer, BlockKind, CitationStyle, CitedSentence, Link, QuotedBlock
from pipeline.words.links import neutralize_markup, safe_web_address
from pipeline.words.text import strip_invisible
from tests.contracts.answers import URL, citation, cited, not_found
from tests.doubles.hostile import FRAGMENTS
from tests.trials import trials

OWN = "https://wiki.acme.example/form?a=1&b=(2)#c"
_BARE = re.compile(r"https?://\S+", re.IGNORECASE)


def alive(markdown: str) -> Iterator[str]:
    """Every link, image and piece of HTML that a reader of Markdown makes of it, addresses that stand bare included."""
    return _alive(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown))


def _alive(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        yield from _alive(token.children or ())
        if token.type == "link_open":
            yield str(token.attrs["href"])
        elif token.type in ("image", "html_inline", "html_block"):
            yield token.content or token.type
        elif token.type == "text":
            yield from _BARE.findall(token.content)


def composed(sentences: list[CitedSentence], style: CitationStyle, **names: object) -> Answer:
    source = citation(**names)  # type: ignore[arg-type] # what a citation has
    text = render_body(sentences, (source,), style)[0]
    return cited(sentences=sentences, citations=[source], citation_style=style, body=text)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Ask [the desk](https://evil.example/a) first.", "Ask [the desk] (evil.example/a) first."),
        ("Ask [the desk](javascript:alert(1)).", "Ask [the desk] (alert(1))."),
        ("![logo](http://evil.example/p.png?q=1)", "![logo] (evil.example/p.png?q=1)"),
        ("<img src=x onerror=alert(1)>Hello</b>", "< img src=x onerror=alert(1)>Hello< /b>"),
        ("[1]: https://evil.example", "[1] : evil.example"),
        ("See <https://evil.example>.", "See < evil.example>."),
        ("```", "``"),
        ("Half\u202e of \u2066it\u200b\x00\x1b[31m.", "Half of it[31m."),
        ("a < b, R&D, [sic], 3 <4, f(x)", "a < b, R&D, [sic], 3 <4, f(x)"),
    ],
)
def test_foreign_text_is_words_and_nothing_else(written: str, shown: str) -> None:
    assert neutralize_markup(written) == shown
    assert neutralize_markup(shown) == shown


def test_an_address_stays_whole_where_the_passage_leads_there_itself() -> None:
    text = f"The form is at {OWN}. Not at {OWN}x."
    assert neutralize_markup(text, {OWN}) == f"The form is at {OWN}. Not at wiki.acme.example/form?a=1&b=(2)#cx."
    assert neutralize_markup(f"<{OWN}>", {OWN}) == "< wiki.acme.example/form?a=1&b=(2)#c>"


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "https://a.example/\u202ex", "https://u@a.example/", "//a/b", "x"],
)
def test_what_is_no_address_of_the_web_is_no_link(url: str) -> None:
    assert safe_web_address(url) == ""
    answer = plain_answer(cited("Thirty.", citations=[citation(url=url)]))
    assert [one.url for one in answer.citations] == [""]
    sentence = plain_sentence(CitedSentence(text="Thirty.", links=(Link(text="Thirty", url=url),)))
    assert sentence.links == ()


def test_a_quote_is_what_stands_there_without_what_hides() -> None:
    quote = "Use [x](y) and <b>,\u202e not &lt; \x00that."
    quoted = citation(quote=quote, title="A\u202e\nB", parts=(QuotedBlock(header=("a\x00", "b")),))
    answer = plain_answer(cited("Thirty.", citations=[quoted]))
    source = answer.citations[0]
    assert (source.quote, source.snippet, source.title) == (("Use [x](y) and <b>, not &lt; that.",) * 2) + ("A B",)
    assert source.parts == (QuotedBlock(header=("a", "b")),)


def test_code_is_exact_and_nothing_gets_out_of_its_fence() -> None:
    code = "<a href='https://evil.example'>\n```\n[x](javascript:alert(1))\n"
    sentences = [
        CitedSentence(text="~~~ Run this:", numbers=(1,)),
        CitedSentence(text=code, kind=BlockKind.CODE, language="html`\n<script>", numbers=(1,)),
    ]
    answer = plain_answer(composed(sentences, CitationStyle.NUMBERED))
    assert code in answer.body
    assert list(alive(answer.body)) == []


def test_where_a_citation_says_that_its_sentences_stand_they_stand() -> None:
    sentences = [
        CitedSentence(text="See [a](https://evil.example).", numbers=(1,)),
        CitedSentence(text="<b>Thirty days.", kind=BlockKind.ITEM, numbers=(1,)),
    ]
    answer = plain_answer(composed(sentences, CitationStyle.NUMBERED))
    stand = [answer.body[start:end] for start, end in answer.citations[0].positions]
    assert stand == [one.text for one in answer.sentences] == ["See [a] (evil.example).", "< b>Thirty days."]


@pytest.mark.parametrize("answer", [cited("Thirty days.", "So it is."), not_found()], ids=["answered", "not found"])
def test_an_honest_answer_stays_as_it_is(answer: Answer) -> None:
    spans = ("citations", "nearest")
    assert plain_answer(answer).model_dump(exclude=set(spans)) == answer.model_dump(exclude=set(spans))
    assert [one.url for one in plain_answer(answer).sources] == [one.url for one in answer.sources]


texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=12), max_size=14).map("".join)
links = st.lists(st.builds(Link, text=texts, url=st.sampled_from((OWN, "javascript:alert(1)"))), max_size=3)
sentences = st.builds(
    CitedSentence,
    text=texts,
    kind=st.sampled_from(list(BlockKind)),
    opens=st.booleans(),
    language=texts,
    section=st.sampled_from(["", "similarities", "differences"]),
    numbers=st.just((1,)),
    links=links.map(tuple),
)


@settings(max_examples=trials(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(sentences, min_size=1, max_size=6), st.sampled_from(list(CitationStyle)), texts)
def test_nothing_works_in_a_body_that_is_shown_as_markdown(
    written: list[CitedSentence], style: CitationStyle, name: str
) -> None:
    answer = composed(written, style, title=name, sheet=name, product=name, heading=(name,), url=URL)
    shown = plain_answer(answer)
    own = {link.url for one in shown.sentences for link in one.links}
    assert own <= {OWN}
    assert {one.rstrip(".,;:!?)'\"¹") for one in alive(shown.body)} <= own
    for text in (shown.body, shown.citations[0].title, *(one.text for one in shown.sentences)):
        assert strip_invisible(text) == text


def test_an_address_in_an_address_without_end_is_no_address_and_read_at_once() -> None:
    assert "://" not in neutralize_markup("http" + ":/" * 200_000 + "/" * 200_000 + "x.example")
