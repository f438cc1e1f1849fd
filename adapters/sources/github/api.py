"""GitHub's GraphQL API. The REST API does not say which comments are hidden, and has no discussions."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import urlsplit

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from adapters.fetch.fetcher import Fetched, Fetcher
from adapters.files.reader import MAX_TEXT_BYTES
from pipeline.errors import Unavailable

Json = dict[str, Any]
_TYPES = {"since": "DateTime!", "after": "String"}
_ATTEMPTS = 4
_LONGEST_WAIT = 60.0
"""Seconds: when GitHub asks for a longer wait, it is not asked again now."""
_UNSAID_WAIT = 60.0
"""Seconds, by GitHub's rules, when it does not say for how long."""


def endpoint(base_url: str) -> str:
    """Where the API is of the GitHub at `base_url`: github.com, Enterprise Cloud on ghe.com, or Enterprise Server."""
    base = urlsplit(base_url)
    if base.netloc in {"github.com", "www.github.com"} or base.netloc.endswith(".ghe.com"):
        return f"https://api.{base.netloc.removeprefix('www.')}/graphql"
    return f"{base_url.rstrip('/')}/api/graphql"


class GitHubApi:
    """What a token may see of `repository` (`owner/name`). `fetcher` sends the token to the host of `endpoint`."""

    def __init__(self, fetcher: Fetcher, repository: str, endpoint: str) -> None:
        self._fetcher = fetcher
        self._repository = repository
        self._endpoint = endpoint

    async def ask(self, selection: str, **variables: str | None) -> Json:
        """The fields of the repository that `selection` names; one that is not there is None. Raises Unavailable."""
        owner, _, name = self._repository.partition("/")
        declared = "".join(f", ${each}: {_TYPES[each]}" for each in variables)
        query = f"query($owner: String!, $name: String!{declared})"
        query += f" {{ repository(owner: $owner, name: $name) {{ {selection} }} }}"
        retrying = AsyncRetrying(
            retry=retry_if_exception(_worth_another), stop=stop_after_attempt(_ATTEMPTS), wait=_wait, reraise=True
        )
        body = {"query": query, "variables": {"owner": owner, "name": name, **variables}}
        found: Json = await retrying(self._once, body)
        return found

    async def _once(self, body: Json) -> Json:
        answer = await self._fetcher.fetch(self._endpoint, method="POST", json=body, most=MAX_TEXT_BYTES)
        if answer.status == 401:
            raise Unavailable(
                "GitHub",
                "does not take the token (status 401)",
                permanent=True,
                what_to_do="Check it, or make a new one: docs/sources.md says how.",
            )
        if answer.status in (403, 429):
            raise _limited(answer)
        try:
            found = json.loads(answer.body)
            errors = found.get("errors") or []
            kinds = {str(error.get("type", "")) for error in errors}
            repository = (found.get("data") or {}).get("repository")
        except (ValueError, AttributeError, TypeError) as error:
            raise Unavailable("GitHub", f"status {answer.status}, and not an answer of its API") from error
        if kinds & {"RATE_LIMITED", "RATE_LIMIT"}:
            raise _limited(answer)
        if repository is None and kinds == {"NOT_FOUND"}:
            raise Unavailable(
                "GitHub",
                f"there is no repository {self._repository} for this token",
                permanent=True,
                what_to_do="Check the name, and that the token may read issues, discussions and contents of it.",
            )
        if repository is None or kinds - {"NOT_FOUND"}:
            raise Unavailable(
                "GitHub",
                f"refused the query ({', '.join(sorted(kinds)) or answer.status})",
                what_to_do="Check that the token may read issues and discussions of the repository.",
            )
        return dict(repository)


def _limited(answer: Fetched) -> Unavailable:
    """A rate limit, primary or secondary, with the seconds to wait; or a token that lacks a right."""
    said, reset = answer.headers.get("retry-after", ""), answer.headers.get("x-ratelimit-reset", "")
    if said.isdecimal():
        return Unavailable("GitHub", "asked to wait", retry_after=float(said))
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return Unavailable("GitHub", "the hour's requests are used up", retry_after=max(0.0, int(reset) - time.time()))
    if answer.status == 403 and b"rate limit" not in answer.body:
        return Unavailable(
            "GitHub", "the token may not do this", permanent=True, what_to_do="Give it the rights that the docs name."
        )
    return Unavailable("GitHub", "asked to wait", retry_after=_UNSAID_WAIT)


def _worth_another(error: BaseException) -> bool:
    return isinstance(error, Unavailable) and error.retry_after is not None and error.retry_after <= _LONGEST_WAIT


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return error.retry_after or 0.0 if isinstance(error, Unavailable) else 0.0
