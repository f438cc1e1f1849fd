"""The classes of words that the signs of documents are made of, as alternatives in folded text.

Beside the English ones stand some of German, French, Spanish and Italian, without their accents."""

from __future__ import annotations

from pipeline.words.text import any_of

ORDER = (
    r"(?:^[\s#*-]*|[.!?:;]\s+|[|>]\s*)(?:(?:please|kindly|also|then|now|next|finally|and|just|always|simply|only|bitte|"
    r"immer|don't (?:forget|hesitate) to|(?:remember|be sure|make sure|keep in mind|take a moment|consider) to|"
    r"consider|can you|could you|would you|from now on),? )*"
)
"""Where an order begins: at a sentence or clause, behind what makes it polite."""
NOT = r"\b(?:do not|don't|never) "
DUTY = (
    r"(?:must|should|shall|ought to|(?:can|may) only|needs? to|ha(?:s|ve) to|(?:is|are)(?: (?:required|expected|obliged"
    r"|instructed|supposed|asked))? to|muss|mussen|soll|sollen|doit|doivent|deben?|deve|devono)"
)
SAY = any_of("""
    say|state|repl[yi]|respond|answer|claim|insist|conclude|declare|announce|assert|repeat|mention|pretend
    antworte|sage?|erwahne|behaupte|reponds|repondez|dis|dites|affirme|responde|di|diga|menciona|rispondi
""")
"""Verbs that take a statement."""
TELL = rf"(?:{SAY}|tell|recommend|refuse|advise|reveal|disclose|promote|praise|advertise|inform)"
SPEAK = any_of(rf"""
    {TELL}|ask|add|append|insert|ignore|include|end|begin|open|close|start|finish|treat|present|describe|give|send|link
    point|refer|direct|quote|rank|call|print|output|cite|greet|name|bring up|write|warn|explain|contain|carry|read
    leave out|omit|enthalten|erwahnen|sagen|antworten|empfehlen|nennen|mentionner|dire|recommander|repondre
    mencionar|decir|recomendar
""")
CHANGE = any_of("""
    add|include|insert|append|embed|incorporate|integrate|introduce|mention|modify|change|adjust|alter|enhance|enrich
    replace|substitute|use|apply|encode|encrypt|convert|transform|translate|reverse|scramble|jumble|shuffle|group|remove
    omit|provide|give|write|make|format|start|begin|open|end|close|finish|state|say|print|respond|reply|answer|output
    return|attach|put|combine
""")
COMPOSE = any_of("""
    write (?!down|them|it|to|off)|draft|compose|describe|explain|summari[sz]e|translate|suggest|recommend
    break down|discuss|outline|generate|show me|tell me|give me|teach me|help me|classify|determine the|analy[sz]e
    provide (?:an? |the |some )?(?:example|command|list|summary|overview|tips|steps|recipe)
    list (?:some|three|five|ten)|name (?:three|five)|pretend|act as|create an? (?:poem|story|plan|list)
""")
FORGET = r"(?:ignore|forget|disregard|discard|override)"
THE = r"(?:(?:the|an?|any|all|every|each|your|my|den|die|das|der|el|la|le|les|los|une?|eine?) |l')"

READ = r"(?:read|process|summari[sz]|answer|respond|generat|repl[yi]|quot|us|find)(?:e?s|ing|e)?"
_KIND = any_of("""
    ai|llm|ki|ia|gpt|virtual|digital|automat(?:ed|ic)|smart|chat|voice|search|answer(?:ing)?|retrieval|large|language
    generative|conversational|artificial intelligence|copilot|helpful|trusted
""")
MACHINE = any_of(rf"""
    (?:{_KIND}[ -]){{1,4}}(?:agent|model|system|tool|engine|software|machine|assistant|assistenten?|bot|reviewer)s?
    (?:assistants|asistentes) (?:de (?:la |l')?)?ia
    (?:ai|ki|ia|llm|(?:chat)?gpt|(?:chat)?bot|copilot|summari[sz]er|assistant|asistente|assistente)s?
    (?:model|agent|machine|system|tool|software|engine)s?(?=,? (?:that |which )?{READ} (?:this|these)\b)
    sprachmodelle?n?|claude|gemini
""")
BARE = (
    rf"(?:(?:^|[^\w\s'./-])[\s#*_]{{0,8}}|\b{THE}|\b(?:this|that|these|those|dear|hey|for|to|by|as|or|and|if|which|whichever)"
    " )"
)
"""What stands before a machine's name: with another word there it is a person (`the dental assistant`)."""
MAKER = (
    r"\b(?:who|what|any|every)(?:ever|one|body|thing)?(?: who| that)? (?:answer|generat|summari[sz]|respond|repl)\w*"
)
"""Whoever makes a reply."""

