"""Numbers as a workbook's format shows them: `0.0"%"`, `[h]:mm`, `#,##0.00 [$€-407]`, `[>100]"many";0`."""

from __future__ import annotations

import datetime as dt
import locale
import math
import operator
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache

from adapters.files.office.digit_format import (
    DIGIT_PLACEHOLDERS,
    DigitFormat,
    FractionFormat,
    format_general,
    to_decimal,
)

# --- Days and times -------------------------------------------------------------------------------

_ROUND_UP_WITHIN = 0.001
"""Part of a second: a time that is nearer to the next whole one is rounded to it. Other parts of a second are cut
off."""
_END_OF_CALENDAR = 2_958_466
"""The day after 31 December 9999."""
_LEAP_DAY = 60
"""Excel's 29 February 1900, a day that never was."""
_1904 = 1462
"""Days between the two epochs."""


class DateFormat:
    """The tokens of a format of days and times, parsed once. A token is a code of the format behind `date`, a minute,
    the digits of a fraction of a second behind `.`, or a literal."""

    def __init__(self, tokens: Sequence[tuple[str, str]], locale_name: str) -> None:
        codes = [text for kind, text in tokens if kind == "date"]
        twelve = any(code[0] in "aA" and "/" in code for code in codes)
        self._elapsed = any(code[0] == "[" for code in codes)
        self._digits = max((len(text) - 1 for kind, text in tokens if kind == "."), default=0)
        self._locale = locale_name
        self._pattern = "".join(
            text.replace("%", "%%") if kind == '"' else _code_pattern(kind, text.lower(), twelve=twelve)
            for kind, text in tokens
        )

    def format_serial(self, serial: float, *, from_1904: bool) -> str | None:
        """Format a day and time. Return None for a number that is no day of the calendar."""
        shift = _1904 if from_1904 else 0
        if not self._elapsed and not 0 <= serial + shift < _END_OF_CALENDAR:
            return None
        scale = 10**self._digits
        exact = abs(serial) * 86_400 * scale
        seconds, fraction = divmod(
            math.floor(exact + (0.5 if self._digits or self._elapsed else _ROUND_UP_WITHIN)), scale
        )
        days, rest = divmod(seconds, 86_400)
        year, month, day, weekday = _calendar_day(days + shift)
        hour, minute, second = rest // 3600, rest // 60 % 60, rest % 60
        text = self._pattern % {
            "year": year, "yy": year % 100, "buddhist": year + 543, "bb": (year + 543) % 100, "month": month,
            "day": day, "hour": hour, "twelfth": (hour + 11) % 12 + 1, "minute": minute, "second": second,
            "fraction": fraction, "hours": seconds // 3600, "minutes": seconds // 60, "seconds": seconds,
            "AM": "AM" if hour < 12 else "PM", "A": "A" if hour < 12 else "P",
        }  # fmt: skip
        if "\0" in text:  # names of months and days
            text = _fill_in_names(text, self._locale, month, weekday)
        return f"-{text}" if serial < 0 else text


def _code_pattern(kind: str, code: str, *, twelve: bool) -> str:
    r"""Return the pattern of one code, with names between zeros, `\0mmm\0`."""
    letter, width = code[0], len(code)
    short = min(width, 2)
    match kind, letter:
        case _, "[":
            return f"%({ {'h': 'hours', 'm': 'minutes', 's': 'seconds'}[code[1]] })0{width - 2}d"
        case ".", _:
            return f".%(fraction)0{width - 1}d" if width > 1 else ""
        case "minute", _:
            return f"%(minute)0{short}d"
        case _, "a" if "/" in code:
            return "%(AM)s" if width > 3 else "%(A)s"
        case _, "h":
            return f"%({'twelfth' if twelve else 'hour'})0{short}d"
        case _, "s":
            return f"%(second)0{short}d"
        case _, "y" | "e":
            return "%(yy)02d" if letter == "y" and width < 3 else "%(year)04d"
        case _, "b":
            return "%(bb)02d" if width < 3 else "%(buddhist)d"
        case _, "m" | "d" if width < 3:
            return f"%({'month' if letter == 'm' else 'day'})0{short}d"
        case _, "g":
            return ""
        case _:
            return f"\0{code}\0"


def _fill_in_names(text: str, locale_name: str, month: int, weekday: int) -> str:
    parts = text.split("\0")
    parts[1::2] = [_localized_name(code, locale_name, month if code[0] == "m" else weekday) for code in parts[1::2]]
    return "".join(parts)


