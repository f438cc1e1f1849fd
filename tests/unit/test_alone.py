"""What the tests start reaches loopback and nothing beyond it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.alone import is_alone

pytestmark = pytest.mark.skipif(not is_alone(), reason="needs Linux, and a root that may leave the network")

INTERFACES = "import socket; print([name for _, name in socket.if_nameindex()])"
CONNECT = "import socket; socket.create_connection(('192.0.2.1', 80), 5)"
SEND = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'?', ('192.0.2.1', 53))"
COUNTED = """
import subprocess, sys
from tests.alone import contacts, leave_the_network
assert leave_the_network()
print(subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL).returncode, contacts())
"""


def said_by(*command: str, **more: str) -> str:
    done = subprocess.run(command, cwd=Path(__file__).parents[2], env=more, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_process_that_is_told_nothing_by_its_environment_has_loopback_alone() -> None:
    assert said_by(sys.executable, "-I", "-c", INTERFACES) == "['lo']"


@pytest.mark.parametrize(
    "command",
    [
        (sys.executable, "-I", "-c", CONNECT),
        (sys.executable, "-I", "-c", SEND),
        ("/bin/sh", "-c", "git ls-remote http://192.0.2.1/team.git"),
    ],
    ids=["connects", "sends", "git"],
)
def test_what_goes_beyond_loopback_is_refused_and_counted(command: tuple[str, ...]) -> None:
    """In one more network, so that no test beside this one is taken for it."""
    status, counted = map(int, said_by(sys.executable, "-c", COUNTED, *command, PATH="/usr/bin:/bin").split())
    assert status != 0
    assert counted > 0
