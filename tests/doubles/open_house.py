"""An open Citewell over a few small documents, and the application that programs call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette

from adapters.http.hosts import LocalOperator
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.config.tables import CollectionSettings
from bot.platforms import open_program_routes
from bot.wiring import open_citewell

DOCUMENTS = {
    "open": "# Leave\n\nEmployees get 25 vacation days a year.\n\n## Rooms\n\n| Room | Floor |\n| --- | --- |\n"
    "| Oak | 2 |\n",
    "secret": "# Salaries\n\nThe salary band of engineers is quetzalcoatlus.\n",
}
"""By collection; `secret` is for one group alone."""
SECRET = "quetzalcoatlus"


@asynccontextmanager
async def opened(folder: Path, machine: LocalOperator | None = None) -> AsyncIterator[tuple[Citewell, Starlette]]:
    """`machine`: where nobody signs in."""
    settings = Settings(
        _env_file=None,  # type: ignore[call-arg] # pydantic's own
        data=folder / "data",
        embedder="none",
        model="extractive",
        collections={"secret": CollectionSettings(only=("web:group:staff",))},
    )
    async with open_citewell(settings) as citewell:
        for collection, text in DOCUMENTS.items():
            (folder / f"{collection}.md").write_text(text)
            await citewell.index([folder / f"{collection}.md"], collection=collection)
        async with open_program_routes(citewell, url="", machine=machine, tokens=None) as routes:
            yield citewell, Starlette(routes=routes)