@lru_cache(maxsize=2_000)
def _localized_name(code: str, locale_name: str, number: int) -> str:
    """Return a month or a day of the week in the language of a locale, by its number, `407` or `20000407`, or by its
    name, `de-DE`."""
    from babel import Locale, UnknownLocaleError

    try:
        # the bits above name a calendar and digits
        tag = locale_name if "-" in locale_name else locale.windows_locale.get(int(locale_name, 16) & 0xFFFF, "en")
        spoken = Locale.parse(tag.replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        spoken = Locale("en")
    width = "abbreviated" if len(code) == 3 else "wide"
    names = (spoken.months if code[0] == "m" else spoken.days)["format" if width == "wide" else "stand-alone"][width]
    name: str = names[number]
    return name if len(code) < 5 else name[0].upper()


@lru_cache(maxsize=10_000)
def _calendar_day(days: int) -> tuple[int, int, int, int]:
    """Return year, month, day, and the day of the week from 0 for Monday."""
    if days == _LEAP_DAY:
        return 1900, 2, 29, 2
    if days == 0:
        return 1900, 1, 0, 5
    shift = 1 if days < _LEAP_DAY else 0
    day = dt.date(1899, 12, 30) + dt.timedelta(days=min(days + shift, _END_OF_CALENDAR - 1))
    return day.year, day.month, day.day, (day.weekday() - shift) % 7


# --- Formats --------------------------------------------------------------------------------------

_MAX_FORMAT_LENGTH = 500
"""Characters of a format; Excel allows 255."""
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)(?:"|$)|[\\!](?P<escaped>.)|_(?P<padding>.)|\*(?P<fill>.)'
    r"|\[(?P<elapsed>h+|m+|s+)\]|\[\$(?P<currency>[^\]-]*)(?:-(?P<locale>[^\]]*))?\]"
    r"|\[(?P<condition>[<>=]{1,2})\s*(?P<limit>-?[\d.]+(?:E[+-]?\d+)?)\]|\[[^\]]*\]"
    r"|(?P<general>General|Standard)|(?P<half>AM/PM|A/P)|(?P<power>E[+-])(?=[0#?])"
    r"|(?P<date>y+|m+|d+|h+|s+|b+|e+|g+|aaa+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
"""Token of a format code: a quoted or escaped literal, padding, a condition, a code of dates, or one other sign."""
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
_SYSTEM = {"f800": "dddd, mmmm dd, yyyy", "f400": "h:mm:ss AM/PM"}
"""Formats that stand for the reader's own long date and time."""
BUILT_IN_FORMATS = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0_);\\("$"#,##0\\)',
    6: '"$"#,##0_);[Red]\\("$"#,##0\\)', 7: '"$"#,##0.00_);\\("$"#,##0.00\\)',
    8: '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "m/d/yyyy h:mm", 27: "yyyy-mm-dd", 28: "mm-dd", 29: "mm-dd", 30: "m-d-yy", 31: "yyyy-mm-dd",
    32: "h:mm", 33: "h:mm:ss", 34: "h:mm", 35: "h:mm:ss", 36: "yyyy-mm-dd", 37: "#,##0_);(#,##0)",
    38: "#,##0_);[Red](#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)', 42: '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@", **dict.fromkeys((50, 51, 52, 54, 57, 58), "yyyy-mm-dd"), 53: "h:mm", 55: "h:mm",
    56: "h:mm:ss",
}  # fmt: skip
"""Formats that a workbook names by number alone. Those that follow the reader's language give days in ISO's form."""


@lru_cache(maxsize=2_000)
def parse_number_format(code: str) -> NumberFormat:
    return NumberFormat(code)


class NumberFormat:
    """A format code, parsed once for all cells that have it."""

    def __init__(self, code: str) -> None:
        self._sections = [_Section(tokens) for tokens in _split_sections(code[:_MAX_FORMAT_LENGTH])]
        self._text = next((section for section in self._sections[:4] if section.of_text), None)
        if len(self._sections) > 3 or (len(self._sections) > 1 and self._sections[-1].of_text):
            self._text = self._sections.pop()
        self.of_text = self._text is not None
        self.general = not self._sections or (len(self._sections) == 1 and self._sections[0].plain)
        self.is_date = bool(self._sections) and self._sections[0].is_date

    def format_text(self, value: str) -> str:
        """Format a text in the section for texts."""
        return self._text.fill_in_text(value) if self._text else value

    def format_value(self, value: float, *, from_1904: bool = False) -> str:
        """Format a number in the section for its value."""
        if self.general:
            return format_general(value)
        section, bare = self._choose_section(value)
        if section is None:
            return format_general(value)
        return section.format_number(abs(value) if bare else value, from_1904=from_1904)

    def _choose_section(self, value: float) -> tuple[_Section | None, bool]:
        """Return the section, and whether it stands for negative numbers, so that no sign is shown."""
        sections = self._sections
        if len(sections) == 1 and not sections[0].condition:
            return sections[0], False
        first = sections[0].condition or ((">", 0.0) if len(sections) > 2 else (">=", 0.0))
        second = sections[1].condition if len(sections) > 1 else None
        if second is None and len(sections) > 2:
            second = ("<", 0.0)
        if _COMPARED[first[0]](value, first[1]):
            return sections[0], first in {("<", 0.0), ("<=", 0.0)}
        if len(sections) == 1:
            return None, False
        if second is None or _COMPARED[second[0]](value, second[1]):
            usual = second is None and first in {(">", 0.0), (">=", 0.0)}
            return sections[1], usual or (second is not None and second[0] in {"<", "<="} and second[1] <= 0)
        return (sections[2], False) if len(sections) > 2 else (None, False)


