"""What an error of Discord means for a question: whose fault it is decides whether it is tried for ever."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from adapters.discord.errors import translate_discord_errors
from pipeline.errors import CitewellError, Misconfigured, Refused, Unavailable


class Response:
    reason = "no"

    def __init__(self, status: int) -> None:
        self.status = status


def answered(kind: type[discord.HTTPException], status: int) -> discord.HTTPException:
    response: Any = Response(status)
    return kind(response, {"code": 0, "message": "the director earns"})


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (answered(discord.HTTPException, 400), Refused),
        (answered(discord.NotFound, 404), Refused),
        (answered(discord.Forbidden, 403), Refused),
        (answered(discord.HTTPException, 401), Misconfigured),
        (answered(discord.HTTPException, 429), Unavailable),
        (answered(discord.DiscordServerError, 503), Unavailable),
        (discord.RateLimited(7.0), Unavailable),
        (ConnectionResetError(), Unavailable),
        (discord.ClientException("the director earns"), Refused),
    ],
    ids=["bad request", "not found", "forbidden", "token", "limited", "their fault", "wait", "network", "library"],
)
def test_only_what_is_no_fault_of_the_message_may_be_tried_for_ever(
    error: Exception, meaning: type[CitewellError]
) -> None:
    with pytest.raises(meaning) as caught, translate_discord_errors("post a reply"):
        raise error
    assert "director" not in str(caught.value)


def test_a_limit_says_how_long_to_wait() -> None:
    with pytest.raises(Unavailable) as caught, translate_discord_errors("post a reply"):
        raise discord.RateLimited(7.0)
    assert caught.value.retry_after == 7.0
