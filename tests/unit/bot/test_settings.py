"""One reader of the environment, and errors that say what to change."""

from pathlib import Path

import pytest

from bot.config.read import find_misspelled_names, read_settings
from bot.config.settings import all_settings, environment_name
from pipeline.errors import Misconfigured
from pipeline.values import PlaceId, PlaceSettings, replace


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in all_settings():
        monkeypatch.delenv(environment_name(name), raising=False)
    monkeypatch.chdir(tmp_path)


def refusal() -> str:
    with pytest.raises(Misconfigured) as caught:
        read_settings()
    return str(caught.value)


def test_everything_has_a_default() -> None:
    assert read_settings().top_k == 5


def test_the_environment_wins_over_dotenv_and_dotenv_over_toml(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text("top_k = 3\nmax_length = 500\nhistory_turns = 2\n")
    (tmp_path / ".env").write_text("CITEWELL_TOP_K=4\nCITEWELL_MAX_LENGTH=600\n")
    monkeypatch.setenv("CITEWELL_TOP_K", "6")
    found = read_settings()
    assert (found.top_k, found.max_length, found.history_turns) == (6, 600, 2)


def test_a_platforms_settings_stand_beside_all_others_each_where_it_was_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "citewell.toml").write_text('slack_host = "::1"\nslack_port = 1\ndiscord_home_guilds = [1, 2]\n')
    (tmp_path / ".env").write_text("CITEWELL_SLACK_PORT=2\nCITEWELL_SLACK_WORKFLOWS=A1,B2\nDISCORD_TOKEN=d\n")
    monkeypatch.setenv("CITEWELL_SLACK_PORT", "3")
    monkeypatch.setenv("CITEWELL_WEB", "127.0.0.1:8080")
    found = read_settings()
    assert (found.slack.host, found.slack.port, found.slack.workflows) == ("::1", 3, ("A1", "B2"))
    assert (found.discord.token, found.discord.home_guilds) == ("d", (1, 2))
    assert (found.web.listen, found.web.is_enabled) == ("127.0.0.1:8080", True)


def test_a_platform_as_a_whole_is_no_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text('[slack]\nhost = "::1"\n')
    monkeypatch.setenv("CITEWELL_DISCORD", '{"threads": true}')
    said = refusal()
    assert "CITEWELL_DISCORD: there is no such setting" in said
    assert "slack in citewell.toml: there is no such setting" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"SLACK_CLIENT_ID": "1.2"}, "SLACK_CLIENT_SECRET must be set"),
        (
            {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "s", "SLACK_BOT_TOKEN": "xoxb-1"},
            "SLACK_BOT_TOKEN must be",
        ),
    ],
)
def test_workspaces_that_add_the_bot_need_its_secret_and_no_token(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], said: str
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert said in refusal()


def test_secrets_go_by_their_owners_names_and_never_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-not-to-be-seen")
    found = read_settings()
    assert found.slack.bot_token == "xoxb-not-to-be-seen"
    assert "not-to-be-seen" not in repr(found)


