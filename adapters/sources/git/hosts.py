"""Where the hosts of repositories show a file of a branch."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

_FORMS = {
    "github": "{repository}/blob/{branch}/{{path}}",
    "gitlab": "{repository}/-/blob/{branch}/{{path}}",
    "gitea": "{repository}/src/branch/{branch}/{{path}}",
    "bitbucket": "{repository}/src/{branch}/{{path}}",
}
_HOSTS = {"github.com": "github", "gitlab.com": "gitlab", "codeberg.org": "gitea", "bitbucket.org": "bitbucket"}


def base_url(url: str, branch: str) -> str:
    """The `base_url` of a repository by its host, or by the name that a host of one's own often has (`gitlab.…`);
    empty where that says nothing."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    form = _HOSTS.get(host) or next((kind for kind in ("github", "gitlab", "gitea") if host.startswith(f"{kind}.")), "")
    if not form:
        return ""
    netloc = parts.netloc.rpartition("@")[2]
    repository = f"{parts.scheme}://{netloc}{parts.path.rstrip('/').removesuffix('.git')}"
    return _FORMS[form].format(repository=repository, branch=quote(branch))