ON = r"(?:about|on|regarding|concerning)"
ABOUT = rf"(?:{ON}|covering|mentioning|for|after|uber|zu|zur|zum|sur|sobre|su)"
ASKER = r"(?:(?:the |an? |each |every |any |all |whichever )?(?:user|reader|asker)s?|(?:the )?(?:person|people) asking)"
ANYBODY = rf"(?:{ASKER}|whoever|(?:every|any|some)(?:one|body)|people|those|one|they)"
ASKS = rf"(?:(?:who |that )?(?:ask(?:s|ed|ing)?|inquir\w+|wants? to know)(?: you)? {ON}|(?:who )?look(?:s|ing) for)\b"
WHEN = (
    rf"\b(?:when|whenever|wherever|if|once|should|each time|every time) (?:(?:(?:{ANYBODY}|you are|being) )?{ASKS}"
    rf"|{ANYBODY} mentions?\b|[^,.;:]{{1,80}} (?:(?:is|are) (?:mentioned|named|discussed|raised|asked about"
    rf"|the (?:topic|subject))|comes? up)\b|(?:the|a|any) (?:question|query|topic) is {ON}\b)"
)
"""Where somebody asks about something."""
THEIRS = (
    rf"(?:{ASKER}'s? (?:question|query|words|conversation|password|history)|(?:chat|conversation) history"
    r"|(?:everything|what) the (?:user|reader|asker) \w+)"
)
"""What somebody who asks has said."""

REPLY = r"(?:repl(?:y|ies)|responses?|answers?|summar(?:y|ies)|antwort(?:en)?|reponses?|respuestas?)"
REPLIES = r"(?:every|each|any|all|no|jede|chaque|cada|ogni) (?:answers?|repl(?:y|ies)|antwort|reponse|respuesta)"
OF_THIS = rf"{REPLY} (?:(?:(?:produced|generated|made|written|drawn) )?from|of) (?:this|these)"
OURS = (
    rf"(?:{OF_THIS}|{REPLY} (?:{ABOUT}|that (?:mention|cover|discuss)\w*"
    r"|to (?:the |any |all |every |each )?questions?))"
)
"""A reply to a question about something, or one made from this text."""
YOURS = (
    rf"(?:(?:what|anything|everything) you (?:say|write|answer) {ON}|your words {ON}|{REPLIES}|(?:the|your) {OURS}"
    r"|your (?:(?:next|final|whole|entire|own|main) )?(?:repl(?:y|ies)|responses?|answers?|outputs?|messages?))"
)
TASK = r"(?:task|job|goal|role|mission|purpose|assignment|aim|instructions?)"
FACTS = r"(?:rules?|policy|policies|passages?|facts?|figures?|text|notes?|documents?|pages?|information)"
SOURCES = r"(?:documents|sources|passages)"
ADDRESS = r"(?:(?<!\]\()https?:|www\.|(?<![@./])\b[\w-]+\.(?:com|org|net|example)\b)"
"""Of a page, unless it is a link of Markdown."""
IS = r"[^.,;:?!]{1,80}?\b(?:is|are|was|were|has|have|will|costs?|needs?|must|no longer)\b"
SNIPPET = r"\b(?:following|subsequent|below|next|this) code (?:snippet|block|excerpt|section|fragment|segment)\b"
CODE = r"(?:\b(?:your|the) (?:\w+ )?(?:code ?base|code|implementation|solution|algorithm)\b|\bcode you \w+)"
