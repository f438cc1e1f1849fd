"""Discord, as the rest of Citewell knows it."""

from __future__ import annotations

from pipeline.values.ids import DIRECT
from pipeline.values.platform import Id, Platform

DISCORD = Platform(
    name="discord",
    title="Discord",
    setting="DISCORD_TOKEN",
    needs="DISCORD_TOKEN",
    space=Id(word="server", form="discord:[0-9]+", example="discord:1234"),
    channel=Id(word="channel", form="discord:[0-9]+:[0-9]+", example="discord:1234:5678"),
    person=Id(word="person", form="discord:user:[0-9]+", example="discord:user:1234"),
    role=Id(word="role", form="discord:[0-9]+:role:[0-9]+", example="discord:1234:role:5678"),
    everywhere=True,
    read_by_role=True,
    direct_space=DIRECT,
    private_thread="private-",
    threads_apart=True,
    one_connection=True,
    loggers=("discord",),
)
