"""What Discord refuses: one function for messages, one for modals, each giving the reasons."""

from __future__ import annotations

from tests.doubles.discord.world import COMPONENTS_V2, Payload, walk

CONTENT, TEXT_DISPLAYS, COMPONENTS = 2000, 4000, 40
ROW, TEXT_DISPLAY, BUTTON = 1, 10, 2


def length(text: str) -> int:
    """UTF-16 code units: the strictest way anybody has seen Discord count."""
    return len(text.encode("utf-16-le")) // 2


def refused(payload: Payload, *, flags: int = 0, editing: bool = False) -> list[str]:
    """Why Discord would answer 400 to this message."""
    flags |= int(payload.get("flags") or 0)
    components = walk(payload.get("components") or [])
    wrong = _plain(payload, editing=editing) if not flags & COMPONENTS_V2 else _layout(payload, components)
    ids = [item["custom_id"] for item in components if "custom_id" in item]
    wrong += [f"custom_id of {len(one)}" for one in ids if not 1 <= len(one) <= 100]
    wrong += ["custom_id twice"] if len(ids) != len(set(ids)) else []
    wrong += [f"label {item['label']!r}" for item in components if length(item.get("label") or "") > 80]
    wrong += [
        "row of more than 5" for item in components if item["type"] == ROW and not 1 <= len(item["components"]) <= 5
    ]
    if len(str(payload.get("nonce") or "")) > 25:
        wrong.append("nonce longer than 25")
    return wrong


def _plain(payload: Payload, *, editing: bool) -> list[str]:
    wrong = []
    content = payload.get("content") or ""
    if length(content) > CONTENT:
        wrong.append(f"content of {length(content)}")
    if any(item["type"] != ROW for item in payload.get("components") or []):
        wrong.append("component needs IS_COMPONENTS_V2")
    if (
        not content.strip()
        and not any(payload.get(key) for key in ("embeds", "components", "attachments"))
        and not editing
    ):
        wrong.append("empty message")
    return wrong


def _layout(payload: Payload, components: list[Payload]) -> list[str]:
    wrong = [f"{key} beside components v2" for key in ("content", "embeds", "poll", "sticker_ids") if payload.get(key)]
    texts = [item["content"] for item in components if item["type"] == TEXT_DISPLAY]
    if sum(map(length, texts)) > TEXT_DISPLAYS:
        wrong.append(f"text of {sum(map(length, texts))}")
    wrong += ["empty text display" for text in texts if not text.strip()]
    if not 1 <= len(components) <= COMPONENTS and "components" in payload:
        wrong.append(f"{len(components)} components")
    wrong += ["button outside a row" for item in payload.get("components") or [] if item["type"] == BUTTON]
    return wrong


def modal_refused(data: Payload) -> list[str]:
    """Why Discord would refuse to open this modal."""
    wrong = []
    if not 1 <= length(data.get("title") or "") <= 45:
        wrong.append("title")
    if not 1 <= len(data.get("custom_id") or "") <= 100:
        wrong.append("custom_id")
    if not 1 <= len(data.get("components") or []) <= 5:
        wrong.append("components")
    for item in walk(data.get("components") or []):
        wrong += [f"label {item['label']!r}"] if item["type"] == 18 and length(item.get("label") or "") > 45 else []
        wrong += ["placeholder"] if length(item.get("placeholder") or "") > 100 else []
        wrong += ["options"] if item["type"] in (3, 21) and not 2 <= len(item.get("options") or []) <= 25 else []
    return wrong