@pytest.mark.parametrize(
    ("name", "given", "allowed"),
    [
        ("CITEWELL_TOP_K", "99", "a whole number from 1 to 20"),
        ("CITEWELL_TOP_K", "many", "a whole number from 1 to 20"),
        ("CITEWELL_TOTAL_SECONDS", "0", "a number above 0 up to 600"),
        ("CITEWELL_ABSTAIN", "maybe", "true or false"),
        ("CITEWELL_STYLE", "long", "concise, detailed or bullet"),
        ("CITEWELL_MODE", "poetic", "simple, grounded, analytical or conversational"),
        ("CITEWELL_MODEL", "gpt", "auto, extractive, openai:NAME, anthropic:NAME or ollama:NAME"),
        ("CITEWELL_MODEL", "openai:", "openai:NAME"),
        ("CITEWELL_JUDGE", "yes", "auto, none, openai:NAME"),
        ("CITEWELL_EMBEDDER", "word2vec", "minilm, none, onnx:FOLDER, fastembed:NAME or openai:NAME"),
        ("CITEWELL_EMBEDDER", "onnx:", "onnx:FOLDER"),
        ("CITEWELL_RERANKER", "bge", "none, onnx:FOLDER, fastembed:NAME, cohere:NAME or jina:NAME"),
        ("CITEWELL_RERANKER_URL", "localhost:8000/rerank", "begins with http:// or https://"),
        ("CITEWELL_SLACK_HOME_WORKSPACES", "acme", "ids of Slack workspaces, such as T0123,T0456"),
        ("CITEWELL_DISCORD_SHARDS", "8", "FIRST-LAST/TOTAL, such as 0-3/8"),
        ("CITEWELL_DISCORD_HOME_GUILDS", "mine", "ids of Discord servers, such as 1234,5678"),
        ("CITEWELL_CHROMA_URL", "foo", "http://HOST:PORT"),
        ("CITEWELL_CHROMA_URL", "http://", "http://HOST:PORT"),
        ("CITEWELL_CHROMA_URL", "http://localhost:99999", "http://HOST:PORT"),
        ("CITEWELL_CHROMA_URL", "http://localhost:8000/path", "http://HOST:PORT"),
        ("CITEWELL_OPERATIONS", "9464", "HOST:PORT, such as 127.0.0.1:9464"),
        ("CITEWELL_OPERATIONS", "localhost", "HOST:PORT, such as 127.0.0.1:9464"),
        ("CITEWELL_OPERATIONS", "http://localhost:9464", "HOST:PORT, such as 127.0.0.1:9464"),
        ("CITEWELL_DIGEST", "slack:T1", "a channel or person: slack:T0123:C0456"),
        ("OPENAI_BASE_URL", "localhost:1234", "begins with http:// or https://"),
        ("CITEWELL_DEFAULT_COLLECTION", "human resources", "letters, digits"),
    ],
)
def test_a_wrong_value_names_the_setting_what_was_given_and_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str, allowed: str
) -> None:
    monkeypatch.setenv(name, given)
    said = refusal()
    assert said.startswith(f"{name}: must be ")
    assert allowed in said
    assert said.endswith(f"not {given!r}")


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('top_k = "many"', "top_k in citewell.toml: must be a whole number from 1 to 20, not 'many'"),
        ("TOP_K = 3", "TOP_K in citewell.toml: in this file it is called top_k"),
        ("data = 3", "data in citewell.toml: must be a text, not 3"),
        ("[collection.hr]", "Did you mean [collections.hr]?"),
        ('[collections.hr]\nonly = "slack:T1"', '[collections.hr] only in citewell.toml: must be a list such as ["'),
        ('[collections.hr]\nonly = ["T1"]', "must be a group, such as slack:T0123:C0456"),
        ('[collections.hr]\nonli = ["slack:T1"]', "[collections.hr] onli in citewell.toml: there is no such key"),
        ('[collections.hr]\npublic = "maybe"', "[collections.hr] public in citewell.toml: must be true or false"),
        ('[role]\nadmin = ["slack:T1:U1"]', "role in citewell.toml: there is no such setting. Did you mean [roles]?"),
        ("[roles]\nadmn = []", "[roles] admn in citewell.toml: there is no such key. Did you mean admin?"),
        (
            '[roles]\nadmin = ["slack:T1:C1"]',
            "[roles] admin in citewell.toml: must be a person, user group, role or group",
        ),
        ("roles = 3", "roles in citewell.toml: must be a table with the keys admin or contributor, not 3"),
        (
            '[places."slack:T1:U1"]',
            '[places."slack:T1:U1"] in citewell.toml: must be a workspace, server, page or channel',
        ),
        (
            '[places."slack:T1"]\nsilence = true',
            '[places."slack:T1"] silence in citewell.toml: there is no such key. Did',
        ),
        ('[places."discord:1"]\nask = "discord:2:5"', "such that ask of discord:1 is a channel of discord:1"),
        ('[places."slack:T1"]\nauto_per_hour = 0', "auto_per_hour in citewell.toml: must be a whole number from 1 to"),
        ('[places."slack:T1"]\nstyle = "long"', "must be concise, detailed or bullet, not 'long'"),
        ('[places."slack:T1"]\nlanguage = "german"', "must be the two letters of a language, such as en or de"),
        ('[place."slack:T1"]\nauto = true', 'Did you mean [places."slack:T1"]?'),
        ('[collections."h r"]', "[collections.h r] in citewell.toml: must be a name of letters, digits"),
    ],
)
def test_what_is_wrong_in_the_toml_file_is_said_in_its_own_words(tmp_path: Path, toml: str, said: str) -> None:
    (tmp_path / "citewell.toml").write_text(toml)
    assert said in refusal()


def test_everything_wrong_is_said_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITEWELL_STILE", "bullet")
    monkeypatch.setenv("CITEWELL_TOP_K", "0")
    (tmp_path / ".env").write_text("CITEWELL_MAX_TOKENS=1\n")
    said = refusal()
    assert "CITEWELL_STILE: there is no such setting. Did you mean CITEWELL_STYLE?" in said
    assert "CITEWELL_TOP_K: must be a whole number from 1 to 20, not '0'" in said
    assert "CITEWELL_MAX_TOKENS in .env: must be a whole number from 50 to 8,000, not '1'" in said


