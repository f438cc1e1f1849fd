"""The page for people who add the bot to a workspace: without a script, and with our own words alone."""

from __future__ import annotations

from html import escape

INSTALL_PAGE_CSP = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
INSTALL_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": INSTALL_PAGE_CSP,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
TRY_AGAIN_TEXT = "Something went wrong on the way. Please try again."
ONE_WORKSPACE = (
    "It can be added to one workspace at a time, not to a whole organisation. Choose a workspace where Slack asks you."
)
OAUTH_ERROR_TEXTS = {
    "access_denied": "You did not allow it, so nothing was changed.",
    "invalid_browser": "This browser did not begin it, or no longer knows: begin again, in one browser.",
    "invalid_state": "It took too long, or was done before. Please begin again.",
}
"""Texts for the reasons that Slack and Bolt give."""
STYLE_PATH = "/slack/style.css"
INSTALL_PAGE_CSS = """
:root { color-scheme: light dark; --paper: #fcfcfb; --ink: #1d1f21; --faint: #6a6f75; --line: #d9dbdd; --act: #1f3a5f; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181a; --ink: #e9eaeb; --faint: #a2a8ae; --line: #383c40; --act: #2a6fb0; }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 12vh auto 0; padding: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
a { display: inline-block; margin: 1rem 0; padding: .6rem 1.4rem; border-radius: .4rem; background: var(--act);
  color: #fff; font-weight: 600; text-decoration: none; }
a:focus-visible { outline: 3px solid var(--faint); outline-offset: 2px; }
small { display: block; color: var(--faint); border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem; }
"""


def render_invitation(url: str) -> str:
    """Return the page with the link to Slack."""
    return _page(
        "Add Citewell to Slack",
        "<p>It answers your team's questions in Slack, and shows the passage that each sentence rests on.</p>"
        f'<a href="{escape(url)}">Choose a workspace</a>'
        "<small>It reads what is said to it, and what is said in the threads where it has answered. It answers from "
        "the documents that whoever runs it has opened to your workspace. Remove the app in Slack, and all it kept "
        "of your workspace is erased.</small>",
    )


def render_installed(workspace: str) -> str:
    return _page(
        f"Citewell is in {workspace}" if workspace else "Citewell is in your workspace",
        "<p>In Slack, write to it under <b>Apps</b>, or invite it to a channel with <b>/invite</b> and mention it. It "
        "has no documents for your workspace until whoever runs it opens some.</p>",
    )


def render_install_failed(reason: str) -> str:
    return _page("Citewell was not added", f'<p>{escape(reason)}</p><a href="/slack/install">Begin again</a>')


def _page(title: str, body: str) -> str:
    """Return a page; `body` is markup, `title` is text."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title)}</title><link rel="stylesheet" href="{STYLE_PATH}"></head>'
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )
