"""What goes wrong, as RFC 9457 has it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from adapters.http.caller import NotSignedIn, TooOften
from pipeline.errors import Busy, CitewellError, Refused

MEDIA_TYPE = "application/problem+json"

log = structlog.get_logger(__name__)


class Problem(BaseModel):
    """Why a request was not answered."""

    type: str = "about:blank"
    title: str = Field(description="What is wrong, the same for all of its kind")
    status: int
    detail: str = Field("", description="What is wrong with this request, and what to do")


TITLES: Mapping[int, str] = {
    400: "Bad request",
    401: "Not signed in",
    404: "Not found",
    405: "Method not allowed",
    409: "Under way",
    422: "Not understood",
    429: "Too many requests",
    503: "Not available",
}
EVERYWHERE = (401, 422, 429, 503)
"""What any call may be told."""


def documented(*more: int) -> dict[int | str, dict[str, Any]]:
    """The description of what may go wrong with a call."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": TITLES[status], "content": content} for status in sorted({*EVERYWHERE, *more})}


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    body = Problem(title=TITLES.get(status, "Not done"), status=status, detail=detail)
    return JSONResponse(body.model_dump(), status, headers, media_type=MEDIA_TYPE)


def handle(app: FastAPI) -> None:
    """Errors become problems at this one place."""

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        wrong = (f"{'.'.join(map(str, one['loc'][1:])) or 'the body'}: {one['msg']}" for one in error.errors())
        return problem(422, "; ".join(wrong))

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(NotSignedIn)
    async def unknown(_: Request, error: NotSignedIn) -> JSONResponse:
        return problem(401, str(error), {"WWW-Authenticate": "Bearer"})

    @app.exception_handler(TooOften)
    async def often(_: Request, error: TooOften) -> JSONResponse:
        return problem(429, str(error), {"Retry-After": str(math.ceil(error.seconds))})

    @app.exception_handler(CitewellError)
    async def refused(_: Request, error: CitewellError) -> JSONResponse:
        if isinstance(error, Busy):
            return problem(409, str(error), {"Retry-After": "1"})
        if isinstance(error, Refused):
            return problem(422, f"{error}. {error.what_to_do}".strip())
        log.warning("api_unavailable", reason=str(error))
        return problem(503, "Something that is needed cannot be reached. Try again later.", {"Retry-After": "5"})
