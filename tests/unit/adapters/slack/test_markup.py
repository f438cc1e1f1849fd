"""Foreign Markdown keeps its form on Slack, and what was streamed is the beginning of what is shown in the end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.chat.reply.builder import build_partial_reply, build_reply, build_stopped_reply
from adapters.slack.rendering import markup
from adapters.slack.rendering.render import MAX_MESSAGE_LENGTH, render_posts, render_streamed
from pipeline.values import BlockKind, CitedSentence
from tests.contracts.answers import URL, citation, cited

LINKS = {address: address for address in (URL, "https://wiki.acme.example/a_(b)")}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**bold**, _soft_, ~~gone~~ and `x > y`", "**bold**, _soft_, ~~gone~~ and `x > y`"),
        (f"see [the policy]({URL})", f"see [the policy]({URL})"),
        (f"see {URL}.", f"see [{URL}]({URL})."),
        (
            "see https://wiki.acme.example/a_(b)!",
            "see [https://wiki.acme.example/a_(b)](https://wiki.acme.example/a_(b))!",
        ),
        ("see [the policy](https://other.example)", "see the policy"),
        (
            "see https://other.example/x, or mail hr@acme.example.",
            "see `https://other.example/x`, or mail `hr@acme.example`.",
        ),
        ("versions 1.2.3 and 3.11, e.g. today", "versions 1.2.3 and 3.11, e.g. today"),
        ("R&D & <b>", "R&D & &lt;b&gt;"),
        ("C:\\Users\\ann", "C:\\Users\\ann"),
        ("[http](x)://evil.example", "`http://evil.example`"),
        ("# not a heading", "\u200b# not a heading"),
        ("![picture](https://other.example/p.png)", "picture"),
    ],
)
def test_markdown_keeps_its_form_and_loses_what_is_not_permitted(written: str, shown: str) -> None:
    assert markup.render_inline(written, LINKS) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Fill in the leave form today.", f"Fill in the [leave form]({URL}) today."),
        ("**Fill in the leave form**", f"**Fill in the [leave form]({URL})**"),
        ("See https://evil.example/form and 2form2.", "See `https://evil.example/form` and 2form2."),
        ("In code: `form`", "In code: `form`"),
        ("See a[1]|b for more", f"See [a(1)|b]({URL}) for more"),
        ("See [form](https://evil.example)", f"See [form]({URL})"),
        ("See [[form]](https://evil.example)", f"See [[form]({URL})]"),
        ("No!form", "No!form"),
    ],
)
def test_words_of_a_link_open_its_address(written: str, shown: str) -> None:
    assert markup.render_inline(written, dict.fromkeys(("leave form", "form", "a[1]|b"), URL)) == shown


SOURCES = (citation(1), citation(2))
sentences = st.builds(
    CitedSentence,
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=300),
    kind=st.sampled_from(list(BlockKind)),
    numbers=st.sampled_from([(1,), (2,)]),
    cell_numbers=st.just(()),
    opens=st.booleans(),
    section=st.sampled_from(["", "similarities", "differences"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=30))
def test_a_stream_never_takes_back_what_it_showed(written: list[CitedSentence]) -> None:
    before = ""
    for count in range(1, len(written) + 1):
        text = render_streamed(build_partial_reply(written[:count], notes=["A note."]))
        assert not text or text.startswith(before)
        before = text or before


def test_an_answer_of_several_sources_ends_as_what_was_streamed() -> None:
    written = [CitedSentence(text=f"Rule {n} needs form {n}.", numbers=(n % 2 + 1,)) for n in range(20)]
    (post,) = render_posts(build_reply(cited(sentences=written, citations=SOURCES), notes=["A note."]))
    assert all(
        post.markdown.startswith(render_streamed(build_partial_reply(written[:n], notes=["A note."])))
        for n in range(1, 21)
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=40))
def test_an_answer_that_is_stopped_is_told_in_messages_that_slack_takes(written: list[CitedSentence]) -> None:
    told = render_posts(build_stopped_reply(written, "", ["A note."]))
    assert all(0 < sum(len(segment.text) for segment in post.message) <= MAX_MESSAGE_LENGTH for post in told)
    assert told[-1].text.endswith("Stopped, as you asked.")


def test_a_preface_leaves_no_message_short_of_the_sentences_that_fit_below_it() -> None:
    written = [CitedSentence(text=f"Rule {n} says that request {n} needs form {n}.", numbers=(1,)) for n in range(120)]
    told = [
        post.markdown
        for post in render_posts(build_reply(cited(sentences=written, preface="The closest passages say:")))
    ]
    assert all(len(part) > MAX_MESSAGE_LENGTH - 300 for part in told[:-1])
    assert told[0].startswith("The closest passages say:")


def test_code_is_shown_as_it_is_and_streamed_in_a_fence() -> None:
    code = CitedSentence(text="a < b && c  # <!here> ```", kind=BlockKind.CODE, language="sh", numbers=(1,))
    (post,) = render_posts(build_reply(cited(sentences=[code])))
    assert post.blocks[0]["elements"][0]["type"] == "rich_text_preformatted"
    assert post.blocks[0]["elements"][0]["elements"] == [{"type": "text", "text": code.text}]
    assert render_streamed(build_partial_reply([code])).startswith("```sh\na &lt; b && c  # &lt;!here&gt; ˋˋˋ\n```")
