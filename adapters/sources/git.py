"""Git repositories as a source of documents, by the system's git. It gets all its configuration here: no prompts,
hooks, submodules, proxies or configuration files. It connects only to addresses that were checked."""

from __future__ import annotations

import asyncio
import base64
import fcntl
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

from adapters.fetch.transport import Resolver, check_addresses, resolve_host
from adapters.files.reader import FileReader
from adapters.sources.folder.source import FolderSource
from pipeline.errors import Misconfigured, Refused, Unavailable
from pipeline.ports import SourceCache, SourceItem
from pipeline.values import ParsedDocument
from pipeline.words.text import strip_invisible

# --- The system's git -----------------------------------------------------------------------------

GIT_SECONDS = 1800.0
"""Seconds for one command: a first clone of a large repository over a slow line."""
STALL_SECONDS = 60.0
"""Seconds to wait for a command of a process that was killed."""
_MEMORY_KB = 2_000_000
_FILE_BLOCKS = 10_000_000
"""Blocks of 512 bytes in one file: of a pack or of the tree."""
_LIMITED_COMMAND = f'ulimit -v {_MEMORY_KB} && ulimit -f {_FILE_BLOCKS} && exec git "$@"'
"""Runs git with limits: a repository of 200 kB can stand for more files than there is memory or disk for."""
MAX_GIT_OUTPUT = 4_000_000
"""Bytes of a command's output."""
_PASSED_VARIABLES = ("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO")
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?")
"""Names that git's library looks up unchanged: it rewrites others, and would not connect to the checked address."""
_MIN_VERSION = (2, 37)
"""The first version that connects to given addresses (`http.curloptResolve`)."""
_DENIED = re.compile(r"Authentication failed|could not read Username|returned error: 40[13]", re.IGNORECASE)
_NOT_FOUND = re.compile(r"not found|returned error: 404|does not exist|not appear to be a git", re.IGNORECASE)
_REDIRECTED = re.compile(r"redirect|returned error: 30\d", re.IGNORECASE)


