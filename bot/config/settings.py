"""The one reader of the environment: secrets under their owners' names, everything else `CITEWELL_*`.

Sources in order, the first wins: environment, `.env`, `citewell.toml` (the same names in lower case without the prefix,
in the working folder or where `CITEWELL_CONFIG` points).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from adapters.discord.config import DiscordConfig
from adapters.slack.config import SlackConfig
from adapters.web.config import WebConfig
from bot import registry
from bot.config.field_types import CollectionName, PlaceName, Recipient, one_of, parse_networks
from bot.config.files import DOTENV, config_path
from bot.config.tables import AnySource, CollectionSettings, RoleSettings, check_unique_sources
from pipeline.ports import PlatformConfig
from pipeline.rules.setting_types import HttpAddress, ListenAddress, ServerUrl, split_list
from pipeline.values import AnswerStyle, CitationStyle, PlaceId, PlaceSettings, Role, Value, replace

ENV_PREFIX = "CITEWELL_"


def _secret(name: str, description: str) -> SecretStr | None:
    field: SecretStr | None = Field(default=None, validation_alias=name, description=description)
    return field


class Settings(BaseSettings):
    """Every setting of Citewell, frozen. Built by `read_settings`."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="ignore",
        env_prefix=ENV_PREFIX,
        env_file=DOTENV,
        populate_by_name=True,
        env_ignore_empty=True,
    )

    data: Path = Field(Path("citewell-data"), description="Folder for the database, index and backups")
    database: SecretStr | None = Field(
        None, description="PostgreSQL instead of the folder's database, e.g. postgresql://citewell@localhost/citewell"
    )
    encryption_keys: SecretStr | None = Field(
        None, description="Keys (KEY1,KEY2) that encrypt kept tokens: the first encrypts, each decrypts"
    )
    collections: dict[Annotated[str, CollectionName], CollectionSettings] = Field(
        default_factory=dict, description="Who may see which collection (citewell.toml: [collections.NAME])"
    )
    places: dict[Annotated[PlaceId, PlaceName], PlaceSettings] = Field(
        default_factory=dict, description='Behaviour in a place (citewell.toml: [places."slack:T0123:C0456"])'
    )
    roles: RoleSettings = Field(RoleSettings(), description="Who may change things (citewell.toml: [roles])")
    sources: tuple[AnySource, ...] = Field((), description="Where documents come from (citewell.toml: [[sources]])")
    default_collection: Annotated[str, CollectionName] = Field(
        "default", description="Collection that `citewell index` fills"
    )

    model: Annotated[str, one_of("auto", "extractive", "openai:NAME", "anthropic:NAME", "ollama:NAME")] = Field(
        "auto", description="Model that writes answers: auto, extractive, openai:NAME, anthropic:NAME, ollama:NAME"
    )
    planner_model: bool = Field(True, description="Let the model complete unclear follow-ups and split questions")
    judge: Annotated[str, one_of("auto", "none", "openai:NAME", "anthropic:NAME", "ollama:NAME")] = Field(
        "auto",
        description="Judge of paraphrased sentences: auto (the model that writes), none (they are dropped), "
        "openai:NAME, anthropic:NAME, ollama:NAME",
    )
    embedder: Annotated[str, one_of("minilm", "none", "onnx:FOLDER", "fastembed:NAME", "openai:NAME")] = Field(
        "minilm",
        description="Embedder: minilm (shipped), none (keywords only), onnx:FOLDER, fastembed:NAME, openai:NAME",
    )
    reader: Annotated[str, one_of("minilm", "none")] = Field(
        "minilm",
        description="Reader of the best passages: minilm (shipped; a reranker replaces it), none (halves the processor "
        "time of an answer, for small machines)",
    )
    reader_seconds: float = Field(1.0, gt=0, le=60, description="Seconds that an answer waits for the reader")
    reranker: Annotated[str, one_of("none", "onnx:FOLDER", "fastembed:NAME", "cohere:NAME", "jina:NAME")] = Field(
        "none",
        description="Reranker of the passages found: none (their own scores), onnx:FOLDER, "
        "fastembed:NAME, cohere:NAME, jina:NAME",
    )
    reranker_url: Annotated[str, HttpAddress] | None = Field(
        None,
        description="Another server that speaks the rerank API of Cohere and Jina, with its path: "
        "http://localhost:8000/v1/rerank",
    )
    reranker_key: SecretStr | None = Field(None, description="Key for Cohere, Jina or that server")
    masking: Annotated[str, one_of("exact", "none", "presidio:MODEL")] = Field(
        "exact",
        description="Masking for models on other servers: exact (mail addresses, phones, cards, IBANs, "
        "keys), presidio:MODEL (names and places too, by that spaCy model), none (they are shown everything)",
    )
    mode: Literal["simple", "grounded", "analytical", "conversational"] = Field(
        "grounded", description="How a model writes: simple, grounded, analytical or conversational"
    )
    temperature: float = Field(0.2, ge=0, le=1, description="Sampling temperature, where the provider takes one")
    max_tokens: int = Field(1000, ge=50, le=8000, description="Most tokens a model may write")
    context_tokens: int | None = Field(
        None,
        ge=2000,
        le=200_000,
        description="Most tokens of a whole prompt; unset: 12000, on your own server as many as it reads in time",
    )
    system_instructions: str = Field("", max_length=4000, description="House style or extra rules for a model")
    daily_tokens_person: int | None = Field(
        None,
        ge=0,
        description="Model tokens a person may use a day; 0: no limit; unset: 600000 where the model is a vendor's "
        "or at a public address",
    )
    daily_tokens_space: int | None = Field(
        None,
        ge=0,
        description="Model tokens a workspace may use a day; 0: no limit; unset: 6000000 where the model is a vendor's "
        "or at a public address",
    )
    concurrency: int = Field(100, ge=1, le=1000, description="Answers written at the same time")
    first_sentence_seconds: float = Field(10.0, gt=0, le=120, description="Deadline to the first checked sentence")
    total_seconds: float = Field(30.0, gt=0, le=600, description="Deadline of the whole answer")

    top_k: int = Field(5, ge=1, le=20, description="Passages that an answer without a model is made of")
    style: AnswerStyle = Field(AnswerStyle.CONCISE, description="concise, detailed or bullet")
    citation_style: CitationStyle = Field(CitationStyle.NUMBERED, description="numbered, inline, footnote or endnote")
    max_length: int = Field(1000, ge=100, le=10_000, description="Characters of an answer")
    include_citations: bool = Field(True, description="Show the source footer")
    include_confidence: bool = Field(True, description="Show the confidence badge")
    require_grounding: bool = Field(True, description="Drop unsupported sentences; off: show them marked as unverified")
    abstain: bool = Field(True, description="Say `not found` rather than answer with low confidence")
    minimum_sources: int = Field(1, ge=1, le=10, description="Documents an answer must cite")
    minimum_citations: int = Field(1, ge=1, le=10, description="Passages an answer must cite")
    max_question: int = Field(2000, ge=100, le=20_000, description="Characters of a question")
    history_turns: int = Field(6, ge=0, le=50, description="Turns of a conversation a follow-up may lean on")
    learn_from: Role | None = Field(
        None,
        description="Least role (contributor or admin) whose helpful ratings raise the cited passages for similar "
        "questions; empty: nobody",
    )
    retention_days: int = Field(30, ge=1, le=3650, description="Days that questions and answers are kept")

    chunk_tokens: Annotated[int, Field(ge=50, le=2000)] = Field(
        500, description="Size of a passage, in the embedder's tokens"
    )
    chunk_overlap: int = Field(50, ge=0, le=500, description="Tokens that neighbouring passages share")
    chroma_url: Annotated[str, ServerUrl] | None = Field(
        None, description="Use a Chroma server, e.g. http://localhost:8000"
    )

    sync_minutes: int = Field(60, ge=0, le=10_080, description="Minutes between syncs of indexed folders; 0: never")
    backup_hours: int = Field(24, ge=0, le=8760, description="Hours between backups of the database; 0: none")
    digest: Annotated[str, Recipient] | None = Field(
        None, description="Who gets the weekly digest and notices for admins: slack:T0123:C0456; empty: nobody"
    )
    late: Literal["answer", "expire"] = Field("answer", description="Questions older than 15 minutes: answer or expire")
    slack: Annotated[SlackConfig, NoDecode] = SlackConfig()
    discord: Annotated[DiscordConfig, NoDecode] = DiscordConfig()
    web: Annotated[WebConfig, NoDecode] = WebConfig()
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        ("127.0.0.1", "::1"),
        description="Addresses and networks of reverse proxies (10.0.0.5,172.16.0.0/12) whose X-Forwarded-For says who "
        "calls, for limits per address",
    )
    operations: Annotated[str, ListenAddress] | None = Field(
        None, description="Where /healthz, /readyz and /metrics are served, e.g. 127.0.0.1:9464; empty: nowhere"
    )
    operations_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Names with a dot that Prometheus and probes may use for that address (citewell.monitoring.svc); "
        "addresses and names without a dot always may",
    )
    price_input: float = Field(0.0, ge=0, description="Price of a million tokens that a model reads, for /metrics")
    price_output: float = Field(0.0, ge=0, description="Price of a million tokens that a model writes, for /metrics")
    traces: Annotated[str, ServerUrl] | None = Field(
        None,
        description="OpenTelemetry collector (OTLP over gRPC) that each answer is traced to, e.g. http://localhost:4317",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="How much is logged: debug, info, warning or error"
    )
    openai_api_key: SecretStr | None = _secret("OPENAI_API_KEY", "Key for OpenAI or a compatible server")
    openai_base_url: Annotated[str, HttpAddress] | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="Base URL of a server that speaks OpenAI's API"
    )
    anthropic_api_key: SecretStr | None = _secret("ANTHROPIC_API_KEY", "Key for Anthropic")
    anthropic_base_url: Annotated[str, HttpAddress] | None = Field(
        None, validation_alias="ANTHROPIC_BASE_URL", description="Base URL of a server that speaks Anthropic's API"
    )

    @field_validator("places")
    @classmethod
    def _threads_where_they_must_be(cls, value: dict[PlaceId, PlaceSettings]) -> dict[PlaceId, PlaceSettings]:
        for place, place_settings in value.items():
            platform = registry.platforms().find_platform(place.platform)
            if platform and platform.threads_only and place_settings.threads is False:
                raise ValueError(f"without threads = false for {place}: {platform.title} answers in threads")
        return value

    @field_validator("database")
    @classmethod
    def _in_postgresql(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not value.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ValueError("the address of a database: postgresql://USER:PASSWORD@HOST:PORT/NAME")
        return value

    @field_validator("sources")
    @classmethod
    def _one_name_each(cls, value: tuple[AnySource, ...]) -> tuple[AnySource, ...]:
        check_unique_sources(value)
        return value

    @field_validator("places")
    @classmethod
    def _indexed_by_name(cls, value: dict[PlaceId, PlaceSettings]) -> dict[PlaceId, PlaceSettings]:
        for place, place_settings in value.items():
            if place_settings.index and not place.channel:
                raise ValueError(f"such that index of {place} stands at each channel, which people read by name")
        return value

    @field_validator("places")
    @classmethod
    def _asked_where_it_is_set(cls, value: dict[PlaceId, PlaceSettings]) -> dict[PlaceId, PlaceSettings]:
        for place, place_settings in value.items():
            platform = registry.platforms().find_platform(place.platform)
            around = place_settings.ask and (
                place_settings.ask.parent == place.parent or (platform and platform.is_one_to_one)
            )
            if place_settings.ask and not (around and registry.platforms().is_channel(place_settings.ask)):
                raise ValueError(f"such that ask of {place} is a channel of {place.parent}")
        return value

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _proxies(cls, value: object) -> object:
        return parse_networks(value)

    @field_validator("operations_hosts", mode="before")
    @classmethod
    def _hosts(cls, value: object) -> object:
        return split_list(value, r"[0-9a-z.-]+", "names of hosts, such as citewell.monitoring.svc")

    @model_validator(mode="after")
    def _passages_advance(self) -> Self:
        if self.chunk_overlap >= self.chunk_tokens:
            raise ValueError(
                f"CITEWELL_CHUNK_OVERLAP ({self.chunk_overlap}) must be smaller than "
                f"CITEWELL_CHUNK_TOKENS ({self.chunk_tokens})"
            )
        return self

    @model_validator(mode="after")
    def _vectors_in_one_place(self) -> Self:
        if self.database and self.chroma_url:
            raise ValueError("CITEWELL_CHROMA_URL must be empty with CITEWELL_DATABASE: PostgreSQL holds the vectors")
        return self

    def isolated(self, folder: Path) -> Settings:
        """Return a copy with a data folder of its own, and without servers."""
        return replace(self, data=folder, database=None, chroma_url=None)

    @classmethod
    def file(cls) -> Path | None:
        """Return the file that is read beside the environment and `.env`."""
        return config_path()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        toml = TomlConfigSettingsSource(settings_cls, toml_file=cls.file())
        environment, dotenv = (
            _FlatSource(settings_cls, source, cast("EnvSettingsSource", source).env_vars, _variable)
            for source in (env_settings, dotenv_settings)
        )
        return init_settings, environment, dotenv, _FlatSource(settings_cls, toml, toml.toml_data, str)


class _FlatSource(PydanticBaseSettingsSource):
    """A source in which a platform's settings stand flat beside all others, each under a full name."""

    def __init__(
        self,
        settings: type[BaseSettings],
        source: PydanticBaseSettingsSource,
        written: Mapping[str, Any],
        called: Callable[[str], str],
    ) -> None:
        """`written`: all values there; `called`: returns a setting's name there."""
        super().__init__(settings)
        self._source = source
        self._written = written
        self._called = called

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return self._source.get_field_value(field, field_name)

    def __call__(self) -> dict[str, Any]:
        return self._source() | {platform: self._own(platform) for platform in platform_settings()}

    def _own(self, platform: str) -> dict[str, Any]:
        names = {field: self._called(f"{platform}_{field}") for field in platform_settings()[platform].model_fields}
        return {field: self._written[name] for field, name in names.items() if name in self._written}


def _variable(setting: str) -> str:
    return environment_name(setting).lower()


def secret_value(value: SecretStr | None) -> str:
    """Return the secret itself, or ""."""
    return value.get_secret_value() if value else ""


def list_encryption_keys(settings: Settings) -> list[str]:
    """Return the keys that encrypt stored tokens, the first one first."""
    return secret_value(settings.encryption_keys).replace(",", " ").split()


@cache
def platform_settings() -> dict[str, type[Value]]:
    """Return the settings class of each platform, by its name."""
    kinds = {name: info.annotation for name, info in Settings.model_fields.items()}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, Value)}


