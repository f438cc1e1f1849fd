"""The icons of the page, exactly as they stand on it: any other svg was planted."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from adapters import web
from adapters.web.icons import ICONS

TEMPLATES = Path(web.__file__).parent / "templates"


@cache
def icons() -> tuple[str, ...]:
    """Return the markup of each icon."""
    made = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    drawings = made.get_template("icons.html").module
    return tuple(str(drawings.icon(name)) for name in ICONS.values())  # type: ignore[attr-defined]


def with_symbols(html: str) -> str:
    """Return `html` with the symbol that each icon of the page stands for, as somebody reads it."""
    for icon, symbol in zip(icons(), ICONS, strict=True):
        html = html.replace(icon, symbol)
    return html


def without_icons(html: str) -> str:
    """Return `html` without the icons of the page; an svg that differs from them in anything stays."""
    for icon in icons():
        html = html.replace(icon, "")
    return html
