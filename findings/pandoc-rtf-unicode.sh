#!/usr/bin/env bash
# pandoc 3.9 (pypandoc_binary 1.17): the letter behind a character's replacement is lost when RTF is read.
#
# What: RTF writes a character that its code page lacks as a number and one replacement for old readers, `\u8722?` for a
#   minus sign; one replacement (`\uc1`) is the default. Text that follows directly behind it, read by pandoc.
# Expected: the replacement is left out and the text kept: −75.00, as LibreOffice shows it. So it is where a blank stands
#   behind the number (`\u8722 ?75.00`) or the replacement is written as a code (`\u8722\'2d75.00`).
# Seen: −5.00. The first letter behind the replacement is left out as well, also where the file says `\uc1`.
# Who is hurt: whoever converts or indexes RTF, as mail programs, word processors and report generators write it: amounts
#   behind a minus sign or a euro sign lose their first digit, and nothing says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc_binary==1.17
"$folder/venv/bin/python" - <<'PYTHON'
import pypandoc

HEAD = r"{\rtf1\ansi\uc1\deff0{\fonttbl{\f0 Arial;}}\f0 "
WRITTEN = {
    r"\u8722?75.00": "−75.00",
    r"\u8364?30": "€30",
    r"\u8722 ?75.00": "−75.00",
    r"\u8722\'2d75.00": "−75.00",
}
print("pandoc", pypandoc.get_pandoc_version())
wrong = {}
for code, shown in WRITTEN.items():
    text = pypandoc.convert_text(HEAD + code + r"\par}", "plain", format="rtf").strip()
    print(f"{code}: {text}, right: {shown}")
    if text != shown:
        wrong[code] = text
assert wrong == {r"\u8722?75.00": "−5.00", r"\u8364?30": "€0"}, f"the behaviour has changed: {wrong}"
PYTHON
