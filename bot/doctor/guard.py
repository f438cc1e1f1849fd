"""Runs checks so that one that fails stops no other."""

from __future__ import annotations

from collections.abc import AsyncIterator

import structlog

from pipeline.errors import CitewellError
from pipeline.values import Finding
from pipeline.values.diagnostics import error_finding

log = structlog.get_logger(__name__)
FIX = "See docs/troubleshooting.md."


async def guarded(subject: str, findings: AsyncIterator[Finding]) -> AsyncIterator[Finding]:
    """Yield `findings`; if the check fails, yield a last finding about that."""
    try:
        async for finding in findings:
            yield finding
    except CitewellError as error:
        yield error_finding(subject, str(error), error.what_to_do or FIX)
    except Exception as error:
        log.exception("check_failed", subject=subject)
        yield error_finding(subject, f"this check failed ({type(error).__name__})", FIX)
