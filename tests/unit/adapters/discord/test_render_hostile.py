"""Whatever a model, a document or a person writes, the reply can be read and does nothing."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.discord import limits, render
from adapters.discord.card import card, layout
from pipeline.values import BlockKind, Citation, CitationStyle, CitedSentence, Document, Stage
from tests.contracts.answers import citation, cited
from tests.doubles.discord import eyes
from tests.doubles.discord.limits import refused
from tests.doubles.discord.world import COMPONENTS_V2
from tests.doubles.hostile import ALLOWED, FRAGMENTS

MORE = (
    "<@!1>",
    "</forget:1>",
    "<id:guide>",
    "||",
    "-# ",
    "### ",
    ">>> ",
    "discord.gg/abc",
    "discord.com/invite/x",
    "[x](",
    ")",
    "<",
    ">",
)
texts = st.lists(st.sampled_from([*FRAGMENTS, *MORE]) | st.text(max_size=12), max_size=14).map("".join)
kinds = st.sampled_from(list(BlockKind))


def harmless(text: str, allowed: set[str]) -> None:
    """No ping, no link but the allowed ones, nothing alive, nothing hidden."""
    seen = eyes.look(text)
    assert seen.pings == frozenset(), text
    assert seen.links <= allowed, (seen.links, text)
    assert seen.alive == frozenset(), text
    assert not any(c in text for c in "\u202e\u2066\u200e\x00\x1b\U000e0041")


def harmless_page(page: render.Page, allowed: set[str]) -> None:
    for text in (page.body, page.sources, page.status):
        harmless(text, allowed)
    view = card(page, root="123", shareable=True)
    assert refused({"components": view.to_components(), "flags": COMPONENTS_V2}) == []


def sentence(text: str, kind: BlockKind, opens: bool, language: str) -> CitedSentence:
    return CitedSentence(text=text, kind=kind, numbers=(1,), opens=opens, language=language)


def check_answer(
    sentences: list[CitedSentence], written: list[str], style: CitationStyle, citations: list[Citation]
) -> None:
    answer = cited(
        sentences=sentences,
        citations=citations,
        preface=written[0],
        closing=written[1],
        reasoning=written[2],
        question=written[0],
        citation_style=style,
    )
    urls = {one.url for one in citations}
    pages = render.pages(answer)
    for page in pages:
        harmless_page(page, urls)
    assert [bool(page.answer_id) for page in pages] == [False] * (len(pages) - 1) + [True]
    for text in (*render.passages(answer), *render.why(answer)):
        harmless(text, urls)
        layout((text,))
    for content in render.plain(answer):
        harmless(content, urls)
        assert refused({"content": content}) == []
    unwritten = cited(sentences=[], body=written[0], preface=written[1]).model_copy(update={"sentences": ()})
    for page in render.pages(unwritten):
        harmless_page(page, {citation().url})
    harmless_page(render.progress(sentences, written[0], Stage.WRITING), set())


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.builds(sentence, texts, kinds, st.booleans(), texts), min_size=1, max_size=8),
    st.lists(texts, min_size=6, max_size=6),
    st.sampled_from(list(CitationStyle)),
    st.sampled_from(
        [
            ALLOWED,
            "",
            "javascript:alert(1)",
            "https://evil.example/<@1>",
            "https://e.example/a|b",
            "https://e/)x",
            "x y",
        ]
    ),
)
def test_a_hostile_answer_is_harmless(
    sentences: list[CitedSentence], written: list[str], style: CitationStyle, url: str
) -> None:
    source = citation(title=written[3], url=url, quote=written[4], heading=(written[5],), sheet=written[3])
    check_answer(sentences, written, style, [source])


def test_thousands_of_hostile_sentences_are_harmless() -> None:
    """The same for 4,000 sentences from a fixed seed, twenty to an answer."""
    dice = random.Random(20261121)

    def text() -> str:
        return "".join(dice.choice([*FRAGMENTS, *MORE]) for _ in range(dice.randrange(1, 14)))

    for _ in range(200):
        sentences = [sentence(text(), dice.choice(list(BlockKind)), dice.random() < 0.3, text()) for _ in range(20)]
        check_answer(
            sentences, [text() for _ in range(6)], CitationStyle.NUMBERED, [citation(title=text(), url=ALLOWED)]
        )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(texts, max_size=30))
def test_a_list_of_hostile_titles_is_harmless(titles: list[str]) -> None:
    documents = [Document(id=str(n), filename="f", title=title, url=ALLOWED) for n, title in enumerate(titles)]
    for text in render.documents(documents):
        harmless(text, {ALLOWED})
        layout((text,))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 60_000),
    st.sampled_from(["a", "ab ", "<", "&", "é", "a b. ", "`", "|", "\n", "🙂", "\\", "https://evil.example/"]),
    kinds,
)
def test_any_length_is_told_whole_within_the_limits(length: int, piece: str, kind: BlockKind) -> None:
    text = (piece * length)[:length]
    pages = render.pages(cited(sentences=[sentence(text, kind, False, "")]))
    for page in pages:
        harmless_page(page, {citation().url})
        assert limits.length(page.body + page.sources + page.status) <= limits.TEXT
    told = "".join(eyes.look(page.body).text for page in pages)
    for character in set("abé🙂") & set(piece):
        if "https" not in piece:
            assert told.count(character) >= text.count(character)
