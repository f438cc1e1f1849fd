"""State of the adapter between starts: one small JSON file, replaced as a whole.

It holds when the bot last identified and last stopped, and the commands it has declared.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.errors import Misconfigured, Unavailable
from pipeline.values import replace


class _State(BaseModel):
    model_config = ConfigDict(extra="ignore")

    identified: list[float] = []
    """Unix seconds of the identifications of the last 24 hours."""
    stopped: float = 0.0
    """Unix seconds of the last clean stop."""
    commands: str = ""


class DiscordState:
    """The state file; a damaged one counts as empty. Raises Misconfigured when it cannot be read, Unavailable when it
    cannot be written."""

    def __init__(self, folder: Path, part: str = "") -> None:
        """Create it. `part` names the shards, where several processes have a file each."""
        self._path = folder / (f"discord-{part}.json" if part else "discord.json")

    @cached_property
    def _state(self) -> _State:
        try:
            return _State.model_validate_json(self._path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return _State()
        except OSError as error:
            raise Misconfigured(
                "CITEWELL_DATA",
                f"{self._path.name} in it cannot be read: {error.strerror}",
                what_to_do="Let the user that runs Citewell read and write it, or delete it: it holds no question.",
            ) from error

    @property
    def identified_at(self) -> tuple[float, ...]:
        return tuple(self._state.identified)

    @property
    def stopped_at(self) -> float:
        return self._state.stopped

    @property
    def commands_digest(self) -> str:
        return self._state.commands

    def mark_identified(self, times: tuple[float, ...]) -> None:
        self._save(replace(self._state, identified=list(times)))

    def mark_stopped(self, at: float) -> None:
        self._save(replace(self._state, stopped=at))

    def mark_commands(self, digest: str) -> None:
        self._save(replace(self._state, commands=digest))

    def _save(self, changed: _State) -> None:
        try:
            _write_atomically(self._path, changed.model_dump_json())
        except OSError as error:
            raise Unavailable("Discord", f"{self._path.name} cannot be written: {error.strerror}") from error
        self._state = changed


def _write_atomically(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_suffix(".new")
    with temporary.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
