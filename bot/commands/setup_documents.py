"""The folder that `citewell init` offers to index."""

from __future__ import annotations

import asyncio
import re
from itertools import chain, count
from pathlib import Path

import typer
from rich.text import Text

from bot.commands import sources
from bot.commands.setup_tokens import TerminalPrompts
from bot.commands.terminal import out, print_note
from bot.config import source_file
from bot.config.files import config_path
from bot.config.read import read_settings
from bot.config.settings import Settings, secret_value
from bot.config.tables import FolderTable
from pipeline.errors import CitewellError


def offer_folder(settings: Settings, prompts: TerminalPrompts | None) -> Path | None:
    """Ask for a folder if there is neither a source nor a document. Return None if it is left for later."""
    if prompts is None or settings.sources or asyncio.run(_indexed(settings))[0]:
        return None
    out.print("\n[bold]Documents[/bold]")
    while answer := prompts.text("  Folder to index (Enter: later)"):
        folder = Path(answer).expanduser()
        if folder.is_dir():
            return folder
        print_note(f"  {folder} is {'no folder' if folder.exists() else 'not there'}.")
    return None


def unsynced_folders(settings: Settings) -> list[FolderTable]:
    """Return the folders of `citewell.toml` whose first sync has not ended."""
    folders = [table for table in settings.sources if isinstance(table, FolderTable)]
    synced = asyncio.run(_indexed(settings))[1] if folders else frozenset()
    return [table for table in folders if table.source_id not in synced]


async def _indexed(settings: Settings) -> tuple[int, frozenset[str]]:
    """Return how many documents there are, and the sources that were synced. Both are empty without a data folder."""
    from storage.documents.source_state import SQLSyncOutcomes
    from storage.open import open_storage

    try:
        async with open_storage(settings.data, database=secret_value(settings.database), make=False) as storage:
            return await storage.library.count(), frozenset(await SQLSyncOutcomes(storage.database).last())
    except CitewellError:
        return 0, frozenset()


def index_folder(settings: Settings, folder: Path) -> bool:
    """Make a folder a source in `citewell.toml`, unless it is one, and index it. Return True if all documents were
    indexed.

    Raises Refused or Misconfigured when the file cannot hold it.
    """
    path = folder.expanduser().resolve()
    tables = {table.source_id: table for table in settings.sources}
    table = tables.get(path.as_posix())
    if table is None:
        name = _name(path, {source.name for source in settings.sources})
        table = FolderTable.model_validate({"kind": "folder", "name": name, "path": path})
        read_settings(sources=[*settings.sources, table])
        source_file.add_source_table(config_path(), table)
    out.print(Text.assemble("\n", ("Indexing", "bold"), f" {path}"), soft_wrap=True)
    try:
        sources.sync([table.name])
    except typer.Exit:
        return False
    return True


def _name(folder: Path, taken: set[str]) -> str:
    """Return a name for a source, after its folder."""
    name = re.sub(r"[^\w-]+", "-", folder.name).strip("-_") or "documents"
    candidates = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(candidate for candidate in candidates if candidate not in taken)
