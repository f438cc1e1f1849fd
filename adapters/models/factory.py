"""The factory of the language model that the setting `CITEWELL_MODEL` names."""

from __future__ import annotations

from adapters.models.anthropic import AnthropicModel
from adapters.models.masking import MaskedModel, is_external_server
from adapters.models.openai import OpenAIModel
from pipeline.errors import Misconfigured
from pipeline.ports import LanguageModel
from pipeline.screen.sensitive_data import SensitiveDataFinder
from pipeline.values import Value

OLLAMA_URL = "http://localhost:11434/v1"
_MODEL_FORMS = "openai:MODEL, anthropic:MODEL, ollama:MODEL or extractive"


class ModelAddress(Value):
    """The address of a model's server, and the key that goes to this server only."""

    url: str | None
    """None for the vendor's own."""
    key: str

    @property
    def is_own(self) -> bool:
        """True where the server is the team's own and sends no bill."""
        return not is_external_server(self.url)


def find_address(
    spec: str,
    *,
    openai_key: str = "",
    openai_base_url: str = "",
    anthropic_key: str = "",
    anthropic_base_url: str = "",
) -> ModelAddress:
    """Return the address of the model that `provider:name` names. Raises Misconfigured.

    A server at a base URL may need no key, except Anthropic's."""
    provider, _, model = spec.partition(":")
    if provider not in ("openai", "anthropic", "ollama") or not model.strip():
        raise Misconfigured("CITEWELL_MODEL", f"{spec!r} is not a model", what_to_do=f"Give {_MODEL_FORMS}.")
    if provider == "anthropic":
        if not anthropic_key:
            raise _missing_key("ANTHROPIC_API_KEY", spec)
        return ModelAddress(url=anthropic_base_url or None, key=anthropic_key)
    if provider == "ollama" and not openai_base_url:
        return ModelAddress(url=OLLAMA_URL, key="ollama")
    if not openai_key and not openai_base_url:
        raise _missing_key("OPENAI_API_KEY", spec)
    return ModelAddress(url=openai_base_url or None, key=openai_key or "none")


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
    address = find_address(
        spec,
        openai_key=openai_key,
        openai_base_url=openai_base_url,
        anthropic_key=anthropic_key,
        anthropic_base_url=anthropic_base_url,
    )
    provider, _, name = spec.partition(":")
    model: LanguageModel
    if provider == "anthropic":
        model = AnthropicModel(name, key=address.key, base_url=address.url, timeout=timeout)
    else:
        model = OpenAIModel(
            name,
            key=address.key,
            base_url=address.url,
            name=spec,
            temperature=temperature,
            effort=None if address.url else "low",
            is_own=address.is_own,
            timeout=timeout,
        )
    return MaskedModel(model, find) if find and not address.is_own else model


def _missing_key(setting: str, spec: str) -> Misconfigured:
    return Misconfigured(
        setting,
        f"is not set, and CITEWELL_MODEL={spec} needs it",
        what_to_do=f"Set {setting}, or choose {_MODEL_FORMS}.",
    )
