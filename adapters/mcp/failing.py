"""What is said of what went wrong, and what is not."""

from __future__ import annotations

import secrets

import structlog

from pipeline.errors import CitewellError, Refused

UNREACHABLE = "Something that is needed cannot be reached. Try again later."

log = structlog.get_logger(__name__)


def said_of(error: Exception) -> str:
    """For whoever called. What nobody foresaw is logged with a number, and only the number is said."""
    match error:
        case Refused():
            return f"{error}. {error.what_to_do}".strip()
        case CitewellError():
            log.warning("mcp_unavailable", reason=str(error))
            return UNREACHABLE
        case _:
            incident = secrets.token_hex(4)
            log.error("mcp_failed", incident=incident, exc_info=error)
            return f"Something went wrong here. If it happens again, tell whoever runs this the number {incident}."
