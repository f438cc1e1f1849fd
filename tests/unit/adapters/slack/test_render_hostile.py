"""Whatever a model, a document or a person writes, the reply can be read and does nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.slack import panels
from adapters.slack.home import home
from adapters.slack.layout import Draft
from adapters.slack.render import Look, line, reply
from pipeline.values import BlockKind, Citation, CitationStyle, CitedSentence, Document, Preferences
from tests.contracts.answers import citation, cited
from tests.doubles.hostile import ALLOWED, FRAGMENTS
from tests.doubles.slack import eyes
from tests.doubles.slack.rules import wrong_blocks, wrong_view

texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=12), max_size=14).map("".join)
kinds = st.sampled_from(list(BlockKind))


def harmless(blocks: list[dict[str, object]], text: str, allowed: set[str]) -> None:
    """No ping, no link but the allowed ones, within every limit."""
    assert eyes.pings(blocks, text) == set()
    assert eyes.links(blocks, text) <= allowed
    assert wrong_blocks(blocks) is None
    assert len(text) <= 4000
    if blocks:
        assert text


def sentence(text: str, kind: BlockKind, opens: bool, language: str) -> CitedSentence:
    return CitedSentence(text=text, kind=kind, numbers=(1,), opens=opens, language=language)


def check_answer(
    sentences: list[CitedSentence], texts: list[str], style: CitationStyle, citations: list[Citation]
) -> None:
    answer = cited(
        sentences=sentences,
        citations=citations,
        preface=texts[0],
        closing=texts[1],
        reasoning=texts[2],
        question=texts[0],
        citation_style=style,
    )
    urls = {one.url for one in citations}
    posts = reply(answer, Look(), [texts[1]], shareable=True)
    for post in posts:
        harmless(post.blocks, post.text, urls)
    footer = [block["type"] for post in posts for block in post.footer]
    assert footer[-2:] == ["context_actions", "actions"]
    for post in (*panels.passages(answer), *panels.why(answer), line(texts[0])):
        harmless(post.blocks, post.text, set())
    draft = Draft([texts[1]])
    for one in sentences:
        before = draft.text
        draft.add(one)
        assert draft.text.startswith(before)
    harmless([{"type": "markdown", "text": part} for part in [draft.text[:11_000]] if part], "-", set())


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.builds(sentence, texts, kinds, st.booleans(), texts), min_size=1, max_size=8),
    st.lists(texts, min_size=6, max_size=6),
    st.sampled_from(list(CitationStyle)),
    st.sampled_from(
        [ALLOWED, "", "javascript:alert(1)", "https://evil.example/<!here>", "https://e.example/a|b", "x y"]
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
        return "".join(dice.choice(FRAGMENTS) for _ in range(dice.randrange(1, 14)))

    def source(text: Callable[[], str]) -> Citation:
        return citation(title=text(), heading=(text(), text()), sheet=text(), product=text(), url=ALLOWED)

    for _ in range(200):
        sentences = [sentence(text(), dice.choice(list(BlockKind)), dice.random() < 0.3, text()) for _ in range(20)]
        check_answer(sentences, [text() for _ in range(6)], dice.choice(list(CitationStyle)), [source(text)])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(texts, max_size=30))
def test_a_home_full_of_hostile_titles_is_harmless(titles: list[str]) -> None:
    documents = [Document(id=str(n), filename="f", title=title) for n, title in enumerate(titles)]
    view = home(documents, Preferences(), "".join(titles[:1]))
    assert wrong_view(view) is None
    assert eyes.pings(view["blocks"]) == set()
    assert eyes.links(view["blocks"]) == set()


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 60_000),
    st.sampled_from(["a", "ab ", "<", "&", "é", "a b. ", "`", "|", "\n", "https://evil.example/"]),
    kinds,
)
def test_any_length_is_told_whole_within_the_limits(length: int, piece: str, kind: BlockKind) -> None:
    text = (piece * length)[:length]
    posts = reply(cited(sentences=[sentence(text, kind, False, "")]), Look())
    for post in posts:
        assert wrong_blocks(post.blocks) is None
        assert len(post.text) <= 4000
    told = json.dumps([post.markdown for post in posts])
    letters = sum(character.isalnum() for character in text.replace(ALLOWED, "x"))
    assert len(told) >= letters
