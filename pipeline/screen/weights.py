"""What each signal weighs: written by `bench/fit_screen.py`, read as log odds."""

from __future__ import annotations

WEIGHTS = {
    "override": 4.03,
    "override_bare": 4.04,
    "new_rules": 2.56,
    "new_rules_follow": 4.00,
    "you_are": 0.58,
    "you_are_now": 2.54,
    "act_as": 1.60,
    "from_now_on": 2.00,
    "now_do": 1.02,
    "mode": 2.00,
    "jailbreak": 2.50,
    "no_limits": 0.71,
    "no_limits_model": 2.00,
    "in_character": 1.68,
    "extract": 3.53,
    "system_prompt": 1.50,
    "your_secret": 3.27,
    "ask_secret": 1.63,
    "user_data": 2.05,
    "private": 0.69,
    "decode": 2.84,
    "say_only": 1.58,
    "say": 1.25,
    "reply_form": 0.84,
    "you_must": 1.21,
    "create": 0.28,
    "model": 0.44,
    "you_model": 0.51,
    "imagine": 0.43,
    "authority": 1.51,
    "own_knowledge": 3.02,
    "not_allowed": 2.52,
    "script": 4.00,
    "turn": 3.00,
    "speaker": 2.02,
    "labels": 1.52,
    "end": 2.00,
    "question_answer": 2.04,
    "slots": 2.01,
    "quoted_order": 1.44,
    "repeated": 2.53,
    "spaced": 3.02,
    "encoded": 3.00,
}
BIAS = -1.28
FLAG = 0.65
"""Score from which a message is logged as suspicious."""
DECLINE = 0.9
"""Score from which a message is refused."""
