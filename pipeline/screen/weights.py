"""What each signal weighs: written by `bench/fit_screen.py`, read as log odds."""

from __future__ import annotations

WEIGHTS = {
    "override": 4.01,
    "override_bare": 4.01,
    "new_rules": 2.52,
    "new_rules_follow": 4.00,
    "you_are": 0.46,
    "you_are_now": 2.51,
    "act_as": 1.53,
    "pretend_you": 1.21,
    "from_now_on": 2.00,
    "now_do": 1.01,
    "mode": 2.00,
    "jailbreak": 2.50,
    "no_limits": 0.70,
    "no_limits_model": 2.00,
    "in_character": 2.02,
    "extract": 3.51,
    "system_prompt": 1.50,
    "your_secret": 3.22,
    "ask_secret": 1.54,
    "user_data": 2.02,
    "private": 0.70,
    "decode": 2.81,
    "say_only": 1.52,
    "say": 1.09,
    "reply_form": 0.81,
    "you_must": 1.20,
    "create": 0.17,
    "model": 0.28,
    "you_model": 0.50,
    "told_as_model": 1.50,
    "imagine": 0.28,
    "authority": 1.50,
    "own_knowledge": 3.00,
    "not_allowed": 2.51,
    "script": 4.00,
    "turn": 3.00,
    "speaker": 2.00,
    "labels": 1.51,
    "end": 2.00,
    "question_answer": 2.01,
    "answered_by_order": 1.51,
    "game": 1.20,
    "slots": 2.00,
    "quoted_order": 1.33,
    "repeated": 2.51,
    "spaced": 3.00,
    "encoded": 3.00,
}
BIAS = -1.29
FLAG = 0.65
"""Score from which a message is logged as suspicious."""
DECLINE = 0.9
"""Score from which a message is refused."""
