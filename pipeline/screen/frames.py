"""The signs that a sentence of a document is an order to an assistant: frames over classes of words.

A frame is made of what an order cannot do without, so that it holds for wordings it was not written for. Hardly any is
found in 158,000 sentences of real documents (handbooks, manuals of assistants, Wikipedia). The weights are log odds,
set by hand."""

from __future__ import annotations

import re

from pipeline.screen.vocabulary import (
    ABOUT,
    ADDRESS,
    ANYBODY,
    ASKER,
    ASKS,
    BARE,
    CHANGE,
    CODE,
    DUTY,
    FACTS,
    FORGET,
    IS,
    MACHINE,
    MAKER,
    NOT,
    OF_THIS,
    ON,
    ORDER,
    OURS,
    READ,
    REPLIES,
    REPLY,
    SAY,
    SNIPPET,
    SOURCES,
    SPEAK,
    TASK,
    TELL,
    THE,
    THEIRS,
    WHEN,
    YOURS,
)
from pipeline.words.text import any_of

_SPOKEN = (
    rf"(?:(?!and |or |be )[\w.-]+ ){{0,3}}?{SPEAK}\b"
    r"(?! [^.?!]{1,40}\bto (?:the|an?|their|your) (?!user|reader|asker)\w+\W*$)"
)
"""What is to be said, to nobody or to whoever asks."""
_NOTE = r"(?:note|notice|hint|remark|reminder|instructions?|only|memo)"
_BEGINS = r"(?:^|[.!?:;|>#@*(\[-]\s*)"
_NOTED = (
    rf"{_BEGINS}(?:(?:\w+ ){{0,5}}(?:{_NOTE}|orders?|policy|hinweis|anweisung|nota|consignes?)|message)"
    r" (?:\w+ ){1,3}(?:l')?"
)
_LABEL = r"(?:\w+ )?override|(?:new|hidden|secret|system) (?:instructions?|prompt)(?: \w+)?"
_CALL = r"(?:dear|hey|hi|hello|attention|you are)"
_MYSELF = r"(?:[,.:;!)\]]|,? (?:i|you|that|and (?:i|must|have)|muss|je|debo)\b)"
_HELD = r"(?:(?:ends?|begins?|starts?|opens?|closes?) with|(?:is|are) followed by)\b"
_HOLDS = r"(?:carr(?:y|ies)|(?:contain|include|name|mention|say|read|cite|recommend)s?)"
_TO_SAY = rf"\b(?:(?:{REPLY}|models|agents) {DUTY}|{MACHINE} will|you to) "
_SAY_THAT = (
    rf"(?:{SAY}(?: \w+)?|(?:{SAY}|confirm|explain) to {ASKER}),? (?:that|dass|que|che)\b"
    r"(?! (?:you|we|i|it|they|your|our|an?)\b)"
)
"""People are told to say something of themselves, or of nothing in particular."""
_PRESCRIBED = any_of(rf"""
    {_SAY_THAT}
    (?:say|claim|insist|declare) (?:the|it|this|there) {IS}
    (?:{TELL}|cite|quote|write|output|name|give|link|explain|warn)\b[^?!]{{0,100}}{ADDRESS}
    (?:pretend|(?:act|answer|reply|respond|talk|speak) as (?:if|though))\b(?! (?:you|to)\b)
    (?:imagine|suppose)\b[^.?!]{{1,200}}\band (?:then )?{TELL}\b
    (?:{SPEAK}|put) (?:with )?the (?:following )?(?:sentence|phrase) ["“]
    (?:{SAY}|output|print|write)\b[^.?!]{{0,80}} nothing (?:else|but)\b
    (?:do not |never )?{SPEAK}\b[^.?!]{{1,120}}{WHEN}
""")
"""What is ordered to be said, or when."""
_HANDED = (
    r"(?:(?:is|are|be) (?:told|sent|(?:re)?directed|referred|pointed|given|forwarded|advised|informed)|gets?|receives?)"
    r"\b"
)
_FROM_NOW = r"\bfrom (?:now|here|this \w+)(?: on(?:wards?)?)?,? you"
_NOT_HOW = r"(?! (?:what|how|why|when|where|which|who|whether|if|about)\b)"
_WHILE = r"\b(?:when(?:ever)?|before|while|if|in)(?: you)?"
_READING = r",? (?:that|which|who|reads?|\w+ing)\b[^,.;:]{0,60}?"


