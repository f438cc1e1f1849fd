"""Models as ONNX graphs with their tokenizers, run by onnxruntime on the processor, and the manifest of a model's
folder."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pipeline.errors import CitewellError, Misconfigured, Unavailable

# --- A graph and its tokenizer --------------------------------------------------------------------

ERROR_SEVERITY = 3
"""The level from which on onnxruntime writes to standard error, past every log."""
_TOKENIZER_ATTRIBUTES = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""The inputs of transformer graphs, and the tokenizer's attribute for each."""

OutputArray = NDArray[np.float32]
TextOrPair = str | tuple[str, str]
"""A text, or two that are encoded together."""


class OnnxModel:
    """A graph of a transformer, and its tokenizer. Each text is run by itself, so that its neighbours make no
    difference. Nothing is loaded before the first call. Every method raises Unavailable, naming `service`, when the
    files are missing or cannot be run."""

    def __init__(
        self,
        service: str,
        weights: Path,
        tokenizer: Path,
        *,
        max_tokens: int,
        threads: int | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """A text is cut off after `max_tokens`. `check` is called before the files are loaded."""
        self.service = service
        self._weights = weights
        self._tokenizer_path = tokenizer
        self._max_tokens = max_tokens
        self._check = check
        self._loading = threading.Lock()
        self.threads = threads or min(os.cpu_count() or 1, 4)
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix=service.replace(" ", "-"))
        self.texts_run = 0
        """Texts run so far; several at once may count as one."""
        self.cpu_seconds = 0.0
        """Seconds of processor time that these texts took."""

    async def run(self, texts: Sequence[TextOrPair]) -> list[OutputArray]:
        """Return the first output for each of `texts`. If cancelled, the texts that were not begun are skipped."""
        if len(texts) == 1:  # somebody waits: not behind all that is being indexed
            return await asyncio.to_thread(lambda: [self._run(encoding) for encoding in self._encode(texts)])
        submit = partial(asyncio.get_running_loop().run_in_executor, self._pool)
        encoded = await submit(self._encode, texts)
        return list(await asyncio.gather(*(submit(self._run, encoding) for encoding in encoded)))

    def load(self) -> None:
        """Load the files now, if they are not loaded."""
        with self._loading:
            _ = self._tokenizer, self._session

    def count_tokens(self, text: str) -> int:
        """Return the tokens of `text`, however long, without the special ones."""
        with self._loading:
            tokenizer = self._untruncated_tokenizer
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    def _encode(self, texts: Sequence[TextOrPair]) -> list[Any]:
        self.load()
        tokenizer = self._tokenizer
        with raise_unavailable(self.service, "the texts could not be read"):
            return list(tokenizer.encode_batch_fast(list(texts)))

    def _run(self, encoded: Any) -> OutputArray:
        session, inputs = self._session
        model_inputs = {name: np.array([getattr(encoded, attribute)], np.int64) for name, attribute in inputs.items()}
        began = time.thread_time()
        with raise_unavailable(self.service, "the graph could not be run"):
            row: OutputArray = session.run(None, model_inputs)[0][0]
        self.cpu_seconds += time.thread_time() - began
        self.texts_run += 1
        return row

    @cached_property
    def _session(self) -> tuple[Any, dict[str, str]]:
        """The loaded graph and its inputs. It uses one thread a run: parallel runs use the cores better than threads
        inside one run."""
        with raise_unavailable(self.service, "the model could not be loaded", permanent=True):
            self._check()
            onnxruntime = load_onnxruntime()
            options = onnxruntime.SessionOptions()
            options.log_severity_level = ERROR_SEVERITY
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            session = onnxruntime.InferenceSession(str(self._weights), options, providers=["CPUExecutionProvider"])
        input_names = [model_input.name for model_input in session.get_inputs()]
        if unknown := [name for name in input_names if name not in _TOKENIZER_ATTRIBUTES]:
            raise Unavailable(
                self.service, f"its graph asks for {unknown[0]}, which the tokenizer does not give", permanent=True
            )
        return session, {name: _TOKENIZER_ATTRIBUTES[name] for name in input_names}

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = self._load_tokenizer()
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer

    @cached_property
    def _untruncated_tokenizer(self) -> Any:
        tokenizer = self._load_tokenizer()
        tokenizer.no_truncation()
        return tokenizer

    def _load_tokenizer(self) -> Any:
        with raise_unavailable(self.service, "the tokenizer could not be loaded", permanent=True):
            from tokenizers import Tokenizer

            tokenizer = Tokenizer.from_file(str(self._tokenizer_path))
        tokenizer.no_padding()
        return tokenizer


def load_onnxruntime() -> Any:
    """Return onnxruntime, without its telemetry, and with nothing but errors written here."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read once, when it loads; SECURITY.md
    import onnxruntime

    onnxruntime.set_default_logger_severity(ERROR_SEVERITY)
    return onnxruntime


@contextmanager
def raise_unavailable(service: str, reason: str, *, permanent: bool = False) -> Iterator[None]:
    """Raise Unavailable for any exception of a library: tokenizers raises plain Exceptions."""
    try:
        yield
    except CitewellError:
        raise
    except Exception as error:
        raise Unavailable(service, reason, permanent=permanent) from error


# --- The folder of a model: graph, tokenizer and `manifest.json` ----------------------------------

MANIFEST = "manifest.json"
TOKENIZER = "tokenizer.json"
_REMEDY = f"It needs a graph (.onnx), {TOKENIZER} and a {MANIFEST}: docs/operations/models.md."

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ModelManifest(BaseModel):
    """`manifest.json` of a model's folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: dict[str, Sha256]
    """The SHA-256 of each file that belongs to the model, by its path in the folder."""
    max_length: int = Field(ge=16, le=32_768)
    """Tokens of a text that the model reads, special ones included."""

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


class EmbedderManifest(ModelManifest):
    """The manifest of an embedder."""

    pooling: Literal["mean", "cls", "last"] | None = None
    """How the vectors of tokens become one; None where the graph gives one vector a text."""
    normalise: bool = True
    """False where the graph gives vectors of unit length."""
    question_prefix: str = ""
    passage_prefix: str = ""
    """Text that the model wants before a passage, with its trailing blank."""

    @property
    def digest(self) -> str:
        """A hash that differs when any vector may."""
        return hashlib.sha256(json.dumps(self.model_dump(), sort_keys=True).encode()).hexdigest()[:16]


M = TypeVar("M", bound=ModelManifest)


def read_manifest(folder: Path, kind: type[M], setting: str) -> M:
    """Return the manifest of a folder. Raise Misconfigured, naming `setting`, when it is missing or wrong, or a file
    that it names is missing."""
    path = folder / MANIFEST
    try:
        manifest = kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise Misconfigured(setting, f"{path} cannot be read ({error.strerror})", what_to_do=_REMEDY) from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        location = f"{'.'.join(map(str, first['loc']))}: " if first["loc"] else ""
        raise Misconfigured(setting, f"{path} is wrong: {location}{first['msg']}", what_to_do=_REMEDY) from error
    if missing := [name for name in manifest.files if not (folder / name).is_file()]:
        raise Misconfigured(setting, f"{folder / missing[0]} is missing", what_to_do=_REMEDY)
    return manifest


def open_onnx_model(folder: Path, manifest: ModelManifest, service: str) -> OnnxModel:
    """Return the model of a folder. Its files are compared with the manifest before they are loaded."""

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

    return OnnxModel(
        service, folder / manifest.weights, folder / TOKENIZER, max_tokens=manifest.max_length, check=check
    )
