"""Digits formatted by the placeholders of a number format: `#,##0.00`, `0.0E+0`, `# ??/??`."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

_CONTEXT = Context(prec=400, rounding=ROUND_HALF_UP)
DIGIT_PLACEHOLDERS = "0#?"
_BLANK = {"0": "0", "?": " ", "#": ""}
_SIGNIFICANT_DIGITS = 15
"""Significant digits of a number in Excel."""
_WIDTH = 11
"""Characters in which General shows a number."""


def format_general(value: float) -> str:
    """Format whole numbers in full, others in eleven characters."""
    size = abs(value)
    if size < 10**_SIGNIFICANT_DIGITS and value == int(value):
        return str(int(value))
    if size < 1e-4 or size >= 10**_WIDTH:
        scientific = f"{value:.5E}"
        mantissa, power = scientific.split("E")
        if size < 1e-4 and len(plain := _strip_zeros(f"{size:.9f}")) < _WIDTH and float(plain) == size:
            return f"{'-' * (value < 0)}{plain}"
        return f"{_strip_zeros(mantissa)}E{power}"
    integer_digits = len(str(int(size)))
    return _strip_zeros(f"{value:.{max(0, _WIDTH - 1 - integer_digits)}f}")


def _strip_zeros(figures: str) -> str:
    return figures.rstrip("0").rstrip(".") if "." in figures else figures


def to_decimal(value: float) -> Decimal:
    """Round to the fifteen significant digits of Excel."""
    return Decimal(f"{value:.{_SIGNIFICANT_DIGITS}g}")


def _round(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), context=_CONTEXT)


class DigitFormat:
    """A run of tokens with placeholders. `format_value` fills in the digits of a number that is not negative.

    A token is a pair: a placeholder, `.`, `,`, `%`, `E+`, `/` with an empty second part, or a literal behind `"`.
    """

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        kinds = [kind for kind, _ in tokens]
        self._power = next((index for index, kind in enumerate(kinds) if kind in {"E+", "E-"}), len(kinds))
        point = kinds.index(".") if "." in kinds[: self._power] else self._power
        self._point = point
        self._before = [index for index in range(point) if kinds[index] in DIGIT_PLACEHOLDERS]
        self._after = [index for index in range(point, self._power) if kinds[index] in DIGIT_PLACEHOLDERS]
        self._in_power = [index for index in range(self._power, len(kinds)) if kinds[index] in DIGIT_PLACEHOLDERS]
        first, last = (self._before or [0])[0], (self._before or [-1])[-1]
        self._commas = any(kinds[index] == "," for index in range(first, last))
        last_figure = (self._after or self._before or [-1])[-1]
        scaling = 0
        for start in {last, last_figure}:
            index = start + 1
            while 0 < index < len(kinds) and kinds[index] == ",":
                scaling, index = scaling + 1, index + 1
        self._shift = 2 * kinds.count("%") - 3 * scaling
        self._quick = ""
        """Format specification of Python that gives the same text for the usual formats: `#,##0.00`."""
        between = "".join(kinds[first : last_figure + 1]).replace("#,##0", "0", 1)
        if self._power == len(kinds) and not scaling and re.fullmatch(r"0(?:\.0{1,9})?", between):
            self._quick = f"{',' if self._commas else ''}.{len(self._after)}f"
            self._edges = tuple(
                "".join("%" if kind == "%" else text for kind, text in side if kind in {'"', "%"})
                for side in (tokens[:first], tokens[last_figure + 1 :])
            )

    def scale(self, value: Decimal) -> Decimal:
        return value.scaleb(self._shift) if self._shift else value

    def rounds_to_zero(self, value: Decimal) -> bool:
        """Return whether only zeros of `value` are shown."""
        return self._power == len(self._tokens) and not _round(self.scale(value), len(self._after))

    def format_quick(self, value: float) -> str:
        """Format a number of either sign like `format_value`, where that is safe: away from zero and from the middle
        between two roundings. Otherwise return an empty text."""
        size = abs(value) * 10**self._shift
        if not self._quick or not 10 ** -len(self._after) < size < 1e12:
            return ""
        if abs(size * 10 ** len(self._after) % 1 - 0.5) < 1e-4:
            return ""
        return f"{'-' * (value < 0)}{self._edges[0]}{size:{self._quick}}{self._edges[1]}"

    def format_value(self, value: Decimal) -> str:
        value = self.scale(value)
        texts = [text if kind == '"' else "" for kind, text in self._tokens]
        for place, (kind, _) in enumerate(self._tokens):
            if kind in {"%", "/"}:
                texts[place] = kind
        if self._power < len(self._tokens):
            value, power = self._split_power(value)
            sign = "-" if power < 0 else "+" if self._tokens[self._power][0] == "E+" else ""
            texts[self._power] = f"{self._tokens[self._power][1]}{sign}"
            self._place_digits(texts, self._in_power, str(abs(power)), commas=False)
        value = _round(value, len(self._after))
        whole, _, rest = f"{value:f}".partition(".")
        self._place_digits(texts, self._before, whole.lstrip("0"), commas=self._commas)
        if self._point < self._power:
            bare = not self._before and whole.strip("0")
            texts[self._point] = f"{whole.lstrip('0') if bare else ''}."
        used = len(rest.rstrip("0"))
        for index, place in enumerate(self._after):
            texts[place] = rest[index] if index < used else _BLANK[self._tokens[place][0]]
        if self._point < self._power and not any(texts[place] for place in self._after):
            texts[self._point] = texts[self._point].rstrip(".")
        return "".join(texts)

    def _split_power(self, value: Decimal) -> tuple[Decimal, int]:
        step = max(1, len(self._before))
        if not value:
            return value, 0
        power = value.adjusted() // step * step if step > 1 else value.adjusted()
        scaled = _round(value.scaleb(-power), len(self._after))
        if scaled.adjusted() >= step:
            power += step
        return value.scaleb(-power), power

    def _place_digits(self, texts: list[str], places: list[int], figures: str, *, commas: bool) -> None:
        """Put the digits into their places from right to left. The first placeholder gets all that are left."""
        put = 0

        def grouped(figure: str) -> str:
            nonlocal put
            put += 1
            comma = "," if commas and put > 1 and put % 3 == 1 and figure.strip() else ""
            return f"{figure}{comma}"

        for index, place in enumerate(reversed(places)):
            if not figures:
                if blank := _BLANK[self._tokens[place][0]]:
                    texts[place] = grouped(blank)
                continue
            own, figures = (figures, "") if index == len(places) - 1 else (figures[-1], figures[:-1])
            texts[place] = "".join(reversed([grouped(figure) for figure in reversed(own)]))


class FractionFormat:
    """A fraction: `# ?/?`, `# ??/16`, `?/?`."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        kinds = [kind for kind, _ in tokens]
        slash = kinds.index("/")
        start = slash
        while start and kinds[start - 1] in DIGIT_PLACEHOLDERS:
            start -= 1
        end = slash + 1
        while end < len(kinds) and (
            kinds[end] in DIGIT_PLACEHOLDERS or (kinds[end] == '"' and tokens[end][1].isdigit())
        ):
            end += 1
        below = tokens[slash + 1 : end]
        fixed = "".join(text or kind for kind, text in below)
        self._fixed_denominator = int(fixed) if re.fullmatch(r"[1-9]\d{0,6}", fixed) else 0
        self._max_denominator = 10 ** min(max(len(below), 1), 7) - 1
        before = tokens[:start]
        self._has_whole = any(kind in DIGIT_PLACEHOLDERS for kind, _ in before)
        self._whole, self._rest = DigitFormat(before), tokens[end:]
        self._always = any(kind == "0" for kind, _ in tokens[start:slash])
        self._before = before

    def format_value(self, value: Decimal) -> str:
        whole, rest = (int(value), value % 1) if self._has_whole else (0, value)
        if self._fixed_denominator:
            above, below = int(_round(rest * self._fixed_denominator, 0)), self._fixed_denominator
        else:
            nearest = Fraction(rest).limit_denominator(self._max_denominator)
            above, below = nearest.numerator, nearest.denominator
        if self._has_whole and above == below:
            whole, above = whole + 1, 0
        text = (
            self._whole.format_value(Decimal(whole)) if self._has_whole else "".join(text for _, text in self._before)
        )
        if self._has_whole and not whole and not above and not text.strip():
            text = "0"
        if above or not self._has_whole or self._always:
            text += f"{above}/{below}"
        return text + "".join(text or ("%" if kind == "%" else "") for kind, text in self._rest)
