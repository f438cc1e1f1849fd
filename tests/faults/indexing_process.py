"""Indexes a folder and kills itself after some documents: `python indexing_process.py DATA FOLDER DOCUMENTS`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from adapters.files.reader import FileReader
from adapters.sources.folder.source import FolderSource
from pipeline.ingest.ingest import IngestEvent, ingest_source
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from storage.open import open_storage


async def main(data: Path, folder: Path, documents: int) -> None:
    """With 0 documents, to the end."""

    def die(event: IngestEvent) -> None:
        if event.done == documents:
            os.kill(os.getpid(), signal.SIGKILL)

    async with open_storage(data) as storage:
        source = FolderSource(folder, FileReader(), prefix="")
        await ingest_source(
            source,
            storage.library,
            TokenSplitter(WordTokenizer(), tokens=60),
            None,
            die,
            flag=lambda text: False,
            collection="c",
        )


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
