"""Whether a wheel and a source archive hold all of the program: exit status 1, with what is missing, when not."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("adapters", "bot", "pipeline", "storage")
MANIFEST = "adapters/slack/manifest.yml"
"""Where the Slack app's manifest stands in a wheel."""
HANDBOOK = ("examples/handbook/", "bot/handbook_files/")
"""Where the example handbook stands in the repository and in a wheel."""
REQUIRED = (
    "pipeline/screen/weights.json",
    *(
        f"adapters/models/{model}/{name}"
        for model in ("minilm", "reader")
        for name in ("model.int8.onnx", "tokenizer.json")
    ),
)


def tracked(*folders: str) -> set[str]:
    """The files of the repository below `folders`."""
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603, S607
    return set(filter(None, listed.stdout.split("\0")))


def missing(folder: Path) -> Iterable[str]:
    """What `folder` lacks of a release."""
    wheels, archives = list(folder.glob("*.whl")), list(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(archives) != 1:
        return [f"one wheel and one source archive, not {len(wheels)} and {len(archives)}"]
    files = tracked(*PACKAGES) | set(REQUIRED)
    with zipfile.ZipFile(wheels[0]) as wheel:
        held = set(wheel.namelist())
    handbook = {name.replace(*HANDBOOK) for name in tracked(HANDBOOK[0])}
    with tarfile.open(archives[0]) as archive:
        sources = {name.partition("/")[2] for name in archive.getnames()}
    return [
        *(f"{wheels[0].name}: {name}" for name in sorted((files | handbook | {MANIFEST}) - held)),
        *(
            f"{archives[0].name}: {name}"
            for name in sorted((files | {"pyproject.toml", "LICENSE", "manifest.yml"}) - sources)
        ),
    ]


if __name__ == "__main__":
    lacking = missing(Path(sys.argv[1]))
    sys.exit("\n".join(f"missing in {one}" for one in lacking) if lacking else 0)
