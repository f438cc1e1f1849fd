"""The platform Discord, as the rest of Citewell knows it."""

from __future__ import annotations

from pipeline.values.ids import DIRECT_MESSAGE_SPACE
from pipeline.values.platform import IdFormat, Platform

DISCORD = Platform(
    name="discord",
    title="Discord",
    setting="DISCORD_TOKEN",
    required_settings="DISCORD_TOKEN",
    space=IdFormat(label="server", pattern="discord:[0-9]+", example="discord:1234"),
    channel=IdFormat(label="channel", pattern="discord:[0-9]+:[0-9]+", example="discord:1234:5678"),
    person=IdFormat(label="person", pattern="discord:user:[0-9]+", example="discord:user:1234"),
    role=IdFormat(label="role", pattern="discord:[0-9]+:role:[0-9]+", example="discord:1234:role:5678"),
    has_global_users=True,
    read_by_role=True,
    direct_space=DIRECT_MESSAGE_SPACE,
    private_thread="private-",
    has_detached_threads=True,
    is_single_connection=True,
    loggers=("discord",),
)
