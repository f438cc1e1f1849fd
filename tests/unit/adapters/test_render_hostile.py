"""Whatever a model, a document or a person writes, the reply can be read and does nothing, on every platform."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.values import Answer, BlockKind, CitationStyle, CitedSentence, Document, Link, QuotedBlock, Usage, replace
from tests.contracts.answers import URL, citation, cited
from tests.doubles.hostile import ALLOWED
from tests.trials import Count, trials
from tests.unit.adapters.surfaces import Console, Discord, Page, Seen, Slack, Surface

on_every_surface = pytest.mark.parametrize(
    "surface", [Slack(), Discord(), Console(), Page()], ids=["slack", "discord", "console", "page"]
)
often = {"deadline": None, "suppress_health_check": list(HealthCheck)}
kinds = st.sampled_from(list(BlockKind))
styles = st.sampled_from(list(CitationStyle))
parts = st.sampled_from(["", "similarities", "differences"])
URLS = (
    *(ALLOWED, "", "javascript:alert(1)", "https://evil.example/<!here>", "https://evil.example/<@1>", "https://e/)x",
     "https://e.example/a|b", "x y", "https://e.example/\x1b]8;;\x07", "https://e.example/\u202ea"),
)  # fmt: skip
OWN = "https://wiki.acme.example/form?a=1&b=(2)#c"
"""Where the words of a sentence's link lead."""
OWNS = (OWN, "https://wiki.acme.example/)x", "javascript:alert(1)")


def texts(surface: Surface) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(surface.fragments) | st.text(max_size=12), max_size=14).map("".join)


def harmless(shown: Sequence[Seen], allowed: set[str]) -> int:
    """No ping, no link but the allowed ones, nothing alive, nothing hidden, and nothing that would be refused. How
    many were looked at."""
    for seen in shown:
        assert not seen.alive, seen
        assert seen.links <= allowed, seen
        assert not seen.wrong, seen
    return len(shown)


def check(surface: Surface, sentences: list[CitedSentence], written: list[str], **more: object) -> int:
    """Everything that is shown of an answer whose every word is hostile, and how much that is."""
    answer = hostile(sentences, written, **more)
    own = {link.url for one in sentences for link in one.links} - {"javascript:alert(1)"}
    allowed = {one.url for one in answer.citations if one.url.startswith("https://")} | own
    whole = replace(answer, sentences=(), body=written[0])
    return (
        harmless(surface.answer(answer, [written[1]]), allowed)
        + harmless(surface.panels(answer), allowed)
        + harmless(surface.growing(sentences, written[0]), own)
        + harmless(surface.answer(whole, []), allowed)
    )


def hostile(sentences: list[CitedSentence], written: list[str], **more: object) -> Answer:
    given = {"preface": written[0], "closing": written[1], "reasoning": written[2], "question": written[0]}
    return cited(sentences=sentences, usage=Usage(writer=written[2], output_tokens=1), **given, **more)


def quoted(written: list[str]) -> tuple[QuotedBlock, ...]:
    """What a button shows of a passage."""
    table = QuotedBlock(header=(written[1], written[2]), rows=((written[3],), (written[4], "", written[5])))
    return QuotedBlock(text=written[0]), table, QuotedBlock(text=written[1], code=True)


@on_every_surface
@settings(max_examples=100, **often)  # type: ignore[arg-type]
@given(st.data())
def test_a_hostile_answer_is_harmless(surface: Surface, data: st.DataObject) -> None:
    text = texts(surface)
    words = st.sampled_from(surface.fragments) | text
    own = st.sampled_from(OWNS)
    links = st.lists(st.builds(Link, text=words, url=own), max_size=4)
    sentence = st.builds(
        CitedSentence,
        text=text,
        kind=kinds,
        opens=st.booleans(),
        language=text,
        section=parts,
        numbers=st.just((1,)),
        links=links.map(tuple),
        literal=st.booleans(),
        code=st.sampled_from([(), ((0, 1),), ((0, 2), (3, 40))]),
        depth=st.integers(0, 3),
    )
    sentences = data.draw(st.lists(sentence, min_size=1, max_size=8))
    written = data.draw(st.lists(text, min_size=6, max_size=6))
    names = {"title": written[3], "sheet": written[3], "product": written[4], "heading": (written[5],)}
    source = citation(url=data.draw(st.sampled_from(URLS)), quote=written[4], parts=quoted(written), **names)
    check(surface, sentences, written, citations=[source], citation_style=data.draw(styles))


