"""Structured logging to standard error; secrets and message text never reach it."""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog

from bot import registry
from pipeline.errors import CitewellError
from pipeline.screen.sensitive_data import find_sensitive_data
from pipeline.words.text import to_single_line

# Tokens of Slack, keys of OpenAI, authorization headers, tokens of Discord, and secrets in addresses.
_SECRET = re.compile(
    r"xox[a-z]-[\w-]+|xapp-[\w-]+|sk-[\w-]{8,}|Bearer\s+\S+|Bot\s+[\w-]{20,}\.[\w-]+\.[\w-]+"
    r"|[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}|(?<=token=)[\w-]+|(?<=api_key=)\S+"
)
_PRIVATE = frozenset({"text", "question", "answer", "body", "content", "comment", "quote", "payload", "message"})
_QUIET = (
    "openai",
    "anthropic",
    "httpx",
    "httpx2",
    "chromadb",
    "apscheduler",
    "aiohttp",
    "psycopg",
)
"""SDKs that print message text or keys below WARNING, or that set a level themselves; those of platforms are added."""


def redact(text: str) -> str:
    """Return `text` without personal data, known keys, and anything that has the shape of a token. Digits alone stay:
    they are ids."""
    for match in reversed(find_sensitive_data(text)):
        if not text[match.start : match.end].isdigit():
            text = f"{text[: match.start]}[redacted]{text[match.end :]}"
    return _SECRET.sub("[redacted]", text)


class _MessageFilter(logging.Filter):
    """Formats messages, and lets a record whose arguments do not fit its message through unformatted."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            record.msg = record.getMessage()
        except (TypeError, ValueError):
            record.msg = str(record.msg)
        record.args = ()
        return True


def _name_logger(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    event["logger"] = event["_record"].name
    return event


def _redact_values(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if key in _PRIVATE:
            event[key] = f"[{len(str(value))} characters]"
        elif isinstance(value, str):
            event[key] = redact(value) if key == "exception" else to_single_line(redact(value))
    return event


def _name_error(_: Any, __: str, event: MutableMapping[str, Any], places: int = 5) -> MutableMapping[str, Any]:
    """Replace an error by its name and its location, at the last `places` frames (0: all).

    The message of a foreign error may quote text that people wrote.
    """
    error = _find_error(event.pop("exc_info", None))
    if error:
        frames = traceback.extract_tb(error.__traceback__)
        event["error"] = str(error) if isinstance(error, CitewellError) else type(error).__name__
        event["raised_at"] = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames[-places:]]
    return event


def _name_causes(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace an error by the names of it and of all its causes, with all frames."""
    error, causes = _find_error(event.pop("exc_info", None)), []
    while error:
        causes.append(_name_error(_, __, {"exc_info": error}, places=0))
        error = error.__cause__ or error.__context__
    if causes:
        event["error"] = ", from ".join(cause["error"] for cause in causes)
        event["raised_at"] = [place for cause in causes for place in cause["raised_at"]]
    return event


def _find_error(exc_info: object) -> BaseException | None:
    """Return the error of a log call's `exc_info`: an error, a tuple with one, or True for the current one."""
    error = exc_info[1] if isinstance(exc_info, tuple) else sys.exc_info()[1] if exc_info is True else exc_info
    return error if isinstance(error, BaseException) else None


def _render_line(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    """Render an event as one line for a person."""
    event.pop("raised_at", None)
    name = str(event.pop("event")).replace("_", " ")
    details = ", ".join(f"{name} {value}" if name != "reason" else str(value) for name, value in event.items())
    return to_single_line(redact(f"citewell: {name}: {details}" if details else f"citewell: {name}"))


def _render_library_message(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    """Render a library's message as one line for a person."""
    return f"citewell: {event['event']}"


def configure_logging(level: str, *, service: bool = False) -> None:
    """Log to standard error from `level` on.

    A command logs lines of words, and full events at level debug. A service adds the time: readable on a terminal, JSON
    lines elsewhere. Libraries log errors in a command and warnings in a service, at level debug too: below that they
    print text that people wrote.
    """
    brief = not service and level != "debug"
    in_full: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _name_causes if level == "debug" else _name_error,
        _redact_values,
        _console() if sys.stderr.isatty() else structlog.processors.JSONRenderer(),
    ]
    structlog.configure(
        processors=[_name_error, _redact_values, _render_line] if brief else in_full,
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),  # as it is now: a live display takes its place
        cache_logger_on_first_use=False,
    )
    least = max(getattr(logging, level.upper()), logging.ERROR if brief else logging.WARNING)
    _configure_standard(least, [_redact_values, _render_library_message] if brief else [_name_logger, *in_full])


def _configure_standard(least: int, processors: Sequence[structlog.typing.Processor]) -> None:
    """Pass the log records and warnings of libraries through `processors`, from `level` on."""
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    *first, render = processors
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=[*first, remove, render]))
    handler.addFilter(_MessageFilter())
    logging.basicConfig(level=least, handlers=[handler], force=True)
    logging.captureWarnings(True)
    for name in (*_QUIET, *(name for platform in registry.platforms() for name in platform.loggers)):
        logging.getLogger(name).setLevel(max(logging.WARNING, least))


def join_host_logging() -> None:
    """Log through the standard library inside a program that has not configured structlog.

    structlog's own default would print to standard output, with the values of all local variables when it fails.
    """
    if not structlog.is_configured():
        structlog.configure(
            processors=[structlog.contextvars.merge_contextvars, _name_error, _redact_values, _render_line],
            wrapper_class=structlog.stdlib.BoundLogger,
            logger_factory=structlog.stdlib.LoggerFactory(),
            cache_logger_on_first_use=False,
        )


def _console() -> structlog.typing.Processor:
    return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)


@contextmanager
def log_failures(log: Any, event: str, **about: object) -> Iterator[None]:
    """Log a failure in the block and go on: an expected one with its reason and remedy."""
    try:
        yield
    except CitewellError as error:
        log.warning(event, **about, reason=str(error), what_to_do=error.what_to_do)
    except Exception:
        log.exception(event, **about)
