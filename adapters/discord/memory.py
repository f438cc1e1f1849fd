"""What the adapter remembers between starts: one small JSON file, replaced as a whole.

How far the gateway has been read, when the last identifications and the last stop were, the DM channels it knows, and
the commands it has declared. Nothing of it is needed for correctness of what is already in the inbox.
"""

from __future__ import annotations

import os
import threading
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.errors import Misconfigured, Unavailable
from pipeline.values import replace

KNOWN_DIRECTS = 500
"""DM channels that are read after an outage. The half of them used last are among them, whoever else writes."""


class _State(BaseModel):
    model_config = ConfigDict(extra="ignore")

    read_until: float = 0.0
    """Unix seconds: everything sent before is in the inbox."""
    identified: list[float] = []
    """Unix seconds of the identifications of the last 24 hours."""
    stopped: float = 0.0
    """Unix seconds of the last stop that was asked for."""
    directs: list[int] = []
    commands: str = ""


class Memory:
    """Any thread may use it. A damaged file counts as an empty one. Raises Misconfigured when the file cannot be read,
    Unavailable when it cannot be written."""

    def __init__(self, folder: Path, part: str = "") -> None:
        """`part` names the shards, where several processes have a file each."""
        self._path = folder / (f"discord-{part}.json" if part else "discord.json")
        self._lock = threading.RLock()

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
    def read_until(self) -> float:
        return self._state.read_until

    @property
    def identified(self) -> tuple[float, ...]:
        return tuple(self._state.identified)

    @property
    def stopped(self) -> float:
        return self._state.stopped

    @property
    def directs(self) -> tuple[int, ...]:
        return tuple(self._state.directs)

    @property
    def commands(self) -> str:
        return self._state.commands

    def mark_read(self, until: float) -> None:
        with self._lock:
            if until > self._state.read_until:
                self._save(replace(self._state, read_until=until))

    def mark_identified(self, times: tuple[float, ...]) -> None:
        with self._lock:
            self._save(replace(self._state, identified=list(times)))

    def mark_stopped(self, at: float) -> None:
        with self._lock:
            self._save(replace(self._state, stopped=at))

    def mark_commands(self, digest: str) -> None:
        with self._lock:
            self._save(replace(self._state, commands=digest))

    def know_direct(self, channel_id: int) -> None:
        """A DM channel was used. It moves to the end of the known ones unless it stands in their last half: two people
        who write in turn do not make a write to the disk of every message."""
        with self._lock:
            if channel_id not in self._state.directs[-KNOWN_DIRECTS // 2 :]:
                others = [known for known in self._state.directs if known != channel_id]
                self._save(replace(self._state, directs=[*others, channel_id][-KNOWN_DIRECTS:]))

    def forget_direct(self, channel_id: int) -> None:
        with self._lock:
            if channel_id in self._state.directs:
                directs = [known for known in self._state.directs if known != channel_id]
                self._save(replace(self._state, directs=directs))

    def _save(self, changed: _State) -> None:
        try:
            _replace(self._path, changed.model_dump_json())
        except OSError as error:
            raise Unavailable("Discord", f"{self._path.name} cannot be written: {error.strerror}") from error
        self._state = changed


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    with beside.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
