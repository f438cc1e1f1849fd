"""Messages that need no document: greetings, thanks, and questions about the bot itself."""

from __future__ import annotations

import re
from enum import StrEnum

from pipeline.phrases import any_of


class Talk(StrEnum):
    GREETING = "greeting"
    THANKS = "thanks"
    HELP = "help"


_WHOM = any_of("""
    there|all|everyone|everybody|team|folks|bot|citewell
    zusammen|alle|allerseits|à tous|tout le monde|a todos|equipo
""")
_GREETING = any_of("""
    hi+|hello+|hey+|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)
    hallo+|hei|moin|servus|grüezi|guten (?:morgen|tag|abend)
    bonjour|bonsoir|salut|coucou
    hola|buen[oa]s(?: d[ií]as| tardes| noches)?
    ciao|salve|buon(?:giorno|asera)
    ol[áa]|bom dia|boa (?:tarde|noite)
    goedemorgen|goedemiddag|goedendag|hej|hejsan|cześć|dzień dobry
    привет|здравствуйте|добрый день|merhaba|selam
    你好|您好|こんにちは|おはよう(?:ございます)?|안녕(?:하세요)?
""")
_HOW_ARE_YOU = any_of("""
    how are you(?: doing)?(?: today)?|how's it going|what's up|sup
    wie geht(?:'s| es dir)?|ça va|qué tal
""")
_THANKS = any_of("""
    (?:many |much )?thanks|thank (?:you|u)|thankyou|thx|tnx|ty|cheers|much appreciated|appreciate it
    (?:vielen |besten |herzlichen )?dank|danke(?:schön)?
    merci|(?:muchas )?gracias|(?:mille )?grazie|(?:muito )?obrigad[oa]
    dank (?:je|u)(?: wel)?|bedankt|tack|dzięki|dziękuję|спасибо|teşekkürler
    谢谢|ありがとう(?:ございます)?|감사합니다
""")
_MUCH = any_of("""
    so much|a lot|very much|a million|again|for (?:the|your|this|that|all)(?: \\w+){0,3}
    sehr|vielmals|beaucoup|mucho
""")
_DONE = any_of("""
    ok(?:ay)?|k|great|perfect|awesome|nice|cool|super|excellent|got it|understood|all good|never ?mind
    that (?:helps|helped|works|worked)|bye|goodbye|see you
    tschüss|alles klar|verstanden|parfait|d'accord|vale|perfecto|top
""")
_HELP = any_of("""
    help(?: me)?|hilfe|aide|ayuda|aiuto|ajuda
    what (?:can|could|do) you (?:do|help(?: me| us)? with|know|answer)(?: for (?:me|us))?
    what can i (?:ask|do)(?: you)?|(?:who|what) are you|what do you know(?: about)?
    how (?:do|does|can) (?:i use you|you work|this work|i use (?:this|the) bot|this bot work|i start)
    (?:what|which) (?:kinds? of )?(?:documents|documentation|files|sources|docs) do you (?:have|know|use|search|read)
    (?:what|which) (?:documents|files|sources|docs) (?:are (?:indexed|available|there)|can you (?:search|read|see))
    (?:list|show)(?: me| all| of| the| your| indexed)+ (?:documents|files|sources|docs)
    what(?:'s| is| are) (?:indexed|you for|in your (?:knowledge base|index|library))
    (?:welche|was für) (?:dokumente|dateien|quellen|unterlagen) (?:hast|kennst|durchsuchst) du
    quels documents (?:as-tu|avez-vous|connais-tu)|qué documentos (?:tienes|conoces)
    (?:was|wobei) kannst du(?: (?:alles|mir))?(?: (?:tun|machen|helfen))?|wer bist du|wie funktionierst du
    que (?:peux-tu|sais-tu|pouvez-vous) faire|qu'est-ce que tu (?:peux|sais) faire|qui es[- ]tu
    qué (?:puedes|sabes) hacer|quién eres|cosa (?:puoi|sai) fare|chi sei
    o que (?:você )?(?:pode|sabe) fazer|wat kun je(?: doen)?|wie ben je
    你能做什么|你是谁|何ができますか
""")
_KINDS = (
    (Talk.HELP, re.compile(rf"(?:{_GREETING}(?: {_WHOM})? )?{_HELP}")),
    (Talk.THANKS, re.compile(rf"(?:{_DONE} )?{_THANKS}(?: {_MUCH})?(?: {_WHOM})?(?: {_DONE})?|{_DONE}")),
    (Talk.GREETING, re.compile(rf"{_GREETING}(?: {_WHOM})?(?: {_HOW_ARE_YOU})?|{_HOW_ARE_YOU}")),
)
_NOISE = re.compile(r"[^\w'’\-\s]+|_+")
_LONGEST = 80


def small_talk(text: str) -> Talk | None:
    """What kind of small talk the whole of `text` is; None when there is anything to look up in it."""
    if len(text) > _LONGEST:
        return None
    plain = " ".join(_NOISE.sub(" ", text.lower()).replace("’", "'").split())
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(plain)), None)
