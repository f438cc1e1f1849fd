from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from adapters.fetch.fetcher import Fetcher, open_fetcher
from adapters.fetch.transport import is_allowed_address
from pipeline.errors import Refused
from tests.doubles.web import Reply, WebServer

_connections: list[object] = []
_counting = False


def _count(event: str, args: tuple[object, ...]) -> None:
    if _counting and event == "socket.connect":
        _connections.append(args[1])


sys.addaudithook(_count)

LOOPBACK = (
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7F.0x0.0x0.0x1",
    "017700000001",
    "0177.0.0.1",
    "0000177.0.0.01",
    "127.0.0.1.",
    "127。0。0。1",
    "127．0．0．1",
    "127.0.0｡1",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "127%2e0.0.1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "loca%6chost",
    "ⓛocalhost",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    "0.0.0.0",
    "0",
    "0x0",
    "[::]",
    "[::1%25lo]",
)
ELSEWHERE = (
    "10.0.0.1",
    "10.1",
    "0xa.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.168.257",
    "0300.0250.1.1",
    "3232235777",
    "100.64.0.1",
    "[fc00::1]",
    "[fd12:3456::1]",
    "[::ffff:10.0.0.1]",
    "[64:ff9b::a00:1]",
)
NEVER = (
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::169.254.169.254]",
    "[2002:a9fe:a9fe::]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[fec0::1]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "192.0.0.8",
    "192.88.99.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "224.0.1.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "0.1.2.3",
    "[ff02::1]",
    "[ff0e::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[100::1]",
    "[5f00::1]",
    "[::8.8.8.8]",
    "[64:ff9b:1::8.8.8.8]",
    "[2002:808:808::]",
)
PUBLIC = ("8.8.8.8", "93.184.215.14", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")


@pytest.fixture
def connections():
    global _counting
    _connections.clear()
    _counting = True
    yield _connections
    _counting = False


async def _refused(fetcher: Fetcher, url: str) -> None:
    with pytest.raises(Refused):
        await fetcher.fetch(url)


@pytest.mark.parametrize("host", LOOPBACK + ELSEWHERE + NEVER)
@pytest.mark.parametrize("proxy", ["", "http://127.0.0.1:9"])
async def test_a_host_in_a_forbidden_network_is_refused_before_anything_is_connected(
    host: str, proxy: str, connections: list[object]
) -> None:
    if proxy and "localhost" in host.lower():
        pytest.skip("names are the proxy's")
    async with open_fetcher(proxy=proxy) as fetcher:
        await _refused(fetcher, f"http://{host}/latest/meta-data")
        await _refused(fetcher, f"https://{host}/")
    assert connections == []


@pytest.mark.parametrize("host", NEVER)
async def test_private_networks_do_not_include_link_local_metadata_multicast_and_reserved_addresses(
    host: str, connections: list[object]
) -> None:
    async with open_fetcher(private=True) as fetcher:
        await _refused(fetcher, f"http://{host}/")
    assert connections == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/a",
        "file:///etc/passwd",
        "gopher://example.com/",
        "data:text/plain,a",
        "javascript:alert(1)",
        "example.com/a",
        "//example.com/a",
        "http://",
        "http:///a",
        "http://user@example.com/",
        "http://user:password@example.com/",
        "http://example.com@127.0.0.1/",
        "http://127.0.0.1\\@example.com/",
        "http://example.com:22/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://example.com:8080/",
        "http://[::1/",
        "http://exa mple.com/",
        "http://example.com/\r\nX: 1",
    ],
)
async def test_what_is_not_an_address_of_a_web_server_is_refused_before_anything_is_connected(
    url: str, connections: list[object]
) -> None:
    async with open_fetcher() as fetcher:
        await _refused(fetcher, url)
    assert connections == []


@pytest.mark.parametrize(
    "answer",
    [
        ["127.0.0.1"],
        ["169.254.169.254"],
        ["8.8.8.8", "127.0.0.1"],
        ["10.0.0.1", "8.8.8.8"],
        ["2606:4700::1111", "::1"],
        ["64:ff9b::7f00:1"],
        ["not an address"],
    ],
)
async def test_a_name_of_which_one_address_is_forbidden_is_refused_before_anything_is_connected(
    answer: list[str], connections: list[object]
) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return answer

    async with open_fetcher(resolve=resolve) as fetcher:
        await _refused(fetcher, "http://docs.example/")
    assert connections == []


async def test_a_name_is_resolved_once_and_what_was_checked_is_connected_to(connections: list[object]) -> None:
    answers = [["127.0.0.1"], ["169.254.169.254"]]

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return answers.pop(0)

    async with WebServer({"/": Reply(b"here")}).running() as server:
        async with open_fetcher(private=True, ports=frozenset({server.port}), resolve=rebinding) as fetcher:
            found = await fetcher.fetch(f"http://docs.example:{server.port}/")
            assert found.body == b"here"
            assert server.asked[0].headers["host"] == f"docs.example:{server.port}"
        assert connections == [("127.0.0.1", server.port)]
        async with open_fetcher(private=True, ports=frozenset({server.port}), resolve=rebinding) as fetcher:
            await _refused(fetcher, f"http://docs.example:{server.port}/")
        assert connections == [("127.0.0.1", server.port)]


@pytest.mark.parametrize("host", [*NEVER, "user@127.0.0.1"])
async def test_a_redirect_is_checked_as_the_first_address_was(host: str, connections: list[object]) -> None:
    async with WebServer().running() as server:
        server.replies["/"] = Reply(status=302, headers={"Location": f"http://{host}/"})
        async with open_fetcher(private=True, ports=frozenset({80, server.port})) as fetcher:
            await _refused(fetcher, server.url + "/")
        assert connections == [("127.0.0.1", server.port)]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed_address(address, private=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "127.0.0.1."])
async def test_an_operators_own_network_may_be_fetched_from(host: str) -> None:
    async with (
        WebServer({"/": Reply(b"here")}).running() as server,
        open_fetcher(private=True, ports=frozenset({server.port})) as fetcher,
    ):
        assert (await fetcher.fetch(f"http://{host}:{server.port}/")).body == b"here"
