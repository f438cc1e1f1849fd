"""The description of the API as one page, which asks no other host for anything."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
STYLE = """
:root { color-scheme: light dark; --paper: #fcfcfb; --ink: #1d1f21; --act: #1f3a5f; --line: #c9ccd0; --faint: #5c6268; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181a; --ink: #e9eaeb; --act: #8ab4e8; --line: #44494e; --faint: #a8aeb4; }
}
a { color: var(--act); }
body { background: var(--paper); color: var(--ink); }
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 1rem; }
section { border-block-start: 1px solid var(--line); padding-block: .5rem; }
h2 { font-size: 1.1rem; } code, pre { font: .9em/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; }
.faint { color: var(--faint); }
"""


def page(description: Mapping[str, Any]) -> str:
    """What `openapi.json` says, for people."""
    calls = "".join(_calls(description["paths"]))
    shapes = "".join(_shapes(description["components"]["schemas"]))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Citewell API</title>'
        '<link rel="stylesheet" href="/api/style.css"></head><body><main>'
        f"<h1>Citewell API</h1><p>{escape(description['info'].get('summary', ''))} "
        'For programs: <a href="/api/v1/openapi.json">openapi.json</a>.</p>'
        "<p>Send the key that an admin made with <code>citewell keys add</code> as "
        f"<code>Authorization: Bearer …</code>.</p>{calls}<h1>Shapes</h1>{shapes}</main></body></html>"
    )


def _calls(paths: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in paths.items():
        for method, call in methods.items():
            told = ", ".join(f"{status} {escape(one['description'])}" for status, one in call["responses"].items())
            yield (
                f"<section><h2><code>{method.upper()} /api{escape(path)}</code></h2>"
                f"<p>{escape(call.get('summary', ''))}. {escape(call.get('description', ''))}</p>"
                f"{_fields(call)}<p class='faint'>{told}</p></section>"
            )


def _fields(call: Mapping[str, Any]) -> str:
    asked = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    listed = "".join(
        f"<li><code>{escape(one['name'])}</code> ({escape(one['in'])}) {escape(one.get('description', ''))}</li>"
        for one in call.get("parameters", ())
    )
    body = (
        f"<li>body: <code>{escape(asked['$ref'].rpartition('/')[2])}</code></li>" if asked and "$ref" in asked else ""
    )
    return f"<ul>{listed}{body}</ul>" if listed or body else ""


def _shapes(shapes: Mapping[str, Any]) -> Iterator[str]:
    for name, shape in sorted(shapes.items()):
        fields = escape(json.dumps(shape.get("properties", shape.get("enum", {})), indent=1))
        yield (
            f"<section><h2><code>{escape(name)}</code></h2><p>{escape(shape.get('description', ''))}</p>"
            f'<pre tabindex="0">{fields}</pre></section>'
        )
