"""Screening of messages to the bot."""

from __future__ import annotations

import base64
import re
import unicodedata

from pipeline.values import Value

# --- The text behind cheap disguises; stored text is never changed --------------------------------

_REGION_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{2,6}\U000e007f")
"""Flag of a part of a country (England, Scotland): the one honest use of tag characters."""
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]+"
)
"""Controls, soft hyphen, fillers, zero-width and bidirectional marks, tags, variation selectors."""
_STACKED = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")
"""More marks on a letter than Unicode's Stream-Safe Text Format (UAX 15) allows: normalizing their order takes time
quadratic in their number."""
_HALF_WIDTH = {0xFF9E: None, 0xFF9F: None}
"""Voicing marks, which become combining marks only when normalized."""
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")


def normalize_for_screening(text: str) -> str:
    """Return the text in lower case without invisible characters and accents, with compatibility forms made plain."""
    if text.isascii():
        return text.lower()
    text = _STACKED.sub(r"\1", _INVISIBLE.sub("", text).translate(_HALF_WIDTH))
    return _MARKS.sub("", unicodedata.normalize("NFKD", text)).lower().replace("’", "'")


def decode_hidden_text(text: str) -> str:
    """Return the hidden texts in tag characters and in base64, normalized, one per line."""
    hidden = []
    if not text.isascii():
        runs = _TAGS.findall(_REGION_FLAG.sub("", text))
        # Tag characters repeat ASCII from U+E0000 on.
        hidden.append("".join(chr(ord(tag) - 0xE0000) for run in runs for tag in run))
    hidden += (_decode_base64(run) for run in _BASE64.findall(text))
    return "\n".join(normalize_for_screening(line) for line in hidden if line)


def _decode_base64(run: str) -> str:
    run = run.rstrip("=")
    try:
        # Padding up to a multiple of four characters.
        plain = base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8")
    except ValueError:
        return ""
    return plain if plain.isprintable() else ""


# --- What a person writes -------------------------------------------------------------------------

_MAX_CHARACTERS = 20_000
"""Maximum number of characters that are read, half of them from the end; questions have a lower limit of their own."""
_INSTRUCTION_START = (
    r"(?:^|[^\w\s'][\"'\s]{0,3}|\n\s{0,3}|\b(?:you to|you (?:must|should|will|can|may)|and|please|now|then|just) )"
)
"""The beginning of an instruction, so that `how do I ignore ...` and `can managers override ...` are none."""
_RULES = r"(?:instructions?|directives?|prompts?|rules|guidelines|orders|commands|restrictions|programming)"
_EARLIER = r"(?:previous|prior|preceding|earlier|above|initial|original)"
_FOREIGN_RULES = (
    r"(?:instruc\w+|instrukt\w+|anweisung\w*|vorgaben|angaben|regeln|consignes|regles|reglas|regras|regole)"
)
"""German, French, Spanish, Portuguese, Italian and Dutch, without their accents."""
INJECTION_PATTERNS = {
    "override": re.compile(
        rf"{_INSTRUCTION_START}(?:ignore|disregard|forget|override|bypass)\b(?:"
        rf" (?:\w+ ){{0,3}}(?:{_EARLIER}|all|your) (?:\w+ ){{0,2}}{_RULES}\b"
        rf"|(?: \w+){{0,2}} (?:everything|all|the text) {_EARLIER}\b"
        rf"|(?: \w+){{0,2}} everything before\b|,? (?:all )?(?:the )?(?:above|previous)(?: and|[.!:;,]|$))"
        rf"|{_INSTRUCTION_START}(?:bitte )?(?:ignorier\w*|vergiss|vergessen sie|missachte\w*|oublie\w*|ignorez"
        rf"|ignor[ae]|olvid[ae]\w*|esquec[ae]|dimentica\w*|negeer|vergeet)\b(?: \w+){{0,4}}? {_FOREIGN_RULES}\b"
        r"|指示を(?:無視|忘れ)|(?:忽略|无视|忘记)[^。]{0,10}(?:指示|指令)"
        r"|(?:игнорируи|забудь)\w* \w+ (?:инструкц|указан)"
    ),
    "persona": re.compile(
        r"\byou(?: are|'re| will) now\b(?: \w+){0,6} (?:act|ai|model|assistant|bot|chatgpt|mode|role|character)\b"
        r"|\bfrom now on,? you (?:are|(?:will|must|should|are going to) (?:act|answer|respond|reply|be))\b"
        r"|\byou (?:are going to|will|must|should) (?:act|pretend|role-?play|behave|respond) (?:as|to be|like)\b"
    ),
    "prompt": re.compile(
        r"\byour (?:\w+ )?(?:system|hidden|initial|original|secret|internal) (?:prompt|instructions|configuration)\b"
        r"|\b(?:show|print|reveal|repeat|output|display|leak)(?: \w+){0,4} (?:system prompt|your prompt)\b"
        r"|\binstructions you (?:were|have been) given\b"
    ),
    "template": re.compile(
        r"<\|(?:im_start|im_end|system|endoftext)\b|\[/?inst\]|<</?sys>>|</?(?:system|instructions)>"
        r"|### ?(?:instruction|response):"
    ),
}
"""Signs of an instruction to the assistant itself, in normalized text. None is found in a harmless text of
direct_injection."""

_SIGN_PARTS = (
    *("ignor", "disregard", "forget", "override", "bypass", "vergiss", "vergessen", "missachte", "oublie", "olvid"),
    *("esquec", "dimentica", "negeer", "vergeet", "指示を", "忽略", "无视", "忘记", "игнорируи", "забудь"),
    *("prompt", "instructions", "configuration", "<|", "inst]", "sys>>", "system>", "instruction:", "response:"),
)
"""Texts of which each sign but `persona` holds one: looking for them takes a twentieth of the patterns' time."""


class ScreeningResult(Value):
    """The result of screening a text."""

    score: float
    """Score between 0 and 1."""
    flag: bool
    reasons: tuple[str, ...] = ()
    """Names of the signs."""


def screen_message(text: str) -> ScreeningResult:
    """Screen a message of a person to the bot: a flagged one is refused."""
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[: _MAX_CHARACTERS // 2]}\n{text[-_MAX_CHARACTERS // 2 :]}"
    signs = find_injection_signs(f"{normalize_for_screening(text)}\n{decode_hidden_text(text)}".strip())
    return ScreeningResult(score=float(bool(signs)), flag=bool(signs), reasons=signs)


def find_injection_signs(folded: str) -> tuple[str, ...]:
    """Return the names of the signs in a normalized text."""
    return tuple(name for name, pattern in INJECTION_PATTERNS.items() if pattern.search(folded))


def may_hold_sign(folded: str) -> bool:
    """Return False where a normalized text holds no sign but, perhaps, `persona`."""
    return any(map(folded.__contains__, _SIGN_PARTS))
