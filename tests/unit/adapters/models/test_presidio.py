"""Names that Presidio finds, and what is said without it.

The package in these tests has the interface of presidio-analyzer 2.2.366 and nothing of its own: the real one needs a
model of spaCy's, which no package registry has."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.models.masking import PlaceholderMap
from adapters.models.presidio import open_presidio
from pipeline.errors import Misconfigured, Unavailable

ANALYZER = """
import re

class RecognizerRegistry:
    def __init__(self, recognizers=None, global_regex_flags=None, supported_languages=None):
        self.recognizers = recognizers

class RecognizerResult:
    def __init__(self, entity_type, start, end):
        self.entity_type, self.start, self.end, self.score = entity_type, start, end, 0.85

class AnalyzerEngine:
    def __init__(self, registry=None, nlp_engine=None, supported_languages=None, **kwargs):
        assert nlp_engine == [{"lang_code": "en", "model_name": "en_core_web_xx"}]
        (self.known,) = registry.recognizers

    def analyze(self, text, language, entities=None, **kwargs):
        assert language == self.known.supported_language == "en"
        if "crash" in text:
            raise RuntimeError(text)
        places = {"PERSON": "Anna Schmidt|anna", "LOCATION": "Berlin"}
        return [
            RecognizerResult(kind, *found.span())
            for kind in entities
            for found in re.finditer(places[kind], text)
        ]
"""
ENGINE = """
class NlpEngineProvider:
    def __init__(self, nlp_configuration=None, **kwargs):
        self.nlp_configuration = nlp_configuration

    def create_engine(self):
        return self.nlp_configuration["models"]
"""
RECOGNIZERS = """
class SpacyRecognizer:
    def __init__(self, supported_language="en", supported_entities=None, **kwargs):
        self.supported_language = supported_language
"""
NAMES = ("presidio_analyzer", "presidio_analyzer.nlp_engine", "presidio_analyzer.predefined_recognizers")


@pytest.fixture
def presidio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "presidio_analyzer").mkdir()
    for name, text in (("__init__", ANALYZER), ("nlp_engine", ENGINE), ("predefined_recognizers", RECOGNIZERS)):
        (tmp_path / "presidio_analyzer" / f"{name}.py").write_text(text)
    (tmp_path / "en_core_web_xx.py").touch()
    there = {name: sys.modules.pop(name) for name in NAMES if name in sys.modules}
    monkeypatch.syspath_prepend(tmp_path)
    open_presidio.cache_clear()
    yield
    open_presidio.cache_clear()
    for name in NAMES:
        sys.modules.pop(name, None)
    sys.modules.update(there)


@pytest.mark.skipif(importlib.util.find_spec("presidio_analyzer") is not None, reason="presidio-analyzer is installed")
def test_without_the_package_it_is_said_how_to_install_it() -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_X: presidio:en_core_web_sm needs the package") as caught:
        open_presidio("en_core_web_sm", "CITEWELL_X")
    assert caught.value.what_to_do == "Install it: pip install 'citewell[presidio]'"


@pytest.mark.usefixtures("presidio")
@pytest.mark.parametrize("model", ["en_core_web_yy", "en core", "../en"])
def test_a_model_that_is_not_installed_is_named_and_not_downloaded(model: str) -> None:
    with pytest.raises(Misconfigured, match=f"needs spaCy's model {model}") as caught:
        open_presidio(model, "CITEWELL_X")
    assert caught.value.what_to_do == f"Install it: python -m spacy download {model}"


@pytest.mark.usefixtures("presidio")
def test_names_and_places_are_hidden_beside_what_has_a_form() -> None:
    mask = PlaceholderMap(open_presidio("en_core_web_xx", "CITEWELL_X"))
    text = "Anna Schmidt in Berlin is anna@example.com; Anna Schmidt reads it."
    assert mask.hide(text) == "<name-1> in <place-1> is <mail-1>; <name-1> reads it."
    assert mask.reveal("<name-1>, <place-1>") == "Anna Schmidt, Berlin"


@pytest.mark.usefixtures("presidio")
def test_a_text_that_cannot_be_looked_at_is_shown_to_nobody() -> None:
    with pytest.raises(Unavailable, match="presidio:en_core_web_xx: could not be run"):
        PlaceholderMap(open_presidio("en_core_web_xx", "CITEWELL_X")).hide("crash, Anna Schmidt")
