"""Facts that a model server of one's own tells of itself: its window, its slots, and whether it takes tools.

No prompt of a person is sent. Every server is asked in the words of each: llama.cpp, Ollama, LM Studio and vLLM."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from adapters.models.transport import plain_client
from pipeline.errors import CitewellError
from pipeline.ports import ChatMessage, LanguageModel, StreamEnd, Tool
from pipeline.values import Value

if TYPE_CHECKING:
    import httpx2

_MAX_BYTES = 1_000_000
"""A reply of more is not parsed. The longest one known, of Ollama for a model with many layers, has about 200,000."""
_WINDOWS = range(256, 10_000_001)
_SLOTS = range(1, 10_001)
_PARAMETERS = range(1, 10**15 + 1)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


class ServerFacts(Value):
    """Facts that a server tells of itself and of one model. None: not known."""

    window: int | None = None
    """Tokens of a prompt and its reply together, as loaded; not what the model could have at most."""
    slots: int | None = None
    """Number of requests that the server works on at the same time."""
    takes_tools: bool | None = None
    """False where the list of tools does not reach the model."""
    kind: str = ""
    """llama.cpp, Ollama, LM Studio, vLLM, or nothing."""
    parameters: int | None = None
    """Number of the model's weights."""


async def read_server_facts(base_url: str, model: str, *, key: str, seconds: float = 3.0) -> ServerFacts:
    """Return what the server at `base_url` tells of `model` within `seconds`. Never raises; a reply that makes no sense
    counts as none.

    `base_url` is that of the chat completions. A version at its end (`/v1`) is left out for the server's own paths."""
    root = _root_url(base_url)
    questions = {
        "props": (f"{root}/props", None),
        "models": (f"{base_url.rstrip('/')}/models", None),
        "show": (f"{root}/api/show", {"model": model}),
        "ps": (f"{root}/api/ps", None),
        "lm_studio": (f"{root}/api/v0/models", None),
    }
    return parse_server_facts(await _ask(questions, key, seconds), model)


async def slots_idle(base_url: str, *, key: str, seconds: float = 3.0) -> bool | None:
    """Tell whether a llama.cpp server could begin a request at once. None for another server, and where no reply comes
    within `seconds`.

    Asked every few seconds at most: the server looks for clients that went away only after a second in which it replied
    to nobody, so that one that is asked without pause reads a prompt that was given up to its end."""
    slots = (await _ask({"slots": (f"{_root_url(base_url)}/slots", None)}, key, seconds)).get("slots")
    states = [_get(slot, "is_processing") for slot in slots] if isinstance(slots, list) else []
    if not states or not all(isinstance(state, bool) for state in states):
        return None
    return not all(states)