class Drawn:
    """A hostile answer, made again from its number. A hundred times as many a second as hypothesis finds."""

    def __init__(self, surface: Surface, number: int) -> None:
        self._drawn = random.Random(number)
        self._surface = surface
        self._longest = self._drawn.choice((3, 14, 60))

    def text(self) -> str:
        return "".join(map(self._piece, range(self._drawn.randint(0, self._longest))))

    def _piece(self, _: int) -> str:
        if self._drawn.random() < 0.8:
            return self._drawn.choice(self._surface.fragments)
        top = self._drawn.choice((0x7F, 0x24F, 0x3000, 0x10FFFF))
        return "".join(chr(self._drawn.randint(0, top)) for _ in range(4)).encode("utf-8", "ignore").decode()

    def sentence(self) -> CitedSentence:
        links = [Link(text=self.text(), url=self._drawn.choice(OWNS)) for _ in range(self._drawn.randint(0, 3))]
        text = self.text()
        return CitedSentence(
            text=text,
            depth=len(text) % 3,
            kind=self._drawn.choice(list(BlockKind)),
            opens=self._drawn.random() < 0.5,
            language=self.text(),
            section=self._drawn.choice(("", "similarities", "differences")),
            numbers=(1,),
            links=tuple(links),
            literal=self._drawn.random() < 0.5,
            code=self._drawn.choice(((), ((0, 1),), ((1, 4), (5, 30)))),
        )

    def check(self) -> int:
        """How many messages or views were looked at."""
        sentences = [self.sentence() for _ in range(self._drawn.randint(1, 8))]
        written = [self.text() for _ in range(6)]
        names = {"title": written[3], "sheet": written[3], "product": written[4], "heading": (written[5],)}
        source = citation(url=self._drawn.choice(URLS), quote=written[4], parts=quoted(written), **names)
        style = self._drawn.choice(list(CitationStyle))
        return check(self._surface, sentences, written, citations=[source], citation_style=style)


@on_every_surface
def test_answers_of_random_hostile_text_are_harmless(surface: Surface, record_property: Count) -> None:
    renders = 0
    for number in range(trials(40)):
        try:
            renders += Drawn(surface, number).check()
        except Exception as error:
            error.add_note(f"answer {number}")
            raise
    record_property("renders", renders)


def test_a_sentence_of_characters_that_nobody_sees_is_no_block_of_slack() -> None:
    Drawn(Slack(), 6494).check()


def test_no_link_of_discord_reaches_into_code_below_it() -> None:
    Drawn(Discord(), 34143).check()


@on_every_surface
@settings(max_examples=60, **often)  # type: ignore[arg-type]
@given(
    st.sampled_from([kind for kind in BlockKind if kind not in (BlockKind.CODE, BlockKind.HEADING, BlockKind.HEADER)]),
    st.lists(st.from_regex(r"[a-zé日]{2,12}", fullmatch=True), min_size=1, max_size=40, unique=True),
    st.integers(0, 1900),
    st.integers(1, 30),
)
def test_links_are_told_within_the_limits_and_none_of_their_words_is_lost(
    surface: Surface, kind: BlockKind, words: list[str], length: int, times: int
) -> None:
    links = tuple(Link(text=word, url=f"https://wiki.acme.example/{number}{'x' * length}") for number, word in
                  enumerate(words))  # fmt: skip
    text = " ".join(words * times)
    shown = surface.answer(cited(sentences=[CitedSentence(text=text, kind=kind, numbers=(1,), links=links)]), [])
    harmless(shown, {URL, *(link.url for link in links)})
    told = "".join(seen.text for seen in shown)
    assert all(told.count(word) >= times for word in words)
    assert length > 480 or times > 1 or any(seen.links - {URL} for seen in shown)


@on_every_surface
@settings(max_examples=60, **often)  # type: ignore[arg-type]
@given(st.data())
def test_a_list_of_hostile_titles_is_harmless(surface: Surface, data: st.DataObject) -> None:
    titles = data.draw(st.lists(texts(surface), max_size=30))
    documents = [Document(id=str(n), filename="f", title=title, url=ALLOWED) for n, title in enumerate(titles)]
    harmless(surface.documents(documents), {ALLOWED})


@on_every_surface
@settings(max_examples=40, **often)  # type: ignore[arg-type]
@given(
    st.integers(0, 60_000),
    st.sampled_from(["a", "ab ", "<", "&", "é", "a b. ", "`", "|", "\n", "🙂", "\\", "https://evil.example/"]),
    kinds,
)
def test_any_length_is_told_whole_within_the_limits(surface: Surface, length: int, piece: str, kind: BlockKind) -> None:
    text = (piece * length)[:length]
    shown = surface.answer(cited(sentences=[CitedSentence(text=text, kind=kind, numbers=(1,))]), [])
    harmless(shown, {URL})
    told = "".join(seen.text for seen in shown)
    for letter in set("abé🙂") & set(piece):
        assert told.count(letter) >= text.count(letter)
