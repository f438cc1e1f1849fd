"""A second PostgreSQL server that has every acknowledged commit of the first, and takes its place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.doubles.postgres import SUPERUSER, Server, run_as_owner

STREAMING = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"


@dataclass
class Replicated:
    """`primary` commits once `standby` has it on its disk."""

    primary: Server
    around: Path
    """The folder that those of all standbys are in."""
    standby: Server = field(init=False)
    _numbers: Iterator[int] = field(default_factory=count)

    def add_standby(self) -> None:
        """A physical copy of the primary, which streams from it."""
        folder = self.around / f"standby-{next(self._numbers)}"
        folder.mkdir()
        shutil.chown(folder, self.around.owner())
        copy = ("-D", str(folder / "data"), "-h", str(self.primary.folder), "-U", SUPERUSER, "-R", "--checkpoint=fast")
        copying = run_as_owner(self.primary.binaries / "pg_basebackup", *copy, "--no-sync", folder=folder)
        copying.communicate()
        self.standby = Server(self.primary.binaries, folder, self.primary.settings)
        self.standby.start()
        self.primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.execute("SELECT pg_reload_conf()")
        self.primary.wait_for(STREAMING)

    def fail_over(self) -> None:
        """The primary is gone at once, and the standby takes its place."""
        self.primary.stop()
        shutil.rmtree(self.primary.folder / "data")
        self.standby.execute("SELECT pg_promote()")
        self.primary = self.standby


@contextmanager
def replicated(server: Server) -> Iterator[Replicated]:
    pair = Replicated(server, server.folder)
    try:
        pair.add_standby()
        yield pair
    finally:
        pair.primary.stop()
        pair.standby.stop()