@pytest.mark.parametrize("name", ["slack_bot_token", "SLACK_BOT_TOKEN"])
@pytest.mark.parametrize("value", ['"xoxb-not-to-be-seen"', "3"])
def test_a_secret_in_the_toml_file_is_sent_to_where_secrets_belong(tmp_path: Path, name: str, value: str) -> None:
    (tmp_path / "citewell.toml").write_text(f"{name} = {value}")
    assert refusal() == (f"{name} in citewell.toml: secrets belong in the environment or in .env, as SLACK_BOT_TOKEN")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CITEWELL_SLACK_BOT_TOKEN", "xoxb-not-to-be-seen"),
        ("CITEWELL_TOP_K", "xoxb-not-to-be-seen"),
        ("OPENAI_BASE_URL", "me:not-to-be-seen@localhost"),
    ],
)
def test_a_secret_in_the_wrong_place_is_never_repeated(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert "not-to-be-seen" not in refusal()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("CITEWELL_OPENAI_API_KEY", "Did you mean OPENAI_API_KEY?"),
        ("CITEWELL_MODLE", "Did you mean CITEWELL_MODEL?"),
        ("CITEWELL_BANANA", "See .env.example for them all."),
    ],
)
def test_a_name_that_is_none_is_told_the_right_one_unless_it_is_like_no_other(
    monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    monkeypatch.setenv(name, "1")
    assert refusal() == f"{name}: there is no such setting. {told}"


def test_a_name_in_dotenv_that_was_meant_to_be_a_token_is_found_and_starts_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("SLACK_BOT_TOKN=xoxb-1\nDISCORD_BOT_TOKEN=1\nOPENAI_API_KEY_OLD=1\nGITHUB_TOKEN=1\n")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert read_settings().slack.bot_token == ""
    assert find_misspelled_names() == [("DISCORD_BOT_TOKEN", "DISCORD_TOKEN"), ("SLACK_BOT_TOKN", "SLACK_BOT_TOKEN")]


def test_passages_may_not_share_all_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_CHUNK_OVERLAP", "200")
    monkeypatch.setenv("CITEWELL_CHUNK_TOKENS", "100")
    assert "CITEWELL_CHUNK_OVERLAP (200) must be smaller than CITEWELL_CHUNK_TOKENS (100)" in refusal()


def test_a_missing_configuration_file_that_was_named_is_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CITEWELL_CONFIG", str(tmp_path / "gone.toml"))
    assert f"CITEWELL_CONFIG: there is no file {tmp_path / 'gone.toml'}" in refusal()


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
    assert refusal().endswith(f"Did you mean {'top_k' if where == 'toml' else 'CITEWELL_TOP_K'}?")


def test_a_broken_toml_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text("top_k = = 3\n")
    with pytest.raises(Misconfigured, match=r"citewell\.toml"):
        read_settings()


def test_an_env_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe=1\n")
    assert refusal().startswith(".env: cannot be read")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("xoxb-not-to-be-seen nothing\n", 1),
        ("CITEWELL_TOP_K=3\n\n# a comment\n\nTHIS is not\nexport A=1\n", 5),
        ('A="never closed\n', 1),
    ],
)
def test_a_line_of_the_env_file_that_cannot_be_read_is_named_and_not_repeated(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, line: int
) -> None:
    (tmp_path / ".env").write_text(text)
    assert refusal() == f".env: line {line} cannot be read"
    assert caplog.text == ""


