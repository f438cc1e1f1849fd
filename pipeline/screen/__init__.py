"""Injection screening: is this text, or a part of this document, an attempt to steer the assistant?

A few signs, not a boundary: what keeps answers safe are the rules on output (every sentence grounded and cited,
no link that is not a source's). The screen decides what is refused at once and which sentences of a document never
reach an answer.
"""

from pipeline.screen.documents import is_assistant_instruction, screen_document
from pipeline.screen.messages import ScreeningResult, screen_message
