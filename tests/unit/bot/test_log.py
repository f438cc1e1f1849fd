"""What is logged inside a program that set up no logging of its own for us."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from pydantic import ValidationError

from bot.log import configure_logging, join_host_logging, redact
from pipeline.errors import Unavailable
from pipeline.values import Attachment


@pytest.fixture(autouse=True)
def unconfigured() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    structlog.reset_defaults()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


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


@pytest.mark.parametrize(
    ("error", "named"),
    [(ValueError("the director earns"), "ValueError"), (Unavailable("Slack", "down"), "Slack: down")],
    ids=["unforeseen", "our own"],
)
def test_a_service_logs_json_lines_whichever_way_a_module_logs(
    capsys: pytest.CaptureFixture[str], error: Exception, named: str
) -> None:
    configure_logging("info", service=True)
    logging.getLogger("adapters.slack.web_client").warning("refused: %s", "xoxb-1234567890-abcdefghij")
    logging.getLogger("adapters.slack.web_client").error("failed", exc_info=error)
    structlog.get_logger("bot.run.delivery").error("failed", exc_info=error)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert lines[0]["event"] == "refused: [redacted]"
    assert (lines[0]["level"], lines[0]["logger"]) == ("warning", "adapters.slack.web_client")
    assert [(line["event"], line["level"], line["error"]) for line in lines[1:]] == [("failed", "error", named)] * 2
    assert all("timestamp" in line for line in lines)
    assert "director" not in json.dumps(lines)


def test_an_error_at_hand_is_named_with_its_place_and_not_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", service=True)
    for log in (structlog.get_logger("bot.run.delivery"), logging.getLogger("adapters.slack.web_client")):
        try:
            int("the director earns")
        except ValueError:
            log.exception("failed")
    for line in map(json.loads, capsys.readouterr().err.splitlines()):
        assert line["error"] == "ValueError"
        assert line["raised_at"][-1].startswith("test_log.py:")
        assert "director" not in json.dumps(line)


def test_a_command_says_what_goes_wrong_in_a_library_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("warning")
    logging.getLogger("pypdf").warning("Ignoring wrong pointing object")
    logging.getLogger("pypdf").error("cannot read leave_policy.md", exc_info=ValueError("the director"))
    assert capsys.readouterr().err == "citewell: cannot read leave_policy.md\n"


def test_a_warning_of_a_library_stays_off_the_terminal_of_a_command_and_in_the_log_of_a_service(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for service in (False, True):
        configure_logging("info", service=service)
        logging.getLogger("psycopg.pool").warning("discarding closed connection: an extension")
        logging.getLogger("py.warnings").warning("Data Validation extension is not supported")
        logging.getLogger("pypdf").info("reading")
        said = capsys.readouterr().err
        assert ("extension" in said) == service
        assert "reading" not in said


def test_whatever_is_logged_while_a_question_is_answered_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", service=True)
    with structlog.contextvars.bound_contextvars(key="slack:T1:C1:1.0"):
        structlog.get_logger("bot.run.delivery").warning("platform_unreachable")
        logging.getLogger("slack_sdk").warning("retrying")
    structlog.get_logger("bot.run.delivery").warning("afterwards")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("key") for line in lines] == ["slack:T1:C1:1.0", "slack:T1:C1:1.0", None]


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


@pytest.mark.parametrize("value", ["anna@example.com", "+49 30 1234567", "DE89 3704 0044 0532 0130 00"])
def test_personal_data_of_a_known_form_never_reaches_the_log_and_ids_do(value: str) -> None:
    logged = redact(f"message 1700000000.123456 by 4111111111111111 names {value}.")
    assert logged == "message 1700000000.123456 by 4111111111111111 names [redacted]."


@pytest.mark.parametrize("service", [True, False])
def test_level_debug_says_every_place_and_never_what_people_wrote(
    capsys: pytest.CaptureFixture[str], service: bool
) -> None:
    configure_logging("debug", service=service)
    logging.getLogger("mcp.server.lowlevel.server").debug("Received message: %s", "the director earns")
    try:
        try:
            Attachment.model_validate_json('{"name": ["the director earns"]}')
        except ValidationError as error:
            raise KeyError("the director earns") from error
    except KeyError:
        structlog.get_logger("bot.run.delivery").exception("failed")
        logging.getLogger("library").exception("failed")
    written = capsys.readouterr().err
    assert "director" not in written
    for line in map(json.loads, written.splitlines()):
        assert line["error"] == "KeyError, from ValidationError"
        assert len(line["raised_at"]) > 1
