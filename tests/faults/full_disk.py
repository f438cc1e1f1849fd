"""Runs commands again and again in copies of a folder, with room for a little more each time:
`python full_disk.py FOLDER ROOMS COMMANDS`.

FOLDER is copied to FOLDER-work for each of the ROOMS (JSON, numbers of bytes) and each of the COMMANDS (JSON, lists of
words), in which `{work}` is that. Prints a line of JSON when a command has ended, with its number, its room, its status
and what it said on standard error, and another when it has ended in the same folder with all the room it wants; goes on
when a line is sent."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import bot.commands.app  # what commands import is there before they are forked
import bot.wiring  # noqa: F401
import storage.sqlite.restore  # noqa: F401
from bot.__main__ import main

ALL = resource.RLIM_INFINITY
UNFORESEEN = 70


def run(command: Sequence[str], room: int) -> tuple[int, str]:
    """In a process of its own, that can write no file beyond `room`: its status, and what it said."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        os._exit(_run(command, room, writing))
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as said:
        text = said.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text


def _run(command: Sequence[str], room: int, writing: int) -> int:
    os.dup2(writing, 2)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    sys.argv = ["citewell", *command]
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, ALL))
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except BaseException:  # noqa: BLE001 - that is what is looked for
        traceback.print_exc()
        return UNFORESEEN
    finally:
        sys.stderr.flush()
    return 0


def tell(number: int, room: int, ended: tuple[int, str]) -> None:
    """And wait until somebody has looked."""
    line = {"number": number, "room": room, "status": ended[0], "said": ended[1]}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
    sys.stdin.readline()


def walk(folder: Path, rooms: Sequence[int], commands: Sequence[Sequence[str]]) -> None:
    work = folder.with_name(f"{folder.name}-work")
    for number, command in enumerate(commands):
        words = [word.replace("{work}", str(work)) for word in command]
        for room in rooms:
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(folder, work)
            for allowed in (room, ALL):
                tell(number, allowed, run(words, allowed))


if __name__ == "__main__":
    walk(Path(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3]))
