"""Discord's limits, and how text is measured. discord.py checks few of them itself; `components.py` checks.

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
"""Buttons in one row."""
MAX_CUSTOM_ID = 100
MAX_BUTTON_LABEL = 80
MAX_THREAD_NAME = 100
MAX_ATTACHMENT_BYTES = 8_000_000
"""Bytes of an attachment: under what every guild accepts (10 MiB)."""
TOKEN_SECONDS = 15 * 60
"""Seconds that the token of an interaction is valid."""
SILENCE_SECONDS = 150.0
"""Seconds without a sign of the gateway after which it is dead: Discord answers a heartbeat every 41 seconds, and three
are missing then."""
LAG_SECONDS = 120.0
"""Seconds that a gateway event may be late, and this machine's clock wrong."""


def utf16_length(text: str) -> int:
    """Return the UTF-16 code units of a text. Discord documents no unit; this is the largest of the candidates."""
    return len(text) + sum(character > "\uffff" for character in text)
