"""The one place where errors of the OpenAI and Anthropic SDKs become ours.

Both SDKs are generated alike and name their errors alike. A vendor's message can echo the key or the prompt, so
`str()` of ours carries the status and the vendor's error code only; the vendor's error is the cause.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from adapters.fetch.retry_after import retry_after
from pipeline.errors import CitewellError, Unavailable, Unusable

_REMEDIES = {
    401: "Check {key}: the service does not accept it.",
    403: "Check what {key} may use: the service refused the model or the region.",
    404: "Check CITEWELL_MODEL and the base URL: the service does not know this model or path.",
}


@contextmanager
def translated(sdk: ModuleType, service: str, key: str) -> Iterator[None]:
    """Turn errors of `sdk` and of the connection below it into Unavailable or Unusable; `key` names the setting."""
    import httpx2

    try:
        yield
    except sdk.APIStatusError as error:
        raise _from_status(service, key, error) from error
    except sdk.APITimeoutError as error:
        raise Unavailable(service, "did not answer in time") from error
    except sdk.APIConnectionError as error:
        if isinstance(error.__cause__, CitewellError):
            raise error.__cause__ from None
        raise Unavailable(service, "the connection failed") from error
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise Unavailable(service, "the connection failed") from error
    except sdk.APIError as error:
        raise Unavailable(service, f"reported an error while answering ({vendor_code(error)})") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unusable(f"{service}: the reply is not JSON") from error


def _from_status(service: str, key: str, error: Any) -> CitewellError:
    status: int = error.status_code
    message = f"status {status} ({vendor_code(error)})"
    if status in _REMEDIES:
        failure = Unavailable(service, message, permanent=True)
        failure.what_to_do = _REMEDIES[status].format(key=key)
        return failure
    if 400 <= status < 500 and status not in (408, 409, 425, 429):
        return Unusable(f"{service}: refused the request, {message}")
    return Unavailable(service, message, retry_after=retry_after(error.response.headers.get("retry-after")))


def vendor_code(error: object) -> str:
    """The vendor's short error code, such as `insufficient_quota`; never its message."""
    said = error if isinstance(error, dict) else vars(error) if hasattr(error, "__dict__") else {}
    code = str(said.get("code") or said.get("type") or "no code")
    return code if len(code) <= 40 and code.replace("_", "").replace(" ", "").isalnum() else "no code"
