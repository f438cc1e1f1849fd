"""A network of the tests' own: loopback, and nothing that leads beyond it.

The kernel gives it to a process and to all that this one starts from then on (network_namespaces(7)): git, PostgreSQL,
a browser, the child that reads files in an empty environment. It counts as well what found no way out. Sockets that are
files lead out as before, the one of a daemon that looks up names among them."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

_NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of unshare(2)."""
_SET_FLAGS, _UP = 0x8914, 1
"""SIOCSIFFLAGS and IFF_UP of netdevice(7)."""
_COUNTS = Path("/proc/net/snmp")


def leave_the_network() -> bool:
    """False where the kernel is not Linux, or this process not a root that may."""
    if sys.platform != "linux" or os.geteuid() or ctypes.CDLL(None).unshare(_NEW_NETWORK):
        return False
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh", b"lo", _UP))
    return True


def is_alone() -> bool:
    """Whether there is no network but loopback."""
    return [name for _, name in socket.if_nameindex()] == ["lo"]


def contacts() -> int:
    """How many times by now something here found no way to what is beyond loopback, a server of names for instance.

    By IPv4: Chromium asks for the way to an address of IPv6 wherever it starts, and sends nothing there."""
    names, numbers = (line.split() for line in _COUNTS.read_text().splitlines()[:2])
    return int(dict(zip(names, numbers, strict=True))["OutNoRoutes"])
