"""The tokens that a platform is set up with."""

from __future__ import annotations

from pipeline.values.base import Value
from pipeline.values.diagnostics import Finding, error_finding

_NEVER = frozenset(" \t\r\n\"'")
"""What no token holds."""


class TokenCheck(Value):
    """What is known of a token once it was checked."""

    finding: Finding
    refused: bool = False
    """It is no good. Otherwise a bad finding says that the service could not be asked."""
    notes: tuple[Finding, ...] = ()
    """What else is most likely not as it was meant."""
    next_step: str = ""
    """What to do on the platform once all tokens are there; empty: nothing."""


class TokenPrompt(Value):
    """A token, and how somebody gets it."""

    setting: str
    """The variable that holds it."""
    title: str
    """What the platform calls it: `Bot User OAuth Token`."""
    subject: str
    """What findings about it are called."""
    steps: tuple[str, ...]
    """What to do until it can be copied, a sentence each."""
    prefix: str = ""
    """How each such token begins."""

    def check_format(self, token: str) -> TokenCheck | None:
        """Return the refusal of what cannot be one by its looks; None for what can."""
        if token and token.startswith(self.prefix) and token.isascii() and not _NEVER.intersection(token):
            return None
        shape = f"begins with {self.prefix} and " if self.prefix else ""
        said = f"{self.setting} cannot be a {self.title}, which {shape}holds no blanks or quotes"
        return TokenCheck(finding=error_finding(self.subject, said, f"Copy the {self.title} again."), refused=True)