class GitRepository:
    """Commands on one repository at `url`, kept below `folder`. `token` is sent to its host only, in a header."""

    def __init__(
        self, folder: Path, url: str, *, token: str = "", private: bool = False, resolve: Resolver = resolve_host
    ) -> None:
        self._folder = folder.absolute()
        self._url = urlsplit(url)
        self._token = token
        self._private = private
        self._resolve = resolve
        self._configuration: dict[str, str] | None = None

    async def run_git(self, *arguments: str, network: bool = False) -> str:
        """Run a command and return its output. Raise Refused for a host that must not be connected to, Unavailable when
        the host forbids it or does not answer, Misconfigured without a git that is new enough."""
        if self._configuration is None:
            await self._check_version()
            self._configuration = dict(_CONFIGURATION)
        configuration = dict(self._configuration)
        if network:
            configuration |= await self._connection()
        status, output, errors = await _run(self._folder, self._environment(configuration), arguments)
        if status:
            raise self._to_error(arguments[0], errors)
        return output

    async def _check_version(self) -> None:
        _, output, _ = await _run(self._folder, self._environment({}), ("version",))
        numbers = re.search(r"(\d+)\.(\d+)", output)
        if numbers is None or (int(numbers[1]), int(numbers[2])) < _MIN_VERSION:
            raise Misconfigured("git", f"is too old: {output.strip()}", what_to_do="Install git 2.37 or newer.")

    async def _connection(self) -> dict[str, str]:
        """Return the configuration with the checked addresses, to which git connects even if the name resolves to
        others later, and with the credentials."""
        host, scheme = self._url.hostname or "", self._url.scheme
        if scheme == "file":
            return {}
        if not _HOST.fullmatch(host) and ":" not in host:
            raise Refused(f"{host} is not a host name", what_to_do="Write it in letters, digits, dots and hyphens.")
        port = self._url.port or _PORTS[scheme]
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise Unavailable("git", f"the name {host} has no address") from error
        check_addresses(host, addresses, private=self._private)
        pinned = ",".join(f"[{address}]" if ":" in address else address for address in addresses)
        connection = {"http.curloptResolve": f"{host}:{port}:{pinned}"} if ":" not in host else {}
        if self._token:
            connection[f"http.{scheme}://{self._url.netloc}/.extraHeader"] = (
                f"Authorization: Basic {self._credentials()}"
            )
        return connection

    def _credentials(self) -> str:
        """Return the Basic credentials. GitHub, GitLab and Gitea take any user with a token, Bitbucket one of this
        name."""
        user = "x-token-auth" if self._url.hostname == "bitbucket.org" else "x-access-token"
        pair = self._token if ":" in self._token else f"{user}:{self._token}"
        return base64.b64encode(pair.encode()).decode()

    def _environment(self, configuration: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the command. In it, other users of the machine do not see the token."""
        environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
        environment |= {
            "LC_ALL": "C",
            "HOME": str(self._folder),
            "GIT_DIR": str(self._folder / "git"),
            "GIT_WORK_TREE": str(self._folder / "tree"),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "false",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ALLOW_PROTOCOL": "file" if self._private and self._url.scheme == "file" else "http:https",
            "GIT_CONFIG_COUNT": str(len(configuration)),
        }
        for number, (key, value) in enumerate(configuration.items()):
            environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return environment

    def _to_error(self, command: str, errors: str) -> Refused | Unavailable:
        host = self._url.hostname or "the repository"
        if _DENIED.search(errors):
            return _access_error(f"{host} does not let git read the repository", "Check the token and its rights.")
        if _REDIRECTED.search(errors):
            return Refused(
                f"{host} sends git to another address", what_to_do="Use the address that it shows for cloning."
            )
        if _NOT_FOUND.search(errors):
            return _access_error(
                f"{host} has no such repository, or does not show it", "Check the address and the token."
            )
        return Unavailable("git", f"{command} did not work at {host}: {_last_line(errors)}")


def _access_error(message: str, what_to_do: str) -> Unavailable:
    return Unavailable("git", message, permanent=True, denied=True, what_to_do=what_to_do)


_CONFIGURATION = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.packedGitLimit": "256m",
    "core.packedGitWindowSize": "32m",
    "core.sparseCheckout": "true",
    "credential.helper": "",
    "gc.autoDetach": "false",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
    "safe.directory": "*",
    "submodule.recurse": "false",
}


async def _run(folder: Path, environment: Mapping[str, str], arguments: tuple[str, ...]) -> tuple[int, str, str]:
    if shutil.which("git", path=environment.get("PATH")) is None:
        raise Misconfigured("git", "is not installed", what_to_do="Install git 2.37 or newer.")
    lock = await _lock_folder(folder)
    try:
        process = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            _LIMITED_COMMAND,
            "git",
            *arguments,
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            pass_fds=(lock,),
        )
    finally:
        os.close(lock)
    try:
        async with asyncio.timeout(GIT_SECONDS):
            output, errors = await asyncio.gather(_read_output(process.stdout), _read_output(process.stderr))
            await process.wait()
    except TimeoutError as error:
        raise Unavailable("git", f"{arguments[0]} took longer than {GIT_SECONDS / 60:.0f} minutes") from error
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    return process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace")


async def _read_output(stream: asyncio.StreamReader | None) -> bytes:
    """Read the whole stream. Raise Refused for more than `MAX_GIT_OUTPUT`."""
    output = bytearray()
    while stream and (piece := await stream.read(65_536)):
        output += piece
        if len(output) > MAX_GIT_OUTPUT:
            raise Refused("git's output about the repository is too long", what_to_do="Name a part of it in `paths`.")
    return bytes(output)


async def _lock_folder(folder: Path) -> int:
    """Return a lock that the command inherits, so that a command whose parent was killed is waited for. Raise
    Unavailable when that takes too long."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        async with asyncio.timeout(STALL_SECONDS):
            while True:
                with suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return lock
                await asyncio.sleep(0.05)
    except TimeoutError as error:
        os.close(lock)
        raise Unavailable("git", "a command of an earlier sync is still running") from error


_SERVER_PREFIXES = ("remote:", "fatal: remote error:")
"""Prefixes of lines that the server wrote."""


def _last_line(text: str) -> str:
    """Return the last line that git itself wrote, rather than the server."""
    lines = [
        line for line in strip_invisible(text).splitlines() if line.strip() and not line.startswith(_SERVER_PREFIXES)
    ]
    return lines[-1].strip()[:200] if lines else "no reason was given"


# --- The source -----------------------------------------------------------------------------------

# the line of `ls-remote --symref` that names the default branch
_HEAD = re.compile(r"^ref: refs/heads/(\S+)\tHEAD$", re.MULTILINE)
MAX_REPOSITORY_FILES = 500_000
MAX_REPOSITORY_BYTES = 5_000_000_000
_CHECKED_OUT = "tree"
"""The cache key of the commit and paths that are completely checked out."""
_URL_TEMPLATES = {
    "github": "{repository}/blob/{branch}/{{path}}",
    "gitlab": "{repository}/-/blob/{branch}/{{path}}",
    "gitea": "{repository}/src/branch/{branch}/{{path}}",
    "bitbucket": "{repository}/src/{branch}/{{path}}",
}
_HOST_KINDS = {"github.com": "github", "gitlab.com": "gitlab", "codeberg.org": "gitea", "bitbucket.org": "bitbucket"}
"""The kind of each host, which decides its address of a file in a branch."""


class GitSource:
    """The files of a branch of the repository at `url`, or those below `paths`. They are kept in `folder`."""

    def __init__(
        self,
        name: str,
        url: str,
        git: GitRepository,
        cache: SourceCache,
        reader: FileReader,
        folder: Path,
        *,
        branch: str = "",
        paths: Sequence[str] = (),
        base_url: str = "",
    ) -> None:
        """An empty `branch` is the host's default branch; an empty `base_url` is derived from the host."""
        self.name = f"git:{name}"
        self._prefix = name
        self._url = url
        self._git = git
        self._cache = cache
        self._reader = reader
        self._folder = folder
        self._branch = branch
        self._paths = tuple(path.strip("/") for path in paths)
        self._base_url = base_url
        self._files: FolderSource | None = None

    @property
    def skipped(self) -> dict[str, str]:
        """The files that `list_items()` skipped, and why."""
        return self._files.skipped if self._files else {}

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield the files as they are at the remote. Raises Refused, Unavailable and Misconfigured as
        `GitRepository.run_git`."""
        branch, commit = await self._resolve_branch()
        checked_out = "\n".join((commit, self._url, *self._paths))
        if (await self._cache.load()).get(_CHECKED_OUT) != checked_out or not self._tree.is_dir():
            await self._check_out(branch)
            await self._cache.update({_CHECKED_OUT: checked_out})
        base_url = self._base_url or guess_base_url(self._url, branch)
        self._files = FolderSource(self._tree, self._reader, prefix=f"{self._prefix}/", base_url=base_url)
        async for item in self._files.list_items():
            yield item

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item of `list_items()`. Raises Refused."""
        if self._files is None:
            raise TypeError("not an item of this source")
        return await self._files.parse_item(item)

    @property
    def _tree(self) -> Path:
        return self._folder / "tree"

    async def _resolve_branch(self) -> tuple[str, str]:
        """Return the branch and its current commit."""
        await asyncio.to_thread(self._folder.mkdir, mode=0o700, parents=True, exist_ok=True)
        ref_name = f"refs/heads/{self._branch}" if self._branch else "HEAD"
        output = await self._git.run_git("ls-remote", "--symref", "--", self._url, ref_name, network=True)
        head = _HEAD.search(output)
        lines = (line.partition("\t") for line in output.splitlines() if not line.startswith("ref:"))
        commits = {ref: commit for commit, _, ref in lines}
        if ref_name not in commits:
            raise Refused(f"the repository has no branch {self._branch or 'that it shows'}", what_to_do="Name another.")
        return self._branch or (head[1] if head else "HEAD"), commits[ref_name]

    async def _check_out(self, branch: str) -> None:
        """Check the branch out, whatever a crash or somebody else left in the folder."""
        try:
            await self._fetch_tree(branch)
        except Unavailable as error:
            if error.denied or await self._is_whole():
                raise
            await asyncio.to_thread(shutil.rmtree, self._folder / "git", ignore_errors=True)
            await self._fetch_tree(branch)

    async def _fetch_tree(self, branch: str) -> None:
        await asyncio.to_thread(self._prepare)
        if not (self._folder / "git" / "HEAD").is_file():
            await self._git.run_git("init", "--quiet")
        await self._git.run_git("config", "remote.origin.url", self._url)
        filters = ("--filter=blob:none",) if self._paths else ()
        source = f"refs/heads/{branch}" if branch != "HEAD" else "HEAD"
        fetch = ("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", *filters)
        await self._git.run_git(*fetch, "origin", f"+{source}:refs/citewell/head", network=True)
        await self._check_size()
        await self._git.run_git("read-tree", "--reset", "-u", "refs/citewell/head", network=True)
        await self._git.run_git("clean", "-ffdxq")

    async def _check_size(self) -> None:
        """Raise Refused for a tree that would fill the disk. With `paths` the files are not fetched yet, so they are
        counted."""
        size_format = "--format=0" if self._paths else "--format=%(objectsize)"
        output = await self._git.run_git("ls-tree", "-r", size_format, "refs/citewell/head", "--", *self._paths)
        sizes = [int(size) for size in output.split() if size.isdecimal()]
        if len(sizes) > MAX_REPOSITORY_FILES or sum(sizes) > MAX_REPOSITORY_BYTES:
            raise Refused(
                f"the repository has more than {MAX_REPOSITORY_FILES:,} files or {MAX_REPOSITORY_BYTES // 10**9} GB",
                what_to_do="Name the parts of it that are documents in `paths`.",
            )

    async def _is_whole(self) -> bool:
        try:
            await self._git.run_git("fsck", "--connectivity-only")
        except Unavailable:
            return False
        return True

    def _prepare(self) -> None:
        """Create the folders, write which files are wanted, and remove the locks of a command that was killed."""
        git_folder = self._folder / "git"
        for folder in (self._tree, git_folder / "info"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        patterns = [f"/{_escaped(path)}" for path in self._paths] or ["/*"]
        (git_folder / "info" / "sparse-checkout").write_text("\n".join(patterns) + "\n", encoding="utf-8")
        for lock in (*git_folder.glob("*.lock"), *(git_folder / "refs").rglob("*.lock")):
            lock.unlink()


def _escaped(path: str) -> str:
    """Return a path as a pattern that matches nothing else."""
    return re.sub(r"([\\*?\[\]])", r"\\\1", path)


def guess_base_url(url: str, branch: str) -> str:
    """Return the `base_url` of a repository by its host, or by the beginning of a self-hosted host's name (`gitlab.…`);
    empty where that tells nothing."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    kind = _HOST_KINDS.get(host) or next(
        (kind for kind in ("github", "gitlab", "gitea") if host.startswith(f"{kind}.")), ""
    )
    if not kind:
        return ""
    netloc = parts.netloc.rpartition("@")[2]
    repository = f"{parts.scheme}://{netloc}{parts.path.rstrip('/').removesuffix('.git')}"
    return _URL_TEMPLATES[kind].format(repository=repository, branch=quote(branch))
