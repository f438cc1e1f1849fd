"""Settings of the page."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from pipeline.rules.setting_types import HttpAddress, ListenAddress, ServerUrl
from pipeline.values import Value


class WebSettings(Value):
    """Settings of the page; an empty one is not set."""

    model_config = ConfigDict(populate_by_name=True)

    listen: Annotated[str, ListenAddress] | None = Field(
        default=None,
        validation_alias="CITEWELL_WEB",
        description="Where the page, the HTTP API and MCP are served, e.g. 127.0.0.1:8080; empty: nowhere",
    )
    url: Annotated[str, ServerUrl] | None = Field(
        default=None,
        description="What readers reach it as, e.g. https://citewell.example.com: links in replies lead there; empty: "
        "citations stay as they are",
    )
    originals: bool = Field(default=False, description="Let readers of the page download the original file of a source")
    oidc_issuer: Annotated[str, HttpAddress] | None = Field(
        default=None,
        description="Sign-in by OpenID Connect: the provider's address, such as https://login.example.com/realm",
    )
    oidc_client_id: str = Field(default="", description="Client ID of Citewell at that provider")
    oidc_client_secret: str = Field(default="", repr=False, description="Client secret of Citewell at that provider")
    oidc_groups: str = Field(default="groups", description="The claim that names a person's groups at that provider")
    slack_client_id: str = Field(default="", description="Sign in with Slack: client ID of your Slack app")
    slack_client_secret: str = Field(
        default="", repr=False, description="Sign in with Slack: client secret of your Slack app"
    )
    discord_client_id: str = Field(
        default="", description="Sign in with Discord: client ID of your Discord application"
    )
    discord_client_secret: str = Field(
        default="", repr=False, description="Sign in with Discord: client secret of your Discord application"
    )
    proxy_secret: str = Field(
        default="", repr=False, description="Sign-in by a reverse proxy: the secret that it sends as X-Citewell-Proxy"
    )

    @property
    def has_sign_in(self) -> bool:
        """True where people sign in: a provider or a proxy vouches for them."""
        return bool(self.oidc_issuer or self.slack_client_id or self.discord_client_id or self.proxy_secret)

    @property
    def public_url(self) -> str:
        """The address that people open."""
        return self.url or f"http://{self.listen}"
