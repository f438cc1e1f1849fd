"""Personal data and keys in a text, by forms that leave little doubt: what other people's models need not see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

SECRET_KIND = "key"  # noqa: S105 - the name of a kind
"""The kind of what opens something; every other one is personal data."""


class SensitiveSpan(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int
    kind: str
    """`mail`, `phone`, `card`, `iban` or `key`; another finder has kinds of its own, in lower case."""
    secret_type: str = ""
    """Of a key: what it is."""


SensitiveDataFinder = Callable[[str], Sequence[SensitiveSpan]]
"""What is private in a text, in order and apart. Raises Unavailable where it cannot look: then nothing may be shown."""

_MAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9\u00c0-\u024f-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])")
_DIGITS = re.compile(
    r"(?:(?<![\w./:=#-])(?<!\d,)|(?<!\w)(?=\+))(?:\+|\+?\((?=\+?\d{1,5}\))\+?)?"
    r"\d(?:(?:[ ./\u00a0\u2010-\u2013-]|\)[ /-]?| ?\()?\d){6,18}"
    r"(?: ?(?:x|ext\.?) ?\d{1,6}+)?(?![\w/]|[.,:-]\d)",
    re.ASCII,
)
"""7 to 19 digits with little between them: a phone, with its extension, or a card."""
_CARD = re.compile(r"3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7]|35|6\d)\d{14}")
"""American Express, Diners, Visa, Mastercard, JCB, Discover and UnionPay."""
_AMERICAN = re.compile(r"(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])\d{3}[ .-]\d{4}")
_NATIONAL = re.compile(r"\(?0[1-9]\d*[^\d]")
_SHORTEST = 9
"""Digits of a phone that begins with its country's 0."""
_REGIONS = ("GB", "DE", "FR", "JP")
"""Where such a phone may be; numbers of most other countries that begin so are of a form of one of these too."""
_BLOCK = (
    r"-----BEGIN (?:[A-Z0-9]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]{64,20000}-----END [A-Z0-9 ]{1,40}-----|(?:\s+[A-Za-z0-9+/=]{40,}+)+)"
)
"""Without its end, where a passage ends before it."""
_KEYS = tuple(
    (sign, form, re.compile(pattern, re.ASCII))
    for sign, form, pattern in (
        ("AKIA", "AWS access key", r"\bAKIA[A-Z2-7]{16}\b"),
        ("ASIA", "AWS access key", r"\bASIA[A-Z2-7]{16}\b"),
        ("github_pat_", "GitHub token", r"\bgithub_pat_\w{82}\b"),
        ("gh", "GitHub token", r"\bgh[opsur]_[A-Za-z0-9]{36,251}\b"),
        ("xox", "Slack token", r"\bxox[abeprs](?:\.xox[bp])?-\d[\w-]{15,}"),
        ("xapp-", "Slack token", r"\bxapp-\d-[\w-]{20,}"),
        (
            "hooks.slack.com/",
            "Slack webhook",
            r"\bhooks\.slack\.com/(?:services|workflows|triggers)/T\w{6,}/\w{6,}/[\w/]{16,}",
        ),
        ("AIza", "Google API key", r"\bAIza[\w-]{35}(?![\w-])"),
        ("T3BlbkFJ", "OpenAI key", r"\bsk-[\w-]{20,100}T3BlbkFJ[\w-]{20,100}"),
        ("sk-ant-", "Anthropic key", r"\bsk-ant-[a-z]+\d\d-[\w-]{80,}"),
        ("k_live_", "Stripe key", r"\b[rs]k_live_[A-Za-z0-9]{16,}"),
        ("eyJ", "JSON Web Token", r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
        ("PRIVATE KEY", "private key", _BLOCK),
    )
)
"""A text without the first is not looked at for the last."""
_END, _VARIED = 16, 6
"""Characters at the end of a key, and how many different ones are among them: `ghp_xxxxxxxx` in a manual is none."""


def find_sensitive_data(text: str) -> list[SensitiveSpan]:
    """See `Finder`: mail, phones, cards, IBANs and keys."""
    return drop_overlaps([*find_secrets(text), *_mails(text), *_ibans(text), *_numbers(text)])


def find_secrets(text: str) -> Iterator[SensitiveSpan]:
    """Keys and tokens whose form their makers tell; those that manuals show instead of one are left out."""
    for sign, form, pattern in _KEYS:
        if sign in text:
            for match in pattern.finditer(text):
                if len(set(match[0][-_END:])) >= _VARIED and not match[0].endswith("EXAMPLE"):
                    yield SensitiveSpan(*match.span(), SECRET_KIND, form)


def secret_types(texts: Iterable[str]) -> tuple[str, ...]:
    """What keys there are in `texts`: each form once."""
    return tuple(sorted({one.secret_type for text in texts for one in find_secrets(text)}))


def drop_overlaps(found: Iterable[SensitiveSpan]) -> list[SensitiveSpan]:
    """In order; of two that overlap the one that begins first, or is longer."""
    kept: list[SensitiveSpan] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or kept[-1].end <= one.start:
            kept.append(one)
    return kept


def _mails(text: str) -> Iterator[SensitiveSpan]:
    if "@" in text:
        yield from (SensitiveSpan(*match.span(), "mail") for match in _MAIL.finditer(text))


def _ibans(text: str) -> Iterator[SensitiveSpan]:
    for match in _IBAN.finditer(text):
        end = match.end()
        while end > match.start():  # what follows may look as if it went on
            if _is_iban(text[match.start() : end]):
                yield SensitiveSpan(match.start(), end, "iban")
                break
            end = text.rfind(" ", match.start(), end)


def _numbers(text: str) -> Iterator[SensitiveSpan]:
    for match in _DIGITS.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if _CARD.fullmatch(digits) and _is_card(digits):
            yield SensitiveSpan(*match.span(), "card")
        elif _is_phone(match[0], digits):
            yield SensitiveSpan(*match.span(), "phone")


def _is_iban(said: str) -> bool:
    from stdnum import iban

    return iban.is_valid(said)


def _is_card(digits: str) -> bool:
    from stdnum import luhn

    return luhn.is_valid(digits)


def _is_phone(said: str, digits: str) -> bool:
    """A form that is a phone's everywhere need only be long enough; one of a single country has to be given out
    there."""
    import phonenumbers

    def read(region: str | None, fits: Callable[[phonenumbers.PhoneNumber], bool]) -> bool:
        try:
            return fits(phonenumbers.parse(f"+{digits[2:]}" if digits.startswith("00") else said, region))
        except phonenumbers.NumberParseException:
            return False

    if "+" in said[:2] or digits.startswith("00"):
        return read(None, phonenumbers.is_possible_number)
    if _AMERICAN.match(said):
        return read("US", phonenumbers.is_possible_number)
    national = len(digits) >= _SHORTEST and _NATIONAL.match(said)
    return bool(national) and any(read(region, phonenumbers.is_valid_number) for region in _REGIONS)