@cache
def all_settings() -> dict[str, FieldInfo]:
    """Return all settings by their names in `citewell.toml`: Slack's `host` is `slack_host`."""
    fields: dict[str, FieldInfo] = {}
    for name, info in Settings.model_fields.items():
        kind = platform_settings().get(name)
        fields |= (
            {f"{name}_{field_name}": field for field_name, field in kind.model_fields.items()} if kind else {name: info}
        )
    return fields


def environment_name(setting: str) -> str:
    """Return the environment variable of a setting: `top_k` -> `CITEWELL_TOP_K`, `slack_bot_token` ->
    `SLACK_BOT_TOKEN`."""
    alias = all_settings()[setting].validation_alias
    return str(alias) if alias else f"{ENV_PREFIX}{setting.upper()}"


def environment_names() -> frozenset[str]:
    """Return the environment variables of all settings."""
    return frozenset(map(environment_name, all_settings()))


# --- The platforms as the settings have them ------------------------------------------------------


def platform_configs(settings: Settings) -> tuple[PlatformConfig, ...]:
    """Return every platform's settings, enabled or not; the defaults for a platform without any."""
    return tuple(getattr(settings, kind.platform.name, None) or kind() for kind in registry.PLATFORM_CONFIGS)


def enabled_platforms(settings: Settings) -> tuple[PlatformConfig, ...]:
    """Return the platforms that are set up."""
    return tuple(config for config in platform_configs(settings) if config.is_enabled)
