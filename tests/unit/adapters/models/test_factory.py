"""The setting CITEWELL_MODEL names a model, or its error names the setting."""

from __future__ import annotations

import sys

import pytest

from adapters.models.anthropic import AnthropicModel
from adapters.models.factory import make_model
from adapters.models.masking import MaskedModel
from adapters.models.openai import OpenAIModel
from pipeline.errors import Misconfigured
from pipeline.screen.sensitive_data import find_sensitive_data
from tests.doubles.llm.faults import Text
from tests.doubles.llm.server import LlmServer


@pytest.mark.parametrize(
    ("spec", "kind"),
    [("openai:gpt-x", OpenAIModel), ("anthropic:claude-x", AnthropicModel), ("ollama:llama3:8b", OpenAIModel)],
)
def test_each_provider_has_its_adapter(spec: str, kind: type) -> None:
    model = make_model(spec, openai_key="k", anthropic_key="k")
    assert isinstance(model, kind)
    assert model.name == spec


@pytest.mark.parametrize("spec", ["", "openai", "openai:", "extractive", "gemini:pro", ":x"])
def test_a_name_that_is_no_model_is_refused_with_the_forms_that_are(spec: str) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_MODEL") as caught:
        make_model(spec, openai_key="k")
    assert "anthropic:MODEL" in caught.value.what_to_do


@pytest.mark.parametrize(("spec", "setting"), [("openai:x", "OPENAI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY")])
def test_a_missing_key_is_named(spec: str, setting: str) -> None:
    with pytest.raises(Misconfigured, match=setting):
        make_model(spec)


@pytest.mark.parametrize(
    ("spec", "key", "sent"), [("openai:local", "", "none"), ("ollama:llama3", "sk-secret", "ollama")]
)
async def test_a_server_of_ones_own_needs_no_key_and_ollama_never_gets_openais(
    spec: str, key: str, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LlmServer(otherwise=lambda _: Text('{"writer": "x"}')).running() as server:
        monkeypatch.setattr("adapters.models.factory.OLLAMA_URL", f"{server.url}/v1")
        base_url = "" if spec.startswith("ollama") else f"{server.url}/v1"
        model = make_model(spec, openai_key=key, openai_base_url=base_url)
        _ = [piece async for piece in model.stream([], max_tokens=9)]
        await model.close()
    assert server.keys == [sent]


def test_naming_a_model_imports_no_sdk() -> None:
    code = (
        "import sys; from adapters.models.factory import make_model; "
        "make_model('openai:x', openai_key='k'); make_model('anthropic:x', anthropic_key='k'); "
        "sys.exit(bool({'openai', 'anthropic', 'httpx2'} & set(sys.modules)))"
    )
    import subprocess

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("spec", "url", "masked"),
    [
        ("openai:x", "", True),
        ("openai:x", "https://models.example.com/v1", True),
        ("openai:x", "http://localhost:8000/v1", False),
        ("ollama:x", "", False),
        ("anthropic:x", "", True),
    ],
)
async def test_only_a_foreign_model_is_shown_placeholders(spec: str, url: str, masked: bool) -> None:
    model = make_model(spec, openai_key="k", anthropic_key="k", openai_base_url=url, find=find_sensitive_data)
    assert isinstance(model, MaskedModel) is masked
    assert isinstance(make_model(spec, openai_key="k", anthropic_key="k", openai_base_url=url), MaskedModel) is False
