"""Draw `docs/answer.svg`, a real answer as Slack shows it: `python -m bench.draw_answer`.

The pipeline answers a question over the example handbook without a model, and Slack's renderer makes the blocks.
The picture shows every block. A block or a piece of Markdown that it has no drawing for raises ValueError.
"""

from __future__ import annotations

import asyncio
import html
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from reportlab.pdfbase.pdfmetrics import stringWidth

from adapters.chat.reply.builder import build_reply
from adapters.slack.rendering.render import render_posts
from adapters.web.config import WebConfig
from bot.config.settings import Settings
from bot.handbook import DEMO_QUESTIONS, open_handbook
from bot.wiring import open_citewell

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "answer.svg"
QUESTION = DEMO_QUESTIONS[2].text
Block = dict[str, Any]

WIDTH, MARGIN, AVATAR = 816, 30, 40
LEFT = MARGIN + AVATAR + 14
COLUMN = (WIDTH - LEFT - MARGIN) * 0.86
"""Pixels that a line may take. The reader's font may be wider than the one that lines are measured with."""
INDENT = 26
STYLE = """\
text { font: 15px -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; fill: #1d1c1d; }
.small { font-size: 13px; fill: #616061; }
.name, .strong, .label { font-weight: 700; }
.label { font-size: 13px; font-weight: 600; }
.tiny { font-size: 10px; font-weight: 600; fill: #616061; letter-spacing: .3px; }
.link, .mention { fill: #1264a3; }
.card { fill: #ffffff; stroke: #dddddd; }
.rule { stroke: #e6e6e6; }
.pill { fill: #e3f1fb; }
.chip { fill: #ececec; }
.dot { fill: #616061; stroke: #616061; }
.empty { fill: none; }
.button { fill: none; stroke: #c4c3c4; }
.icon { fill: none; stroke: #1d1c1d; stroke-width: 1.3; stroke-linejoin: round; }
.person { fill: #7c6fa8; }
.face { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #d8d9da; }
  .name { fill: #f2f2f3; }
  .small, .tiny { fill: #a3a5a8; }
  .link, .mention { fill: #5eb4ea; }
  .card { fill: #1a1d21; stroke: #383b40; }
  .rule { stroke: #33363b; }
  .pill { fill: #16354a; }
  .chip { fill: #33363b; }
  .dot { fill: #a3a5a8; stroke: #a3a5a8; }
  .empty { fill: none; }
  .button { stroke: #54575c; }
  .icon { stroke: #d8d9da; }
}"""
THUMB = "M5 7.3 7.7 1.8c1.3 0 2 .9 1.8 2L9.1 6.4h3.7c1 0 1.7.9 1.4 1.9l-1.2 4.5c-.2.8-.8 1.2-1.6 1.2H5zM2 7.3h3V14H2z"


class Run(NamedTuple):
    """Text of one style: a class of `STYLE`, or none."""

    text: str
    style: str = ""


# --- From blocks to runs of text --------------------------------------------------------------------


def inline(tokens: Sequence[Token]) -> Iterator[Run]:
    """Return the runs of one paragraph of Markdown."""
    style = ""
    for token in tokens:
        match token.type:
            case "text" | "text_special":
                yield Run(token.content, style)
            case "softbreak":
                yield Run(" ", style)
            case "strong_open" | "link_open":
                style = token.type.removesuffix("_open")
            case "strong_close" | "link_close":
                style = ""
            case unknown:
                raise ValueError(f"there is no drawing for {unknown} in Markdown")


def paragraphs(markdown: str) -> Iterator[tuple[str, list[Run]]]:
    """Return each paragraph and list item, with what stands in front of it: `1.`, `•` or nothing."""
    number, mark = 0, ""
    for token in MarkdownIt("commonmark").parse(markdown):
        match token.type:
            case "ordered_list_open":
                number = int(token.attrGet("start") or 1)
            case "list_item_open":
                mark = f"{number}." if number else "•"
                number += bool(number)
            case "ordered_list_close" | "bullet_list_close":
                number, mark = 0, ""
            case "inline":
                yield mark, list(inline(token.children or ()))
            case "bullet_list_open" | "list_item_close" | "paragraph_open" | "paragraph_close":
                pass
            case unknown:
                raise ValueError(f"there is no drawing for {unknown} in Markdown")


