"""The tokens that `citewell init` asks for, and checks as they are given."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from getpass import getpass

import typer
from rich.text import Text

from bot.commands.terminal import err, out, print_line
from bot.config import dotenv_file
from bot.config.files import DOTENV, names_in_dotenv
from bot.config.settings import Settings, platform_configs
from pipeline.ports import PlatformSetup
from pipeline.values import Finding, FindingState
from pipeline.values.setup import TokenCheck, TokenPrompt
from pipeline.words.text import to_single_line

MARKS = {FindingState.GOOD: ("✓", "green"), FindingState.WARNING: ("!", "yellow"), FindingState.BAD: ("✗", "red")}
PLAIN_MARKS = {FindingState.GOOD: "ok", FindingState.WARNING: "!", FindingState.BAD: "x"}


@dataclass(frozen=True)
class SetupTarget:
    """A platform that is set up."""

    title: str
    setup: PlatformSetup
    wanted: bool
    """True if the settings are enough to start it."""


@dataclass
class SetupReport:
    """The steps that are left after setup."""

    next_steps: list[str] = field(default_factory=list)
    """Steps on the platforms."""
    unfinished: list[str] = field(default_factory=list)
    """Clauses about what is missing, refused or not checked."""

    def add(self, prompt: TokenPrompt, check: TokenCheck | None) -> None:
        """Record the check of a token; None if there is no token."""
        if check is None:
            self.unfinished.append(f"{prompt.setting} is missing")
        elif check.finding.state is FindingState.BAD:
            self.unfinished.append(f"{prompt.setting} is {'refused' if check.refused else 'kept, but not checked'}")
        if check:
            self.unfinished += [f"see {note.subject} above" for note in check.notes if note.state is FindingState.BAD][
                :1
            ]
            self.next_steps += [check.next_step] if check.next_step else []


class TerminalPrompts:
    """Prompts at the terminal. They raise KeyboardInterrupt, EOFError or Abort when interrupted."""

    def text(self, question: str) -> str:
        return str(typer.prompt(question, default="", show_default=False)).strip()

    def secret(self, question: str) -> str:
        """Ask without showing what is typed."""
        return getpass(f"{question}: ").strip()

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Hide all typing, also between prompts: a token may be pasted too early."""
        attributes = termios.tcgetattr(sys.stdin)
        silent = [*attributes[:3], attributes[3] & ~termios.ECHO, *attributes[4:]]
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, silent)
        try:
            yield
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, attributes)


def setup_targets(settings: Settings) -> dict[str, SetupTarget]:
    """Return the platforms that have tokens, by name."""
    setups = ((config, config.setup()) for config in platform_configs(settings))
    return {
        config.platform.name: SetupTarget(config.platform.title, setup, config.is_enabled)
        for config, setup in setups
        if setup
    }


def begun(target: SetupTarget) -> bool:
    """Return True if setup of a platform was begun: one of its tokens is named somewhere, even without a value."""
    named = names_in_dotenv() | os.environ.keys()
    return target.wanted or any(prompt.setting in named for prompt in target.setup.tokens)


def missing(target: SetupTarget) -> list[TokenPrompt]:
    """Return the tokens that the settings lack."""
    return [prompt for prompt in target.setup.tokens if not target.setup.current_token(prompt)]


def set_up(target: SetupTarget, report: SetupReport, prompts: TerminalPrompts | None) -> None:
    """Check the tokens of a platform, and ask for those that are missing or refused."""
    with prompts.unseen() if prompts else nullcontext():
        _set_up(target, report, prompts)


def _set_up(target: SetupTarget, report: SetupReport, prompts: TerminalPrompts | None) -> None:
    out.print(Text(f"\n{target.title}", style="bold"))
    step = 1
    for prompt in target.setup.tokens:
        check = _check_stored(target, prompt, keep=prompts is None)
        in_environment = bool(os.environ.get(prompt.setting))
        if prompts and not in_environment and (check is None or check.refused):
            check = _ask(target, prompt, step, prompts)
        elif check and check.refused and in_environment:
            print_line(f"    {prompt.setting} of the environment wins over .env: correct it there.")
        step += len(prompt.steps)
        report.add(prompt, check)


def _check_stored(target: SetupTarget, prompt: TokenPrompt, *, keep: bool) -> TokenCheck | None:
    """Check the stored token, and with `keep` write it into `.env`. Return None if there is none."""
    token = target.setup.current_token(prompt)
    if not token:
        return None
    check = _check_and_print(target, prompt, token)
    if keep and not check.refused:
        dotenv_file.put(DOTENV, {prompt.setting: token})
    return check


def _ask(target: SetupTarget, prompt: TokenPrompt, step: int, prompts: TerminalPrompts) -> TokenCheck | None:
    """Ask until a token is accepted. Return None if it is left for later."""
    if step > 1:
        print_line("")
    for number, sentence in enumerate(prompt.steps, start=step):
        print_line(f"  {number}. {sentence}")
    if step == 1:
        print_line("")
        out.print(Text(target.setup.link, style="cyan"), soft_wrap=True)
    print_line("")
    while token := prompts.secret(f"  {prompt.title[0].upper()}{prompt.title[1:]} (not shown; Enter: later)"):
        if prompt.check_format(token) is None:
            dotenv_file.put(DOTENV, {prompt.setting: token})  # the next run finds it, whatever ends the check
        check = _check_and_print(target, prompt, token)
        if not check.refused:
            return check
        dotenv_file.put(DOTENV, {prompt.setting: ""})
    return None


def _check_and_print(target: SetupTarget, prompt: TokenPrompt, token: str) -> TokenCheck:
    check = prompt.check_format(token)
    if check is None:
        with err.status(f"  Asking {target.title}"):
            check = asyncio.run(target.setup.check(prompt, token))
    for finding in (check.finding, *check.notes):
        _print_finding(finding)
    return check


def _print_finding(finding: Finding) -> None:
    mark, style = MARKS[finding.state]
    if not out.encoding.lower().startswith("utf"):
        mark = PLAIN_MARKS[finding.state]
    line = Text.assemble("  ", (mark, style), f" {to_single_line(f'{finding.subject}: {finding.said}')}")
    out.print(line, soft_wrap=True)
    if finding.fix:
        print_line(f"    {finding.fix}")