def _split_sections(code: str) -> list[list[re.Match[str]]]:
    sections: list[list[re.Match[str]]] = [[]]
    for match in _TOKEN.finditer(code):
        if match["other"] == ";":
            sections.append([])
        else:
            sections[-1].append(match)
    return sections


class _Section:
    """The part of a format between two semicolons."""

    def __init__(self, matches: list[re.Match[str]]) -> None:
        locale = next((match["locale"] for match in matches if match["locale"]), "")
        if system := _SYSTEM.get(locale.lower()):
            matches = list(_TOKEN.finditer(system))
        condition = next((match for match in matches if match["condition"] in _COMPARED), None)
        self.condition = (str(condition["condition"]), _parse_limit(condition["limit"])) if condition else None
        self.of_text = any(match["other"] == "@" for match in matches)
        self.is_date = any(match["date"] or match["elapsed"] or match["half"] for match in matches) and not any(
            match["general"] for match in matches
        )
        self._tokens = (
            _parse_date_tokens(matches)
            if self.is_date
            else [token for match in matches if (token := _parse_token(match))]
        )
        self._dates = DateFormat(self._tokens, locale) if self.is_date else None
        kinds = [kind for kind, _ in self._tokens]
        self.plain = kinds == ["general"]
        self._figures: DigitFormat | FractionFormat | None = None
        if not self.is_date and any(kind in DIGIT_PLACEHOLDERS for kind in kinds):
            broken = "/" in kinds and any(kind in DIGIT_PLACEHOLDERS for kind in kinds[: kinds.index("/")])
            self._figures = FractionFormat(self._tokens) if broken else DigitFormat(self._tokens)

    def fill_in_text(self, text: str) -> str:
        """Put a text into its place among the literals. Return only the literals where it has no place."""
        if not self.of_text:
            return "".join(literal for kind, literal in self._tokens if kind == '"') if self._tokens else ""
        return "".join(text if kind == "@" else literal for kind, literal in self._tokens)

    def format_number(self, value: float, *, from_1904: bool) -> str:
        if self._dates:
            formatted = self._dates.format_serial(value, from_1904=from_1904)
            return format_general(value) if formatted is None else formatted
        sign = "-" if value < 0 else ""
        if self._figures is None:
            formatted = "".join(
                format_general(abs(value)) if kind in {"general", "@"} else text for kind, text in self._tokens
            )
            return f"{sign}{formatted}" if self._tokens else ""
        if isinstance(self._figures, DigitFormat) and (quick := self._figures.format_quick(value)):
            return quick
        number: Decimal = to_decimal(abs(value))
        if isinstance(self._figures, DigitFormat) and sign and self._figures.rounds_to_zero(number):
            sign = ""
        return f"{sign}{self._figures.format_value(number)}"


def _parse_limit(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _parse_token(match: re.Match[str]) -> tuple[str, str] | None:
    """Return a token of a number format; None for parts that are not shown: colours, conditions, filling."""
    if match["quoted"] is not None or match["escaped"] is not None or match["currency"] is not None:
        return '"', match["quoted"] or match["escaped"] or match["currency"] or ""
    if match["padding"] is not None:
        return '"', " "
    if match["general"]:
        return "general", ""
    if match["power"]:
        return match["power"].upper(), match["power"][0]
    other = match["other"] or match["date"]
    if other and (other in DIGIT_PLACEHOLDERS or other in ".,%/@"):
        return other, ""
    return ('"', other) if other else None


def _parse_date_tokens(matches: list[re.Match[str]]) -> list[tuple[str, str]]:
    """Return the tokens of a format of days and times. `m` beside hours or seconds means minutes."""
    tokens: list[tuple[str, str]] = []
    for match in matches:
        code = match["date"] or match["half"] or (match["elapsed"] and match[0])
        if code:
            tokens.append(("date", code))
        elif match["other"] == "0" and tokens and (tokens[-1][1] or " ")[0] == "." and tokens[-1][0] in {'"', "."}:
            tokens[-1] = ".", f"{tokens[-1][1]}0"
        elif token := _parse_token(match):
            tokens.append(('"', token[1] if token[0] == '"' else token[0]))
    clock = [position for position, (kind, text) in enumerate(tokens) if kind == "date" and text[0] not in "aA"]
    for index, position in enumerate(clock):
        text = tokens[position][1].lower()
        before = tokens[clock[index - 1]][1].lower().strip("[]")[:1] if index else ""
        after = tokens[clock[index + 1]][1].lower().strip("[]")[:1] if index + 1 < len(clock) else ""
        if text in {"m", "mm"} and (before == "h" or after == "s"):
            tokens[position] = "minute", text
    return tokens
