"""A finder for names of people and places, which have no pattern: Presidio runs a model of spaCy's on this machine."""

from __future__ import annotations

import threading
from functools import cached_property, lru_cache
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from adapters.models.onnx.model import raise_unavailable
from pipeline.errors import Misconfigured
from pipeline.screen.sensitive_data import SensitiveDataFinder, SensitiveSpan, drop_overlaps, find_sensitive_data

_KINDS = MappingProxyType({"PERSON": "name", "LOCATION": "place"})


@lru_cache(maxsize=1)
def open_presidio(model: str, setting: str) -> SensitiveDataFinder:
    """Return a finder of names and places, and of everything that `find_sensitive_data` finds; `model` is loaded when
    it is first needed. Raise Misconfigured, naming `setting`, where the package or the model is not installed: nothing
    is downloaded."""
    name = f"presidio:{model}"
    if not find_spec("presidio_analyzer"):
        raise Misconfigured(
            setting,
            f"{name} needs the package presidio-analyzer, which is not installed",
            what_to_do="Install it: pip install 'citewell[presidio]'",
        )
    if not model.isidentifier() or not find_spec(model):
        raise Misconfigured(
            setting,
            f"{name} needs spaCy's model {model}, which is not installed",
            what_to_do=f"Install it: python -m spacy download {model}",
        )
    return _PresidioFinder(model)


class _PresidioFinder:
    def __init__(self, model: str) -> None:
        self._model = model
        self._language = model.partition("_")[0]
        self._lock = threading.Lock()

    def __call__(self, text: str) -> list[SensitiveSpan]:
        with raise_unavailable(f"presidio:{self._model}", "could not be run"), self._lock:
            results = self._analyzer.analyze(text, self._language, entities=list(_KINDS))
        return drop_overlaps(
            [
                *find_sensitive_data(text),
                *(SensitiveSpan(result.start, result.end, _KINDS[result.entity_type]) for result in results),
            ]
        )

    @cached_property
    def _analyzer(self) -> Any:
        from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        from presidio_analyzer.nlp_engine import NlpEngineProvider
        from presidio_analyzer.predefined_recognizers import SpacyRecognizer

        languages = [self._language]
        models = [{"lang_code": self._language, "model_name": self._model}]
        names = SpacyRecognizer(supported_language=self._language, supported_entities=list(_KINDS))
        return AnalyzerEngine(
            registry=RecognizerRegistry(recognizers=[names], supported_languages=languages),
            nlp_engine=NlpEngineProvider(
                nlp_configuration={"nlp_engine_name": "spacy", "models": models}
            ).create_engine(),
            supported_languages=languages,
        )
