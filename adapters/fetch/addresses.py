"""Which addresses may be connected to."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_NOT_GLOBAL = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20")))
"""Special by IANA's registries, and yet `is_global` in some of the Python versions that are supported."""
_NAT64 = ip_network("64:ff9b::/96")
_METADATA = frozenset(map(ip_address, ("168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254")))
"""Where clouds hand out a machine's credentials outside of the link-local range: Azure, Alibaba, AWS, Google."""
_PRIVATE = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")))


def allowed(address: str, *, private: bool) -> bool:
    """Whether the literal `address` is a public one or, with `private`, of this machine or a private network.

    An address that stands for another (mapped, NAT64) is as good as that one; what is no address is not allowed."""
    try:
        found = _meant(ip_address(address))
    except ValueError:
        return False
    if found in _METADATA or found.is_multicast or found.is_link_local or getattr(found, "scope_id", None):
        return False
    if private and (found.is_loopback or any(found in network for network in _PRIVATE)):
        return True
    return (
        found.is_global
        and not found.is_reserved
        and not getattr(found, "is_site_local", False)
        and not any(found in network for network in _NOT_GLOBAL)
    )


def _meant(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else address
