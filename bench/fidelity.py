"""`make fidelity`: how many files of real producers are read as a person reads them, by format and kind.

With `--write FILE...` the reading of each file as it is now is written beside it, for a person to check and correct."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from tests.fidelity.reading import reading
from tests.fidelity.test_fidelity import CASES, FILES


def write(files: list[str]) -> None:
    for file in map(Path, files):
        file.with_name(f"{file.name}.reading").write_text(reading(file.suffix.lower(), file.read_bytes()))


def main() -> int:
    right: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for file in FILES:
        form, kind, *_ = file.relative_to(CASES).parts
        expected = file.with_name(f"{file.name}.reading").read_text(encoding="utf-8")
        try:
            right[form, kind].append(reading(file.suffix.lower(), file.read_bytes()) == expected)
        except Exception as error:  # noqa: BLE001 - whatever a reader raises is a file that is not read
            print(f"{file.relative_to(CASES)}: {error!r}", file=sys.stderr)
            right[form, kind].append(False)
    print("| format | kind | right | of |\n| --- | --- | --- | --- |")
    for (form, kind), found in sorted(right.items()):
        print(f"| {form} | {kind} | {sum(found)} | {len(found)} |")
    every = [one for found in right.values() for one in found]
    print(f"| all | | {sum(every)} | {len(every)} |")
    return int(not all(every))


if __name__ == "__main__":
    sys.exit(write(sys.argv[2:]) if sys.argv[1:2] == ["--write"] else main())
