"""The commands by name."""

from __future__ import annotations

from types import ModuleType

import pytest

from bot.commands import app
from bot.commands.app import ImportedCommands, load_command


def test_a_command_that_cannot_be_imported_is_not_taken_for_an_unknown_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> ModuleType:
        raise KeyError(name)

    load_command.cache_clear()
    monkeypatch.setattr(app, "import_module", broken)
    with pytest.raises(KeyError):
        ImportedCommands().get("doctor")
    assert ImportedCommands().get("docter") is None
    load_command.cache_clear()
