"""Which language people want to be spoken to in, and which one a text is in, as far as that can be told safely."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.translations import LANGUAGES, Translator

MIN_FUNCTION_WORDS = 2
"""Different words that tell a language. Of 3,570 questions of XQuAD 94 % (German), 98 % (English) and 99.8 % (Spanish)
are told, of the questions among 1,000 Tatoeba sentences a language 87 to 92 % and of Japanese 99 %; none of these 4,282
is told wrong, nor any of 420 Italian, Portuguese and Dutch ones."""
_KANA = re.compile(r"[\u3040-\u30ff]")
_WORD = re.compile(r"[^\W\d_]+|¿")
_LATIN = "\u024f"
"""The last Latin letter."""
_WORDS = {
    "en": """the a an and or but if because is are am was were be been do does did have has had can could should would
        will may must what which who whose whom when where why how many much not no this that these those there here my
        our your their his her its we you they he she i it me us them of for with from to about into in on at by as than
        any""",
    "de": """der die das den dem des ein eine einen einem einer eines und oder aber wenn weil ist sind bin bist war
        waren wird werden wurde wurden habe hast hat haben hatte kann kannst können könnte soll sollte muss müssen darf
        dürfen was welche welcher welches welchen wer wem wen wann wo wohin woher warum wieso wie viel viele nicht nein
        kein keine keinen dieser diese dieses hier mein meine meinen unser unsere ihr ihre sein seine ich wir du sie er
        es man mich mir uns dich dir mit von zu zum zur im in am an auf für bei nach über um aus als""",
    "fr": """le la les l un une des du de d au aux à et ou mais si parce est sont suis es était étaient être a ont ai
        avons avez avait peut peuvent peux doit doivent dois quel quelle quels quelles qui que qu quoi quand où pourquoi
        comment combien ne n pas non ce cet cette ces c ici mon ma mes notre nos votre vos leur leurs son sa ses je j
        nous vous ils elles il elle on tu me m te t se s moi toi lui dans sur pour avec par chez sans en y plus""",
    "es": """el la los las un una unos unas del de al a y o pero si porque es son soy era eran ser está están estoy fue
        he ha han hay puede pueden puedo debo debe deben qué cuál cuáles quién quiénes cuándo dónde cómo cuánto cuánta
        cuántos cuántas que por para con sin sobre en no mi mis nuestro nuestra su sus tu tus yo tú nosotros usted
        ustedes ellos él ella me te se nos lo le les este esta esto estos estas ese esa eso aquí más tengo tiene muy
        ¿""",
    "it": """il lo la i gli le l un uno una di del della dei degli delle a al alla ai da in nel nella e o ma se perché è
        sono sei era essere ho ha hai hanno può puoi posso possono devo deve che chi cosa quale quali quando dove come
        quanto quanti quante non no questo questa questi mio mia tuo tua nostro nostra suo sua io tu noi voi loro lui
        lei mi ti si ci con per su qui più molto""",
    "pt": """o a os as um uma uns umas de do da dos das no na nos nas em ao à e ou mas se porque é são sou era ser está
        estão estou foi tem têm tenho há pode podem posso devo deve que qual quais quem quando onde como quanto quantos
        quantas por para com sem sobre não meu minha nosso nossa seu sua eu tu nós você vocês ele ela eles me te lhe
        isso este esta aqui mais muito""",
    "nl": """de het een en of maar als omdat is zijn ben bent was waren wordt worden heb hebt heeft hebben kan kunnen
        moet moeten mag wat welke wie wanneer waar waarom hoe veel niet nee geen deze dit die dat hier mijn onze jouw uw
        ik wij we jij je jullie u zij ze hij het mij me ons met van voor op in bij naar over aan uit er te ook""",
}
"""Articles, pronouns, question words, auxiliaries and prepositions; also of languages that are near to one of ours."""
FUNCTION_WORDS = {language: frozenset(found.split()) for language, found in _WORDS.items()}


def detect_supported_language(text: str) -> str:
    """The language of `text` where it is one of LANGUAGES and its small words tell; empty otherwise."""
    language = detect_language(text)
    return language if language in LANGUAGES else ""


def detect_language(text: str) -> str:
    """The same, of all languages whose small words are known."""
    if _KANA.search(text):
        return "ja"
    words = set(_WORD.findall(text.lower()))
    (most, language), (second, _) = sorted(
        ((len(words & held), name) for name, held in FUNCTION_WORDS.items()), reverse=True
    )[:2]
    return language if most >= MIN_FUNCTION_WORDS and most > second else ""


def is_latin(text: str) -> bool:
    """Whether at least half of its letters are Latin; so if it has none."""
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(letter <= _LATIN for letter in letters) >= len(letters)


def may_be_english(text: str) -> bool:
    """Whether neither the small words nor the letters of `text` tell another language."""
    return is_latin(text) and detect_supported_language(text) in ("", "en")


def infer_question_language(question: str, texts: Iterable[str], *, least: int = 1) -> str:
    """The language of the `texts` that were found for a `question` too short to tell its own, where it has `least`
    small words of it and no more of English. Empty otherwise."""
    language = detect_supported_language(" ".join(texts))
    words = set(_WORD.findall(question.lower()))
    own, english = (len(words & FUNCTION_WORDS.get(one, frozenset())) for one in (language, "en"))
    return language if own >= max(least, english) else ""


def choose_words(chosen: str | None, heard: Iterable[str] = (), locale: str = "") -> Translator:
    """Words in the language that was `chosen`, else the first one `heard` in what was said, else that of a platform's
    `locale` (`de`, `es-419`), else English."""
    found = (chosen or "", *heard, re.split("[-_]", locale)[0])
    return Translator(next((language for language in found if language in LANGUAGES), "en"))
