"""What `citewell doctor` says of the page."""

from __future__ import annotations

from collections.abc import AsyncIterator

from adapters.http.hosts import loopback
from adapters.web.settings import WebSettings
from adapters.web.signin.provider import Attempt, NotVouched
from adapters.web.wiring import openid_of
from pipeline.values import Finding
from pipeline.values.finding import bad, good, warning

SUBJECT = "page"


async def examine(config: WebSettings) -> AsyncIterator[Finding]:
    """Who may open it, and whether whoever vouches for them can be reached."""
    local = loopback(config.listen or "") and loopback(config.reached)
    if not config.signs_in:
        if not local:
            yield bad(SUBJECT, f"anybody could open {config.reached}: it does not start", "See docs/page.md.")
        else:
            yield good(SUBJECT, f"at {config.reached}, for whoever is at this machine")
        return
    if not local and not config.reached.startswith("https://"):
        yield bad(
            SUBJECT, f"people sign in at {config.reached}, which is not https", "Set CITEWELL_WEB_URL to https://…"
        )
    if not config.url:
        yield warning(SUBJECT, "links in replies lead nowhere", "Set CITEWELL_WEB_URL to what people open.")
    if config.oidc_issuer and config.proxy_secret:
        yield warning(
            SUBJECT,
            "whom the proxy and OpenID call by the same name are one person",
            "See that both mean the same by it (docs/page.md), or unset CITEWELL_WEB_PROXY_SECRET.",
        )
    if openid := openid_of(config):
        back = f"{config.reached.rstrip('/')}/sign-in/openid/back"
        try:
            await openid.address(Attempt(provider="openid"), back)
            yield good(SUBJECT, f"people sign in at {openid.issuer}, which has to know {back}")
        except NotVouched as error:
            yield bad(SUBJECT, f"people cannot sign in: {error}", "Look at CITEWELL_WEB_OIDC_ISSUER.")
        finally:
            await openid.close()
