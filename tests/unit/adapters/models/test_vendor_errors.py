"""Errors of model servers are read in every shape they are known to have, and no shape is a failure of ours."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.vendor_errors import prompt_too_long, read_vendor_error

LLAMA = {"code": 400, "message": "request (9031 tokens) exceeds the available context size (8192 tokens)",
         "type": "exceed_context_size_error", "n_prompt_tokens": 9031, "n_ctx": 8192}  # fmt: skip
MAXIMUM = "This model's maximum context length is 4096 tokens."
SAID = [
    (f"{MAXIMUM} However, your messages resulted in 9000 tokens. Please reduce the length.", 4096, 9000),
    (f"{MAXIMUM} However, you requested 4200 tokens (4100 in the messages, 100 in the completion).", 4096, 4100),
    (f"'max_tokens' is too large: 5000. {MAXIMUM[:-1]} and your request has 2000 input tokens.", 4096, 2000),
    ("Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in 300000.", 272000, 300000),
    ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096, 5000),
    ("Trying to keep the first 4108 tokens, but the model is loaded with context length of only 4096.", 4096, 4108),
    ("prompt is too long: 208310 tokens > 200000 maximum", 200000, 208310),
    ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 200000, 190000),
    ("request (9031 tokens) exceeds the available context size (8192 tokens), try increasing it", 8192, 9031),
    ("the request exceeds the available context size, try increasing the context size", None, None),
    ("the input length exceeds the context length", None, None),
    ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576, 1200000),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100", 4096, 5000),
]  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(SAID).map(str),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "type", "message", "param", "n_ctx", "n_prompt_tokens", "detail"]), inner
        )
    ),
)


@pytest.mark.parametrize(("message", "window", "prompt"), SAID, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("wrap", [lambda m: {"error": {"message": m, "code": 400}}, lambda m: {"error": m}, str])
def test_a_prompt_too_long_is_known_by_what_is_said_of_it(
    wrap: object, message: str, window: int | None, prompt: int | None
) -> None:
    failure = prompt_too_long("m", read_vendor_error(wrap(message)), 400)  # type: ignore[operator]
    assert failure is not None
    assert (failure.window, failure.prompt_tokens) == (window, prompt)
    assert "CITEWELL_CONTEXT_TOKENS" in failure.what_to_do
    assert message not in str(failure)


@pytest.mark.parametrize("status", [None, 400, 500])
def test_the_fields_of_an_error_say_more_than_its_message(status: int | None) -> None:
    error = {**LLAMA, "message": f"Ours is {MAXIMUM}"}
    failure = prompt_too_long("m", read_vendor_error({"error": error}), status)
    assert failure is not None
    assert (failure.window, failure.prompt_tokens) == (8192, 9031)


def test_a_window_that_cannot_be_one_is_not_believed() -> None:
    error = read_vendor_error({"type": "exceed_context_size_error", "n_ctx": 3, "n_prompt_tokens": True})
    failure = prompt_too_long("m", error, 400)
    assert failure is not None
    assert (failure.window, failure.prompt_tokens) == (None, None)


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Unsupported parameter: 'max_tokens'", 400),
        ("Rate limit reached: Limit 6000, Requested 9000 tokens per minute", 413),
        (MAXIMUM, 401),
        (MAXIMUM, 429),
        ("unknown field context_size", 400),
    ],
)
def test_other_errors_are_about_something_else(message: str, status: int) -> None:
    assert prompt_too_long("m", read_vendor_error({"error": {"message": message}}), status) is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": LLAMA}, "exceed_context_size_error"),
        (LLAMA, "exceed_context_size_error"),
        ({"error": {"code": "insufficient_quota", "type": "billing"}}, "insufficient_quota"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "overloaded_error"),
        ([{"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}], "INVALID_ARGUMENT"),
        ({"object": "error", "type": "BadRequestError", "code": 400}, "BadRequestError"),
        ({"error": "model not found", "code": "invalid argument"}, "invalid argument"),
        ({"error": "model not found"}, "no code"),
        ({"error": {"code": 418}}, "418"),
        ({"error": {"code": "sk-secret-0123456789"}}, "no code"),
        ("<html>", "no code"),
        (None, "no code"),
    ],
    ids=repr,
)
def test_the_code_is_a_word_where_there_is_one(body: object, code: str) -> None:
    assert read_vendor_error(body).code == code


@given(ANYTHING)
def test_no_shape_of_an_error_is_a_failure_and_nothing_but_its_code_is_shown(body: object) -> None:
    error = read_vendor_error(body)
    assert len(error.code) <= 40
    for tokens in (error.window, error.prompt_tokens):
        assert tokens is None or 256 <= tokens <= 10_000_000
    prompt_too_long("m", error, 400)


@given(st.integers(256, 10**7), st.integers(256, 10**7))
def test_the_two_numbers_of_a_refusal_are_not_mistaken_for_each_other(window: int, prompt: int) -> None:
    message = f"request ({prompt} tokens) exceeds the available context size ({window:,} tokens)"
    error = read_vendor_error(json.loads(json.dumps({"error": {"message": message}})))
    assert error.window == window
    assert error.prompt_tokens == (prompt if prompt != window else None)
