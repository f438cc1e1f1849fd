"""A real nginx in front of the page: as Debian's comes, and as docs/page.md recommends it."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from adapters.web.signin.flow import SIGN_INS_PER_MINUTE
from tests.doubles.browser import Seen
from tests.doubles.oidc import CLIENT, SECRET, Provider
from tests.doubles.ports import free_port
from tests.doubles.signed_in import PROXY, Page, opened

pytestmark = pytest.mark.skipif(not shutil.which("nginx"), reason="there is no nginx here (Debian: nginx-light)")
PAGE = Path(__file__).parents[2] / "docs" / "page.md"
AROUND = """
daemon off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""
PLAIN = "server {\n listen 443 ssl;\n location / {\n proxy_pass http://127.0.0.1:8080;\n }\n}"


def recommended(*more: str) -> str:
    """As the page of the documentation has it, with directives of a case of its own."""
    (server,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(server).replace("proxy_buffering off;", "\n".join(("proxy_buffering off;", *more)))


@asynccontextmanager
async def nginx(folder: Path, server: str, page: str) -> AsyncIterator[str]:
    """The address where it listens, on every address of the loopback network, in front of the page at `page`."""
    port = free_port()
    server = server.replace("listen 443 ssl", f"listen {port}").replace("127.0.0.1:8080", urlsplit(page).netloc)
    config = folder / "nginx.conf"
    config.write_text(AROUND.format(folder=folder, server=server))
    process = await asyncio.create_subprocess_exec("nginx", "-p", str(folder), "-c", str(config))
    try:
        async with asyncio.timeout(30):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.02)
                else:
                    writer.close()
                    break
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


def caller(url: str, address: str = "127.0.0.1", **headers: str) -> httpx.AsyncClient:
    """Somebody who calls from that address of the loopback network."""
    sender = httpx.AsyncHTTPTransport(local_address=address)
    return httpx.AsyncClient(base_url=url, transport=sender, headers=headers, timeout=30, follow_redirects=True)


@pytest.mark.parametrize("server", [PLAIN, recommended()], ids=["as it comes", "as recommended"])
async def test_whoever_comes_through_it_is_not_the_operator_of_a_page_at_the_machine(
    tmp_path: Path, server: str
) -> None:
    async with opened(tmp_path) as page, nginx(tmp_path, server, page.address) as url, caller(url) as stranger:
        for path in ("/", "/you", "/admin"):
            assert (await stranger.get(path)).status_code == 403
        assert (await stranger.get("/api/v1/health")).status_code == 401
        assert (
            await stranger.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize"})
        ).status_code == 401
        assert (await stranger.post("/press", data={"action": "export"})).status_code == 403


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with Provider().serving() as provider:
        openid = {
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SECRET,
            "proxy_secret": PROXY,
        }
        async with opened(tmp_path, web=openid) as opening:
            yield opening


async def test_as_recommended_each_caller_has_limits_of_their_own_whatever_they_claim(
    page: Page, tmp_path: Path
) -> None:
    async def begun(person: httpx.AsyncClient, claim: str) -> int:
        return (
            await person.get("/sign-in/openid", headers={"X-Forwarded-For": claim}, follow_redirects=False)
        ).status_code

    async with (
        nginx(tmp_path, recommended(), page.address) as url,
        caller(url, "127.0.0.2") as pushy,
        caller(url, "127.0.0.3") as calm,
    ):
        statuses = [await begun(pushy, f"203.0.113.{number}") for number in range(SIGN_INS_PER_MINUTE + 1)]
        assert statuses == [303] * SIGN_INS_PER_MINUTE + [429]
        assert await begun(calm, "127.0.0.2") == 303


async def test_people_whom_it_signs_in_ask_and_see_each_sentence_as_it_comes(page: Page, tmp_path: Path) -> None:
    signs_in = (
        f'proxy_set_header X-Citewell-Proxy "{PROXY}";',
        "proxy_set_header X-Forwarded-User ann;",
        'proxy_set_header X-Forwarded-Groups "";',
    )
    async with (
        nginx(tmp_path, recommended(*signs_in), page.address) as url,
        caller(url, **{"X-Forwarded-User": "eve", "X-Forwarded-Groups": "leads"}) as ann,
    ):
        shown = await ann.get("/")
        assert ">Admin<" not in shown.text
        form = {field.name: field.value for field in Seen(shown.text).fields}
        exported = await ann.post("/press", data={"csrf": form["csrf"], "action": "export"})
        assert exported.json()["person"] == "web:ann"
        asked = await ann.post("/ask", data={**form, "question": "Who?"}, follow_redirects=False)
        assert asked.status_code == 303
        where = asked.headers["location"].partition("#")[0]
        async with ann.stream("GET", f"{where}/events") as events:
            assert events.headers["content-type"].startswith("text/event-stream")
