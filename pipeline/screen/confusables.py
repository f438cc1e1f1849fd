"""Letters made to look like others, and characters nobody sees, as one translation table.

Rows of Unicode's confusables data (UTS 39) that a reader takes for a Latin letter, plus what compatibility
normalisation leaves: small capitals, enclosed and regional-indicator letters.
"""

from __future__ import annotations

from functools import cache

_LOOKALIKES = """
    a аɑαᎪ∀ɐᴀ       b ЬʙвβᏴɓ        c сϲᏟↄᴄɔ        d ԁɗᏧժᗪᴅ        e еҽεᎬ℮ɛəǝєᴇ    f ϝғƒꜰ
    g ɡɢԍᏀց         h һнʜᎻհɥ        i іıιɩӏᎥɪ       j јϳյᎫɟᴊ        k кκᴋᏦĸҡ        l ʟᏞ∣ǀլ
    m мᴍᎷϻɯ         n ηпɴոᴎи        o оοσօᴏ○ⲟ〇     p рρᴘᏢⲣ         q ԛզգ           r гʀᎡɾяɹ
    s ѕꜱᏚʂ          t тτᴛᎢʇ         u υսᴜʋц         v ѵνᴠᏙ∨ʌ        w ԝωᴡᎳшʍѡ       x хχⅹ×ҳ
    y уγʏүყʎ        z ᴢᏃʐʑ          A АΑ            B ВΒ            C СϹ            D Ꭰ
    E ЕΕЄ           G Ԍ             H НΗ            I ІΙӀ           J Ј             K КΚ
    M МΜ            N ΝИ            O ОΟ            P РΡ            S Ѕ             T ТΤ
    X ХΧ            Y УΥҮ           Z Ζ             ' ’ʼ‘`´         - ‐‑‒–—−        : ꞉∶
"""
_ALPHABETS = (0x1F150, 0x1F170, 0x1F1E6)
"""First letters of the negative circled, negative squared and regional-indicator alphabets."""
_INVISIBLE = (
    *((0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x7F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160)),
    *((0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800)),
    *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xE0000, 0xE01EF)),
)
"""Ranges: controls, soft hyphen, fillers, zero-width and bidirectional marks, tags, variation selectors."""


@cache
def folding() -> dict[int, str | None]:
    """For `str.translate`: a lookalike becomes its Latin letter, an invisible character nothing."""
    table: dict[int, str | None] = {code: None for first, last in _INVISIBLE for code in range(first, last + 1)}
    entries = _LOOKALIKES.split()
    for letter, lookalikes in zip(entries[::2], entries[1::2], strict=True):
        table.update(dict.fromkeys(map(ord, lookalikes), letter))
    for first in _ALPHABETS:
        table.update({first + offset: chr(ord("a") + offset) for offset in range(26)})
    return table