TOOL_PROBE = "Say yes."
"""Request that is sent with and without a tool."""
_TOOL = Tool(
    name="search_documents",
    description="Search the documents.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


async def tools_reach_model(model: LanguageModel) -> bool | None:
    """Tell whether a list of tools makes the prompt longer, as `model`'s server counts it. None where it does not say.

    Sends two tiny requests; `ServerFacts.takes_tools` needs none, and comes first."""
    try:
        without, with_tools = await _count_prompt(model), await _count_prompt(model, _TOOL)
    except CitewellError:
        return None
    return with_tools > without if 0 < without <= with_tools else None


async def _count_prompt(model: LanguageModel, *tools: Tool) -> int:
    tokens = 0
    messages = [ChatMessage(role="user", content=TOOL_PROBE)]
    async with aclosing(model.stream(messages, max_tokens=1, tools=tools)) as pieces:
        async for piece in pieces:
            if isinstance(piece, StreamEnd):
                tokens = piece.input_tokens
    return tokens


# --- Requests -------------------------------------------------------------------------------------


def _root_url(base_url: str) -> str:
    """Return `base_url` without the version at its end, and without a query."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return base_url
    path = re.sub(r"/v\d\w*\Z", "", parts.path.rstrip("/"))
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


async def _ask(
    questions: Mapping[str, tuple[str, Mapping[str, str] | None]], key: str, seconds: float
) -> dict[str, Any]:
    """Return the JSON of each reply. A reply that comes to several questions answers none of them: such a server gives
    every path the same page."""

    async def ask(client: httpx2.AsyncClient, url: str, body: Mapping[str, str] | None) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                response = await (client.post(url, json=body) if body else client.get(url))
        except Exception:  # noqa: BLE001 - whatever is wrong with the address or the reply, it tells nothing
            return b""
        return response.content if response.is_success and len(response.content) <= _MAX_BYTES else b""

    headers = {"authorization": f"Bearer {key}"} if key and key.isascii() else {}
    client = await asyncio.to_thread(plain_client, "model server", seconds, headers)
    async with client:
        bodies = await asyncio.gather(*(ask(client, url, body) for url, body in questions.values()))
    seen = Counter(bodies)
    return {name: _parse(body) for name, body in zip(questions, bodies, strict=True) if seen[body] == 1}


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (RecursionError, ValueError):
        return None


# --- Replies --------------------------------------------------------------------------------------


def parse_server_facts(replies: Mapping[str, Any], model: str) -> ServerFacts:
    """Return what `replies` tell of `model`. They are JSON of any shape, by the names of `read_server_facts`."""
    return (
        _read_llama_cpp(replies, model)
        or _read_ollama(replies, model)
        or _read_lm_studio(replies, model)
        or _read_model_list(replies, model)
    )


def _read_llama_cpp(replies: Mapping[str, Any], model: str) -> ServerFacts | None:
    """It has one model, whatever name is asked for, unless it lists several. `n_ctx` is the window of one slot."""
    props = replies.get("props")
    entries = _entries(replies.get("models"), "data")
    entry = _find_entry(entries, model) or (entries[0] if len(entries) == 1 else {})
    if not isinstance(_get(props, "default_generation_settings"), dict) and _get(entry, "owned_by") != "llamacpp":
        return None
    window = _number(_get(props, "default_generation_settings", "n_ctx"), _WINDOWS)
    return ServerFacts(
        window=window or _number(_get(entry, "meta", "n_ctx"), _WINDOWS),
        slots=_number(_get(props, "total_slots"), _SLOTS),
        takes_tools=_boolean(_get(props, "chat_template_caps", "supports_tools")),
        kind="llama.cpp",
        parameters=_number(_get(entry, "meta", "n_params"), _PARAMETERS),
    )


def _read_ollama(replies: Mapping[str, Any], model: str) -> ServerFacts | None:
    """The window is that of the loaded model, or `num_ctx` of its settings. Where both are told, the smaller one holds:
    another program may have loaded it with a window of its own. The model's own limit is not what is loaded."""
    show = replies.get("show")
    details, info = _get(show, "details"), _get(show, "model_info")
    if not isinstance(details, dict) and not isinstance(info, dict):
        return None
    loaded = _find_entry(_entries(replies.get("ps"), "models"), _tagged(model))
    settings = _get(show, "parameters")
    set_window = re.search(r"^num_ctx\s+(\d{1,8})\s*$", settings, re.MULTILINE) if isinstance(settings, str) else None
    in_force = (_get(loaded, "context_length"), int(set_window[1]) if set_window else None)
    windows = [window for value in in_force if (window := _number(value, _WINDOWS))]
    limit = _number(_get(info, f"{_get(info, 'general.architecture')}.context_length"), _WINDOWS)
    capabilities = _get(show, "capabilities")
    return ServerFacts(
        window=min([*windows, *([limit] if limit else [])]) if windows else None,
        takes_tools="tools" in capabilities if isinstance(capabilities, list) else None,
        kind="Ollama",
        parameters=_number(_get(info, "general.parameter_count"), _PARAMETERS)
        or _parse_size(_get(details, "parameter_size")),
    )


def _read_lm_studio(replies: Mapping[str, Any], model: str) -> ServerFacts | None:
    """Tools reach a model that is not trained for them in words of the server's own, so their absence tells nothing."""
    entries = _entries(replies.get("lm_studio"), "data")
    if not entries:
        return None
    entry = _find_entry(entries, model)
    capabilities = _get(entry, "capabilities")
    return ServerFacts(
        window=_number(_get(entry, "loaded_context_length"), _WINDOWS),
        takes_tools=True if isinstance(capabilities, list) and "tool_use" in capabilities else None,
        kind="LM Studio",
    )


def _read_model_list(replies: Mapping[str, Any], model: str) -> ServerFacts:
    """Read the list of vLLM, and of servers that write theirs the same way."""
    entry = _find_entry(_entries(replies.get("models"), "data"), model)
    window = _number(_get(entry, "max_model_len"), _WINDOWS)
    return ServerFacts(window=window, kind="vLLM" if _get(entry, "owned_by") == "vllm" else "")


def _entries(reply: Any, name: str) -> list[dict[str, Any]]:
    entries = _get(reply, name)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _find_entry(entries: list[dict[str, Any]], model: str) -> dict[str, Any]:
    """Return the entry of `model`, whose name may be written in capitals; an empty one where there is none."""
    wanted = model.casefold()
    for entry in entries:
        aliases = entry.get("aliases")
        names = [entry.get(name) for name in ("id", "name", "model")] + (aliases if isinstance(aliases, list) else [])
        if any(isinstance(name, str) and name.casefold() == wanted for name in names):
            return entry
    return {}


def _tagged(model: str) -> str:
    """Return the name that Ollama lists `model` under."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def _get(value: Any, *names: str) -> Any:
    """Return what stands in `value` under `names`, one in the other; None where something else stands there."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _number(value: Any, bounds: range) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in bounds else None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _parse_size(size: Any) -> int | None:
    """Return the number in a size such as 134.52M."""
    match = re.fullmatch(r"(\d{1,4}(?:\.\d{1,4})?)([KMBT]?)", size) if isinstance(size, str) else None
    return _number(round(float(match[1]) * _UNITS[match[2]]), _PARAMETERS) if match else None
