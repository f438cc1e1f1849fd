"""Errors of the API as problem details (RFC 9457)."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from adapters.http.auth import NotAuthenticated, RateLimited
from pipeline.errors import AccessRevoked, Busy, CitewellError, Refused
from pipeline.words.text import to_single_line

MEDIA_TYPE = "application/problem+json"
MAX_DETAIL_CHARS = 1000
"""Characters of a problem's detail."""

log = structlog.get_logger(__name__)


class Problem(BaseModel):
    """Why a request was not answered."""

    type: str = "about:blank"
    title: str = Field(description="The kind of problem")
    status: int
    detail: str = Field("", description="The problem with this request, and what to do")


TITLES: Mapping[int, str] = {
    400: "Bad request",
    401: "Not signed in",
    404: "Not found",
    405: "Method not allowed",
    409: "Under way",
    422: "Not understood",
    429: "Too many requests",
    500: "Failed",
    503: "Not available",
    504: "Took too long",
}
COMMON_STATUSES = (400, 401, 422, 429, 500, 503, 504)
"""Statuses that any call may answer with."""
_BEARER = {"WWW-Authenticate": "Bearer"}
_ProblemWithHeaders = tuple[Problem, Mapping[str, str]]


def problem_responses(*more: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of the errors of a call."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": TITLES[status], "content": content} for status in sorted({*COMMON_STATUSES, *more})}


def to_problem(error: Exception) -> _ProblemWithHeaders:
    """Return the problem for an error, and the headers to send with it. An unexpected error is logged with a number,
    and the problem holds only the number."""
    match error:
        case RequestValidationError():
            problems = (
                f"{'.'.join(map(str, detail['loc'][1:])) or 'the body'}: {detail['msg']}" for detail in error.errors()
            )
            return _problem(422, "; ".join(problems))
        case HTTPException():
            return _problem(error.status_code, str(error.detail), error.headers)
        case NotAuthenticated() | AccessRevoked():
            return _problem(401, str(error), _BEARER)
        case RateLimited():
            return _problem(429, str(error), {"Retry-After": str(math.ceil(error.retry_after))})
        case Busy():
            return _problem(409, f"{error}. {error.what_to_do}".strip(), {"Retry-After": "1"})
        case Refused():
            return _problem(422, f"{error}. {error.what_to_do}".strip())
        case CitewellError():
            log.warning("api_unavailable", reason=str(error))
            message = "A service that Citewell needs cannot be reached. Try again later."
            return _problem(503, message, {"Retry-After": "5"})
        case TimeoutError():
            log.warning("api_took_too_long")
            return _problem(504, "The answer took too long. Try again later.", {"Retry-After": "5"})
        case _:
            incident = secrets.token_hex(4)
            log.error("api_failed", incident=incident, exc_info=error)
            message = f"Something went wrong here. If it happens again, tell the operator the number {incident}."
            return _problem(500, message)


def add_problem_handlers(app: FastAPI) -> None:
    """Turn errors into problems, here and nowhere else."""

    async def respond(_: Request, error: Exception) -> JSONResponse:
        problem, headers = to_problem(error)
        return JSONResponse(problem.model_dump(), problem.status, headers, media_type=MEDIA_TYPE)

    for kind in (
        RequestValidationError,
        HTTPException,
        NotAuthenticated,
        RateLimited,
        CitewellError,
        TimeoutError,
        Exception,
    ):
        app.add_exception_handler(kind, respond)


def _problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> _ProblemWithHeaders:
    text = to_single_line(detail)[:MAX_DETAIL_CHARS]
    return Problem(title=TITLES.get(status, "Not done"), status=status, detail=text), headers or {}
