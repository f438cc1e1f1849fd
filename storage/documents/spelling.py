"""Words of the library that an unknown one may be a slip of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from string import ascii_lowercase

from pipeline.words.text import strip_accents
from storage.database import Connection, PassageIndex
from storage.documents.vocabulary import Vocabulary

SHORTEST, LONG = 4, 8
"""Letters from which a word may have one typing error, and two: a letter more, less or other, or two swapped."""
MAX_WORD_LENGTH = 40
"""Letters beyond which no similar word is searched: the cost grows with their square."""
CANDIDATES, TEXTS = 6, 30
"""Stems that are compared closely, and texts that are read for how each is written."""
CODE_PATTERN = re.compile(r"([^\W\d_]{1,8})([-_/. ]?)(\d{2,12})")
"""Letters and a number that name a part, a ticket or an error."""
CollectionScope = Collection[int] | None
_ENDINGS = ("", "e", "s", "ed", "ing", "y")
_REST = re.compile(r"\w*")


def find_similar_words(
    db: Connection, passages: PassageIndex, scope: CollectionScope, word: str, vocabulary: Vocabulary | None = None
) -> list[str]:
    """Return the words nearest to `word` in the texts of `scope`: those with its last letter first, then the more
    frequent.

    Its first letter is taken as right unless it is one too many or swapped with the second. Returns none for a short
    word that begins a longer one of the library, which it may stand for: `secs`. Without a `vocabulary` of all stems,
    the database is asked for those that begin alike.
    """
    word = strip_accents(word.lower())
    if code := CODE_PATTERN.fullmatch(word):
        return _find_written_code(db, passages, scope, *code.groups())
    limit = 0 if not (SHORTEST <= len(word) <= MAX_WORD_LENGTH and word.isalpha()) else 1 if len(word) < LONG else 2
    if not limit:
        return []
    first, second, third = tuple(word[:3])
    beginnings = (first, second + first + third, word[1:4])
    known = vocabulary or Vocabulary(passages.stems_with_prefix(db, set(beginnings)))
    root = passages.stem(word)
    if len(word) == SHORTEST and any(len(stem) > SHORTEST for stem in known.with_prefix(root)):
        return []
    slips = known.counts.keys() & set(passages.stems(_one_slip_away(word)))
    stems = [stem for stem in slips if stem.startswith(beginnings)]
    if nearest := _nearest_forms(db, passages, scope, word, limit, _frequent_first(known, stems)):
        return nearest
    if limit < 2:
        return []
    return _nearest_forms(db, passages, scope, word, limit, _frequent_first(known, _similar(known, beginnings, root)))


def _frequent_first(vocabulary: Vocabulary, stems: Collection[str]) -> list[str]:
    return sorted(stems, key=lambda stem: (-vocabulary.counts[stem], stem))


def _similar(vocabulary: Vocabulary, beginnings: Collection[str], root: str) -> set[str]:
    """Return the stems that begin with one of `beginnings` and are at most two typing errors away from `root`."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    stems = [stem for letters in beginnings for stem in vocabulary.with_prefix(letters)]
    return {stem for stem, _, _ in process.extract(root, stems, scorer=OSA.distance, score_cutoff=2, limit=None)}


def _one_slip_away(word: str) -> list[str]:
    """Return `word` with a letter more, less or other, or with two swapped."""
    splits = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    return list(
        {
            *(head + tail[1:] for head, tail in splits if tail),
            *(head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1),
            *(head + letter + tail[1:] for head, tail in splits if tail for letter in ascii_lowercase),
            *(head + letter + tail for head, tail in splits for letter in ascii_lowercase),
        }
    )


def _find_written_code(
    db: Connection, passages: PassageIndex, scope: CollectionScope, letters: str, separator: str, digits: str
) -> list[str]:
    """Return a code as documents write it: XR2045 where they have XR-2045, and the other way round."""
    joined = letters + digits
    if separator:
        return [joined] if passages.contains_word(db, joined, scope) else []
    form = re.compile(rf"(?<!\w){re.escape(letters)}[-_/. ]{re.escape(digits)}(?!\w)")
    written = (form.search(text) for text in passages.texts_containing(db, digits, scope, TEXTS))
    return [match.group() for match in written if match][:1]


def _nearest_forms(
    db: Connection, passages: PassageIndex, scope: CollectionScope, word: str, limit: int, stems: Sequence[str]
) -> list[str]:
    """Return the forms nearest to `word`, of the first few stems that `scope` has."""
    found = filter(None, (_nearest_form(db, passages, scope, word, stem) for stem in stems))
    forms = list(islice(found, CANDIDATES))
    nearest = min((distance for distance, _ in forms), default=limit + 1)
    matches = [form for distance, form in forms if distance == nearest <= limit + 1]
    return sorted(matches, key=lambda form: form[-1] != word[-1])


def _nearest_form(
    db: Connection, passages: PassageIndex, scope: CollectionScope, word: str, stem: str
) -> tuple[int, str] | None:
    """Return the form of `stem` nearest to the unknown `word`, in some texts of `scope`, with its typing errors.

    The texts are read up to the first that holds a form with one typing error.
    """
    from rapidfuzz.distance import OSA

    best: tuple[int, str] | None = None
    seen: set[str] = set()
    for text in passages.texts_containing(db, _any_form(passages, stem), scope, TEXTS):
        for form in set(_words_with_prefix(text, stem[:-1])) - seen:
            seen.add(form)
            if passages.stem(form) == stem:
                distance = OSA.distance(word, strip_accents(form))
                best = min(best or (distance, form), (distance, form))
        if best and best[0] <= 1:
            break
    return best


def _any_form(passages: PassageIndex, stem: str) -> str:
    """Return a word of this stem: the index stems a query, so it is queried with a whole word."""
    forms = [*(stem + ending for ending in _ENDINGS), stem[:-1] + "y"]
    return next((form for form in forms if passages.stem(form) == stem), stem)


def _words_with_prefix(text: str, prefix: str) -> Iterator[str]:
    place = text.find(prefix)
    while place >= 0:
        if place == 0 or not (text[place - 1].isalnum() or text[place - 1] == "_"):
            rest = _REST.match(text, place)
            assert rest
            yield rest.group()
        place = text.find(prefix, place + 1)
