"""Checks of the page for `citewell doctor`."""

from __future__ import annotations

from collections.abc import AsyncIterator

from adapters.http.hosts import is_loopback
from adapters.web.settings import WebSettings
from adapters.web.signin.identity import SignInAttempt, SignInFailed
from adapters.web.wiring import make_openid_provider
from pipeline.values import Finding
from pipeline.values.diagnostics import error_finding, ok_finding, warning_finding

SUBJECT = "page"


async def diagnose(config: WebSettings) -> AsyncIterator[Finding]:
    """Yield a finding on who may open the page, and on whether the identity provider can be reached."""
    local = is_loopback(config.listen or "") and is_loopback(config.public_url)
    if not config.has_sign_in:
        if not local:
            yield error_finding(
                SUBJECT, f"anybody could open {config.public_url}: it does not start", "See docs/page.md."
            )
        else:
            yield ok_finding(SUBJECT, f"at {config.public_url}, for anybody at this machine")
        return
    if not local and not config.public_url.startswith("https://"):
        yield error_finding(
            SUBJECT, f"people sign in at {config.public_url}, which is not https", "Set CITEWELL_WEB_URL to https://…"
        )
    if not config.url:
        yield warning_finding(SUBJECT, "links in replies do not work", "Set CITEWELL_WEB_URL to what people open.")
    if config.oidc_issuer and config.proxy_secret:
        yield warning_finding(
            SUBJECT,
            "people with the same name at the proxy and at OpenID count as one person",
            "Check that each name is the same person at both (docs/page.md), or unset CITEWELL_WEB_PROXY_SECRET.",
        )
    if openid := make_openid_provider(config):
        callback_url = f"{config.public_url.rstrip('/')}/sign-in/openid/back"
        try:
            await openid.authorization_url(SignInAttempt(provider="openid"), callback_url)
            yield ok_finding(SUBJECT, f"people sign in at {openid.issuer}, which has to know {callback_url}")
        except SignInFailed as error:
            yield error_finding(SUBJECT, f"people cannot sign in: {error}", "Look at CITEWELL_WEB_OIDC_ISSUER.")
        finally:
            await openid.close()
