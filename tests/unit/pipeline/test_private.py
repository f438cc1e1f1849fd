"""Personal data and keys in a text, by their form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.screen.sensitive_data import find_sensitive_data, secret_types

RANDOM = "a1B2c3D4e5F6g7H8i9J0"
PRIVATE = [
    ("mail", "anna.schmidt+x@mail.example.co.uk"),
    ("mail", "info@müller.example"),
    ("phone", "+49 (0)30 1234-567"),
    ("phone", "0044 20 7946 0958"),
    ("phone", "+1 (844) 797-8776"),
    ("phone", "(212) 555-0123 x45"),
    ("phone", "1-800-555-0123"),
    ("phone", "030/901820"),
    ("phone", "06 12 34 56 78"),
    ("phone", "03-1234-5678"),
    ("card", "4111 1111 1111 1111"),
    ("card", "378282246310005"),
    ("iban", "DE89 3704 0044 0532 0130 00"),
    ("iban", "gb82west12345698765432"),
    ("key", "AKIA" + "QWERTYUIOPASDFGH"),
    ("key", "ghp_" + RANDOM * 2),
    ("key", "github_pat_" + RANDOM * 4 + "Xy"),
    ("key", "xoxb-" + "123456789012-123456789012-" + RANDOM),
    ("key", "xapp-1-A012345-" + "123456789-" + RANDOM),
    ("key", "hooks.slack.com/services/T0123456/B0123456/" + RANDOM),
    ("key", "AIza" + RANDOM + "k1L2m3N4o5P6q7R"),
    ("key", "sk-proj-" + RANDOM + "T3BlbkFJ" + RANDOM),
    ("key", "sk-ant-api03-" + RANDOM * 5),
    ("key", "sk_live_" + RANDOM),
    ("key", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + RANDOM),
    ("key", "-----BEGIN RSA PRIVATE KEY-----\n" + f"{RANDOM * 3}\n" * 4 + "-----END RSA PRIVATE KEY-----"),
    ("key", "-----BEGIN PRIVATE KEY-----\n" + f"{RANDOM * 3}\n" * 3 + RANDOM * 3),
]
HARMLESS = [
    "on 2026-11-27 10:00:00, 01.02.2026 and 01/02/2026",
    "version 0.12.3456789 at 10.20.30.40, 192.168.100.200",
    "0.828014956418841 of 1,234,567,890 in 12 345 678 rows",
    "message 1700000000.123456 of 123456789012345678",
    "order 4111111111111112 and ISBN 978-3-16-148410-0",
    "DE00 3704 0044 0532 0130 00 is no account",
    "@mention, a@b, user@host and pkg@1.2.3",
    "set GITHUB_TOKEN to ghp_" + "x" * 36,
    "AKIAIOSFODNN7" + "EXAMPLE",
    "xoxb-your-bot-token-goes-here, sk_live_..., sk_test_" + RANDOM,
    "-----BEGIN PUBLIC KEY-----\n" + f"{RANDOM * 3}\n" * 3 + "-----END PUBLIC KEY-----",
    "7d6f0f3e-8a4b-4c0e-9c3e-0123456789ab",
]
AROUND = ["{}", "at {}.", "({}), and", "<{}>", "„{}“", "電話{}まで", "a: {}\nb"]
pieces = st.lists(st.sampled_from([*(value for _, value in PRIVATE), *HARMLESS, *"+(0)1 @-.eé\n", "DE89", "ghp_"]))


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("kind", "value"), PRIVATE, ids=[value[:20] for _, value in PRIVATE])
def test_a_value_is_found_whole_wherever_it_stands(kind: str, value: str, around: str) -> None:
    text = around.format(value)
    assert [(one.kind, text[one.start : one.end]) for one in find_sensitive_data(text)] == [(kind, value)]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert find_sensitive_data(text) == []


def test_an_account_ends_where_another_word_begins() -> None:
    text = "IBAN DE89 3704 0044 0532 0130 00 BANK"
    assert [text[one.start : one.end] for one in find_sensitive_data(text)] == ["DE89 3704 0044 0532 0130 00"]


def test_keys_are_told_by_their_form_and_nothing_else_is() -> None:
    texts = ["anna@example.com", *("ghp_" + RANDOM * 2, "AKIA" + "QWERTYUIOPASDFGH"), "again: ghp_" + RANDOM * 2]
    assert secret_types(texts) == ("AWS access key", "GitHub token")


@given(st.one_of(st.text(), pieces.map("".join), pieces.map(" ".join)))
def test_what_is_found_is_in_order_and_apart(text: str) -> None:
    end = 0
    for one in find_sensitive_data(text):
        assert end <= one.start < one.end <= len(text)
        end = one.end
