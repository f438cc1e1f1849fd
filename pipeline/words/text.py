"""Sentences, terms, tokens and names in text, for every stage."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain

import Stemmer

from pipeline.words.language import FUNCTION_WORDS, detect_supported_language
from pipeline.words.wording import YES_NO_WORDS

STOP_WORDS = frozenset(
    """a about am an and any are as at be been being but by can could did do does doing for from had has have having he
    her hers him his how i if in into is it its itself just me my of off on or our ours out over own s she should so
    some such t than that the their theirs them then there these they this those through to too under until up very
    was we were what when where which while who whom whose why will with would you your yours""".split()
)
WORD = re.compile(r"v?\d+(?:\.\d+)+|[^\W_]+(?:['’][^\W_]+)*")
"""A word or a number; `don't`, `L'Oréal` and `v3.2.0` are one."""
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_NO_WORD = {code: " " for code in range(128) if not chr(code).isalnum()}
"""The characters of ASCII that stand in no word, but in some between two parts of it, as blanks."""
_CACHED_WORDS, _LONGEST_CACHED_WORD = 65_536, 40
"""Words whose terms are cached, and the characters beyond which one is not."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u0e00-\u0eff\u1780-\u17ff]+")
_ENDINGS = re.compile(
    r"(?<=[\u30a0-\u30ff0-9A-Za-z])[\u3040-\u309f]+|(?<=[\u3400-\u9fff][\u3040-\u309f])[\u3040-\u309f]+"
)
"""Hiragana behind another script: particles, and verb endings but for their first letter."""
_ABBREVIATION = re.compile(
    r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs?|etc|e\.g|i\.e|cf|Inc|Ltd|Co|Corp|approx|ca|z\.B|d\.h|bzw|ggf|inkl|evtl"
    r"|Jan|Feb|Aug|Sept?|Oct|Nov|Dec|Gov|Gen|Rev|Sen|Lt|Col)\.$"
)
_MAX_ABBREVIATION = 8
"""Maximum length in characters, the full stop included."""
_BEFORE_NUMBER = re.compile(r"\b(?:No|Nr|Fig|Art|Abs|Vol|pp?)\.$")
"""Abbreviations only before a number: `No.` may be an answer."""
_ORDINAL = re.compile(r"\b\d{1,2}\.$")
_CONTINUATION = re.compile(
    r"[a-zß-öø-ÿ]|(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)
"""The continuation behind an ordinal: a small letter, or a month; `am 31. März` is one date."""
_BREAK = re.compile(r"(?<=[.!?])[\"'’”)\]]*\s+|(?<=[。！？])|\n+")
_LEAD_IN = re.compile(r"[:：]\W*$")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs"})
"""Unicode categories: control, format (direction, tags, zero width), private use, surrogates."""
_VISIBLE_CONTROLS = frozenset("\n\t\u200c\u200d")
"""Line ends, and the joiners that scripts and emoji need."""
_BLANKS = str.maketrans("\n\t", "  ")
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
    "|(?<=[\u200c\u200d])[\u200c\u200d]+|(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]+"
)
"""Invisible letters, and carriers of hidden bytes: variation selectors beside those of emoji, joiners and selectors in
runs."""
_WIDE_STOPS = ("。", "！", "？")
_CAPITAL = re.compile(r"(?<![\w'’-])(?:[AIS]|[A-Z]{2,5}|a(?=\s*+(?:[?!,;:)]|\.?\s*+$)))(?![\w'’-]|\.\w)")
"""Words in capitals, and an `a` at the end of a clause: it is no article there."""
_LAST_WORD, _NEXT_WORD = re.compile(r"([^\W\d_]{2,}) $"), re.compile(r" ([^\W\d_]+)")
_MAX_NEIGHBOUR = 40
"""Number of letters of the word before that are read."""
_LABELLED = re.compile(r"(?<!\w)([^\W\d_]{2,}) (\d+[A-Za-z]?|[B-HJ-RT-Z])(?![\w'’]|[.,:]\w)")
_FTS5_ENDING = re.compile(r"(\w*?(?:[aeiou]|(?<=[^aeiou])y)[^aeiou]\w*?|\w*?[aeiou]y)(log|bl)(?:y|i|ies|ied|ying)")
"""Words that FTS5's second step shortens: an ending behind a vowel and a consonant."""
_FTS5_ENDINGS = tuple(start + end for start in ("log", "bl") for end in ("y", "i", "ies", "ied", "ying"))
_MAX_STEMMED_BYTES = 64
"""Maximum length of a stemmed word in bytes."""
_porter = Stemmer.Stemmer("porter")
_bulk_porter = Stemmer.Stemmer("porter", 0)
"""Without a cache, which many words that come once would only empty."""


