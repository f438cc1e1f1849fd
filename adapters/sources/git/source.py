"""A git repository as a source of documents: a shallow clone that follows one branch, read as a folder."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

from adapters.files.reader import Reader
from adapters.sources.folder.source import FolderSource
from adapters.sources.git.command import Git
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem, SourceMemory
from pipeline.values import Parsed

_HEAD = re.compile(r"^ref: refs/heads/(\S+)\tHEAD$", re.MULTILINE)
MOST_FILES = 500_000
MOST_BYTES = 5_000_000_000
_THERE = "tree"
"""What the memory calls the commit and paths that are checked out whole."""
_FORMS = {
    "github": "{repository}/blob/{branch}/{{path}}",
    "gitlab": "{repository}/-/blob/{branch}/{{path}}",
    "gitea": "{repository}/src/branch/{branch}/{{path}}",
    "bitbucket": "{repository}/src/{branch}/{{path}}",
}
_HOSTS = {"github.com": "github", "gitlab.com": "gitlab", "codeberg.org": "gitea", "bitbucket.org": "bitbucket"}
"""Where hosts show a file of a branch."""


class GitSource:
    """The files of a branch of the repository at `url`, or those below `paths`. They are kept in `folder`."""

    def __init__(
        self,
        name: str,
        url: str,
        git: Git,
        memory: SourceMemory,
        reader: Reader,
        folder: Path,
        *,
        branch: str = "",
        paths: Sequence[str] = (),
        base_url: str = "",
    ) -> None:
        """`branch`: empty for the one that the host shows first. `base_url`: empty for that of the host."""
        self.name = f"git:{name}"
        self._short = name
        self._url = url
        self._git = git
        self._memory = memory
        self._reader = reader
        self._folder = folder
        self._branch = branch
        self._paths = tuple(path.strip("/") for path in paths)
        self._base_url = base_url
        self._files: FolderSource | None = None

    @property
    def skipped(self) -> dict[str, str]:
        """The files of `items()` that are not read, and why."""
        return self._files.skipped if self._files else {}

    async def items(self) -> AsyncIterator[SourceItem]:
        """The files as they are at the remote. Raises Refused, Unavailable and Misconfigured as `Git.run`."""
        branch, commit = await self._remote()
        there = "\n".join((commit, self._url, *self._paths))
        if (await self._memory.recall()).get(_THERE) != there or not self._tree.is_dir():
            await self._check_out(branch)
            await self._memory.keep({_THERE: there})
        base_url = self._base_url or base_url_of(self._url, branch)
        self._files = FolderSource(self._tree, self._reader, prefix=f"{self._short}/", base_url=base_url)
        async for item in self._files.items():
            yield item

    async def parse(self, item: SourceItem) -> Parsed:
        """Read one of `items()`. Raises Refused."""
        if self._files is None:
            raise TypeError("not an item of this source")
        return await self._files.parse(item)

    @property
    def _tree(self) -> Path:
        return self._folder / "tree"

    async def _remote(self) -> tuple[str, str]:
        """The branch and its commit now."""
        await asyncio.to_thread(self._folder.mkdir, mode=0o700, parents=True, exist_ok=True)
        wanted = f"refs/heads/{self._branch}" if self._branch else "HEAD"
        said = await self._git.run("ls-remote", "--symref", "--", self._url, wanted, network=True)
        shown = _HEAD.search(said)
        lines = (line.partition("\t") for line in said.splitlines() if not line.startswith("ref:"))
        commits = {ref: commit for commit, _, ref in lines}
        if wanted not in commits:
            raise Refused(f"the repository has no branch {self._branch or 'that it shows'}", what_to_do="Name another.")
        return self._branch or (shown[1] if shown else "HEAD"), commits[wanted]

    async def _check_out(self, branch: str) -> None:
        """Bring the files to the branch as it is now, whatever a crash or somebody else left there."""
        try:
            await self._follow(branch)
        except Unavailable as error:
            if error.denied or await self._is_whole():
                raise
            await asyncio.to_thread(shutil.rmtree, self._folder / "git", ignore_errors=True)
            await self._follow(branch)

    async def _follow(self, branch: str) -> None:
        await asyncio.to_thread(self._prepare)
        if not (self._folder / "git" / "HEAD").is_file():
            await self._git.run("init", "--quiet")
        await self._git.run("config", "remote.origin.url", self._url)
        few = ("--filter=blob:none",) if self._paths else ()
        source = f"refs/heads/{branch}" if branch != "HEAD" else "HEAD"
        words = ("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", *few)
        await self._git.run(*words, "origin", f"+{source}:refs/citewell/head", network=True)
        await self._check_size()
        await self._git.run("read-tree", "--reset", "-u", "refs/citewell/head", network=True)
        await self._git.run("clean", "-ffdxq")

    async def _check_size(self) -> None:
        """Raises Refused for a tree that would fill the disk. Of a part, the files are not there yet: they count."""
        form = "--format=0" if self._paths else "--format=%(objectsize)"
        said = await self._git.run("ls-tree", "-r", form, "refs/citewell/head", "--", *self._paths)
        sizes = [int(size) for size in said.split() if size.isdecimal()]
        if len(sizes) > MOST_FILES or sum(sizes) > MOST_BYTES:
            raise Refused(
                f"the repository has more than {MOST_FILES:,} files or {MOST_BYTES // 10**9} GB",
                what_to_do="Name the parts of it that are documents in `paths`.",
            )

    async def _is_whole(self) -> bool:
        try:
            await self._git.run("fsck", "--connectivity-only")
        except Unavailable:
            return False
        return True

    def _prepare(self) -> None:
        """Folders, which files are wanted, and no locks of a command that was killed."""
        own = self._folder / "git"
        for folder in (self._tree, own / "info"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        wanted = [f"/{_escaped(path)}" for path in self._paths] or ["/*"]
        (own / "info" / "sparse-checkout").write_text("\n".join(wanted) + "\n", encoding="utf-8")
        for lock in (*own.glob("*.lock"), *(own / "refs").rglob("*.lock")):
            lock.unlink()


def _escaped(path: str) -> str:
    """A path as a pattern that stands for nothing else."""
    return re.sub(r"([\\*?\[\]])", r"\\\1", path)


def base_url_of(url: str, branch: str) -> str:
    """The `base_url` of a repository by its host, or by the name that a host of one's own often has (`gitlab.…`);
    empty where that says nothing."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    form = _HOSTS.get(host) or next((kind for kind in ("github", "gitlab", "gitea") if host.startswith(f"{kind}.")), "")
    if not form:
        return ""
    netloc = parts.netloc.rpartition("@")[2]
    repository = f"{parts.scheme}://{netloc}{parts.path.rstrip('/').removesuffix('.git')}"
    return _FORMS[form].format(repository=repository, branch=quote(branch))
