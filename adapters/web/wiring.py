"""The page's settings become the page: who may see it, and what it is made of."""

from __future__ import annotations

from functools import partial

from adapters.chat.reply.parts import Look
from adapters.http.caller import Pace
from adapters.http.hosts import Machine, loopback
from adapters.web.adapter import WebAdapter
from adapters.web.links import signed
from adapters.web.loopback import AtTheMachine
from adapters.web.settings import WebSettings
from adapters.web.signin.door import Door
from adapters.web.signin.oidc import Discord, OpenID, whom_by, whom_in_slack
from adapters.web.signin.provider import Provider
from adapters.web.signin.visitors import Cookie, SignedInVisitors
from adapters.web.visitor import Site, Visitors
from pipeline.errors import Misconfigured
from pipeline.ports import Host
from pipeline.values import Action

SLACK, DISCORD = "https://slack.com", "https://discord.com"


def adapter(config: WebSettings, host: Host) -> WebAdapter:
    """Raises Misconfigured where strangers could reach it and nobody would sign in."""
    local = loopback(config.listen or "") and loopback(config.reached)
    if not local and not config.signs_in:
        raise Misconfigured(
            "CITEWELL_WEB",
            f"others can reach the page at {config.reached}, and nothing is set for people to sign in with",
            what_to_do="Set CITEWELL_WEB_OIDC_ISSUER or another way to sign in (docs/page.md), or listen on 127.0.0.1.",
        )
    pace = Pace()
    openid = openid_of(config)
    machine = None if config.signs_in else Machine()
    door = None
    if machine:
        visitors: Visitors = AtTheMachine(machine)
    else:
        cookie = Cookie(secure=config.reached.startswith("https://"))
        visitors = SignedInVisitors(host.sessions, host.people, cookie, config.proxy_secret)
        door = Door(
            providers={one.name: one for one in _providers(config, openid)},
            sessions=host.sessions,
            on_platform=host.people,
            cookie=cookie,
            url=config.reached,
            key=host.sources.key,
            pace=pace,
        )
    site = Site(
        visitors=visitors,
        desk=host.desk,
        reading=host.reading,
        archive=host.archive,
        overview=host.overview,
        look=Look(citations=host.citations, confidence=host.confidence),
        pace=pace,
        links=signed(config, host.sources),
        originals=config.originals,
        admin=lambda actor: host.desk.authority.allows(actor, Action.READ_INSIGHTS),
    )
    programs = partial(host.programs, url=config.url or "", machine=machine, tokens=openid)
    return WebAdapter(config.listen or "", host.doors, site, host.say, programs, machine or door, config.reached)


def openid_of(config: WebSettings) -> OpenID | None:
    """The provider of people's accounts, where one is set."""
    if not config.oidc_issuer:
        return None
    return OpenID(
        "openid",
        "OpenID",
        issuer=config.oidc_issuer,
        client_id=config.oidc_client_id,
        secret=config.oidc_client_secret,
        whom=whom_by(config.oidc_groups),
        resources=(f"{config.reached.rstrip('/')}/mcp", config.reached),
    )


def _providers(config: WebSettings, openid: OpenID | None) -> list[Provider]:
    found: list[Provider] = [openid] if openid else []
    if config.slack_client_id:
        found.append(
            OpenID(
                "slack",
                "Slack",
                issuer=SLACK,
                client_id=config.slack_client_id,
                secret=config.slack_client_secret,
                whom=whom_in_slack,
            )
        )
    if config.discord_client_id:
        found.append(Discord(config.discord_client_id, config.discord_client_secret, DISCORD))
    return found
