"""The folder that `citewell init` offers to index."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import typer
from rich.text import Text

from bot.commands import sources
from bot.commands.setup_tokens import Asker
from bot.commands.terminal import note, out
from bot.config import source_file
from bot.config.files import config_file
from bot.config.read import read_settings
from bot.config.settings import Settings, secret
from bot.config.tables import FolderTable
from pipeline.errors import CitewellError


def offer_folder(found: Settings, asker: Asker | None) -> Path | None:
    """Ask for a folder where there is neither a source nor a document. Return None where it is left for later."""
    if asker is None or found.sources or asyncio.run(_kept(found))[0]:
        return None
    out.print("\n[bold]Documents[/bold]")
    while answer := asker.text("  Folder to index (Enter: later)"):
        folder = Path(answer).expanduser()
        if folder.is_dir():
            return folder
        note(f"  {folder} is {'no folder' if folder.exists() else 'not there'}.")
    return None


def unfinished(found: Settings) -> list[FolderTable]:
    """Return the folders of `citewell.toml` whose first sync has not ended."""
    folders = [table for table in found.sources if isinstance(table, FolderTable)]
    looked = asyncio.run(_kept(found))[1] if folders else frozenset()
    return [table for table in folders if table.source not in looked]


async def _kept(found: Settings) -> tuple[int, frozenset[str]]:
    """Return how many documents there are, and the sources that were synced. Nothing is there without a data folder."""
    from storage.documents.sources import SQLSourceLooks
    from storage.open import open_storage

    try:
        async with open_storage(found.data, database=secret(found.database), make=False) as storage:
            looks = await SQLSourceLooks(storage.database).last()
            return await storage.library.count(), frozenset(looks)
    except CitewellError:
        return 0, frozenset()


def index_folder(found: Settings, folder: Path) -> bool:
    """Make a folder a source in `citewell.toml`, unless it is one, and take its documents in. Return whether all were.

    Raise Refused or Misconfigured where the file cannot hold it."""
    path = folder.expanduser().resolve()
    tables = {table.source: table for table in found.sources}
    table = tables.get(path.as_posix())
    if table is None:
        name = _name(path, {one.name for one in found.sources})
        table = FolderTable.model_validate({"kind": "folder", "name": name, "path": path})
        read_settings(sources=[*found.sources, table])
        source_file.add(config_file(), table)
    out.print(Text.assemble("\n", ("Indexing", "bold"), f" {path}"), soft_wrap=True)
    try:
        sources.sync([table.name])
    except typer.Exit:
        return False
    return True


def _name(folder: Path, taken: set[str]) -> str:
    """Return a name for a source, after its folder."""
    name = re.sub(r"[^\w-]+", "-", folder.name).strip("-_") or "documents"
    return next(one for one in (name, *(f"{name}-{number}" for number in range(2, 1000))) if one not in taken)
