"""What stands below an answer fits its messages, and offers nothing that there is not."""

from __future__ import annotations

from adapters.chat.reply.builder import build_reply
from adapters.chat.reply.panels import confidence_panel
from adapters.slack.rendering.render import render_posts
from pipeline.values import CitedSentence, Claim, SupportBasis, replace
from tests.contracts.answers import citation, cited, not_found
from tests.contracts.slack_driver import elements, seen
from tests.doubles.slack.rules import wrong_message


def test_many_sources_with_long_addresses_are_all_shown() -> None:
    addresses = [f"https://wiki.acme.example/{number}/{'x' * 1_900}" for number in range(30)]
    sources = [citation(number, url=url) for number, url in enumerate(addresses, 1)]
    facts = [CitedSentence(text=f"Fact {number} " + "counts. " * 20, numbers=(number,)) for number in range(1, 31)]
    made = render_posts(build_reply(cited(sentences=facts, citations=sources)))
    sent = [{"text": post.text, "blocks": post.blocks, "parse": "none"} for post in made]
    assert [wrong_message(message) for message in sent] == [None] * len(sent)
    assert {link for message in sent for link in seen(message).links} == set(addresses)


def test_passages_are_offered_only_where_there_are_some() -> None:
    (post,) = render_posts(build_reply(replace(not_found(), nearest=())))
    assert [one["action_id"] for one in elements(post.blocks)] == ["rate", "tell"]


def test_why_lists_what_was_left_out() -> None:
    (post,) = render_posts(confidence_panel(cited("Thirty days.", ungrounded_claims=("Contractors get 40 days.",))))
    assert "Left out, not in the documents: Contractors get 40 days." in seen({"text": "", "blocks": post.blocks}).text


def test_why_tells_what_nobody_could_check_from_what_the_documents_do_not_say() -> None:
    text = "Contractors have days off."
    unread = (Claim(claim=text, supported=False, support=SupportBasis.UNSURE),)
    (post,) = render_posts(confidence_panel(cited("Thirty days.", ungrounded_claims=(text,), claims=unread)))
    assert f"Left out, could not be checked: {text}" in seen({"text": "", "blocks": post.blocks}).text
