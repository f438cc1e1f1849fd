"""Translation of errors of the OpenAI and Anthropic SDKs into ours, here and nowhere else.
Both SDKs are generated alike and name their errors alike. A vendor's message can echo the key or the prompt, so `str()`
of ours carries the status and the vendor's error code only; the vendor's error is the cause."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import structlog

from adapters.fetch.responses import parse_retry_after
from adapters.models.vendor_errors import prompt_too_long, read_vendor_error
from pipeline.errors import CitewellError, Unavailable, UnusableResponse

log = structlog.get_logger(__name__)

_REMEDIES = {
    400: "Check CITEWELL_MODEL: it must be a model for chat. The log of the service says what it refuses.",
    401: "Check {key}: the service does not accept it.",
    403: "Check what {key} may use: the service refused the model or the region.",
    404: "Check CITEWELL_MODEL and {base_url}: the service does not know this model or path. A server of your own "
    "lists its models at /v1/models; `ollama pull NAME` gets one for Ollama.",
    429: "Look at the limits and the credit of the account that {key} belongs to.",
}
_UNREACHABLE_REMEDY = (
    "Check the network, and that a server answers at {base_url} (the provider's own where it is not set)."
)
_SERVER_REMEDY = "The service itself fails: try again later, or look at its log."


@contextmanager
def translate_sdk_errors(sdk: ModuleType, service: str, key: str) -> Iterator[None]:
    """Turn errors of `sdk`, its own defects and those of the connection below it into Unavailable or UnusableResponse;
    `key` names the setting."""
    import httpx2

    try:
        yield
    except sdk.APIStatusError as error:
        raise _from_status(service, key, error) from error
    except sdk.APITimeoutError as error:
        raise Unavailable(
            service, "did not answer in time", what_to_do=_format_remedy(_UNREACHABLE_REMEDY, key)
        ) from error
    except sdk.APIConnectionError as error:
        if isinstance(error.__cause__, CitewellError):
            raise error.__cause__ from None
        raise Unavailable(
            service, "the connection failed", what_to_do=_format_remedy(_UNREACHABLE_REMEDY, key)
        ) from error
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise Unavailable(
            service, "the connection failed", what_to_do=_format_remedy(_UNREACHABLE_REMEDY, key)
        ) from error
    except sdk.APIError as error:
        raise stream_error(service, error.body) from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnusableResponse(f"{service}: the reply is not JSON") from error
    except CitewellError:
        raise
    except Exception as error:  # a defect of the SDK's is its failure to answer, and no reason for us to fail
        log.exception("model_client_failed", service=service)
        raise Unavailable(service, f"its client failed ({type(error).__name__})") from error


def stream_error(service: str, body: object) -> CitewellError:
    """Return the error of ours for one that a stream reports in `body`."""
    reported = read_vendor_error(body)
    failure = Unavailable(service, f"reported an error while answering ({reported.code})")
    return prompt_too_long(service, reported, None) or failure


def _from_status(service: str, key: str, error: Any) -> CitewellError:
    status: int = error.status_code
    reported = read_vendor_error(error.body)
    if too_long := prompt_too_long(service, reported, status):
        return too_long
    message = f"status {status} ({reported.code})"
    remedy = _format_remedy(_REMEDIES.get(status, _SERVER_REMEDY if status >= 500 else ""), key)
    if status in (401, 403, 404):
        return Unavailable(service, message, permanent=True, what_to_do=remedy)
    if 400 <= status < 500 and status not in (408, 409, 425, 429):
        return UnusableResponse(f"{service}: refused the request, {message}", what_to_do=remedy)
    wait = parse_retry_after(error.response.headers.get("retry-after"))
    return Unavailable(service, message, retry_after=wait, what_to_do=remedy)


def _format_remedy(remedy: str, key: str) -> str:
    return remedy.format(key=key, base_url=key.replace("_API_KEY", "_BASE_URL"))
