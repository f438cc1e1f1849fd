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


def routes(context: WebContext, flow: SignInFlow | None) -> Sequence[BaseRoute]:
    """Return the routes; none at the machine itself, where nobody signs in."""
    if flow is None:
        return []
    endpoints = _SignIn(flow)
    return [
        Route(SIGN_IN, endpoints.show),
        Route(f"{SIGN_IN}/{{provider}}", handle_unavailable(endpoints.begin)),
        Route(f"{SIGN_IN}/{{provider}}/back", handle_unavailable(endpoints.callback)),
        Route("/sign-out", protect_form(context, endpoints.sign_out), methods=["POST"]),
    ]


def local_path(path: str) -> str:
    """Return `path` where it leads to a page of ours, else the first page."""
    is_local = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if is_local else "/"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class _SignIn:
    def __init__(self, flow: SignInFlow) -> None:
        self._flow = flow

    async def show(self, request: Request) -> Response:
        return self._render(request, None, 200)

    async def begin(self, request: Request) -> Response:
        """Redirect to the provider."""
        provider = self._flow.providers.get(request.path_params["provider"])
        if provider is None:
            return self._render(request, wording.WRONG, 404)
        if self._flow.rate_limiter.count_call(f"sign-in {client_key(request)}", SIGN_INS_PER_MINUTE):
            return render_message(request, None, common.TOO_OFTEN, 429)
        attempt = SignInAttempt(provider=provider.name, then=local_path(request.query_params.get("next", "/")))
        try:
            answer = pages.see_other(await provider.authorization_url(attempt, self._flow.callback_url(provider.name)))
        except SignInFailed as error:
            return self._reject(request, error)
        await self._flow.save_attempt(answer, attempt)
        return answer

    async def callback(self, request: Request) -> Response:
        """Accept the browser back from the provider, with a code for the attempt that this very browser began."""
        if self._flow.rate_limiter.count_call(f"sign-in {client_key(request)} back", SIGN_INS_PER_MINUTE):
            return render_message(request, None, common.TOO_OFTEN, 429)
        attempt = await self._flow.load_attempt(request)
        state, code = request.query_params.get("state", ""), request.query_params.get("code", "")
        name = request.path_params["provider"]
        if attempt is None or attempt.provider != name or not hmac.compare_digest(_bytes(attempt.state), _bytes(state)):
            return self._render(request, wording.AGAIN, 403)
        if not code:
            return self._render(request, wording.REFUSED, 403)
        try:
            issuer = request.query_params.get("iss", "")
            identity = await self._flow.providers[name].resolve_identity(
                attempt, self._flow.callback_url(name), code, issuer
            )
        except SignInFailed as error:
            return self._reject(request, error)
        if not await self._is_member(identity.person):
            return self._reject(request, SignInFailed(wording.STRANGER, identity.person))
        answer = pages.see_other(attempt.then)
        self._flow.set_session(answer, await self._flow.sessions.create(identity))
        return answer

    async def _is_member(self, person: str) -> bool:
        """Return True for a person of the page's own, or of a platform that knows them as member of more groups than
        their own."""
        person_id = PersonId.parse(person)
        if person_id.platform == WEB.name:
            return True
        readers = await self._flow.platform_readers(person_id)
        return readers is not None and bool(readers.groups - {person_id.group})

    async def sign_out(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        await self._flow.sessions.end(request.cookies.get(self._flow.cookie.name, ""))
        answer = pages.see_other(SIGN_IN)
        self._flow.clear_session(answer)
        return answer

    def _reject(self, request: Request, error: SignInFailed) -> Response:
        log.warning("sign_in_failed", reason=str(error))
        return self._render(request, error.user_message, 503 if error.user_message == wording.UNREACHABLE else 403)

    def _render(self, request: Request, message: TranslatableText | None, status: int) -> Response:
        return pages.render_page(
            request,
            "signin.html",
            None,
            browser_translator(request),
            status=status,
            text=wording,
            said=message,
            providers=tuple(self._flow.providers.values()),
            then=local_path(request.query_params.get("next", "/")),
        )
