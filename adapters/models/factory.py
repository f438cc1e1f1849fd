"""The factory of the language model that the setting `CITEWELL_MODEL` names."""

from __future__ import annotations

from adapters.models.anthropic import AnthropicModel
from adapters.models.masking import MaskedModel, is_external_server
from adapters.models.openai import OpenAIModel
from pipeline.errors import Misconfigured
from pipeline.ports import LanguageModel
from pipeline.screen.sensitive_data import SensitiveDataFinder

OLLAMA_URL = "http://localhost:11434/v1"
_MODEL_FORMS = "openai:MODEL, anthropic:MODEL, ollama:MODEL or extractive"


def make_model(
    spec: str,
    *,
    openai_key: str = "",
    openai_base_url: str = "",
    anthropic_key: str = "",
    anthropic_base_url: str = "",
    temperature: float | None = 0.2,
    timeout: float = 30.0,
    find: SensitiveDataFinder | None = None,
) -> LanguageModel:
    """Return the model that `provider:name` names; nothing is imported or connected yet. Raises Misconfigured. A base
    URL names a server that speaks OpenAI's chat completions (Azure, Gemini, vLLM, LM Studio); such a server may need no
    key. Sensitive data that `find` finds is masked for an external server."""
    provider, _, model = spec.partition(":")
    if provider not in ("openai", "anthropic", "ollama") or not model.strip():
        raise Misconfigured("CITEWELL_MODEL", f"{spec!r} is not a model", what_to_do=f"Give {_MODEL_FORMS}.")
    if provider == "anthropic":
        if not anthropic_key:
            raise _missing_key("ANTHROPIC_API_KEY", spec)
        url = anthropic_base_url or None
        return _mask_if_external(AnthropicModel(model, key=anthropic_key, base_url=url, timeout=timeout), url, find)
    if provider == "openai" and not openai_key and not openai_base_url:
        raise _missing_key("OPENAI_API_KEY", spec)
    base_url, key = openai_base_url or None, openai_key or "none"
    if provider == "ollama" and not openai_base_url:
        base_url, key = OLLAMA_URL, "ollama"
    effort = None if base_url else "low"
    openai_model = OpenAIModel(
        model, key=key, base_url=base_url, name=spec, temperature=temperature, effort=effort, timeout=timeout
    )
    return _mask_if_external(openai_model, base_url, find)


def _mask_if_external(model: LanguageModel, url: str | None, find: SensitiveDataFinder | None) -> LanguageModel:
    return MaskedModel(model, find) if find and is_external_server(url) else model


def _missing_key(setting: str, spec: str) -> Misconfigured:
    return Misconfigured(
        setting,
        f"is not set, and CITEWELL_MODEL={spec} needs it",
        what_to_do=f"Set {setting}, or choose {_MODEL_FORMS}.",
    )
