"""The errors Citewell raises on purpose.

CitewellError               carries `what_to_do`, a sentence for the person who can act on it
├── Unavailable             a service did not answer, or asked us to wait
├── UnusableResponse        a service answered with something that cannot be used
│   └── PromptTooLong       a model's server refused a prompt that does not fit its window
├── Refused                 bad input, and what to change
│   ├── Busy                too much is waiting already
│   ├── AccessRevoked       the caller's credential was revoked
│   ├── NotAllowed          only somebody with a role may do that
│   ├── PostRefused         a post that somebody waits for is not possible there
│   └── InvalidPlaceSetting the choice for a place's setting is invalid
├── QuestionWithdrawn       a question was changed or deleted while it was being answered
└── Misconfigured           found at start-up; names the setting

Each adapter translates its vendor's errors into these. A person never sees a vendor's message; an operator finds it
in the log as the cause.
"""

from __future__ import annotations


class CitewellError(Exception):
    """An expected failure. `str()` is for the operator: it holds no secret and no document text."""

    def __init__(self, message: str, *, what_to_do: str = "") -> None:
        super().__init__(message)
        self.what_to_do = what_to_do


class Unavailable(CitewellError):
    """A service did not answer in time, is down, or asked us to wait `retry_after` seconds."""

    def __init__(
        self,
        service: str,
        message: str,
        *,
        retry_after: float | None = None,
        permanent: bool = False,
        denied: bool = False,
        what_to_do: str = "",
    ) -> None:
        super().__init__(f"{service}: {message}", what_to_do=what_to_do)
        self.service = service
        self.retry_after = retry_after
        self.permanent = permanent
        """True where trying again cannot help (wrong key, unknown model)."""
        self.denied = denied
        """True where the service works and denies access, or denies it by now."""


class UnusableResponse(CitewellError):
    """A reply that did not parse, was cut off, or was empty."""


class PromptTooLong(UnusableResponse):
    """A prompt and its reply do not fit the window of the model's server."""

    def __init__(
        self, service: str, *, window: int | None = None, prompt_tokens: int | None = None, what_to_do: str = ""
    ) -> None:
        size = f" of {window} tokens" if window else ""
        super().__init__(f"{service}: the prompt does not fit the model's window{size}", what_to_do=what_to_do)
        self.window = window
        """Tokens of prompt and reply together, as the server counts them; None where it does not say."""
        self.prompt_tokens = prompt_tokens
        """Tokens of the refused prompt, as the server counts them; None where it does not say."""


class Refused(CitewellError):
    """Input that cannot be accepted; the message says why and `what_to_do` what to change."""


class Busy(Refused):
    """Too many questions are waiting, here or from this person: this one was not kept."""

    def __init__(self, message: str, *, first: bool, what_to_do: str = "") -> None:
        super().__init__(message, what_to_do=what_to_do)
        self.first = first
        """True where this person was not told so within the last minute."""


class AccessRevoked(Refused):
    """The caller's credential was revoked while they were being answered."""


class NotAllowed(Refused):
    """The person has no role that may do this; the attempt is in the audit."""


class PostRefused(Refused):
    """A post that somebody waits for is not possible there; `str()` is for them."""


class InvalidPlaceSetting(Refused):
    """An invalid choice for the setting `name` of a place; nothing was changed."""

    def __init__(self, message: str, *, name: str, what_to_do: str, offered: tuple[str, ...] = ()) -> None:
        super().__init__(message, what_to_do=what_to_do)
        self.name = name
        self.offered = offered
        """Valid choices, where they are known."""


class QuestionWithdrawn(CitewellError):
    """The question was changed or deleted while it was being answered: this answer must not be shown."""

    def __init__(self, message: str, *, changed: bool) -> None:
        super().__init__(message)
        self.changed = changed
        """True where it is still asked, in other words; False where it is gone."""


class Misconfigured(CitewellError):
    """A setting that cannot work, found at start-up."""

    def __init__(self, setting: str, message: str, *, what_to_do: str = "") -> None:
        super().__init__(f"{setting}: {message}", what_to_do=what_to_do)
        self.setting = setting