def mrkdwn(line: str) -> Iterator[Run]:
    """Return the runs of a line in Slack's own markup."""
    for plain, bold, label in re.findall(r"([^*<]+)|\*([^*]+)\*|<[^|>]+\|([^>]+)>", line):
        text, style = (bold, "strong") if bold else (label, "link") if label else (plain, "")
        yield Run(html.unescape(text), style)


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the pixels that `text` takes in Helvetica."""
    return float(stringWidth(text, "Helvetica-Bold" if bold else "Helvetica", size))


def wrapped(runs: Sequence[Run], room: float, size: float) -> list[list[Run]]:
    """Break runs at blanks into lines of at most `room` pixels."""
    lines: list[list[Run]] = [[]]
    used = 0.0
    for run in runs:
        for word in re.findall(r"\s*\S+\s*$|\s*\S+|\s+", run.text):
            taken = width(word, size, bold=run.style == "strong")
            if lines[-1] and word[0].isspace() and used + taken > room:
                lines.append([])
                used, word = 0.0, word.lstrip()
            lines[-1].append(Run(word, run.style))
            used += taken
    return [joined(line) for line in lines]


def joined(runs: Sequence[Run]) -> list[Run]:
    """Join neighbouring runs of one style."""
    out: list[Run] = []
    for run in runs:
        if out and out[-1].style == run.style:
            out[-1] = Run(out[-1].text + run.text, run.style)
        else:
            out.append(run)
    return out


# --- The picture ------------------------------------------------------------------------------------


class Picture:
    """The elements of the picture so far; `y` is where the next one begins."""

    def __init__(self) -> None:
        self.elements: list[str] = []
        self.y = float(MARGIN)

    def add(self, name: str, inside: str = "", **attributes: object) -> None:
        """Add one element. `class_` is its class; numbers are rounded to a tenth."""
        given = "".join(
            f' {key.rstrip("_").replace("_", "-")}="{round(value, 1) if isinstance(value, float) else value}"'
            for key, value in attributes.items()
        )
        self.elements.append(f"<{name}{given}>{inside}</{name}>" if inside else f"<{name}{given}/>")

    def text(self, runs: Sequence[Run], x: float, y: float, style: str = "", anchor: str = "") -> None:
        """Write one line."""
        parts = [
            f'<tspan class="{run.style}">{html.escape(run.text, quote=False)}</tspan>'
            if run.style
            else html.escape(run.text, quote=False)
            for run in runs
        ]
        more = {"class_": style} if style else {}
        self.add("text", "".join(parts), x=x, y=y, **more, **({"text_anchor": anchor} if anchor else {}))

    def lines(self, runs: Sequence[Run], x: float, size: float, height: float, style: str = "") -> None:
        """Write a paragraph below what is there."""
        for line in wrapped(runs, COLUMN - (x - LEFT), size):
            self.text(line, x, self.y + height * 0.7, style)
            self.y += height

    def button(self, label: str, x: float, icon: str = "") -> float:
        """Draw a button with an icon that is turned as `icon` says. Return where the next one begins."""
        room = 22 if icon else 0
        wide = round(width(label, 13, bold=True) * 1.1 + room + 26)
        self.add("rect", x=x + 0.5, y=self.y + 0.5, width=wide, height=32, rx=8, class_="button")
        if icon:
            self.add("path", d=THUMB, class_="icon", transform=f"translate({x + 13:g} {self.y + 8.5:g}) {icon}")
        self.text([Run(label)], x + (wide + room) / 2, self.y + 21, "label", "middle")
        return x + wide + 9


def draw_question(picture: Picture, name: str) -> None:
    top = picture.y
    picture.add("rect", x=MARGIN, y=top, width=AVATAR, height=AVATAR, rx=9, class_="person")
    picture.add("circle", cx=MARGIN + 20, cy=top + 15.5, r=6.5, class_="face")
    picture.add("path", d=f"M{MARGIN + 8} {top + 34:g}a12 9.5 0 0 1 24 0z", class_="face")
    picture.text([Run("You")], LEFT, top + 13, "name")
    mention = f"@{name}"
    wide = round(width(mention, 15) + 8)
    picture.add("rect", x=LEFT, y=top + 21, width=wide, height=21, rx=4, class_="pill")
    picture.text([Run(mention)], LEFT + wide / 2, top + 36.5, "mention", "middle")
    picture.text([Run(QUESTION)], LEFT + wide + 6, top + 36.5)
    picture.text([Run("1 reply")], MARGIN, top + 72, "small")
    picture.add("line", x1=MARGIN + 56, y1=top + 67.5, x2=WIDTH - MARGIN, y2=top + 67.5, class_="rule")
    picture.y = top + 94


def draw_author(picture: Picture, name: str) -> None:
    icon = (ROOT / "adapters" / "web" / "static" / "icon.svg").read_text(encoding="utf-8")
    inside = re.sub(r"</?svg[^>]*>", "", icon).strip()
    picture.add("g", inside, transform=f"translate({MARGIN} {picture.y:g}) scale({AVATAR / 32:g})")
    picture.text([Run(name)], LEFT, picture.y + 13, "name")
    chip = LEFT + round(width(name, 15, bold=True)) + 12
    picture.add("rect", x=chip, y=picture.y + 1, width=30, height=15, rx=3, class_="chip")
    picture.text([Run("APP")], chip + 15, picture.y + 12, "tiny", "middle")
    picture.y += 27


def draw_block(picture: Picture, block: Block) -> None:
    """Draw one block below what is there."""
    match block["type"]:
        case "markdown":
            for mark, runs in paragraphs(block["text"]):
                if mark:
                    picture.text([Run(mark)], LEFT + INDENT - 9, picture.y + 16, anchor="end")
                picture.lines(runs, LEFT + bool(mark) * INDENT, 15, 23)
                picture.y += 3
        case "context":
            picture.y += 9
            for line in "\n".join(element["text"] for element in block["elements"]).splitlines():
                draw_small_print(picture, line)
        case "context_actions":
            (element,) = block["elements"]
            picture.y += 15
            x = picture.button(element["positive_button"]["text"]["text"], LEFT, "rotate(0)")
            picture.button(element["negative_button"]["text"]["text"], x, "rotate(180 8 8)")
            picture.y += 33
        case "actions":
            picture.y += 10
            x = float(LEFT)
            for element in block["elements"]:
                x = picture.button(element["text"]["text"], x)
            picture.y += 33
        case unknown:
            raise ValueError(f"there is no drawing for a block {unknown}")


def draw_small_print(picture: Picture, line: str) -> None:
    """Draw one line of a context block. Dots in front of it are circles, as fonts differ in them."""
    dots, text = re.fullmatch(r"([●○]*) ?(.*)", line).groups()  # type: ignore[union-attr]
    for place, dot in enumerate(dots):
        style = "dot" if dot == "●" else "dot empty"
        picture.add("circle", cx=LEFT + 5 + place * 12, cy=picture.y + 9.5, r=4, class_=style)
    picture.lines(list(mrkdwn(text)), LEFT + len(dots) * 12 + (6 if dots else 0), 13, 20, "small")


def draw(blocks: Sequence[Block]) -> str:
    """Return the SVG of the question and of the blocks that answer it."""
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    name = manifest["features"]["bot_user"]["display_name"]
    picture = Picture()
    draw_question(picture, name)
    draw_author(picture, name)
    for block in blocks:
        draw_block(picture, block)
    high = round(picture.y + MARGIN - 2)
    body = "\n".join(picture.elements)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" height="{high}" role="img">
<title>An answer in Slack: {html.escape(QUESTION)}</title>
<style>
{STYLE}
</style>
<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{high - 1}" rx="14" class="card"/>
{body}
</svg>
"""


# --- The answer -------------------------------------------------------------------------------------


class DefaultSettings(Settings):
    """The settings without an environment and without files, so that every machine draws the same."""

    @classmethod
    def settings_customise_sources(cls, *_: Any, init_settings: Any, **__: Any) -> tuple[Any, ...]:
        return (init_settings,)


async def answer_blocks() -> list[Block]:
    """Answer the question over the example handbook, and return Slack's blocks of the answer."""
    page = WebConfig(listen="127.0.0.1:8080", url="https://citewell.example.com")
    with tempfile.TemporaryDirectory() as data, open_handbook() as documents:
        settings = DefaultSettings(data=Path(data), model="extractive", reader_seconds=60, web=page)
        async with open_citewell(settings) as citewell:
            await citewell.index([documents])
            (post,) = render_posts(build_reply(await citewell.answer(QUESTION)))
    return post.blocks


if __name__ == "__main__":
    PICTURE.write_text(draw(asyncio.run(answer_blocks())), encoding="utf-8")
