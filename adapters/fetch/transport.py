"""Transport to checked addresses only: a name is resolved once, and the connection goes to the address that was
checked."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpcore2
import httpx2

from pipeline.errors import Refused

_NOT_GLOBAL = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20")))
"""Networks that are special by IANA's registries, and yet `is_global` in some of the supported Python versions."""
_NAT64 = ip_network("64:ff9b::/96")
_METADATA = frozenset(map(ip_address, ("168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254")))
"""Addresses where clouds hand out a machine's credentials outside of the link-local range: Azure, Alibaba, AWS,
Google."""
_PRIVATE = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")))
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a name and port."""


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """Return the addresses by the system's resolver, which also reads decimal, octal, hexadecimal and short forms of
    addresses."""
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in addresses))


def resolve_literal(host: str, port: int) -> Sequence[str]:
    """Return the address that `host` spells, in any form; none for a name."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        return ()
    return tuple(str(address[0]) for *_, address in addresses)


def is_allowed_address(address: str, *, private: bool) -> bool:
    """Return True for the literal `address` of a public host or, with `private`, of this machine or a private network.
    An address that stands for another (mapped, NAT64) is judged as that one; an invalid address is not allowed."""
    try:
        ip = _unmap(ip_address(address))
    except ValueError:
        return False
    if ip in _METADATA or ip.is_multicast or ip.is_link_local or getattr(ip, "scope_id", None):
        return False
    if private and (ip.is_loopback or any(ip in network for network in _PRIVATE)):
        return True
    return (
        ip.is_global
        and not ip.is_reserved
        and not getattr(ip, "is_site_local", False)
        and not any(ip in network for network in _NOT_GLOBAL)
    )


def _unmap(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else address


def check_addresses(host: str, addresses: Iterable[str], *, private: bool) -> None:
    """Raise Refused when one of the addresses is forbidden."""
    if not all(is_allowed_address(address, private=private) for address in addresses):
        raise Refused(
            f"{host} is in a network that must not be fetched from",
            what_to_do="If it is your own network, set private = true in the source's table.",
        )


@cache
def default_ssl_context() -> ssl.SSLContext:
    """Return the trusted certificate authorities. Reading them takes too long to repeat it for each connection pool."""
    return httpx2.create_ssl_context(trust_env=False)


class CheckedTransport(httpx2.AsyncHTTPTransport):
    """A transport that raises Refused for a host with a forbidden address, before it connects."""

    def __init__(self, *, private: bool, resolve: Resolver = resolve_host) -> None:
        super().__init__(verify=default_ssl_context(), trust_env=False)
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=default_ssl_context(),
            network_backend=_CheckedBackend(resolve, private=private),
            max_connections=20,
        )


class _CheckedBackend(httpcore2.AsyncNetworkBackend):
    def __init__(self, resolve: Resolver, *, private: bool) -> None:
        self._resolve = resolve
        self._private = private
        self._system = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of the library
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._resolve(host, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(str(error)) from error
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError(f"the name {host} has no address") from error
        check_addresses(host, addresses, private=self._private)
        failure: Exception = httpcore2.ConnectError(f"the name {host} has no address")
        for address in addresses:
            try:
                return await self._system.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
