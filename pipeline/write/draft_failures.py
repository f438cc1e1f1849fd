"""Reasons of a `DraftEnd`: why a model's draft ended without an answer."""

from __future__ import annotations

NOT_IN_DOCUMENTS = "not_in_documents"
"""The model found no answer in the passages."""
MODEL_TOO_SLOW = "it is too slow for this machine"
"""Not even one passage can be read in time."""
MODEL_QUEUE_FULL = "too many questions wait for it"
WINDOW_FULL = "its window is full"
"""The prompt or the reply did not fit the model's window."""
DRAFT_WITHOUT_SOURCE = "it names no source"
"""So much was written without a source that none is awaited any more."""
DRAFT_TOO_LATE = "it took too long"
