"""Who there is, where they are, and by which rules."""

from __future__ import annotations

import random

from tests.contracts.sight.model import Model, Opened

ANN, BEN, CHE, ADA, GUS, BEA, BOB = (
    "slack:T1:UANN",
    "slack:T1:UBEN",
    "slack:T1:UCHE",
    "slack:T1:UADA",
    "slack:T1:UGUS",
    "slack:T2:UBEA",
    "slack:T2:UBOB",
)
WIM, WES = "web:wim", "web:wes"
PEOPLE = (ANN, BEN, CHE, ADA, GUS, BEA, BOB, WIM, WES)
ADMINS = (ADA, BEA, WES)
CHANNELS = ("slack:T1:CALL", "slack:T1:CBOARD", "slack:T1:CHELP", "slack:T2:CALL", "slack:T2:CHELP")
STAFF = "web:group:staff"
COLLECTIONS = ("default", "press", "board", "ann", "beta", "staff", "slack:T1:CBOARD")
GROUPS = (
    *CHANNELS,
    "slack:T1",
    "slack:T2",
    "web:page",
    STAFF,
    ANN,
    "slack:T1:user:UBEN",
    "slack:T2:UBOB",
    "web:user:wim",
)


def people() -> Model:
    """GUS is a guest."""
    members = {channel: {one for one in PEOPLE if one.startswith(channel[:9])} for channel in CHANNELS}
    return Model({**members, STAFF: {WES}}, {GUS})


def redrawn(model: Model, dice: random.Random) -> None:
    """Other rules."""
    for name in COLLECTIONS:
        if name in model.members:
            continue
        only = frozenset(dice.sample(GROUPS, dice.choice((0, 1, 1, 2))))
        model.rules[name] = Opened(only, public=dice.random() < 0.25)


def workspace(name: str) -> str:
    """The workspace of a person or a channel."""
    return "web:page" if name.startswith("web:") else name.rpartition(":")[0]
