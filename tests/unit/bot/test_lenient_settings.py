"""Wrong settings are left out, and the others are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config.lenient import LenientSettings, lenient_settings
from bot.config.settings import all_settings, environment_name


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in all_settings():
        monkeypatch.delenv(environment_name(name), raising=False)
    monkeypatch.chdir(tmp_path)


def names(read: LenientSettings) -> list[str]:
    return [setting.name for setting in read.wrong]


def test_what_is_right_is_read_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_TOP_K", "3")
    read = lenient_settings(retention_days=7)
    assert read.settings
    assert (read.settings.top_k, read.settings.retention_days) == (3, 7)
    assert (read.wrong, read.left_out) == ((), ())


def test_wrong_settings_of_a_platform_leave_its_others_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PORT": "0", "SHARED_CHANNELS": "maybe", "HOST": "::1"}.items():
        monkeypatch.setenv(f"CITEWELL_SLACK_{name}", value)
    read = lenient_settings()
    assert read.settings
    assert (read.settings.slack.port, read.settings.slack.host) == (3000, "::1")
    assert names(read) == ["CITEWELL_SLACK_SHARED_CHANNELS", "CITEWELL_SLACK_PORT"]


def test_what_shows_only_once_other_settings_are_right_is_told_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"CITEWELL_SLACK_PORT": "0", "SLACK_CLIENT_ID": "1", "SLACK_BOT_TOKEN": "xoxb-1", "CITEWELL_ROLES": "["}
    for name, value in {**wrong, "CITEWELL_CHUNK_OVERLAP": "500", "CITEWELL_TOP_K": "0"}.items():
        monkeypatch.setenv(name, value)
    read = lenient_settings()
    assert read.settings
    assert not read.settings.slack.is_enabled
    assert set(names(read)) == {"CITEWELL_SLACK_PORT", "settings", "CITEWELL_ROLES", "CITEWELL_TOP_K"}
    assert read.left_out == ("Slack, because its settings contradict each other", "CITEWELL_ROLES, which is no JSON")


def test_the_right_tables_of_a_file_stay(tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text(
        '[collections.hr]\nonly = ["nowhere"]\n[collections.open]\npublic = true\n'
        '[[sources]]\nkind = "folder"\nname = "a b"\npath = "/a"\n'
        '[[sources]]\nkind = "folder"\nname = "b"\npath = "/b"\n'
    )
    read = lenient_settings()
    assert read.settings
    assert list(read.settings.collections) == ["open"]
    assert [source.name for source in read.settings.sources] == ["b"]
    assert read.left_out == ("what is wrong in collections", "what is wrong in sources")


def test_a_secret_is_never_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_DATABASE", "mysql://root:hunter2@db/x")
    assert "hunter2" not in str(lenient_settings().wrong)
