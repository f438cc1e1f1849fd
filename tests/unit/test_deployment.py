"""What Citewell is installed from and run as: locks, image, services."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from adapters.http.servers import UvicornServers
from bot.run.operations.health import OPERATIONS_SETTING, routes
from tests.doubles.ports import free_port

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())


def locked(name: str) -> dict[str, set[str]]:
    """The versions of each package in a lock: one, or one for each kind of machine."""
    versions: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "locks" / name).read_text(), re.MULTILINE):
        versions.setdefault(canonicalize_name(package), set()).add(version)
    return versions


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("run.txt", PROJECT["project"]["dependencies"]),
        ("dev.txt", [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]),
        ("build.txt", PROJECT["dependency-groups"]["build"]),
        ("release.txt", PROJECT["dependency-groups"]["release"]),
        ("beside.txt", PROJECT["dependency-groups"]["beside"]),
        ("real-model.txt", PROJECT["dependency-groups"]["real-model"]),
    ],
)
def test_a_lock_holds_what_the_project_asks_for(lock: str, wanted: list[str | dict[str, str]]) -> None:
    versions = locked(lock)
    requirements = [Requirement(one) for one in wanted if isinstance(one, str)]
    wrong = [
        str(one)
        for one in requirements
        if not versions.get(canonicalize_name(one.name))
        or not all(map(one.specifier.contains, versions[canonicalize_name(one.name)]))
    ]
    assert wrong == [], "run `make lock`"


def test_everything_that_is_locked_has_a_hash() -> None:
    for lock in (ROOT / "locks").iterdir():
        entries = lock.read_text().split("\n\n")[0].replace("\\\n", " ").strip().splitlines()
        assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_locks_of_what_runs_and_what_is_developed_with_agree() -> None:
    run, dev = locked("run.txt"), locked("dev.txt")
    assert {name: versions for name, versions in run.items() if dev.get(name) != versions} == {}


def test_the_image_runs_as_nobody_in_particular_and_keeps_everything_in_one_volume() -> None:
    last = DOCKERFILE.split("FROM ")[-1]
    user = re.findall(r"^USER (\S+)", last, re.MULTILINE)[-1]
    assert user.split(":")[0].isdigit()
    assert user.split(":")[0] != "0"
    (volume,) = re.findall(r"^VOLUME (\S+)", last, re.MULTILINE)
    (data,) = re.findall(r"CITEWELL_DATA=(\S+)", last)
    assert Path(data).parent == Path(volume), "a data folder that is a mount point cannot be restored"
    assert "HEALTHCHECK" in last


@pytest.mark.parametrize("wrong", [[], ["worker: nothing has moved for 91 seconds"]])
async def test_the_image_is_as_healthy_as_the_bot_in_it_says_and_the_reason_is_told(wrong: list[str]) -> None:
    async def check() -> list[str]:
        return wrong

    async def page() -> bytes:
        return b""

    _, program, *arguments = json.loads(re.findall(r"^HEALTHCHECK .* CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[-1])
    (address,) = re.findall(r"CITEWELL_OPERATIONS=127.0.0.1:(\d+)", DOCKERFILE)
    port = free_port()
    asking = [argument.replace(address, str(port)) for argument in (program, *arguments)]
    async with UvicornServers().serve(f"127.0.0.1:{port}", routes(check, check, page), setting=OPERATIONS_SETTING):
        asked = await asyncio.create_subprocess_exec(sys.executable, *asking, stdout=subprocess.PIPE)
        told, _ = await asked.communicate()
    assert (asked.returncode, told.decode().split("\n")[0]) == (int(bool(wrong)), (wrong or ["ok"])[0])


def test_what_the_image_is_built_from_is_there_and_is_not_ignored() -> None:
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert [path for path in kept if not (ROOT / path).exists()] == []
    copied = [
        name for line in re.findall(r"^COPY (?!--from)(.+)", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]
    ]
    assert [name for name in copied if name != "." and name not in kept] == []
    needed = [
        *PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"],
        "examples/handbook",
        "manifest.yml",
        "pyproject.toml",
    ]
    assert [name for name in needed if not any(fnmatch(name, path) for path in kept)] == []


def test_what_is_read_at_run_time_beside_the_packages_is_in_the_wheel() -> None:
    shipped = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert shipped == {"examples/handbook": "bot/handbook_files", "manifest.yml": "adapters/slack/manifest.yml"}


def test_citewell_alone_is_composed_unless_a_profile_is_named() -> None:
    services = COMPOSE["services"]
    assert [name for name, service in services.items() if "profiles" not in service] == ["citewell"]
    assert services["citewell"]["read_only"]
    named = {volume.partition(":")[0] for service in services.values() for volume in service["volumes"]}
    assert {name for name in named if not name.startswith((".", "/"))} == set(COMPOSE["volumes"])
    assert [
        name for name in named if name.startswith(".") and name != "./documents" and not (ROOT / name).exists()
    ] == []


def test_the_image_shows_nothing_to_anybody_until_it_is_told_to() -> None:
    assert "EXPOSE" not in DOCKERFILE
    assert set(re.findall(r"CITEWELL_(?:WEB|OPERATIONS|SLACK_HOST)=([^:\s]+)", DOCKERFILE)) == {"127.0.0.1"}
    published = {name: service["ports"] for name, service in COMPOSE["services"].items() if "ports" in service}
    assert [port for ports in published.values() for port in ports if not port.startswith("127.0.0.1:")] == []
    assert not published.keys() & {"citewell", "worker", "postgres"}


@pytest.mark.skipif(not shutil.which("promtool"), reason="there is no promtool here (Debian: prometheus)")
def test_prometheus_accepts_what_the_composition_gives_it(tmp_path: Path) -> None:
    for given in ("deploy/prometheus.yml", "docs/operations/alerts.yml"):
        shutil.copy(ROOT / given, tmp_path)
    checked = subprocess.run(
        ["promtool", "check", "config", tmp_path / "prometheus.yml"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = (ROOT / "deploy" / "citewell.service").read_text()
    here = tmp_path / "citewell.service"
    here.write_text(unit.replace("/opt/citewell/bin/citewell", sys.executable))
    checked = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_steps_of_the_installation_are_a_shell_script() -> None:
    subprocess.run(["sh", "-n", ROOT / "deploy" / "install.sh"], check=True)
