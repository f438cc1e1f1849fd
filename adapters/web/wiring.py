"""The page, built from its settings."""

from __future__ import annotations

from functools import partial

from adapters.chat.reply.parts import RenderOptions
from adapters.http.auth import RateLimiter
from adapters.http.hosts import LocalOperator, is_loopback
from adapters.web.adapter import WebAdapter
from adapters.web.context import WebAuthenticator, WebContext
from adapters.web.links import make_signed_links
from adapters.web.loopback import LoopbackAuthenticator
from adapters.web.settings import WebSettings
from adapters.web.signin.authenticator import SessionAuthenticator, SessionCookie
from adapters.web.signin.flow import SignInFlow
from adapters.web.signin.identity import IdentityProvider
from adapters.web.signin.oidc import DiscordIdentityProvider, OpenIDProvider, map_slack_claims, openid_claims_mapper
from pipeline.errors import Misconfigured
from pipeline.ports import AdapterContext
from pipeline.values import Action

SLACK, DISCORD = "https://slack.com", "https://discord.com"


def make_web_adapter(config: WebSettings, context: AdapterContext) -> WebAdapter:
    """Return the adapter. Raise Misconfigured where strangers could reach the page and nobody would sign in."""
    local = is_loopback(config.listen or "") and is_loopback(config.public_url)
    if not local and not config.has_sign_in:
        raise Misconfigured(
            "CITEWELL_WEB",
            f"others can reach the page at {config.public_url}, and nothing is set for people to sign in with",
            what_to_do="Set CITEWELL_WEB_OIDC_ISSUER or another way to sign in (docs/page.md), or listen on 127.0.0.1.",
        )
    rate_limiter = RateLimiter()
    openid = make_openid_provider(config)
    machine = None if config.has_sign_in else LocalOperator()
    flow = None
    if machine:
        authenticator: WebAuthenticator = LoopbackAuthenticator(machine)
    else:
        cookie = SessionCookie(secure=config.public_url.startswith("https://"))
        authenticator = SessionAuthenticator(context.sessions, context.resolve_readers, cookie, config.proxy_secret)
        flow = SignInFlow(
            providers={provider.name: provider for provider in _providers(config, openid)},
            sessions=context.sessions,
            platform_readers=context.resolve_readers,
            cookie=cookie,
            url=config.public_url,
            signing_key=context.link_targets.signing_key,
            rate_limiter=rate_limiter,
        )
    web_context = WebContext(
        authenticator=authenticator,
        services=context.services,
        queries=context.query_service,
        conversations=context.conversation_archive,
        admin_service=context.admin_service,
        render_options=RenderOptions(citations=context.show_citations, confidence=context.show_confidence),
        rate_limiter=rate_limiter,
        links=make_signed_links(config, context.link_targets),
        serves_originals=config.originals,
        is_admin=lambda actor: context.services.authority.is_allowed(actor, Action.READ_INSIGHTS),
    )
    program_routes = partial(context.program_routes, url=config.url or "", machine=machine, tokens=openid)
    return WebAdapter(
        config.listen or "",
        context.http_servers,
        web_context,
        context.echo,
        program_routes,
        machine or flow,
        config.public_url,
    )


def make_openid_provider(config: WebSettings) -> OpenIDProvider | None:
    """Return the OpenID provider of the settings; None where none is set."""
    if not config.oidc_issuer:
        return None
    return OpenIDProvider(
        "openid",
        "OpenID",
        issuer=config.oidc_issuer,
        client_id=config.oidc_client_id,
        secret=config.oidc_client_secret,
        map_claims=openid_claims_mapper(config.oidc_groups),
        resources=(f"{config.public_url.rstrip('/')}/mcp", config.public_url),
    )


def _providers(config: WebSettings, openid: OpenIDProvider | None) -> list[IdentityProvider]:
    providers: list[IdentityProvider] = [openid] if openid else []
    if config.slack_client_id:
        providers.append(
            OpenIDProvider(
                "slack",
                "Slack",
                issuer=SLACK,
                client_id=config.slack_client_id,
                secret=config.slack_client_secret,
                map_claims=map_slack_claims,
            )
        )
    if config.discord_client_id:
        providers.append(DiscordIdentityProvider(config.discord_client_id, config.discord_client_secret, DISCORD))
    return providers
