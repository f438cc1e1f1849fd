"""`python -m tests.doubles.github`: the double in a process of its own, with an issue and a discussion; prints its
address."""

from __future__ import annotations

import asyncio

from tests.doubles.github.server import open_github


async def main() -> None:
    async with open_github() as github:
        github.add(1, "Deploys hang on the last step", "Since Monday deploys hang on the last step.")
        github.comment(1, 11, "The build cache was full. Run `make clean-cache` and deploy again.")
        github.add(2, "How are signing keys rotated?", "Who does it?", kind="discussions", answer=21)
        github.comment(2, 20, "I wonder, too.")
        github.comment(2, 21, "The platform team rotates signing keys every 90 days.")
        print(github.url, flush=True)  # noqa: T201 - the address is the output
        await asyncio.Event().wait()


asyncio.run(main())
