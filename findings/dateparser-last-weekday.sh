#!/usr/bin/env bash
# dateparser 1.5.0: "last Friday" is understood in English alone.
#
# What: people ask what has changed since last Friday, in their own language; dateparser lists German, French, Spanish and
#   Japanese among its languages, and reads "letzte Woche", "la semana pasada" and the like in them.
# Expected: the Friday before, in each of these languages.
# Seen: the Friday for "last friday"; None for the same in the others.
# Who is hurt: whoever offers relative dates in more than English. Their users are told that what they wrote is no date, or
#   a filter is dropped without a word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dateparser==1.5.0
"$folder/venv/bin/python" - <<'PYTHON'
from datetime import datetime

from dateparser.date import DateDataParser

SAID = {
    "last friday": "en",
    "letzten Freitag": "de",
    "vendredi dernier": "fr",
    "el viernes pasado": "es",
    "先週の金曜日": "ja",
}
found = {}
for text, language in SAID.items():
    read = DateDataParser(languages=[language], settings={"RELATIVE_BASE": datetime(2026, 11, 28)}).get_date_data(text)
    found[text] = f"{read.date_obj:%Y-%m-%d}" if read.date_obj else "None"
    print(f"{text}: {found[text]}")
assert found.pop("last friday") == "2026-11-27"
assert set(found.values()) == {"None"}, "the behaviour has changed"
PYTHON