def test_an_env_file_may_hold_comments_exports_quotes_and_names_without_a_value(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("\n# mine\nexport CITEWELL_TOP_K=3 # few\nCITEWELL_STYLE='bullet'\nOTHER\n\n")
    assert (read_settings().top_k, read_settings().style.value) == (3, "bullet")


def test_collection_rules_come_from_the_toml_file(tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text('[collections.hr]\nonly = ["slack:T1:C2"]\n')
    assert read_settings().collections["hr"].only == ("slack:T1:C2",)


def test_places_and_roles_come_from_the_toml_file(tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text(
        '[places."discord:1:2"]\nauto = true\nauto_wait = 60\n[roles]\ncontributor = ["discord:1:role:4"]\n'
    )
    found = read_settings()
    assert found.places[PlaceId.parse("discord:1:2")] == PlaceSettings(auto=True, auto_wait=60)
    assert (found.roles.admin, found.roles.contributor) == ((), ("discord:1:role:4",))


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read_settings().top_k = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[[sources]]\nname = "a"', "[[sources]] number 1 in citewell.toml: has no kind, which must be folder"),
        ('[[sources]]\nkind = "ftp"', "[[sources]] number 1 in citewell.toml: the kind must be folder"),
        ('[[sources]]\nkind = "folder"\nname = "a"', "[[sources]] number 1, path in citewell.toml: is missing"),
        (
            '[[sources]]\nkind = "folder"\nname = "a b"\npath = "x"',
            "number 1, name in citewell.toml: must be a name of",
        ),
        ('[[sources]]\nkind = "folder"\nname = "a"\npaht = "x"', "there is no such key. Did you mean path?"),
        (
            '[[sources]]\nkind = "git"\nname = "a"\nurl = "x"',
            "must be the https:// address that the host shows for cloning (SSH is not supported), without a password",
        ),
        (
            '[[sources]]\nkind = "folder"\nname = "a"\npath = "x"\nstale_after = "soon"',
            "a whole number from 1 to 36,500",
        ),
        ('[[sources]]\nkind = "folder"\nname = "a"\npath = "x"\nevery_minutes = -1', "a whole number from 0 to 10,080"),
        (
            '[[sources]]\nkind = "confluence"\nname = "a"\nurl = "https://x"\nspaces = ["A B"]',
            'must be keys of spaces, such as ["ENG", "HR"]',
        ),
        (
            '[[sources]]\nkind = "confluence"\nname = "a"\nurl = "https://x"\nspaces = ["A"]\nrestricted = true',
            "restricted in citewell.toml: must be set together with a collection",
        ),
        (
            '[[sources]]\nkind = "github"\nname = "a"\nrepository = "https://github.com/acme/handbook"',
            "must be owner/name of a repository, not 'https",
        ),
        ('[[sources]]\nkind = "web"\nname = "a"', "must be given one of sitemap, pages and start, and only one"),
        (
            '[[sources]]\nkind = "web"\nname = "a"\npages = "https://x/"',
            'pages in citewell.toml: must be a list such as ["https',
        ),
        (
            '[[sources]]\nkind = "confluence"\nname = "a"\nurl = "https://x.atlassian.net/wiki"\nspaces = ["A"]',
            "number 1 in citewell.toml: must be given an email on Cloud",
        ),
        (
            '[[sources]]\nkind = "google-drive"\nname = "a"\nfolder = "https://drive.google.com/drive/folders/1AbC"',
            "folder in citewell.toml: must be the id of a folder or of a shared drive, the last part of its address",
        ),
        ('[[source]]\nkind = "folder"', "Did you mean sources?"),
        ("sources = 3", "sources in citewell.toml: must be"),
        ("sources = [3]", "[[sources]] number 1 in citewell.toml: must be a table, not 3"),
        (
            "".join(f'[[sources]]\nkind = "folder"\nname = "a"\npath = "{path}"\n' for path in "xy"),
            "must be sources with a name of their own each: a is there twice",
        ),
    ],
)
def test_what_is_wrong_with_a_source_is_said_in_the_words_of_its_table(tmp_path: Path, toml: str, said: str) -> None:
    (tmp_path / "citewell.toml").write_text(toml)
    assert said in refusal()
    assert "Table(" not in refusal()


def test_a_secret_in_the_place_of_its_name_is_refused_and_not_repeated(tmp_path: Path) -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    table = f'[[sources]]\nkind = "github"\nname = "a"\nrepository = "a/b"\ntoken_from = "{secret}"'
    (tmp_path / "citewell.toml").write_text(table)
    said = refusal()
    assert "token_from in citewell.toml: must be the name of an environment variable" in said
    assert secret not in said


def test_a_wrong_database_is_not_repeated_as_it_may_hold_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_DATABASE", "mysql://citewell:not-to-be-seen@localhost")
    with pytest.raises(Misconfigured, match="postgresql://USER:PASSWORD@HOST:PORT/NAME") as raised:
        read_settings()
    assert "not-to-be-seen" not in str(raised.value)


def test_what_is_replaced_in_settings_leaves_the_rest_as_it_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = {"TRUSTED_PROXIES": "10.0.0.0/8", "SLACK_HOME_WORKSPACES": "T0,T1", "OPERATIONS_HOSTS": "a.test,b.test"}
    for name, text in lists.items():
        monkeypatch.setenv(f"CITEWELL_{name}", text)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://one.test/v1")
    found = read_settings()
    monkeypatch.setenv("OPENAI_BASE_URL", "http://two.test/v1")
    other = replace(found, top_k=7)
    assert dict(other) == dict(found) | {"top_k": 7}
    with pytest.raises(ValueError, match="top_k"):
        replace(found, top_k=700)
    with pytest.raises(TypeError, match="Settings has no topk"):
        replace(found, topk=7)
