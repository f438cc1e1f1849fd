"""What is logged inside a program that set up no logging of its own for us."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import structlog
from pydantic import ValidationError

from bot.log import configure_logging, join_host_logging, redact
from pipeline.values import Attachment


@pytest.fixture(autouse=True)
def unconfigured() -> Iterator[None]:
    before = structlog.get_config() if structlog.is_configured() else None
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    structlog.reset_defaults()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
    if before:
        structlog.configure(**before)


def test_a_failure_is_one_line_for_the_host_without_what_people_wrote(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    join_host_logging()
    with caplog.at_level(logging.WARNING):
        structlog.get_logger("bot").error(
            "answer_failed",
            incident="abc",
            text="the salary of the director",
            exc_info=ValueError("the director earns"),
        )
    (line,) = [record.getMessage() for record in caplog.records]
    assert "answer failed" in line
    assert "ValueError" in line
    assert "director" not in line
    assert capsys.readouterr().out == ""


def test_a_value_that_does_not_fit_is_not_repeated_in_its_error() -> None:
    with pytest.raises(ValidationError) as caught:
        Attachment(name="salaries.xlsx", nonsense="the director earns")  # type: ignore[call-arg]
    assert "director" not in str(caught.value)


def test_a_malformed_log_call_of_a_library_does_not_raise(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", service=True)
    logging.getLogger("library").warning("one %s of two %s", "argument")
    assert "one %s of two %s" in capsys.readouterr().err


def test_a_host_that_configured_structlog_keeps_its_own_way() -> None:
    seen: list[str] = []

    def collect(_: object, __: str, event: structlog.typing.EventDict) -> str:
        seen.append(str(event["event"]))
        return ""

    structlog.configure(processors=[collect])
    join_host_logging()
    structlog.get_logger("bot").warning("hello")
    assert seen == ["hello"]


@pytest.mark.parametrize(
    "token",
    [
        "xoxb-1234567890-abcdefghij",
        "xapp-1-A012345-6789-abcdef",
        "sk-proj-abcdefgh12345678",
        "sk-ant-api03-abcdefgh12345678",
        "Bearer abc.def-ghi",
        "MTA5ODc2NTQzMjEwOTg3NjU0.GabcDe.abcdefghijklmnopqrstuvwxyz0123456789AB",
    ],
)
def test_a_token_never_reaches_the_log(token: str) -> None:
    logged = redact(f"the server refused {token} at login")
    assert token.rsplit(" ", 1)[-1] not in logged
    assert logged.startswith("the server refused")
    assert logged.endswith("at login")
