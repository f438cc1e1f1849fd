"""The one reader of the environment: secrets under their owners' names, everything else `CITEWELL_*`.

Read in this order, first found wins: environment, `.env`, `citewell.toml` (the same names in lower case without
the prefix, in the working folder or where `CITEWELL_CONFIG` points).
"""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from pipeline.errors import Misconfigured
from pipeline.values import CitationStyle, Style

CONFIG = "CITEWELL_CONFIG"
"""Where `citewell.toml` is, if not in the working folder."""


def _secret(name: str, description: str) -> SecretStr | None:
    field: SecretStr | None = Field(default=None, validation_alias=name, description=description)
    return field


class Collection(BaseModel):
    """Who may see a collection. Without an entry, everyone inside the organisation may."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    only: tuple[str, ...] = ()
    """Groups such as `slack:T1`, `slack:T1:C2`, `slack:T1:U3`, `discord:G1:role:R4`; empty: everyone inside."""
    public: bool = False
    """People of other organisations (Slack Connect) may see it too."""


class Settings(BaseSettings):
    """Every setting of Citewell, frozen. Build one with `read_settings`."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="ignore",
        env_prefix="CITEWELL_",
        env_file=".env",
        populate_by_name=True,
        env_ignore_empty=True,
    )

    slack_bot_token: SecretStr | None = _secret("SLACK_BOT_TOKEN", "Bot token of your Slack app (xoxb-…)")
    slack_app_token: SecretStr | None = _secret("SLACK_APP_TOKEN", "App-level token for Socket Mode (xapp-…)")
    slack_signing_secret: SecretStr | None = _secret(
        "SLACK_SIGNING_SECRET", "Signing secret: receive events over HTTP instead of Socket Mode"
    )
    slack_api_url: str = Field(
        "https://slack.com/api/",
        validation_alias="SLACK_API_URL",
        description="Base of Slack's Web API, for proxies and tests",
    )
    discord_token: SecretStr | None = _secret("DISCORD_TOKEN", "Bot token of your Discord application")
    discord_api_url: str | None = Field(
        None, validation_alias="DISCORD_API_URL", description="Base of Discord's API, for proxies and tests"
    )
    openai_api_key: SecretStr | None = _secret("OPENAI_API_KEY", "Key for OpenAI or a compatible server")
    openai_base_url: str | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="Base URL of a server that speaks OpenAI's API"
    )
    anthropic_api_key: SecretStr | None = _secret("ANTHROPIC_API_KEY", "Key for Anthropic")
    anthropic_base_url: str | None = Field(
        None, validation_alias="ANTHROPIC_BASE_URL", description="Base URL of a server that speaks Anthropic's API"
    )

    data: Path = Field(Path("citewell-data"), description="Folder for the database, index and backups")
    collections: dict[str, Collection] = Field(
        default_factory=dict, description="Who may see which collection (citewell.toml: [collections.NAME])"
    )
    default_collection: str = Field("default", description="Collection that `citewell index` fills")

    model: str = Field(
        "auto",
        pattern=r"^(auto|extractive|(openai|anthropic|ollama):.+)$",
        description="Who writes: auto, extractive, openai:NAME, anthropic:NAME, ollama:NAME",
    )
    planner_model: bool = Field(True, description="Let the model complete unclear follow-ups and split questions")
    judge: str = Field(
        "none",
        pattern=r"^(none|same|(openai|anthropic|ollama):.+)$",
        description="Model that checks each sentence again",
    )
    embedder: str = Field(
        "minilm", pattern=r"^(minilm|none|openai:.+)$", description="What embeds: minilm (shipped), none, openai:NAME"
    )
    mode: Literal["simple", "grounded", "analytical", "conversational"] = Field(
        "grounded", description="How a model writes"
    )
    temperature: float = Field(0.2, ge=0, le=1, description="Sampling temperature, where the provider takes one")
    max_tokens: int = Field(1000, ge=50, le=8000, description="Most tokens a model may write")
    context_tokens: int = Field(4000, ge=1500, le=200_000, description="Token budget of a whole prompt")
    system_instructions: str = Field("", max_length=4000, description="House style or extra rules for a model")
    daily_tokens_person: int = Field(200_000, ge=0, description="Model tokens a person may use a day; 0: no limit")
    daily_tokens_space: int = Field(2_000_000, ge=0, description="Model tokens a workspace may use a day; 0: no limit")
    concurrency: int = Field(100, ge=1, le=1000, description="Answers written at the same time")
    first_sentence_seconds: float = Field(10.0, gt=0, le=120, description="Deadline to the first checked sentence")
    total_seconds: float = Field(30.0, gt=0, le=600, description="Deadline of the whole answer")

    top_k: int = Field(5, ge=1, le=20, description="Passages given to the writer")
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
    retention_days: int = Field(30, ge=1, le=3650, description="Days that questions and answers are kept")

    chunk_tokens: Annotated[int, Field(ge=50, le=2000)] = Field(
        500, description="Size of a passage, in the embedder's tokens"
    )
    chunk_overlap: int = Field(50, ge=0, le=500, description="Tokens that neighbouring passages share")
    chroma_url: str | None = Field(None, description="Use a Chroma server, e.g. http://localhost:8000")

    sync_minutes: int = Field(60, ge=0, le=10_080, description="Minutes between looks at indexed folders; 0: never")
    backup_hours: int = Field(24, ge=0, le=8760, description="Hours between backups of the database; 0: none")
    late: Literal["answer", "expire"] = Field(
        "answer", description="Questions reached after 15 minutes: answer or expire"
    )
    slack_shared_channels: Literal["refuse", "public"] = Field(
        "refuse", description="Slack Connect channels: refuse, or answer from public collections"
    )
    slack_host: str = Field("127.0.0.1", description="Where HTTP mode listens")
    slack_port: int = Field(3000, ge=1, le=65535, description="Where HTTP mode listens")
    discord_message_content: bool = Field(
        False, description="Ask for the message content intent (un-mentioned follow-ups)"
    )
    discord_threads: bool = Field(False, description="Answer a mention in a thread opened from it")
    discord_home_guilds: Annotated[tuple[int, ...], NoDecode] = Field(
        (),
        description="Server ids (1,2) whose members are inside the organisation; empty: every server it is in",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="How much is logged")

    @field_validator("discord_home_guilds", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return [part for part in value.replace(",", " ").split() if part] if isinstance(value, str) else value

    @field_validator("collections")
    @classmethod
    def _names(cls, value: dict[str, Collection]) -> dict[str, Collection]:
        for name in value:
            if not name.replace("-", "").replace("_", "").isalnum():
                raise ValueError(f"a collection name has letters, digits, - and _ only, not {name!r}")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        toml = TomlConfigSettingsSource(settings_cls, toml_file=_config_file())
        return init_settings, env_settings, dotenv_settings, toml


def secret(value: SecretStr | None) -> str:
    """The secret itself, or nothing."""
    return value.get_secret_value() if value else ""


def environment_name(field: str) -> str:
    """The environment variable of a setting: `top_k` -> `CITEWELL_TOP_K`, `slack_bot_token` -> `SLACK_BOT_TOKEN`."""
    alias = Settings.model_fields[field].validation_alias
    return str(alias) if alias else f"CITEWELL_{field.upper()}"


def read_settings(**given: object) -> Settings:
    """Read every source; `given` wins over all. Raises Misconfigured naming each wrong setting and what it allows."""
    _refuse_unknown()
    try:
        return Settings(**given)  # type: ignore[arg-type] # names are checked by pydantic
    except SettingsError as error:
        raise Misconfigured("settings", str(error), what_to_do="See .env.example for every setting.") from None
    except ValidationError as error:
        wrong = [_explain(str(part["loc"][0]), part["input"], part["msg"]) for part in error.errors(include_url=False)]
        raise Misconfigured("settings", "; ".join(wrong), what_to_do="See .env.example for every setting.") from None


def _config_file() -> Path:
    return Path(os.environ.get(CONFIG, "citewell.toml"))


def _refuse_unknown() -> None:
    """Raise Misconfigured for a `CITEWELL_*` name that no setting has: a misspelt setting must not be ignored."""
    known = {environment_name(field) for field in Settings.model_fields}
    path = _config_file()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise Misconfigured(path.name, f"cannot be read: {error}", what_to_do="Mend the file or remove it.") from None
    given = {name: f"CITEWELL_{name.upper()}" for name in table}
    given |= {name: name for name in (*os.environ, *dotenv_values(".env")) if name.startswith("CITEWELL_")}
    for shown, name in given.items():
        if name not in known and name != CONFIG:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else "See .env.example for every setting."
            raise Misconfigured(shown, f"there is no such setting. {hint}")


def _explain(field: str, given: object, message: str) -> str:
    shown = (
        "(hidden)"
        if isinstance(given, SecretStr) or "token" in field.lower() or "key" in field.lower()
        else repr(given)
    )
    known = Settings.model_fields.get(_field(field))
    allowed = f" ({known.description})" if known and known.description else ""
    return f"{_name(field)} is {shown}: {message}{allowed}"


def _field(name: str) -> str:
    return name.lower().removeprefix("citewell_")


def _name(loc: str) -> str:
    field = _field(loc)
    return environment_name(field) if field in Settings.model_fields else loc
