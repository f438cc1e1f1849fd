"""The fragments that lead to the headings of a Confluence page."""

from __future__ import annotations

from collections import Counter


class Anchors:
    """What Confluence calls the headings of one page, asked for in order.

    The new editor of Cloud writes the heading with hyphens for its spaces; the old one, and Data Center, the page's
    title and the heading without their spaces, after `id-` when the title does not begin with a letter. Those with one
    name are numbered from the second."""

    def __init__(self, title: str, *, new_editor: bool) -> None:
        self._before = "" if new_editor else "".join(title.split()) + "-"
        if self._before and not self._before[0].isalpha():
            self._before = "id-" + self._before
        self._space = "-" if new_editor else ""
        self._given: Counter[str] = Counter()

    def of(self, heading: str) -> str:
        name = self._before + self._space.join(heading.split())
        earlier = self._given[name]
        self._given[name] += 1
        return f"{name}.{earlier}" if earlier else name
