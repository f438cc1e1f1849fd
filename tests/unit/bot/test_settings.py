"""One reader of the environment, and errors that say what to change."""

from pathlib import Path

import pytest

from bot.settings import Settings, environment_name, read_settings
from pipeline.errors import Misconfigured


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for field in Settings.model_fields:
        monkeypatch.delenv(environment_name(field), raising=False)
    monkeypatch.chdir(tmp_path)


def test_everything_has_a_default() -> None:
    assert read_settings().top_k == 5


def test_the_environment_wins_over_dotenv_and_dotenv_over_toml(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text("top_k = 3\nmax_length = 500\nhistory_turns = 2\n")
    (tmp_path / ".env").write_text("CITEWELL_TOP_K=4\nCITEWELL_MAX_LENGTH=600\n")
    monkeypatch.setenv("CITEWELL_TOP_K", "6")
    found = read_settings()
    assert (found.top_k, found.max_length, found.history_turns) == (6, 600, 2)


def test_secrets_go_by_their_owners_names_and_never_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-not-to-be-seen")
    found = read_settings()
    assert found.slack_bot_token is not None
    assert found.slack_bot_token.get_secret_value() == "xoxb-not-to-be-seen"
    assert "not-to-be-seen" not in repr(found)


@pytest.mark.parametrize(
    ("name", "given", "allowed"),
    [
        ("CITEWELL_TOP_K", "99", "less than or equal to 20"),
        ("CITEWELL_STYLE", "long", "concise"),
        ("CITEWELL_MODEL", "gpt", "openai:NAME"),
        ("CITEWELL_EMBEDDER", "word2vec", "minilm"),
    ],
)
def test_a_wrong_value_names_the_setting_what_was_given_and_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str, allowed: str
) -> None:
    monkeypatch.setenv(name, given)
    with pytest.raises(Misconfigured) as caught:
        read_settings()
    assert name in str(caught.value)
    assert given in str(caught.value)
    assert allowed in str(caught.value)


@pytest.mark.parametrize("where", ["environment", "toml", "dotenv"])
def test_a_misspelt_setting_is_refused_with_the_nearest_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    if where == "environment":
        monkeypatch.setenv("CITEWELL_TOPK", "3")
    elif where == "toml":
        (tmp_path / "citewell.toml").write_text("topk = 3\n")
    else:
        (tmp_path / ".env").write_text("CITEWELL_TOPK=3\n")
    with pytest.raises(Misconfigured, match="CITEWELL_TOP_K"):
        read_settings()


def test_a_broken_toml_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text("top_k = = 3\n")
    with pytest.raises(Misconfigured, match=r"citewell\.toml"):
        read_settings()


def test_collection_rules_come_from_the_toml_file(tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text('[collections.hr]\nonly = ["slack:T1:C2"]\n')
    assert read_settings().collections["hr"].only == ("slack:T1:C2",)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read_settings().top_k = 3  # type: ignore[misc]
