"""Discord's limits, as numbers, and how text is measured. discord.py checks few of them itself; `card` checks.

Sources: Discord's API documentation (resources/message, components/reference, interactions/receiving-and-responding);
the 4,000 characters of components v2 are in discord.py's `LayoutView.content_length`.
"""

from __future__ import annotations

MAX_CONTENT = 2000
"""Characters of a message's plain content."""
MAX_TEXT = 4000
"""Characters over all text displays of a message with components v2."""
MAX_COMPONENTS = 40
MAX_BUTTONS = 5
"""In one row."""
MAX_CUSTOM_ID = 100
MAX_BUTTON_LABEL = 80
MAX_THREAD_NAME = 100
MAX_ATTACHMENT_BYTES = 8_000_000
"""Bytes of an attachment: under what every guild takes (10 MiB)."""
TOKEN_SECONDS = 15 * 60
"""How long the token of an interaction lives."""
SILENCE_SECONDS = 150.0
"""Discord answers a heartbeat every 41 seconds: after three of them unanswered nobody is there."""
LAG_SECONDS = 120.0
"""How late a gateway event may come, and how wrong this machine's clock may go."""


def utf16_length(text: str) -> int:
    """UTF-16 code units. Discord documents no unit; this is the largest of the candidates."""
    return len(text) + sum(character > "\uffff" for character in text)
