"""The page's own settings."""

from __future__ import annotations

from pydantic import Field

from pipeline.values import Value


class WebSettings(Value):
    """As they stand in the settings; empty: not set."""

    listen: str = ""
    url: str = ""
    originals: bool = False
    oidc_issuer: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: str = Field("", repr=False)
    oidc_groups: str = "groups"
    slack_client_id: str = ""
    slack_client_secret: str = Field("", repr=False)
    discord_client_id: str = ""
    discord_client_secret: str = Field("", repr=False)
    proxy_secret: str = Field("", repr=False)

    @property
    def signs_in(self) -> bool:
        """Somebody vouches for people."""
        return bool(self.oidc_issuer or self.slack_client_id or self.discord_client_id or self.proxy_secret)

    @property
    def reached(self) -> str:
        """What people open."""
        return self.url or f"http://{self.listen}"
