"""Routes of signing in and out."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

import structlog
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from adapters.http.auth import client_key
from adapters.web import pages
from adapters.web import wording as common
from adapters.web.context import Visitor, WebContext
from adapters.web.forms import browser_translator
from adapters.web.guard import SIGN_IN, handle_unavailable, protect_form, render_message
from adapters.web.platform import WEB
from adapters.web.signin import wording
from adapters.web.signin.flow import SIGN_INS_PER_MINUTE, SignInFlow
from adapters.web.signin.identity import SignInAttempt, SignInFailed
from pipeline.translations import TranslatableText
from pipeline.values import PersonId

log = structlog.get_logger(__name__)


def routes(site: WebContext, door: SignInFlow | None) -> Sequence[BaseRoute]:
    """Return the routes; none at the machine itself, where nobody signs in."""
    if door is None:
        return []
    signing = _SignIn(door)
    return [
        Route(SIGN_IN, signing.show),
        Route(f"{SIGN_IN}/{{provider}}", handle_unavailable(signing.begin)),
        Route(f"{SIGN_IN}/{{provider}}/back", handle_unavailable(signing.back)),
        Route("/sign-out", protect_form(site, signing.out), methods=["POST"]),
    ]


def local_path(path: str) -> str:
    """Return `path` where it leads to a page of ours, else the first page."""
    own = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if own else "/"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class _SignIn:
    def __init__(self, door: SignInFlow) -> None:
        self._door = door

    async def show(self, request: Request) -> Response:
        return self._page(request, None, 200)

    async def begin(self, request: Request) -> Response:
        """Redirect to the provider."""
        provider = self._door.providers.get(request.path_params["provider"])
        if provider is None:
            return self._page(request, wording.WRONG, 404)
        if self._door.rate_limiter.count_call(f"sign-in {client_key(request)}", SIGN_INS_PER_MINUTE):
            return render_message(request, None, common.TOO_OFTEN, 429)
        attempt = SignInAttempt(provider=provider.name, then=local_path(request.query_params.get("next", "/")))
        try:
            answer = pages.see_other(await provider.authorization_url(attempt, self._door.callback_url(provider.name)))
        except SignInFailed as error:
            return self._refused(request, error)
        await self._door.save_attempt(answer, attempt)
        return answer

    async def back(self, request: Request) -> Response:
        """Accept the browser back from the provider, with a code for the attempt that this very browser began."""
        if self._door.rate_limiter.count_call(f"sign-in {client_key(request)} back", SIGN_INS_PER_MINUTE):
            return render_message(request, None, common.TOO_OFTEN, 429)
        attempt = await self._door.load_attempt(request)
        state, code = request.query_params.get("state", ""), request.query_params.get("code", "")
        name = request.path_params["provider"]
        if attempt is None or attempt.provider != name or not hmac.compare_digest(_bytes(attempt.state), _bytes(state)):
            return self._page(request, wording.AGAIN, 403)
        if not code:
            return self._page(request, wording.REFUSED, 403)
        try:
            issuer = request.query_params.get("iss", "")
            who = await self._door.providers[name].resolve_identity(
                attempt, self._door.callback_url(name), code, issuer
            )
        except SignInFailed as error:
            return self._refused(request, error)
        if not await self._belongs(who.person):
            return self._refused(request, SignInFailed(wording.STRANGER, who.person))
        answer = pages.see_other(attempt.then)
        self._door.set_session(answer, await self._door.sessions.create(who))
        return answer

    async def _belongs(self, person: str) -> bool:
        """Return True for a person of the page's own, or of a platform that knows them as member of more groups than
        their own."""
        known = PersonId.parse(person)
        if known.platform == WEB.name:
            return True
        readers = await self._door.platform_readers(known)
        return readers is not None and bool(readers.groups - {known.group})

    async def out(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        await self._door.sessions.end(request.cookies.get(self._door.cookie.name, ""))
        answer = pages.see_other(SIGN_IN)
        self._door.clear_session(answer)
        return answer

    def _refused(self, request: Request, error: SignInFailed) -> Response:
        log.warning("not_signed_in", reason=str(error))
        return self._page(request, error.user_message, 503 if error.user_message == wording.UNREACHABLE else 403)

    def _page(self, request: Request, said: TranslatableText | None, status: int) -> Response:
        return pages.render_page(
            request,
            "signin.html",
            None,
            browser_translator(request),
            status=status,
            text=wording,
            said=said,
            providers=tuple(self._door.providers.values()),
            then=local_path(request.query_params.get("next", "/")),
        )
