"""What happens in Loopback, as values. Pure."""

from __future__ import annotations

from urllib.parse import quote

from adapters.chat import intake
from pipeline import values as v
from tests.loopback import world

NAME = "@Citewell"
_IN = r"loopback:[^:\s]+"
LOOPBACK = v.Platform(
    name="loopback",
    title="Loopback",
    setting="LOOPBACK",
    required_settings="LOOPBACK",
    space=v.IdFormat(label="house", pattern=_IN, example="loopback:acme"),
    channel=v.IdFormat(label="channel", pattern=f"{_IN}:%23[^:\\s]+", example="loopback:acme:%23team"),
    person=v.IdFormat(label="person", pattern=f"{_IN}:@[^:\\s]+", example="loopback:acme:@ann"),
    role=v.IdFormat(label="group", pattern=f"{_IN}:group:[a-z]+", example="loopback:acme:group:all"),
    direct_channel="~",
    private_thread="alone-",
    threads_only=True,
)
SPACE = v.PlaceId(platform=LOOPBACK.name, space=world.HOUSE)


def key(channel: str, name: str) -> v.MessageKey:
    return v.MessageKey(platform=LOOPBACK.name, space=world.HOUSE, channel=channel, message=name)


def person(user: str) -> str:
    return str(LOOPBACK.person_id(world.HOUSE, user))


def conversation(channel: str, thread: str = "") -> v.ConversationId:
    own = "" if channel.startswith("~") else thread
    return v.ConversationId(platform=LOOPBACK.name, space=world.HOUSE, channel=channel, thread=own)


def places(channel: str) -> tuple[v.PlaceId, ...]:
    return (SPACE,) if channel.startswith("~") else v.replace(SPACE, channel=channel).chain


def asked(message: world.Said) -> v.IncomingMessage:
    """With a command, where its author alone sees it."""
    addressed = v.MessageTrigger.MENTION if message.page.text.startswith(NAME) else v.MessageTrigger.OVERHEARD
    manner = v.MessageTrigger.DIRECT if message.channel.startswith("~") else addressed
    thread = f"{LOOPBACK.private_thread}{message.only}" if message.only else message.thread
    return v.IncomingMessage(
        place=key(message.channel, message.id),
        conversation=conversation(message.channel, thread),
        asker=LOOPBACK.person_id(world.HOUSE, message.author),
        text=message.page.text.removeprefix(NAME).strip(),
        attachments=attachments(message),
        sent_at=message.at,
        manner=v.MessageTrigger.COMMAND if message.only else manner,
        said_in=places(message.channel),
    )


def url(name: str) -> str:
    return f"https://loopback.example/{quote(name, safe='')}"


def attachments(message: world.Said) -> tuple[v.Attachment, ...]:
    return tuple(v.Attachment(name=one, id=one) for one in message.attached)


def said(message: world.Said, *, to_us: bool = False) -> v.ChannelMessage | None:
    """What people say to people; `to_us` as well."""
    text = message.page.text
    ours = text.startswith(NAME) and not to_us
    if message.author == world.BOT or ours or not text or "out" in message.marks:
        return None
    return v.ChannelMessage(
        channel=v.replace(SPACE, channel=message.channel),
        thread=message.thread,
        message=message.id,
        author=person(message.author),
        name=message.author.removeprefix("@"),
        at=message.at,
        text=text.removeprefix(NAME).strip(),
        url=url(message.id),
        files=attachments(message),
        accepted="solved" in message.marks,
    )


def happened(event: world.Happened) -> intake.ChatEvent | None:
    message = event.message
    if message is None:
        return intake.ChannelClosed(said_in=places(event.channel))
    there = key(message.channel, message.id)
    where = {"said_in": places(message.channel), "key": there}
    match event.what:
        case "said" if message.author.startswith("@program"):
            named = message.page.text.startswith(NAME)
            return intake.AppMentioned(said_in=where["said_in"], app=message.author) if named else None
        case "said":
            below = (str(key(message.channel, message.thread)),) if message.thread != message.id else ()
            by, names = person(message.author), message.page.text.startswith(NAME)
            remark = intake.PersonMessage(
                key=there, author=by, text=message.page.text, reply_targets=below, is_for_bot=names
            )
            return intake.MessagePosted(
                **where, person_message=remark, question=intake.QuestionCandidate(message=asked(message))
            )
        case "edited":
            now = asked(message)
            return intake.MessageEdited(**where, text=now.text, question=intake.QuestionCandidate(message=now))
    return intake.ReactionChanged(**where) if event.what == "reacted" else intake.MessageDeleted(**where)
