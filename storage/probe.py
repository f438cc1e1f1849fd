"""Opens a Chroma folder and searches it, in a process of its own: a broken one can end its process by SIGSEGV, or write
until the disk is full."""

from __future__ import annotations

import asyncio
import resource
import sys
from pathlib import Path

from pipeline.errors import Unavailable
from storage.chroma import ChromaStore

SECONDS = 120.0
FILE_BYTES = 8 << 30
BASE_BYTES = 256 << 20
BYTES_PER_VECTOR = 32 << 10
"""A sound folder takes about 8 kB a vector of 384 dimensions; broken ones grew to hundreds of gigabytes."""
SOURCE = str(Path(__file__).resolve().parent.parent)


async def sound(folder: Path, vectors: int) -> bool:
    """Whether the store in `folder`, which should hold `vectors`, opens and answers. True for one that is not there.

    Raises Unavailable when that cannot be found out."""
    try:
        size = await asyncio.to_thread(_size, folder)
        if size == 0 or size > BASE_BYTES + BYTES_PER_VECTOR * vectors:
            return size == 0
        return await _opens(folder)
    except OSError as error:
        raise Unavailable("chroma", f"{folder} cannot be tested: {error}") from error


async def _opens(folder: Path) -> bool:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", f"import sys; sys.path.insert(0, {SOURCE!r}); import storage.probe as p; p.main()"),
        str(folder),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(SECONDS):
            return await process.wait() == 0
    except TimeoutError:
        return False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _size(folder: Path) -> int:
    """Apparent size in bytes: a torn store may be a sparse file that fills the disk when copied."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main() -> None:
    """Read everything the way a search does; exit status 0 when nothing breaks."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    store = ChromaStore.in_folder(Path(sys.argv[1]))
    for collection in store.collections():
        if numbers := store.numbers(collection):
            vector = store.vector(collection, min(numbers))
            if not store.search(collection, vector, 10):
                sys.exit(1)
    store.close()
