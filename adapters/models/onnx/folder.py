"""A folder with a model: its graph, its tokenizer, and `manifest.json`, which says how they are used."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from adapters.models.onnx.graph import Graph
from pipeline.errors import Misconfigured, Unavailable

MANIFEST = "manifest.json"
TOKENIZER = "tokenizer.json"
_GIVE = f"It needs a graph (.onnx), {TOKENIZER} and a {MANIFEST}: docs/operations/models.md."

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    files: dict[str, Sha256]
    """The SHA-256 of each file that belongs to the model, by its path in the folder."""
    max_length: int = Field(ge=16, le=32_768)
    """Tokens that it reads of a text, special ones included."""

    @model_validator(mode="after")
    def _one_graph(self) -> Self:
        if len(self._graphs()) != 1 or TOKENIZER not in self.files:
            raise ValueError(f"files must name one .onnx and {TOKENIZER}")
        return self

    @property
    def weights(self) -> str:
        return self._graphs()[0]

    def _graphs(self) -> list[str]:
        return [name for name in self.files if name.endswith(".onnx")]


class EmbedderManifest(Manifest):
    pooling: Literal["mean", "cls", "last"] | None = None
    """Which of its tokens' vectors is that of a text; None where the graph gives one vector a text."""
    normalise: bool = True
    """False where the graph gives vectors of unit length."""
    question_prefix: str = ""
    passage_prefix: str = ""
    """What the model wants to stand before a text, with its blank."""

    @property
    def digest(self) -> str:
        """Differs when any vector may."""
        return hashlib.sha256(json.dumps(self.model_dump(), sort_keys=True).encode()).hexdigest()[:16]


M = TypeVar("M", bound=Manifest)


def read_manifest(folder: Path, kind: type[M], setting: str) -> M:
    """Raises Misconfigured, naming `setting`, when it is missing or wrong, or a file that it names is missing."""
    path = folder / MANIFEST
    try:
        manifest = kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise Misconfigured(setting, f"{path} cannot be read ({error.strerror})", what_to_do=_GIVE) from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = f"{'.'.join(map(str, first['loc']))}: " if first["loc"] else ""
        raise Misconfigured(setting, f"{path} is wrong: {where}{first['msg']}", what_to_do=_GIVE) from error
    if missing := [name for name in manifest.files if not (folder / name).is_file()]:
        raise Misconfigured(setting, f"{folder / missing[0]} is missing", what_to_do=_GIVE)
    return manifest


def open_graph(folder: Path, manifest: Manifest, service: str) -> Graph:
    """Its files are compared with the manifest before they are loaded."""

    def check() -> None:
        for name, sha256 in manifest.files.items():
            with (folder / name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                    raise Unavailable(
                        service,
                        f"{name} is not the file that its {MANIFEST} names",
                        permanent=True,
                        what_to_do=f"Copy the files again, or write the SHA-256 of those you trust into {MANIFEST}.",
                    )

    return Graph(service, folder / manifest.weights, folder / TOKENIZER, most_tokens=manifest.max_length, check=check)