def _either(frames: str) -> re.Pattern[str]:
    return re.compile(any_of(frames))


SIGNS = {
    "machine": (
        4.5,
        _either(rf"""
            {BARE}{MACHINE}(?:(?:[ -]\w+)?[ -]{_NOTE}\s*(?:[:|,.]|$)|(?:,? {DUTY}|{_READING} (?:{DUTY}|will)) {_SPOKEN})
            {_NOTED}(?:{MACHINE}|{MAKER})\b[^.?!:]{{0,40}}:
            \b(?:required|mandatory|essential|necessary|vital) that {THE}?{MACHINE} {SPEAK}\b
            \b(?:any|all|every|to) {MACHINE} (?:that |which )?{READ} (?:this|these)\b
            {_BEGINS}{THE}?{MACHINE}\s*[:,\])]\W*(?:do not |\w+ )?(?:{CHANGE}|{SPEAK}|delete|show|list)\b
            \b{_CALL},? {THE}?{MACHINE}(?:\s*[,.:;!)\]]| (?:that|who|you|{READ}|please)\b)
            (?:^|[.!?:;,(] ?)(?:and )?(?:(?:as|being|i am|i,|als|como) |en tant qu'){THE}?{MACHINE}{_MYSELF}
            (?:<!--|\() ?{MACHINE}(?: \w+)?:|\[{MACHINE}\](?!\()
            ^\W*(?:for|to) {THE}?{MACHINE}(?: only)?:
            ^\W*(?:(?!assistant:|bot:){MACHINE}|{_LABEL}): (?:the|this|our) {IS}
            \bassistant: (?:sure|of course|certainly)\b|\buser: [^\n]{{1,120}}\bassistant:
        """),
    ),
    "reply": (
        4.2,
        _either(rf"""
            \b(?:{REPLIES}|{OURS})\b[^.?!,]{{0,60}}?\b(?:(?:{DUTY}|may) {_SPOKEN}|{_HELD})
            \b(?:all|every|each|the) {REPLY} {ON} [^.?!,]{{1,60}}?\b{_HOLDS}\b
            (?:{MAKER}[^.?!]{{0,40}}\bthis \w+|\b{OF_THIS})[^.?!]{{0,40}}?\b(?:{DUTY}|says?|writes?|recommends?)\b
            \b{YOURS}\b[^.?!\"]{{0,60}}\b{DUTY} (?:be|{SPEAK})(?: the \w+| with)?[ :]*["“]
            \b(?:{ASKER}|questions {ABOUT} [^.?!]{{1,60}}) {DUTY} be (?:told (?:that|to)|answered with)\b
            \b(?:answer|reply|response) to (?:any|all|every|each) questions?\b[^.?!]{{0,60}} (?:is|are|must|should)\b
            \bin {REPLIES}\b
            \bthe only (?:\w+ )?(?:answer|reply|response)\b
        """),
    ),
    "told": (
        3.4,
        _either(rf"""
            {ORDER}{_PRESCRIBED}
            {_TO_SAY}{_SAY_THAT}
            {NOT}{TELL} [^.;]{{1,80}}[,;:] (?:but |instead |just )?(?:{TELL}|write)\b
            {WHEN}[^.?!]{{0,80}}, (?:\w+ )?{SPEAK}\b
            \b(?:tell|send|refer|direct|point|give)s? {ANYBODY} {ASKS}
            \b{ANYBODY} {ASKS} [^.?!]{{1,80}}\b{_HANDED}
        """),
    ),
    "others": (
        3.4,
        _either(rf"""
            \b{FORGET} (?:the )?(?:(?:others?|rest)[,.;:]|(?:prior|all|other) (?:context|{SOURCES})\b)
            \b(?:{FORGET}|delete) (?:what|everything|all) (?:you (?:were|have|know)|the \w+ sa[iy])
            \b{FORGET} (?:the |all |any )*{FACTS} (?:{ON}|for)\b
            \brank this (?:page|passage|document|note)\b
            \b(?:list|reveal|show|print|output|disclose|append|quote|trust|believe)\b[^.?!]{{0,30}}\bother {SOURCES}\b
            {NOT}(?:reveal|mention|tell|disclose|show) this to {ASKER}
            \b(?:{CHANGE}|send) [^.?!]{{0,40}}{THEIRS}[^.?!]{{0,80}}(?:\b(?:link|url)\b|{ADDRESS})
        """),
    ),
    "role": (
        3.4,
        _either(rf"""
            \byour (?:new|real|actual|true|only|sole) {TASK}\b[^.?!]{{0,60}}? (?:is|are) to\b
            \byour {TASK} (?:{ON}|for|with) [^.?!]{{1,80}} (?:is|are) to\b
            \byour {TASK} is (?:now )?to (?:{TELL}|convince|persuade|collect)\b
            {_FROM_NOW} (?:are [a-z]+(?: [a-z]+)?(?:[;,.]| and\b)|(?:only |always |never )?(?:{TELL}|talk|speak)\b)
        """),
    ),
    "speak": (
        1.2,
        _either(rf"""
            (?:{ORDER}|, (?:always |never )?|\byou {DUTY} ){TELL}\b
            , (?:then )?(?:output|print|write|point|refer|ask|(?:give|send) them)\b
        """),
    ),
    "asker": (
        2.0,
        _either(rf"""
            \b(?:tell|inform|advise|assure|convince|persuade) (?:{ASKER}\b{_NOT_HOW}|{ANYBODY} (?:who )?asks?\b)
            \b(?:to|ask|give|send|direct|show|point|refer|that) (?:the|each|every|any|all) (?:user|reader|asker)s?\b
            \b(?:whoever|anyone who|someone who|(?:if|when(?:ever)?) (?:any|some)(?:one|body)) asks\b
        """),
    ),
    "answering": (
        2.0,
        _either(rf"""
            {_WHILE} (?:answer|respond|reply)(?:ing)?(?: to)?(?: any)?(?: \w+)? questions?\b
            {_WHILE} (?:describ|explain|summari[sz]|quot|cit|discuss)(?:e|ing)? (?:this|the)\b
            {_WHILE} (?:answering(?:,| (?:with|from)\b)|(?:speak|talk|answer|reply) {ON}\b)
            \b(?:for|to|in) (?:any |all |every )?(?:questions?|queries) {ABOUT}\b|^asked {ON}\b
            \banswer (?:every|each|any|all) questions?\b
        """),
    ),
    "your_reply": (1.6, _either(rf"\b{YOURS}\b")),
    "change_reply": (
        2.6,
        _either(rf"""
            (?:{ORDER}|, ?){CHANGE}\b[^?!]{{0,140}}\b{YOURS}\b
            \bin {YOURS}\b[^.?!,]{{0,60}}, \w
        """),
    ),
    "reply_so": (
        3.0,
        _either(
            rf"{ORDER}(?:reply|respond|answer(?= (?:only|to))) "
            r"(?:only |back |to (?:this|the|any|every|all) (?:query|questions?) )?"
            r"(?:in|with|using|as|by|like)\b(?! your| (?:its|the|a) thread| \d)"
        ),
    ),
    "code": (2.6, _either(SNIPPET)),
    "into_code": (
        1.6,
        _either(rf"""
            {SNIPPET}.{{0,200}}{CODE}
            {CODE}.{{0,200}}{SNIPPET}
        """),
    ),
}
"""The weight of each sign, and where it is found."""
