"""The errors Citewell raises on purpose.

CitewellError            carries `what_to_do`, a sentence for the person who can act on it
├── Unavailable          a service did not answer, or asked us to wait
├── Unusable             a service answered with something that cannot be used
├── Refused              bad input, and what to change
│   ├── Busy             too much is waiting already
│   ├── Revoked          what somebody came in with is good no more
│   ├── NotAllowed       only somebody with a role may do that
│   ├── NotTaken         what somebody waits for is not taken where it is to be posted
│   └── WrongSetting     what was chosen for a place cannot be set
├── Withdrawn            a question was changed or deleted while it was being answered
└── Misconfigured        found at start-up; names the setting

Errors of vendors are translated into these once, in the adapter that talks to the vendor. A person never
sees a vendor's message; an operator finds it in the log as the cause.
"""

from __future__ import annotations


class CitewellError(Exception):
    """Something expected went wrong. `str()` is for the operator: it holds no secret and no document text."""

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
        """Trying again cannot help (wrong key, unknown model)."""
        self.denied = denied
        """It is there and does not let us have what was asked for, or not any more."""


class UnusableResponse(CitewellError):
    """A reply that did not parse, was cut off, or was empty."""


class Refused(CitewellError):
    """Input that cannot be taken; the message says why and `what_to_do` what to change."""


class Busy(Refused):
    """Too many questions are waiting, here or from this person: this one was not kept."""

    def __init__(self, message: str, *, first: bool, what_to_do: str = "") -> None:
        super().__init__(message, what_to_do=what_to_do)
        self.first = first
        """Nobody has told this person within the last minute."""


class AccessRevoked(Refused):
    """What somebody came in with was revoked while they were being answered."""


class NotAllowed(Refused):
    """The person has no role that may do this; the try is in the audit."""


class PostRefused(Refused):
    """What somebody waits for is not taken where it is to be posted; `str()` is for them."""


class InvalidPlaceSetting(Refused):
    """What was chosen for the setting `name` of a place; nothing was changed."""

    def __init__(self, message: str, *, name: str, what_to_do: str, offered: tuple[str, ...] = ()) -> None:
        super().__init__(message, what_to_do=what_to_do)
        self.name = name
        self.offered = offered
        """What there is to choose from, where that is known."""


class QuestionWithdrawn(CitewellError):
    """The question was changed or deleted while it was being answered: this answer must not be shown."""

    def __init__(self, message: str, *, changed: bool) -> None:
        super().__init__(message)
        self.changed = changed
        """It is still asked, in other words; otherwise it is gone."""


class Misconfigured(CitewellError):
    """A setting that cannot work, found at start-up."""

    def __init__(self, setting: str, message: str, *, what_to_do: str = "") -> None:
        super().__init__(f"{setting}: {message}", what_to_do=what_to_do)
        self.setting = setting
