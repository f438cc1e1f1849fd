"""`manifest.yml` is what Slack takes, and asks for what the code uses: no more, no less.

The limits are those of Slack's manifest schema 2.0.0 (slackapi/manifest-schema), as far as we use its parts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jsonschema
import pytest
import yaml

from adapters.chat.reply.labels import SUGGESTED_PROMPTS
from adapters.slack.tokens import manifest_link
from adapters.slack.transport.startup import OPTIONAL_SCOPES, REQUIRED_SCOPES
from pipeline.plan.rule_planner import RulePlanner
from pipeline.values import Audience, CannedReply, Conversation, ConversationId, Document
from storage.open import open_storage
from tests.contracts.slack_driver import MANIFEST
from tests.doubles.slack import rules


def text(most: int, least: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "string", "minLength": least, "maxLength": most, **more}


def exactly(required: list[str], /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def several(items: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1, "maxItems": most}


BOOLEAN = {"type": "boolean"}
SCHEMA = exactly(
    ["display_information", "features", "oauth_config", "settings"],
    display_information=exactly(
        ["name"],
        name=text(35),
        description=text(140),
        long_description=text(4000, 175),
        background_color=text(7, 4, pattern="^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$"),
    ),
    features=exactly(
        ["bot_user"],
        app_home=exactly(
            [],
            home_tab_enabled=BOOLEAN,
            messages_tab_enabled={"const": True},
            messages_tab_read_only_enabled={"const": False},
        ),
        bot_user=exactly(["display_name"], display_name=text(80), always_online=BOOLEAN),
        agent_view=exactly(
            ["agent_description"],
            agent_description=text(300),
            suggested_prompts=several(exactly(["title", "message"], title=text(75), message=text(300)), 4),
        ),
        slash_commands=several(
            exactly(
                ["command", "description"],
                command=text(32, 2, pattern="^/"),
                description=text(2000),
                usage_hint=text(1000),
                should_escape=BOOLEAN,
            ),
            50,
        ),
        shortcuts=several(
            exactly(
                ["name", "type", "callback_id", "description"],
                name=text(24),
                type={"enum": ["message", "global"]},
                callback_id=text(255),
                description=text(150),
            ),
            10,
        ),
    ),
    oauth_config=exactly(
        ["scopes"], scopes=exactly(["bot"], bot=several(text(50), 255), bot_optional=several(text(50), 255))
    ),
    settings=exactly(
        [],
        event_subscriptions=exactly(["bot_events"], bot_events=several(text(50), 100)),
        interactivity=exactly(["is_enabled"], is_enabled={"const": True}),
        org_deploy_enabled=BOOLEAN,
        socket_mode_enabled=BOOLEAN,
        token_rotation_enabled={"const": False},
    ),
)
EVENTS_HANDLED = (
    {"app_uninstalled", "tokens_revoked"}
    | {"agent_session_stopped", "app_home_opened", "app_mention", "member_joined_channel", "member_left_channel"}
    | {"channel_deleted", "channel_left", "group_deleted", "group_left", "reaction_added", "reaction_removed"}
    | {f"message.{kind}" for kind in ("channels", "groups", "im")}
)


def test_the_manifest_is_within_slacks_limits() -> None:
    jsonschema.validate(MANIFEST, SCHEMA)


def test_the_link_that_makes_the_app_holds_the_whole_manifest() -> None:
    link = urlsplit(manifest_link())
    assert (link.scheme, link.netloc, link.path) == ("https", "api.slack.com", "/apps")
    ((new, one), (manifest, text)) = parse_qsl(link.query)
    assert (new, one, manifest) == ("new_app", "1", "manifest_yaml")
    assert yaml.safe_load(text) == MANIFEST
    assert "#" not in text.replace("#1f3a5f", "")


def test_the_link_is_one_word_that_browsers_and_servers_take() -> None:
    assert re.fullmatch(r"[!-~]+", manifest_link())
    assert len(manifest_link()) < 8000


def test_a_manifest_outside_the_limits_would_be_noticed() -> None:
    views = {"agent_description": "x", "suggested_prompts": [{"title": "t", "message": "m"}] * 5}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**MANIFEST, "features": {**MANIFEST["features"], "agent_view": views}}, SCHEMA)


def test_scopes_are_those_the_code_knows_what_for() -> None:
    scopes = MANIFEST["oauth_config"]["scopes"]
    assert set(scopes["bot"]) == set(REQUIRED_SCOPES)
    assert set(scopes["bot_optional"]) == set(OPTIONAL_SCOPES)


def test_no_scope_is_unused() -> None:
    """Each is needed by a method that is called, an event that is handled, or a command.

    That none is missing is shown by the contract suite, whose double refuses what the manifest does not grant."""
    by_methods = {scope for method in rules.SCOPES.values() for scope in method}
    by_events = {rules.EVENTS[event] for event in MANIFEST["settings"]["event_subscriptions"]["bot_events"]}
    assert set(REQUIRED_SCOPES) | set(OPTIONAL_SCOPES) <= by_methods | by_events | {"commands"}


def test_no_event_rests_on_a_scope_that_may_be_refused() -> None:
    """`member_joined_channel` comes by either of two scopes, for public and for private channels."""
    required = {*MANIFEST["oauth_config"]["scopes"]["bot"], ""}
    events = MANIFEST["settings"]["event_subscriptions"]["bot_events"]
    assert {rules.EVENTS[event] for event in events} <= required
    assert {"channels:read", "groups:read"} <= required


def test_events_are_those_that_are_handled() -> None:
    assert set(MANIFEST["settings"]["event_subscriptions"]["bot_events"]) == EVENTS_HANDLED


def test_prompts_are_the_same_in_the_code() -> None:
    prompts = MANIFEST["features"]["agent_view"]["suggested_prompts"]
    assert tuple((prompt["title"], prompt["message"]) for prompt in prompts) == SUGGESTED_PROMPTS


@pytest.mark.parametrize("message", [message for _, message in SUGGESTED_PROMPTS])
async def test_a_prompt_is_answered_with_what_is_indexed_and_how_to_ask(tmp_path: Path, message: str) -> None:
    asked = Conversation(id=ConversationId(platform="slack", space="T0TEAM", channel="D0ANN"))
    async with open_storage(tmp_path / "data") as storage:
        await storage.library.replace_document(
            Document(id="1", filename="leave.md", title="Leave policy"), [], None, ""
        )
        everyone = Audience(collections=frozenset({"default"}))
        plan = await RulePlanner(storage.index, storage.library).plan(message, asked, everyone)
    assert isinstance(plan, CannedReply)
    assert "Leave policy" in plan.text
    assert "Ask in plain words" in plan.text
