"""Structured logging to standard error; secrets and message text never reach it."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_SECRET = re.compile(
    r"xox[a-z]-[\w-]+|xapp-[\w-]+|sk-[\w-]{8,}|Bearer\s+\S+|Bot\s+[\w-]{20,}\.[\w-]+\.[\w-]+"
    r"|[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}|(?<=token=)[\w-]+|(?<=api_key=)\S+"
)
_PRIVATE = frozenset(
    {"text", "question", "answer", "body", "content", "comment", "quote", "payload", "message", "event"}
)
_QUIET = (
    "slack_sdk",
    "slack_bolt",
    "discord",
    "openai",
    "anthropic",
    "httpx",
    "httpx2",
    "chromadb",
    "apscheduler",
    "aiohttp",
)
"""SDKs that print message text or keys below WARNING."""


def redact(text: str) -> str:
    """`text` with everything that has the shape of a token replaced."""
    return _SECRET.sub("[redacted]", text)


class _Redacting(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), ()
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
        return True


def _redact_values(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if key in _PRIVATE and key != "event":
            event[key] = f"[{len(str(value))} characters]"
        elif isinstance(value, str):
            event[key] = redact(value)
    return event


def configure_logging(level: str) -> None:
    """Log to standard error from `level` on: readable on a terminal, JSON lines elsewhere."""
    terminal = sys.stderr.isatty()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
    handler.addFilter(_Redacting())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _redact_values,
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
            if terminal
            else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
