"""The tokens that a platform is set up with."""

from __future__ import annotations

from pipeline.values.base import Value
from pipeline.values.diagnostics import Finding, error_finding

_FORBIDDEN_CHARACTERS = frozenset(" \t\r\n\"'")
"""Characters that no token holds."""


class TokenCheck(Value):
    """The result of checking a token."""

    finding: Finding
    refused: bool = False
    """True where the token is invalid. Otherwise a bad finding says that the service could not be asked."""
    notes: tuple[Finding, ...] = ()
    """Findings about other likely mistakes."""
    next_step: str = ""
    """Next step on the platform once all tokens are there; empty: nothing."""


class TokenPrompt(Value):
    """A token, and the steps to get it."""

    setting: str
    """Variable that holds it."""
    title: str
    """Name on the platform: `Bot User OAuth Token`."""
    subject: str
    """Subject of findings about it."""
    steps: tuple[str, ...]
    """Steps until it can be copied, a sentence each."""
    prefix: str = ""
    """Prefix of each such token."""

    def check_format(self, token: str) -> TokenCheck | None:
        """Return a refusal where the text cannot be such a token by its form; None where it can."""
        is_plain = token.isascii() and not _FORBIDDEN_CHARACTERS.intersection(token)
        if token and token.startswith(self.prefix) and is_plain:
            return None
        shape = f"begins with {self.prefix} and " if self.prefix else ""
        problem = f"{self.setting} cannot be a {self.title}, which {shape}holds no blanks or quotes"
        return TokenCheck(finding=error_finding(self.subject, problem, f"Copy the {self.title} again."), refused=True)
