"""A server of one's own tells of itself, each kind in its own words; replies that make no sense tell nothing."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.models.server_facts import (
    ServerFacts,
    parse_server_facts,
    read_server_facts,
    slots_idle,
    tools_reach_model,
)
from pipeline.errors import Unavailable
from pipeline.ports import ChatMessage, StreamEnd, TextDelta, Tool, ToolCall
from pipeline.values import UNKNOWN_CAPACITY
from tests.doubles.web import Reply, WebServer

UNKNOWN = ServerFacts()
PATHS = ("/props", "/v1/models", "/api/show", "/api/ps", "/api/v0/models")
HANGS = Reply(bytes(70_000), pause=600)


def server(replies: dict[str, Any]) -> WebServer:
    return WebServer(
        {
            path: reply if isinstance(reply, Reply) else Reply(json.dumps(reply).encode())
            for path, reply in replies.items()
        }
    )


async def facts(replies: dict[str, Any], model: str = "m", *, base: str = "/v1", seconds: float = 30.0) -> ServerFacts:
    async with server(replies).running() as running:
        return await read_server_facts(f"{running.url}{base}", model, key="k", seconds=seconds)


# --- Each kind of server --------------------------------------------------------------------------

NOT_FOUND = Reply(b'{"error": {"message": "File Not Found", "code": 404}}', status=404)
PROPS = {
    "default_generation_settings": {"params": {"max_tokens": -1}, "n_ctx": 4096},
    "total_slots": 2,
    "model_alias": "small.gguf",
    "chat_template": "{% for message in messages %}",
    "chat_template_caps": {"supports_tools": False, "supports_tool_calls": False},
}
LLAMA_CPP = {
    "/props": PROPS,
    "/v1/models": {
        "object": "list",
        "data": [
            {
                "id": "small.gguf",
                "aliases": ["small"],
                "owned_by": "llamacpp",
                "meta": {"n_ctx": 4096, "n_ctx_train": 8192, "n_params": 134_515_008},
            }
        ],
    },
    "/api/show": NOT_FOUND,
}


async def test_llama_cpp_tells_the_window_of_a_slot_whatever_name_is_asked_for() -> None:
    assert await facts(LLAMA_CPP, "any") == ServerFacts(
        window=4096, slots=2, takes_tools=False, kind="llama.cpp", parameters=134_515_008
    )


async def test_llama_cpp_without_its_properties_tells_the_window_in_the_list() -> None:
    told = await facts({"/v1/models": LLAMA_CPP["/v1/models"]})
    assert told == ServerFacts(window=4096, kind="llama.cpp", parameters=134_515_008)


async def test_llama_cpp_with_several_models_tells_the_weights_of_the_one_that_is_asked_for() -> None:
    models = {"data": [{"id": name, "meta": {"n_params": count}} for name, count in (("a", 10**9), ("b", 7 * 10**9))]}
    replies = {**LLAMA_CPP, "/v1/models": models}
    assert [(await facts(replies, name)).parameters for name in ("b", "c")] == [7 * 10**9, None]


async def test_llama_cpp_that_speaks_like_ollama_is_llama_cpp() -> None:
    show = {"details": {"family": ""}, "model_info": {"llama.context_length": 4096}, "capabilities": ["completion"]}
    told = await facts({"/props": {**PROPS, "chat_template_caps": None}, "/api/show": show})
    assert (told.kind, told.takes_tools) == ("llama.cpp", None)


def show(parameters: str = "", **changes: Any) -> dict[str, Any]:
    return {
        "license": "…",
        "modelfile": "FROM llama3.2",
        "parameters": parameters,
        "details": {"family": "llama", "parameter_size": "3.2B", "quantization_level": "Q4_K_M"},
        "model_info": {
            "general.architecture": "llama",
            "general.parameter_count": 3_212_749_888,
            "llama.context_length": 131_072,
        },
        "capabilities": ["completion", "tools"],
        **changes,
    }


def loaded(window: int, name: str = "llama3.2:latest") -> dict[str, Any]:
    return {"models": [{"name": "other:1b", "context_length": 512}, {"name": name, "context_length": window}]}


NUM_CTX = 'num_ctx                        8192\nstop                           "<|eot_id|>"'


@pytest.mark.parametrize(
    ("parameters", "ps", "window"),
    [
        ("", {"models": []}, None),
        ('stop "num_ctx 16384"', {"models": []}, None),
        ("", loaded(4096), 4096),
        (NUM_CTX, {"models": []}, 8192),
        (NUM_CTX, loaded(4096), 4096),
        (NUM_CTX, loaded(32_768), 8192),
        ("num_ctx 262144", {"models": []}, 131_072),
        ("num_ctx -1", {"models": []}, None),
        ("", loaded(4096, "llama3.2:1b"), None),
    ],
)
async def test_ollama_tells_the_window_in_force_and_not_what_the_model_could_have(
    parameters: str, ps: Any, window: int | None
) -> None:
    assert await facts({"/api/show": show(parameters), "/api/ps": ps}, "Llama3.2") == ServerFacts(
        window=window, takes_tools=True, kind="Ollama", parameters=3_212_749_888
    )


@pytest.mark.parametrize(
    ("capabilities", "takes_tools"), [(["completion"], False), (["completion", "tools"], True), (None, None)]
)
async def test_ollama_tells_whether_a_model_takes_tools(capabilities: Any, takes_tools: bool | None) -> None:
    assert (await facts({"/api/show": show(capabilities=capabilities)})).takes_tools is takes_tools


@pytest.mark.parametrize(
    ("size", "parameters"),
    [("3.2B", 3_200_000_000), ("134.52M", 134_520_000), ("", None), ("8x7B", None), ("0B", None), (7, None)],
)
async def test_ollama_tells_the_weights_in_words_where_it_does_not_count_them(
    size: object, parameters: int | None
) -> None:
    told = await facts({"/api/show": show(model_info=None, details={"parameter_size": size})})
    assert told.parameters == parameters


async def test_ollama_is_asked_for_the_model_by_its_name() -> None:
    async with server({"/api/show": show()}).running() as running:
        await read_server_facts(f"{running.url}/v1/", "llama3.2", key="k")
        (asked,) = (asked for asked in running.asked if asked.path == "/api/show")
    assert (asked.method, json.loads(asked.body)) == ("POST", {"model": "llama3.2"})
    assert asked.headers["authorization"] == "Bearer k"


async def test_vllm_tells_the_window_of_the_model_by_its_name() -> None:
    models = {
        "data": [
            {"id": "a/small", "owned_by": "vllm", "max_model_len": 2048},
            {"id": "a/large", "owned_by": "vllm", "max_model_len": 32_768},
        ]
    }
    replies = {"/v1/models": models, "/props": NOT_FOUND}
    assert await facts(replies, "a/large") == ServerFacts(window=32_768, kind="vLLM")
    assert await facts(replies, "another") == UNKNOWN


async def test_another_server_that_lists_windows_as_vllm_does_has_no_kind() -> None:
    models = {"data": [{"id": "m", "owned_by": "another", "max_model_len": 8192}]}
    assert await facts({"/v1/models": models}) == ServerFacts(window=8192)


async def test_lm_studio_tells_the_window_of_a_loaded_model_alone() -> None:
    models = {
        "data": [
            {"id": "idle", "state": "not-loaded", "max_context_length": 32_768},
            {
                "id": "busy",
                "state": "loaded",
                "max_context_length": 32_768,
                "loaded_context_length": 4096,
                "capabilities": ["tool_use"],
            },
        ]
    }
    unknown_path = Reply(b'{"error": "Unexpected endpoint or method."}')
    replies = {"/api/v0/models": models, "/props": unknown_path, "/api/show": unknown_path}
    assert await facts(replies, "busy") == ServerFacts(window=4096, takes_tools=True, kind="LM Studio")
    assert await facts(replies, "idle") == ServerFacts(kind="LM Studio")


@pytest.mark.parametrize(
    ("base", "prefix", "models"),
    [
        ("/llm/v1", "/llm", "/llm/v1/models"),
        ("/llm/v1/", "/llm", "/llm/v1/models"),
        ("/llm", "/llm", "/llm/models"),
        ("", "", "/models"),
    ],
)
async def test_paths_of_the_servers_own_stand_beside_the_version(base: str, prefix: str, models: str) -> None:
    replies = {f"{prefix}/props": PROPS, models: LLAMA_CPP["/v1/models"]}
    told = await facts(replies, base=base)
    assert (told.window, told.slots, told.parameters) == (4096, 2, 134_515_008)


# --- Replies that make no sense -------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<!doctype html><title>Welcome</title>"),
        Reply(json.dumps(PROPS | show() | {"data": [{"id": "m", "max_model_len": 4096}]}).encode()),
        Reply(b"[" * 100_000),
        Reply(b'{"n_ctx": ' + b"9" * 5000 + b"}"),
        Reply(b"\xff\xfe"),
        Reply(),
        Reply(b"{}", status=500),
        Reply(json.dumps(PROPS).encode(), status=401),
        Reply(status=302, headers={"location": "http://127.0.0.1:9/v1"}),
        Reply(status=302, headers={"location": "/props"}),
        Reply(gzip.compress(bytes(30_000_000), mtime=0), headers={"content-encoding": "gzip"}),
        Reply(b"no gzip", headers={"content-encoding": "gzip"}),
    ],
    ids=lambda reply: f"{reply.status} {reply.body[:30]!r} {dict(reply.headers)}",
)
async def test_a_server_with_one_reply_for_every_path_tells_nothing(reply: Reply) -> None:
    assert await facts(dict.fromkeys(PATHS, reply)) == UNKNOWN


async def test_a_huge_reply_is_not_parsed() -> None:
    assert await facts({"/props": PROPS | {"chat_template": "x" * 2_000_000}}) == UNKNOWN


@pytest.mark.parametrize("window", [-1, 0, 255, 10_000_001, 10**30, True, 4096.5, "4096", None, [4096]])
async def test_an_absurd_window_is_not_known(window: object) -> None:
    props = {**PROPS, "default_generation_settings": {"n_ctx": window}, "total_slots": window and -1}
    told = await facts({"/props": props})
    assert (told.window, told.slots, told.kind) == (None, None, "llama.cpp")


async def test_what_other_paths_tell_is_known_although_one_hangs() -> None:
    told = await facts({**LLAMA_CPP, "/api/show": HANGS, "/api/ps": HANGS}, seconds=2.0)
    assert (told.window, told.slots) == (4096, 2)


async def test_a_server_that_hangs_tells_nothing() -> None:
    assert await facts(dict.fromkeys(PATHS, HANGS), seconds=0.2) == UNKNOWN


@pytest.mark.parametrize(
    "url", ["", "x", "http://", "http://[::1", "http://a\0b/v1", "ftp://127.0.0.1/v1", "http://127.0.0.1:99999/v1"]
)
@pytest.mark.parametrize("key", ["", "k", "schlüssel\n"])
async def test_an_address_or_a_key_that_cannot_be_used_tells_nothing(url: str, key: str) -> None:
    assert await read_server_facts(url, "m", key=key) == UNKNOWN
    assert await slots_idle(url, key=key) is None


NAMES = st.sampled_from(
    "data models meta n_ctx n_params id name model aliases owned_by max_model_len loaded_context_length capabilities "
    "default_generation_settings total_slots chat_template_caps supports_tools details parameter_size model_info "
    "general.architecture general.parameter_count llama.context_length parameters context_length is_processing".split()
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(200, 20_000_000)
    | st.floats()
    | st.sampled_from(["m", "m:latest", "llama", "vllm", "llamacpp", "tools", "7B", "num_ctx 4096", "num_ctx 99999999"])
    | st.text(max_size=5)
)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6))
ENTRY = st.dictionaries(NAMES, JSON, max_size=8)
REPLIES = st.fixed_dictionaries(
    {
        "props": JSON | ENTRY | st.fixed_dictionaries({"default_generation_settings": ENTRY, "total_slots": JSON}),
        "models": JSON | st.fixed_dictionaries({"data": st.lists(ENTRY, max_size=3)}),
        "show": JSON | st.fixed_dictionaries({"model_info": ENTRY, "details": JSON, "parameters": JSON}),
        "ps": JSON | st.fixed_dictionaries({"models": st.lists(ENTRY, max_size=3)}),
        "lm_studio": JSON | st.fixed_dictionaries({"data": st.lists(ENTRY, max_size=3)}),
        "slots": JSON | st.lists(ENTRY, max_size=3),
    }
)


def holds(told: ServerFacts) -> bool:
    """Tell whether each number is within its bounds, or not known."""
    bounds = {"window": (256, 10_000_000), "slots": (1, 10_000), "parameters": (1, 10**15)}
    numbers = {name: getattr(told, name) for name in bounds}
    assert told.kind in ("", "llama.cpp", "Ollama", "LM Studio", "vLLM")
    return all(number is None or bounds[name][0] <= number <= bounds[name][1] for name, number in numbers.items())


@given(REPLIES)
@settings(max_examples=100)
def test_whatever_is_replied_a_number_is_within_bounds_or_not_known(replies: dict[str, Any]) -> None:
    assert holds(parse_server_facts(replies, "m"))


@given(REPLIES)
@settings(max_examples=10)
def test_no_server_is_so_odd_that_asking_it_fails(replies: dict[str, Any]) -> None:
    async def ask() -> tuple[ServerFacts, bool | None]:
        paths = {"props": "/props", "models": "/v1/models", "show": "/api/show", "ps": "/api/ps", "slots": "/slots"}
        async with server({path: replies[name] for name, path in paths.items()}).running() as running:
            url = f"{running.url}/v1"
            return await read_server_facts(url, "m", key="k", seconds=30), await slots_idle(url, key="k", seconds=30)

    told, idle = asyncio.run(ask())
    assert holds(told)
    assert idle in (True, False, None)


# --- Slots ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "idle"),
    [
        ([{"id": 0, "is_processing": False}], True),
        ([{"id": 0, "is_processing": True}], False),
        ([{"id": 0, "is_processing": True}, {"id": 1, "is_processing": False}], True),
        ([], None),
        ([{"id": 0}], None),
        ([{"id": 0, "is_processing": 1}], None),
        ([{"id": 0, "is_processing": False}, "x"], None),
        ({"is_processing": False}, None),
        (Reply(b'{"error": "This server does not support slots endpoint."}', status=501), None),
    ],
)
async def test_llama_cpp_tells_whether_a_slot_is_idle(reply: Any, idle: bool | None) -> None:
    async with server({"/slots": reply}).running() as running:
        assert await slots_idle(f"{running.url}/v1", key="k", seconds=30) is idle


async def test_a_server_that_hangs_tells_nothing_of_its_slots() -> None:
    async with server({"/slots": HANGS}).running() as running:
        assert await slots_idle(f"{running.url}/v1", key="k", seconds=0.2) is None


# --- Tools ----------------------------------------------------------------------------------------


class CountingModel:
    """A model whose server counts a prompt without tools and one with them as it is told; None is a failure."""

    name = "openai:m"
    capacity = UNKNOWN_CAPACITY

    def __init__(self, without: int | None, with_tools: int | None) -> None:
        self._counts = (without, with_tools)

    async def connect(self) -> None: ...

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        tokens = self._counts[bool(tools)]
        if tokens is None:
            raise Unavailable(self.name, "status 400")
        yield TextDelta(text="Yes")
        yield StreamEnd(reason="length", input_tokens=tokens, output_tokens=1)

    async def structured(self, messages: Sequence[ChatMessage], into: Any, *, max_tokens: int) -> Any:
        raise NotImplementedError

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("without", "with_tools", "reached"),
    [
        (31, 31, False),
        (31, 140, True),
        (31, 30, None),
        (0, 0, None),
        (0, 90, None),
        (-5, 3, None),
        (None, 31, None),
        (31, None, None),
    ],
)
async def test_tools_reach_a_model_whose_prompt_grows_by_them(
    without: int | None, with_tools: int | None, reached: bool | None
) -> None:
    assert await tools_reach_model(CountingModel(without, with_tools)) is reached