def strip_invisible(text: str) -> str:
    r"""Return `text` without characters that hide, move the cursor or turn the direction; every line end is `\n`.

    This is the one definition of invisible characters, for the text of documents, models and people."""
    if text.replace("\n", "").isprintable():  # as most are: of what does not print, line ends stay as they are
        return text if text.isascii() else _FILLERS.sub("", text)
    lines = _LINE_ENDS.sub("\n", text)
    return _FILLERS.sub(
        "", "".join(c for c in lines if c in _VISIBLE_CONTROLS or unicodedata.category(c) not in _HIDDEN)
    )


def to_single_line(text: str) -> str:
    """Return `text` without invisible characters, with a blank for each line end and tab: a name stays in its line."""
    return strip_invisible(text).translate(_BLANKS)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each sentence, without white space; line ends separate too. The time is linear in the
    text."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if "\n" not in match.group() and _is_abbreviation(text, start, match):
            continue
        _append_span(spans, text, start, match.end())
        start = match.end()
    _append_span(spans, text, start, len(text))
    return spans


def _is_abbreviation(text: str, start: int, sentence_break: re.Match[str]) -> bool:
    """Tell whether the full stop before a break belongs to the last word of the sentence that began at `start`."""
    end = sentence_break.start()
    if text[end - 1 : end] != ".":
        return False
    start = max(start, end - _MAX_ABBREVIATION)
    if _ABBREVIATION.search(text, start, end):
        return True
    if _ORDINAL.search(text, start, end) and _CONTINUATION.match(text, sentence_break.end()):
        return True
    return text[sentence_break.end() : sentence_break.end() + 1].isdigit() and bool(
        _BEFORE_NUMBER.search(text, start, end)
    )


