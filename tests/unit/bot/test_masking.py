"""The setting CITEWELL_MASKING decides what foreign models are not shown."""

from __future__ import annotations

import pytest

from bot.config.settings import Settings
from bot.models import make_pii_finder, open_language_model
from pipeline.errors import Misconfigured
from pipeline.screen.sensitive_data import find_sensitive_data


def settings(**given: object) -> Settings:
    return Settings(_env_file=None, **given)  # type: ignore[arg-type, call-arg]


def test_what_has_a_form_is_kept_back_unless_somebody_says_otherwise() -> None:
    assert make_pii_finder(settings()) is find_sensitive_data
    assert make_pii_finder(settings(masking="none")) is None


async def test_names_are_asked_for_in_vain_where_what_finds_them_is_missing() -> None:
    asked = settings(masking="presidio:en_core_web_missing", openai_api_key="k")
    with pytest.raises(Misconfigured, match="CITEWELL_MASKING: presidio:en_core_web_missing needs") as caught:
        async with open_language_model(asked, "openai:x"):
            pass
    assert caught.value.what_to_do.startswith("Install it: ")


@pytest.mark.parametrize("masking", ["presidio", "presidio:", "all", ""])
def test_another_word_is_refused(masking: str) -> None:
    with pytest.raises(ValueError, match="exact, none or presidio:MODEL"):
        settings(masking=masking)
