"""What an attempt to steer the assistant looks like: named signals over the row of concepts and over the raw text."""

from __future__ import annotations

import re

from pipeline.screen.concepts import pattern

NOT_MEANT = pattern("ASK ~1 I ~8-YOU/YOUR", "ASK ~3-YOU/YOUR IGNORE ~4-YOU/YOUR", "FREE IGNORE")
"""`How do I ignore ...`, `how to override ...`, `don't forget ...`: asked about or negated, not ordered."""
CONCEPT_SIGNALS: dict[str, re.Pattern[str]] = {
    "override": pattern(
        "IGNORE ~3 PREVIOUS ~3 RULES/TEXT/TASK",
        "IGNORE ~3 ALL/YOUR/NEW ~3 RULES",
        "^ ~2 IGNORE ~1 RULES",
        "PREVIOUS/ALL ~2 RULES/TEXT ~3 IGNORE",
        "IGNORE ~4 YOU/I ~4 TOLD",
        "IGNORE ~3 TOLD ~2 PREVIOUS",
        "IGNORE ~3 YOUR ~1 RULES",
    ),
    "override_bare": pattern(
        "^ IGNORE ~1 PREVIOUS",
        "^ ~1 IGNORE ~1 ALL $",
        "IGNORE ALL PREVIOUS",
        "^ ~3 IGNORE ~1 ALL ~1 PREVIOUS/TOLD/NOW",
        "^ ~2 PREVIOUS ~1 RULES/TEXT IGNORE",
        "^ STOP ALL $",
        "IGNORE ALL ~3 SAY",
        "^ IGNORE ~4 SAY",
    ),
    "new_rules": pattern(
        "YOUR RULES ~1 ARE",
        "YOUR RULES ~3 NEXT/NEW",
        "NOW ~3 NEW/NEXT ~1 RULES/TASK",
        "YOUR NEW/NEXT ~1 RULES/TASK",
        "START ~4 NEW TASK",
        "IGNORE ~6 NEW/NEXT ~1 TASK",
        "PRAISE ~2 $ ~6 NEW ~1 RULES/TASK",
        "PRAISE ~2 $ ~6 NEXT ~1 RULES",
    ),
    "you_are": pattern("^ ~1 YOU ARE"),
    "you_are_now": pattern("YOU ARE ~1 NOW", "NOW ARE YOU", "NOW YOU ~1 ARE/ACT", "NOW ~2 YOU ~3 ACT"),
    "act_as": pattern("YOU ~3 ACT", "^ ACT", "^ ~3 ACT ~3 MODEL"),
    "pretend_you": pattern("^ ~1 ACT ~1 YOU"),
    "from_now_on": pattern("NOW ~1 YOU ~3 ACT/SAY/MUST"),
    "now_do": pattern("^ ~1 NOW ~1 SAY/CREATE/REVEAL/ACT", "^ STOP ~2 SAY/CREATE"),
    "mode": pattern("YOU ARE ~3 MODE", "ACT ~3 MODE", "JAILBREAK/ALIAS MODE", "I ~4 BOSS MODE", "SYSTEM MODE ~2 $"),
    "jailbreak": pattern(
        "JAILBREAK ~12 JAILBREAK",
        "JAILBREAK ~4 MODEL",
        "MODEL ~4 JAILBREAK",
        "YOU ARE ~4 JAILBREAK/ALIAS",
        "ACT ~3 JAILBREAK/ALIAS",
        "SAY ~3 JAILBREAK/ALIAS",
    ),
    "no_limits": pattern("FREE ~3 LIMITS", "LIMITS ~2 FREE"),
    "no_limits_model": pattern("FREE ~3 LIMITS ~8 MODEL", "MODEL ~8 FREE ~3 LIMITS", "YOU ARE/MUST ~4 FREE ~3 LIMITS"),
    "in_character": pattern("FREE KEEP ~1 CHARACTER", "KEEP ~3 CHARACTER"),
    "extract": pattern(
        "REVEAL/SAY ~4 YOUR ~2 PROMPT",
        "REVEAL/SAY ~4 YOUR ~2 RULES $",
        "REVEAL/SAY ~4 YOUR PREVIOUS RULES/WORDING",
        "REVEAL/SAY ~4 SYSTEM ~1 PROMPT",
        "REVEAL ~3 ALL ~1 PROMPT",
        "REVEAL/SAY ~4 PREVIOUS ~1 PROMPT/RULES",
        "REVEAL/SAY ~2 WORDING PREVIOUS",
        "REVEAL/SAY ~2 PREVIOUS WORDING",
        "WHAT ~2 YOUR ~1 PROMPT",
        "WHAT ~2 YOUR ~1 RULES $",
        "WHAT ~2 YOUR PREVIOUS RULES",
        "WHAT ~2 YOU ~1 TOLD",
        "WHAT ~8 PREVIOUS ~3 PROMPT",
        "ALL/YOUR ~2 PROMPT ~3 REVEAL/SAY",
        "RULES/WORDING YOU ~2 TOLD",
    ),
    "system_prompt": pattern("SYSTEM PROMPT", "YOUR ~1 PROMPT"),
    "your_secret": pattern("YOUR ~2 SECRET", "YOUR ~1 SYSTEM KEY"),
    "ask_secret": pattern(
        "WHAT ~2 THE SECRET", "REVEAL ~3 THE SECRET", "CREATE/SAY ~4 THE SECRET", "SECRET ~2 THE SYSTEM"
    ),
    "user_data": pattern("WHAT/REVEAL/CREATE ~6 THE USER ~3 PRIVATE", "PRIVATE ~1 THE USER"),
    "private": pattern("REVEAL ~3 PRIVATE PRIVATE", "WHAT ~3 PRIVATE PRIVATE", "REVEAL ~4 KEY KEY"),
    "decode": pattern(
        "YOU ~1 DECODE", "DECODE ~12 REVEAL", "REVEAL/SAY/CREATE ~8 IN ~1 CIPHER", "CIPHER ~2 THE TEXT YOU"
    ),
    "say_only": pattern(
        "SAY ~1 ONLY", "ONLY ~2 SAY", "STOP ~2 SAY", "ALL ~2 TASK ~2 SAY", "SAY ALL TASK", "YOU ~8 $ SAY ~2 $"
    ),
    "say": pattern("^ SAY", "STOP SAY"),
    "reply_form": pattern("START ~3 YOUR/ALL ~1 REPLY", "REPLY ~2 START", "YOUR REPLY"),
    "you_must": pattern("YOU MUST ~2 SAY/REVEAL/ACT", "YOU MUST FREE"),
    "create": pattern("^ ~1 CREATE", "^ ~3 CREATE ~4 WORK"),
    "model": pattern("MODEL"),
    "you_model": pattern("YOU ARE ~3 MODEL", "YOU ~2 FREE ~2 MODEL", "^ ~2 MODEL YOU", "MODEL NOW"),
    "told_as_model": pattern("MODEL ~4 MUST ~2 IGNORE", "YOU ARE ~3 MODEL ~6 IGNORE/SAY/REVEAL"),
    "imagine": pattern("^ ~1 IMAGINE", "IMAGINE ~6 YOU"),
    "authority": pattern("I ~2 YOUR ~1 BOSS", "^ ~1 I ~2 BOSS", "^ ~1 YOUR BOSS", "THE BOSS ~4 I"),
    "own_knowledge": pattern(
        "FREE ~1 LOOK ~4 SOURCES", "SAY ~5 FREE ~4 SOURCES", "FREE SAY ~6 SOURCES", "YOUR ~1 SOURCES ~3 FREE"
    ),
    "not_allowed": pattern("YOU FREE ~1 ALLOWED"),
}
COUNTED = frozenset({"you_must", "no_limits", "reply_form", "model"})
RAW_SIGNALS: dict[str, re.Pattern[str]] = {
    "new_rules_follow": re.compile(r"new (?:instruction|rule|task|order|directive|prompt)s? ?:"),
    "script": re.compile(
        r"<\s?/?\s?script\b|javascript\s?:|vbscript\s?:|data\s?:\s?(?:text|application|image)/|on(?:error|load)\s?="
    ),
    "turn": re.compile(
        r"<\|?/?(?:im_start|im_end|system|user|assistant|endoftext)\b|\[/?inst\]|<</?sys>>|"
        r"## ?(?:system|instruction|response)"
    ),
    "speaker": re.compile(
        r"[.?!\n] ?[\"'(\[*> ]{0,3}"
        r"(?:system|assistant|human|ai|instructions?)(?: (?:prompt|message|override))? ?:"
    ),
    "labels": re.compile(
        r"(?:question|answer|response|input|output|instruction|context|translation|human) ?:[^\n]{0,200}?"
        r"\b(?:question|answer|response|input|output|instruction|translation|human) ?:"
    ),
    "end": re.compile(r"(?:===|---|###|\*\*\*) ?(?:end|start|new|begin)\b"),
    "question_answer": re.compile(r"\bq:[^\n]{1,300}?\ba:"),
    "answered_by_order": re.compile(
        r"\?[\s\"'.]+(?:[^?.\n]{0,40}[.:,!]\s?)?(?:just |only |now |and )?"
        r"(?:say|print|output|write|repeat|respond|state that|answer with|sage?|schreibe?) "
    ),
    "game": re.compile(r"let'?s play (?:an? )?(?:[a-z]+ )?game|in this game,? (?:you|i)\b"),
    "slots": re.compile(r"\[(?:insert|prompt|input|your)[^\]]{0,30}\]"),
    "quoted_order": re.compile(
        r"\b(?:say|print|output|write|repeat|answer|respond|reply|state|said|dices|sage?|schreibe?)\b"
        r"[^.\n\"“'’]{0,25}[\"“'‘][^\"”]{2}"
    ),
}
"""Searched for in the folded text after a line end."""