def _append_span(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        begin = start + piece.index(stripped[0])
        spans.append((begin, begin + len(stripped)))


def split_words(text: str) -> list[str]:
    """Return the words in lower case; runs of scripts without spaces come as overlapping character pairs."""
    words: list[str] = []
    for match in WORD.finditer(text):
        word = match.group().lower()
        if _CJK.search(word):
            words.extend(lexical_form(word).split())
        else:
            words.append(word)
    return words


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word without accents as SQLite's tokenizer `porter unicode61` makes it, without possessive
    endings.

    Snowball's Porter lacks what FTS5 has of a later version of the algorithm (`-logi` is `-log`, `-bli` is `-ble`);
    FTS5 leaves words of less than three and more than 64 bytes alone, and counts bytes, not letters."""
    word = re.sub(r"['’]s?$", "", word).replace("ς", "σ")
    if len(word.encode()) > _MAX_STEMMED_BYTES:
        return word
    if not word.isascii():
        # Each byte as a Latin-1 letter, since FTS5 counts bytes.
        return snowball_stem(word.encode().decode("latin-1")).encode("latin-1").decode(errors="ignore")
    if match := _FTS5_ENDING.fullmatch(word):
        word = f"{match[1]}log" if match[2].startswith("log") else f"{match[1]}ble"
    return snowball_stem(word) if len(word) > 2 else word


def stems(words: Sequence[str]) -> list[str]:
    """Return the stem of each word, as `stem` does; many plain ones at once take a tenth of the time."""
    letters = "".join(words)
    if not (letters.isascii() and letters.isalpha()) or len(max(words, key=len)) > _MAX_STEMMED_BYTES:
        return [stem(word) for word in words]
    found = snowball_stems(words)
    if "log" in letters or "bl" in letters or len(min(words, key=len)) < 3:
        for place, word in enumerate(words):
            if len(word) < 3 or word.endswith(_FTS5_ENDINGS):
                found[place] = stem(word)
    return found


def snowball_stems(words: Sequence[str]) -> list[str]:
    """Return the stem of each word, as `snowball_stem` does."""
    return list(_bulk_porter.stemWords(words))


def snowball_stem(word: str) -> str:
    """Return the stem as Snowball makes it, as in the indexes of PostgreSQL."""
    return str(_porter.stemWord(word))


def content_terms(text: str) -> list[str]:
    """Return the stems of content words in order, without stop words and accents; a version `v3.2.0` as `3.2.0` and
    `3.2`.

    Names that only look like stop words stay: the A of `building A`, the I of `type I`, IT."""
    if names := _find_names(text):
        positioned = [(match.start(), word) for match in WORD.finditer(text) for word in split_words(match.group())]
        stems_of = _stemmer([word for _, word in positioned])
        return [term for start, word in positioned for term in ((stem(word),) if start in names else stems_of(word))]
    words = _ascii_words(text) if text.isascii() else split_words(text)
    return list(chain.from_iterable(map(_stemmer(words), words)))


def _ascii_words(text: str) -> list[str]:
    """Return the words of an ASCII text in lower case. Without a sign inside a word or a figure they are what stands
    between the others: so they are found in a third of the time."""
    if "'" in text or "." in text[:-1]:
        return WORD.findall(text.lower())
    return text.lower().translate(_NO_WORD).split()


def word_terms(word: str) -> tuple[str, ...]:
    """Return the terms of one word, in whatever case, as `content_terms` does; cached, since documents repeat their
    words."""
    return _cached_terms(word) if len(word) <= _LONGEST_CACHED_WORD else tuple(content_terms(word))


@lru_cache(maxsize=_CACHED_WORDS)
def _cached_terms(word: str) -> tuple[str, ...]:
    return tuple(content_terms(word))


def label_terms(text: str) -> set[str]:
    """Return the terms that label one of several things: a letter or a figure right behind a noun, and words in
    capitals that only look like stop words."""
    figures = {match[2].lower() for match in _LABELLED.finditer(text) if match[1].lower() not in STOP_WORDS}
    return {text[start:end].lower() for start, end in _find_names(text).items()} | figures


def _find_names(text: str) -> dict[int, int]:
    """Return start and end of names that only look like stop words."""
    names = {}
    for match in _CAPITAL.finditer(text):
        start, end = match.span()
        before = _LAST_WORD.search(text, max(0, start - _MAX_NEIGHBOUR), start)
        after = _NEXT_WORD.match(text, end)
        word = match.group()
        if word.lower() not in STOP_WORDS:
            continue
        if len(word) > 1:
            capitalized = [
                neighbour
                for neighbour in (before, after)
                if neighbour and len(neighbour[1]) > 1 and neighbour[1].isupper()
            ]
            is_name = bool(before or after) and not capitalized
        else:
            is_name = before is not None and before[1].lower() not in STOP_WORDS and not before[1].isupper()
        if is_name:
            names[start] = end
    return names


@lru_cache(maxsize=8192)
def distinct_terms(text: str) -> frozenset[str]:
    """Return the distinct terms of a text, cached for repeated use."""
    return frozenset(content_terms(text))


def _stemmer(words: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """Return what stems each of `words`: from the cache, unless one is longer than the cache may hold."""
    return _cached_stems if len(max(words, key=len, default="")) <= _LONGEST_CACHED_WORD else _word_stems


def _word_stems(word: str) -> tuple[str, ...]:
    """Return the stem of a content word, nothing for a stop word."""
    if "." in word:
        number = word.removeprefix("v")
        first, second, *rest = number.split(".")
        return (number, f"{first}.{second}") if rest else (number,)
    return () if word in STOP_WORDS else (stem(strip_accents(word)),)


_cached_stems = lru_cache(maxsize=_CACHED_WORDS)(_word_stems)


def strip_accents(word: str) -> str:
    """Return a word without diacritics, as in SQLite's `unicode61` tokenizer."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def strip_japanese_endings(question: str) -> str:
    """Return `question` without the endings and particles of Japanese: pairs of them are rare, and outweigh the
    subject. Of 240 questions of JSQuAD they cost 7 their answer."""
    remaining = question if question.isascii() else _ENDINGS.sub(" ", question)
    return remaining if remaining.strip() else question


def query_terms(question: str) -> list[str]:
    """Return the distinct words to search for, unstemmed (the index stems), without stop words and function words of
    its language unless nothing else is left."""
    all_words = list(dict.fromkeys(split_words(strip_japanese_endings(question))))
    language = detect_supported_language(question)
    function_words = frozenset[str]() if language == "en" else FUNCTION_WORDS.get(language, frozenset())
    content = [word for word in all_words if word not in STOP_WORDS and word not in function_words]
    return content or all_words


def lexical_form(text: str) -> str:
    """Return `text` for the lexical index: runs of scripts without spaces become character pairs."""

    def pairs(match: re.Match[str]) -> str:
        run = match.group()
        return " " + (" ".join(run[i : i + 2] for i in range(len(run) - 1)) or run) + " "

    return _CJK.sub(pairs, text)


def has_unspaced_script(text: str) -> bool:
    """Tell whether some of the text is of a script without spaces, which is split into pairs of characters."""
    return bool(_CJK.search(text))


def is_lead_in(text: str) -> bool:
    """Tell whether something must follow: the text ends with a colon, emphasis aside."""
    return bool(_LEAD_IN.search(text))


def is_yes_or_no(text: str) -> bool:
    """Tell whether `text` is only a yes or a no."""
    return text.strip(" .,!*。").casefold() in YES_NO_WORDS


def count_words(text: str) -> int:
    """Count the words of `text`; two characters of a script without spaces count as one."""
    return len(_CJK.sub(" ", text).split()) + sum(len(run) for run in _CJK.findall(text)) // 2


def sentence_separator(before: str) -> str:
    """Return the separator behind a sentence: nothing behind the full stop of a script without spaces."""
    return "" if before.endswith(_WIDE_STOPS) else " "


def alternatives_pattern(lines: str) -> str:
    """Return a pattern for any of `lines`; a line may itself hold alternatives."""
    return "(?:" + "|".join(line.strip() for line in lines.splitlines() if line.strip()) + ")"


def word_pattern(lines: str) -> re.Pattern[str]:
    """Compile a pattern for any of `lines` as whole words, in any case."""
    return re.compile(rf"\b{alternatives_pattern(lines)}(?!\w)", re.IGNORECASE)


# --- How many tokens a text may have for a language model, without that model's tokenizer ---------

_PIECE = re.compile(r"[A-Za-z]{1,5}|[0-9]{1,3}|[\u00c0-\u024f]{1,2}|\S")


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text with a margin: one for every 5 letters of a word, 3 digits, 2 accented letters, and
    every other character. The estimates of texts joined by white space add up.

    Measured against MiniLM's WordPiece on 1,600 English passages: 1.25 times its count at the median, never less than
    0.8 times."""
    return len(_PIECE.findall(text))


def truncate_to_tokens(text: str, tokens: int) -> str:
    """Return `text`, or its first sentences that have at most `tokens` tokens, or failing that its first words."""
    if estimate_tokens(text) <= tokens:
        return text
    truncated = ""
    for _, end in sentence_spans(text):
        if estimate_tokens(text[:end]) > tokens:
            break
        truncated = text[:end]
    if truncated:
        return truncated
    words = text.split()
    while words and estimate_tokens(" ".join(words)) > tokens:
        words = words[: len(words) * 3 // 4]
    return " ".join(words)
