"""The command line. Errors are translated here, once: people see a remedy, never a traceback.

Importing the commands takes about a second; they are imported only after Ctrl-C is handled.
"""

from __future__ import annotations

import ctypes
import gc
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130
"""128 and the number of SIGINT, as shells count."""
ARENA_MAX, ARENAS = -8, 2
"""`M_ARENA_MAX` of glibc's mallopt(3).

By default glibc keeps up to 16 heaps for our threads, none of which returns memory: 360 MB in place of 310 while 10,000
threads of a channel become documents.
"""


def main() -> None:
    """Run the command line. The exit status is 2 for an error that the person can mend. Only the owner may read the
    files it writes."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # for children too; SECURITY.md
    gc.disable()  # what is imported is no garbage; each command but `ask` enables it again
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # we have none, and looking for them reads every package
    with _ended_by_interrupt():
        from bot.commands.app import app
        from pipeline.errors import CitewellError
        from pipeline.words.text import strip_invisible, to_single_line
    os.umask(0o077)
    with suppress(AttributeError, OSError, TypeError):  # no glibc
        ctypes.CDLL(None).mallopt(ARENA_MAX, ARENAS)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        try:
            app()
        finally:
            if sys.stdout:
                sys.stdout.flush()
    except CitewellError as error:
        _say(strip_invisible(str(error)).replace("\n", "\ncitewell: "))
        if error.what_to_do:
            print(f"  {strip_invisible(error.what_to_do)}", file=sys.stderr)  # noqa: T201 - as below
        sys.exit(2)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _say(to_single_line(": ".join(map(str, filter(None, (error.strerror or str(error), error.filename))))))
        _drop_output()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """End the process at once on Ctrl-C: an exception would come up in the middle of an import."""
    previous = signal.getsignal(signal.SIGINT)
    if previous is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _say(text: str) -> None:
    print(f"citewell: {text}", file=sys.stderr)  # noqa: T201 - the command line's own voice


def _drop_output() -> None:
    """Discard pending output, so that Python does not write it again when it ends."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
