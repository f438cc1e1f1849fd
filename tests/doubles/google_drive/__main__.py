"""`python -m tests.doubles.google_drive KEY_FILE`: the double in a process of its own, with two Docs in the folder
`root-folder`; writes the service account's key and prints its address."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.doubles.google_drive.drive import DOC
from tests.doubles.google_drive.server import open_google_drive

_DOCS = {
    "Parental leave": "# Parental leave\n\nBoth parents get sixteen weeks of paid leave.\n",
    "Board minutes": "# Minutes\n\nThe salary budget grows by four per cent.\n",
}


async def main(key: Path) -> None:
    async with open_google_drive() as google:
        for number, (name, text) in enumerate(_DOCS.items()):
            content = {"text/markdown": text.encode(), "text/plain": text.encode()}
            google.drive.add(f"doc-{number}", name, DOC, parent="root-folder", content=content)
        google.drive.change("doc-1", limited=True, granted={"owner"})
        await asyncio.to_thread(key.write_text, json.dumps(google.key))
        print(google.url, flush=True)  # noqa: T201 - the address is the output
        await asyncio.Event().wait()


asyncio.run(main(Path(sys.argv[1])))
