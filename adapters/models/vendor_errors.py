"""Errors of model servers, read from the body of a reply or an event of a stream, in any vendor's shape. A message can
echo the key or the prompt: it is searched and never shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.errors import PromptTooLong

_MAX_MESSAGE_CHARS = 4000
_WINDOW_TOKENS = range(256, 10_000_001)
"""Windows and prompts that can be meant: other numbers in an error are something else."""
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_ ]{0,39}")
_TOO_LONG_CODES = frozenset({"exceed_context_size_error", "context_length_exceeded"})
_TOO_LONG_STATUSES = (None, 400, 413, 422, 500)
_CONTEXT = re.compile(
    r"context[ _-]?(?:length|size|window|limit)|maximum model length|prompt is too long|input token|when context"
    r"|`inputs` tokens|input length",
    re.IGNORECASE,
)
_EXCEEDED = re.compile(
    r"exceed|too (?:long|large)|longer than|greater than|not enough|of only|<=|reduce|\bmaximum context length is\b",
    re.IGNORECASE,
)
_WINDOW = re.compile(
    r"(?:context[ _-](?:length|size|window)|model length)\b[^\d,.]{0,20}?(?P<behind>\d+)"
    r"|(?:> ?|<= ?|\blimit of |\btokens allowed \(?)(?P<bound>\d+)|(?P<before>\d+) maximum context",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"(\d+)(?: tokens)? in the (?:messages|prompt)|(\d+) input tokens|(\d+) `inputs`", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_SMALLER_PROMPT = (
    "Set CITEWELL_CONTEXT_TOKENS lower, or give the model a larger window: --ctx-size of llama.cpp, "
    "OLLAMA_CONTEXT_LENGTH of Ollama, --max-model-len of vLLM, the context length in LM Studio."
)


@dataclass(frozen=True)
class VendorError:
    """An error as a vendor reports it."""

    code: str = "no code"
    """Short error code, such as `insufficient_quota`."""
    message: str = ""
    """Never shown."""
    window: int | None = None
    prompt_tokens: int | None = None


def read_vendor_error(body: object) -> VendorError:
    """Return the error in `body`: an object, an object in `error` or in a list, or a text."""
    objects = list(_objects(body))
    codes = [entry.get(name) for entry in objects for name in ("code", "type", "status")]
    texts = [code for code in codes if isinstance(code, str) and _CODE.fullmatch(code) and code != "error"]
    numbers = [str(code) for code in codes if str(code).isascii() and str(code).isdigit() and len(str(code)) <= 5]
    said = [text for entry in objects for text in map(entry.get, ("message", "error", "detail"))]
    message = "\n".join(text for text in [body, *said] if isinstance(text, str))[:_MAX_MESSAGE_CHARS]
    return VendorError(
        code=(texts or numbers or ["no code"])[0],
        message=message,
        window=_first_tokens(objects, "n_ctx") or _window_in(message),
        prompt_tokens=_first_tokens(objects, "n_prompt_tokens") or _prompt_in(message),
    )


def prompt_too_long(service: str, error: VendorError, status: int | None) -> PromptTooLong | None:
    """Return the error of ours for a prompt that does not fit the window; None where `error` is about something
    else. `status` is None for an event of a stream."""
    said = _CONTEXT.search(error.message) and _EXCEEDED.search(error.message)
    if status not in _TOO_LONG_STATUSES or not (error.code in _TOO_LONG_CODES or said):
        return None
    return PromptTooLong(service, window=error.window, prompt_tokens=error.prompt_tokens, what_to_do=_SMALLER_PROMPT)


def _objects(body: object, depth: int = 4) -> Iterator[dict[str, Any]]:
    """Yield the objects of an error, the innermost first: it says most."""
    if isinstance(body, list) and depth:
        for entry in body[:3]:
            yield from _objects(entry, depth - 1)
    if isinstance(body, dict) and depth:
        yield from _objects(body.get("error"), depth - 1)
        yield body


def _first_tokens(objects: list[dict[str, Any]], name: str) -> int | None:
    found = (entry.get(name) for entry in objects)
    return next((n for n in found if isinstance(n, int) and n in _WINDOW_TOKENS), None)


def _window_in(message: str) -> int | None:
    match = _WINDOW.search(_plain_numbers(message))
    return _tokens(match[match.lastgroup or 0]) if match else None


def _prompt_in(message: str) -> int | None:
    """Return the tokens of the prompt, or the first number besides the window."""
    plain = _plain_numbers(message)
    if (named := _PROMPT.search(plain)) and named.lastindex:
        return _tokens(named[named.lastindex])
    window = _window_in(message)
    numbers = (_tokens(number) for number in _NUMBER.findall(plain))
    return next((number for number in numbers if number and number != window), None) if window else None


def _plain_numbers(message: str) -> str:
    return re.sub(r"(?<=\d)[,_](?=\d{3}\b)", "", message)


def _tokens(digits: str) -> int | None:
    return int(digits) if len(digits) < 9 and int(digits) in _WINDOW_TOKENS else None
