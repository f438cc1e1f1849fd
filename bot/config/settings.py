"""The one reader of the environment: secrets under their owners' names, everything else `CITEWELL_*`.

Read in this order, first found wins: environment, `.env`, `citewell.toml` (the same names in lower case without
the prefix, in the working folder or where `CITEWELL_CONFIG` points).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from bot import known
from bot.config.files import DOTENV, config_file
from bot.config.kinds import (
    Address,
    CollectionName,
    Listener,
    Recipient,
    Server,
    ShardRange,
    Somewhere,
    listed,
    networks,
    one_of,
)
from bot.config.tables import AnySource, Collection, Roles, one_name_each
from pipeline.values import CitationStyle, Place, PlaceId, Role, Style, replace

PREFIX = "CITEWELL_"


def _secret(name: str, description: str) -> SecretStr | None:
    field: SecretStr | None = Field(default=None, validation_alias=name, description=description)
    return field


class Settings(BaseSettings):
    """Every setting of Citewell, frozen. Build one with `read_settings`."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="ignore",
        env_prefix=PREFIX,
        env_file=DOTENV,
        populate_by_name=True,
        env_ignore_empty=True,
    )

    slack_bot_token: SecretStr | None = _secret("SLACK_BOT_TOKEN", "Bot token of your Slack app (xoxb-…)")
    slack_app_token: SecretStr | None = _secret("SLACK_APP_TOKEN", "App-level token for Socket Mode (xapp-…)")
    slack_signing_secret: SecretStr | None = _secret(
        "SLACK_SIGNING_SECRET", "Signing secret: receive events over HTTP instead of Socket Mode"
    )
    slack_client_id: str | None = Field(
        None,
        validation_alias="SLACK_CLIENT_ID",
        description="Client ID of your Slack app, instead of SLACK_BOT_TOKEN: people add it at /slack/install",
    )
    slack_client_secret: SecretStr | None = _secret("SLACK_CLIENT_SECRET", "Client secret of your Slack app")
    slack_api_url: Annotated[str, Address] = Field(
        "https://slack.com/api/",
        validation_alias="SLACK_API_URL",
        description="Base of Slack's Web API, for proxies and tests",
    )
    discord_token: SecretStr | None = _secret("DISCORD_TOKEN", "Bot token of your Discord application")
    discord_api_url: Annotated[str, Address] | None = Field(
        None, validation_alias="DISCORD_API_URL", description="Base of Discord's API, for proxies and tests"
    )
    openai_api_key: SecretStr | None = _secret("OPENAI_API_KEY", "Key for OpenAI or a compatible server")
    openai_base_url: Annotated[str, Address] | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="Base URL of a server that speaks OpenAI's API"
    )
    anthropic_api_key: SecretStr | None = _secret("ANTHROPIC_API_KEY", "Key for Anthropic")
    anthropic_base_url: Annotated[str, Address] | None = Field(
        None, validation_alias="ANTHROPIC_BASE_URL", description="Base URL of a server that speaks Anthropic's API"
    )

    data: Path = Field(Path("citewell-data"), description="Folder for the database, index and backups")
    database: SecretStr | None = Field(
        None, description="PostgreSQL instead of the folder's database, e.g. postgresql://citewell@localhost/citewell"
    )
    encryption_keys: SecretStr | None = Field(
        None, description="Keys (KEY1,KEY2) that encrypt kept tokens: the first encrypts, each decrypts"
    )
    collections: dict[Annotated[str, CollectionName], Collection] = Field(
        default_factory=dict, description="Who may see which collection (citewell.toml: [collections.NAME])"
    )
    places: dict[Annotated[PlaceId, Somewhere], Place] = Field(
        default_factory=dict, description='How it behaves where (citewell.toml: [places."slack:T0123:C0456"])'
    )
    roles: Roles = Field(Roles(), description="Who may change things (citewell.toml: [roles])")
    sources: tuple[AnySource, ...] = Field((), description="Where documents come from (citewell.toml: [[sources]])")
    default_collection: Annotated[str, CollectionName] = Field(
        "default", description="Collection that `citewell index` fills"
    )

    model: Annotated[str, one_of("auto", "extractive", "openai:NAME", "anthropic:NAME", "ollama:NAME")] = Field(
        "auto", description="Who writes: auto, extractive, openai:NAME, anthropic:NAME, ollama:NAME"
    )
    planner_model: bool = Field(True, description="Let the model complete unclear follow-ups and split questions")
    judge: Annotated[str, one_of("auto", "none", "openai:NAME", "anthropic:NAME", "ollama:NAME")] = Field(
        "auto",
        description="Who reads the sentences that are no quotations: auto (the model that writes), none (nobody: they "
        "are dropped), openai:NAME, anthropic:NAME, ollama:NAME",
    )
    embedder: Annotated[str, one_of("minilm", "none", "onnx:FOLDER", "fastembed:NAME", "openai:NAME")] = Field(
        "minilm",
        description="What embeds: minilm (shipped), none (words alone), onnx:FOLDER, fastembed:NAME, openai:NAME",
    )
    reader: Annotated[str, one_of("minilm", "none")] = Field(
        "minilm",
        description="What reads the best passages together with the question: minilm (shipped; a reranker takes its "
        "place), none (half the processor time of an answer, on small machines)",
    )
    reader_seconds: float = Field(
        1.0, gt=0, le=60, description="How long an answer waits for that reader at most; then it is as without"
    )
    reranker: Annotated[str, one_of("none", "onnx:FOLDER", "fastembed:NAME", "cohere:NAME", "jina:NAME")] = Field(
        "none",
        description="What puts the passages that were found in order: none (their own scores), onnx:FOLDER, "
        "fastembed:NAME, cohere:NAME, jina:NAME",
    )
    reranker_url: Annotated[str, Address] | None = Field(
        None,
        description="Another server that speaks the rerank API of Cohere and Jina, with its path: "
        "http://localhost:8000/v1/rerank",
    )
    reranker_key: SecretStr | None = Field(None, description="Key for Cohere, Jina or that server")
    masking: Annotated[str, one_of("exact", "none", "presidio:MODEL")] = Field(
        "exact",
        description="What models on other people's servers are not shown: exact (mail addresses, phones, cards, IBANs, "
        "keys), presidio:MODEL (names and places too, by that spaCy model), none (they are shown everything)",
    )
    mode: Literal["simple", "grounded", "analytical", "conversational"] = Field(
        "grounded", description="How a model writes: simple, grounded, analytical or conversational"
    )
    temperature: float = Field(0.2, ge=0, le=1, description="Sampling temperature, where the provider takes one")
    max_tokens: int = Field(1000, ge=50, le=8000, description="Most tokens a model may write")
    context_tokens: int | None = Field(
        None, ge=2000, le=200_000, description="Token budget of a whole prompt; unset: 12000, and 4000 with ollama:NAME"
    )
    system_instructions: str = Field("", max_length=4000, description="House style or extra rules for a model")
    daily_tokens_person: int = Field(600_000, ge=0, description="Model tokens a person may use a day; 0: no limit")
    daily_tokens_space: int = Field(6_000_000, ge=0, description="Model tokens a workspace may use a day; 0: no limit")
    concurrency: int = Field(100, ge=1, le=1000, description="Answers written at the same time")
    first_sentence_seconds: float = Field(10.0, gt=0, le=120, description="Deadline to the first checked sentence")
    total_seconds: float = Field(30.0, gt=0, le=600, description="Deadline of the whole answer")

    top_k: int = Field(5, ge=1, le=20, description="Passages that an answer without a model is made of")
    style: Style = Field(Style.CONCISE, description="concise, detailed or bullet")
    citation_style: CitationStyle = Field(CitationStyle.NUMBERED, description="numbered, inline, footnote or endnote")
    max_length: int = Field(1000, ge=100, le=10_000, description="Characters of an answer")
    include_citations: bool = Field(True, description="Show the source footer")
    include_confidence: bool = Field(True, description="Show the confidence badge")
    require_grounding: bool = Field(True, description="Drop unsupported sentences; off: show them marked as unverified")
    abstain: bool = Field(True, description="Say `not found` rather than answer with low confidence")
    minimum_sources: int = Field(1, ge=1, le=10, description="Documents an answer must rest on")
    minimum_citations: int = Field(1, ge=1, le=10, description="Passages an answer must cite")
    max_question: int = Field(2000, ge=100, le=20_000, description="Characters of a question")
    history_turns: int = Field(6, ge=0, le=50, description="Turns of a conversation a follow-up may lean on")
    learn_from: Role | None = Field(
        None,
        description="Least role (contributor or admin) whose thumbs-up raises what an answer cites for questions like "
        "it; empty: nobody's",
    )
    retention_days: int = Field(30, ge=1, le=3650, description="Days that questions and answers are kept")

    chunk_tokens: Annotated[int, Field(ge=50, le=2000)] = Field(
        500, description="Size of a passage, in the embedder's tokens"
    )
    chunk_overlap: int = Field(50, ge=0, le=500, description="Tokens that neighbouring passages share")
    chroma_url: Annotated[str, Server] | None = Field(
        None, description="Use a Chroma server, e.g. http://localhost:8000"
    )

    sync_minutes: int = Field(60, ge=0, le=10_080, description="Minutes between looks at indexed folders; 0: never")
    backup_hours: int = Field(24, ge=0, le=8760, description="Hours between backups of the database; 0: none")
    digest: Annotated[str, Recipient] | None = Field(
        None, description="Who gets the weekly digest and what admins must know: slack:T0123:C0456; empty: nobody"
    )
    late: Literal["answer", "expire"] = Field(
        "answer", description="Questions reached after 15 minutes: answer or expire"
    )
    slack_shared_channels: Literal["refuse", "public"] = Field(
        "refuse", description="Slack Connect channels: refuse, or answer from public collections"
    )
    slack_index: Literal["off", "own-app-under-slack-api-terms"] = Field(
        "off",
        description="Keeping what is said in named channels: off, or own-app-under-slack-api-terms, which says that "
        "it is your organisation's own app, distributed to nobody, and that Slack's API Terms are agreed with",
    )
    slack_home_workspaces: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="With SLACK_CLIENT_ID: workspace ids (T0123,T0456) that are inside the organisation; empty: none",
    )
    slack_workflows: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Workflows whose mentions are answered, by the id of their app or bot (A0123,B0456); empty: none",
    )
    slack_host: str = Field("127.0.0.1", description="Where HTTP mode and /slack/install listen")
    slack_port: int = Field(3000, ge=1, le=65535, description="Where HTTP mode and /slack/install listen")
    discord_message_content: bool = Field(
        False, description="Ask for the message content intent (un-mentioned follow-ups)"
    )
    discord_threads: bool = Field(False, description="Answer a mention in a thread opened from it")
    discord_shards: Annotated[str, ShardRange] | None = Field(
        None, description="Beyond 2,500 servers: the shards of this process, such as 0-1/2 or 0-3/8; empty: one session"
    )
    discord_home_guilds: Annotated[tuple[int, ...], NoDecode] = Field(
        (),
        description="Server ids (1,2) whose members are inside the organisation; empty: every server it is in",
    )
    web_listen: Annotated[str, Listener] | None = Field(
        None,
        validation_alias=f"{PREFIX}WEB",
        description="Where the page, the HTTP API and MCP are served, e.g. 127.0.0.1:8080; empty: nowhere",
    )
    web_url: Annotated[str, Server] | None = Field(
        None,
        description="What readers reach it as, e.g. https://citewell.example.com: links in replies lead there; empty: "
        "citations stay as they are",
    )
    web_originals: bool = Field(False, description="Let readers of the page download the original file of a source")
    web_oidc_issuer: Annotated[str, Address] | None = Field(
        None, description="Sign-in by OpenID Connect: the provider's address, such as https://login.example.com/realm"
    )
    web_oidc_client_id: str | None = Field(None, description="Client ID of Citewell at that provider")
    web_oidc_client_secret: SecretStr | None = Field(None, description="Client secret of Citewell at that provider")
    web_oidc_groups: str = Field("groups", description="The claim that names a person's groups at that provider")
    web_slack_client_id: str | None = Field(None, description="Sign in with Slack: client ID of your Slack app")
    web_slack_client_secret: SecretStr | None = Field(
        None, description="Sign in with Slack: client secret of your Slack app"
    )
    web_discord_client_id: str | None = Field(
        None, description="Sign in with Discord: client ID of your Discord application"
    )
    web_discord_client_secret: SecretStr | None = Field(
        None, description="Sign in with Discord: client secret of your Discord application"
    )
    web_proxy_secret: SecretStr | None = Field(
        None, description="Sign-in by a reverse proxy: the secret that it sends as X-Citewell-Proxy"
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        ("127.0.0.1", "::1"),
        description="Addresses and networks of reverse proxies (10.0.0.5,172.16.0.0/12) whose X-Forwarded-For says who "
        "calls, for limits per address",
    )
    operations: Annotated[str, Listener] | None = Field(
        None, description="Where /healthz, /readyz and /metrics are served, e.g. 127.0.0.1:9464; empty: nowhere"
    )
    operations_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Names with a dot that Prometheus and probes may use for that address (citewell.monitoring.svc); "
        "addresses and names without a dot always may",
    )
    price_input: float = Field(0.0, ge=0, description="Price of a million tokens that a model reads, for /metrics")
    price_output: float = Field(0.0, ge=0, description="Price of a million tokens that a model writes, for /metrics")
    traces: Annotated[str, Server] | None = Field(
        None,
        description="OpenTelemetry collector (OTLP over gRPC) that each answer is traced to, e.g. http://localhost:4317",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="How much is logged: debug, info, warning or error"
    )

    @field_validator("places")
    @classmethod
    def _threads_where_they_must_be(cls, value: dict[PlaceId, Place]) -> dict[PlaceId, Place]:
        for place, sets in value.items():
            platform = known.platforms().of(place.platform)
            if platform and platform.threads_only and sets.threads is False:
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
        one_name_each(value)
        return value

    @field_validator("places")
    @classmethod
    def _indexed_by_name(cls, value: dict[PlaceId, Place]) -> dict[PlaceId, Place]:
        for place, sets in value.items():
            if sets.index and not place.channel:
                raise ValueError(f"such that index of {place} stands at each channel, which people read by name")
        return value

    @field_validator("places")
    @classmethod
    def _asked_where_it_is_set(cls, value: dict[PlaceId, Place]) -> dict[PlaceId, Place]:
        for place, sets in value.items():
            platform = known.platforms().of(place.platform)
            around = sets.ask and (sets.ask.around == place.around or (platform and platform.alone))
            if sets.ask and not (around and known.platforms().is_channel(sets.ask)):
                raise ValueError(f"such that ask of {place} is a channel of {place.around}")
        return value

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _proxies(cls, value: object) -> object:
        return networks(value)

    @field_validator("operations_hosts", mode="before")
    @classmethod
    def _hosts(cls, value: object) -> object:
        return listed(value, r"[0-9a-z.-]+", "names of hosts, such as citewell.monitoring.svc")

    @field_validator("discord_home_guilds", mode="before")
    @classmethod
    def _servers(cls, value: object) -> object:
        return listed(value, r"[0-9]+", "ids of Discord servers, such as 1234,5678")

    @field_validator("slack_home_workspaces", mode="before")
    @classmethod
    def _workspaces(cls, value: object) -> object:
        return listed(value, r"T[A-Z0-9]+", "ids of Slack workspaces, such as T0123,T0456")

    @field_validator("slack_workflows", mode="before")
    @classmethod
    def _workflows(cls, value: object) -> object:
        return listed(value, r"[AB][A-Z0-9]+", "ids of Slack apps or their bots, such as A0123,B0456")

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

    @model_validator(mode="after")
    def _tokens_from_one_place(self) -> Self:
        if self.slack_client_id and self.slack_bot_token:
            raise ValueError(
                "SLACK_BOT_TOKEN must be empty with SLACK_CLIENT_ID: each workspace has a token of its own"
            )
        if self.slack_client_id and not self.slack_client_secret:
            raise ValueError("SLACK_CLIENT_SECRET must be set with SLACK_CLIENT_ID: Basic Information shows both")
        return self

    def apart(self, folder: Path) -> Settings:
        """The same with a folder of its own, and nothing elsewhere."""
        return replace(self, data=folder, database=None, chroma_url=None)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        toml = TomlConfigSettingsSource(settings_cls, toml_file=config_file())
        return init_settings, env_settings, dotenv_settings, toml


def secret(value: SecretStr | None) -> str:
    """The secret itself, or nothing."""
    return value.get_secret_value() if value else ""


def keys(settings: Settings) -> list[str]:
    """What encrypts kept tokens, the first one first."""
    return secret(settings.encryption_keys).replace(",", " ").split()


def environment_name(field: str) -> str:
    """The environment variable of a setting: `top_k` -> `CITEWELL_TOP_K`, `slack_bot_token` -> `SLACK_BOT_TOKEN`."""
    alias = Settings.model_fields[field].validation_alias
    return str(alias) if alias else f"{PREFIX}{field.upper()}"


def environment_names() -> frozenset[str]:
    """Those of all settings."""
    return frozenset(map(environment_name, Settings.model_fields))
