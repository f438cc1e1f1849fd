"""What somebody sees of a page of ours, and what they can press there: a browser without scripts."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

VOID = {"br", "hr", "img", "input", "link", "meta"}
BLOCKS = frozenset("p li h1 h2 h3 td th tr div article section aside blockquote pre".split())


class Field(NamedTuple):
    form: int
    name: str
    value: str
    label: str = ""


class Seen(HTMLParser):
    """The text and links of a page, or of the elements with a class; fields and buttons of its forms."""

    def __init__(self, html: str, within: str = "") -> None:
        super().__init__()
        self.text = ""
        self.links: list[str] = []
        self.fields: list[Field] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self._within = within
        self._open: list[tuple[str, set[str]]] = []
        self._forms = 0
        self._button: Field | None = None
        self.feed(html)

    @property
    def _inside(self) -> bool:
        return not self._within or any(self._within in classes for _, classes in self._open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        if tag in BLOCKS and self._inside:
            self.text += "\n"
        self._forms += tag == "form"
        if tag not in VOID:
            self._open.append((tag, set(found.get("class", "").split())))
        if tag == "a" and self._inside and found.get("href", "").startswith("http"):
            self.links.append(found["href"])
        if tag in ("input", "textarea", "select") and found.get("name"):
            self.fields.append(Field(self._forms, found["name"], found.get("value", "")))
        if tag == "button" and found.get("name"):
            self._button = Field(self._forms, found["name"], found.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            continue
        if tag == "button" and self._button:
            self.fields.append(self._button)
            self._button = None

    def handle_data(self, data: str) -> None:
        if self._button:
            self._button = self._button._replace(label=self._button.label + data)
        elif self._inside and not any(tag in ("script", "style", "title") for tag, _ in self._open):
            self.text += data

    def form_with(self, name: str, value: str) -> dict[str, str]:
        """The hidden fields of the form that the button stands in, and that button."""
        number = next(one.form for one in self.fields if (one.name, one.value) == (name, value))
        own = {one.name: one.value for one in self.fields if one.form == number and one.name != name}
        return own | {name: value}
