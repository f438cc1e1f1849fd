"""Injection screening: signs that a text, or a part of a document, tries to steer the assistant.

A few signs, not a boundary: answers are kept safe by the rules on output (every sentence grounded and cited, no link
that is not a source's). The screen decides which messages are refused at once and which sentences of a document never
reach an answer."""

from pipeline.screen.documents import is_assistant_instruction, screen_document
from pipeline.screen.messages import ScreeningResult, screen_message
