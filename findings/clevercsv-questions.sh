#!/usr/bin/env bash
# clevercsv 0.8.5: a list of questions, one a line, is taken for a table that is cut at its question marks.
#
# What: the dialect that `clevercsv.Sniffer` finds for a CSV file of one column that holds questions in plain words, as
#   teams export them for a list of frequently asked questions.
# Expected: one column, or a refusal as of the standard library's sniffer: no separator is there.
# Seen: `?` is the delimiter, so that every row has two cells, of which the second is empty, and every question mark is lost.
# Who is hurt: whoever reads CSV files of unknown dialect. A question without its mark is a statement, and the column that
#   comes of it has no name.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check clevercsv==0.8.5
"$folder/venv/bin/python" - <<'PYTHON'
import csv

import clevercsv

LINES = [
    "question",
    "How do I reset my badge?",
    "Who is on call on Friday, Saturday and Sunday?",
    "What does the canteen cost, all in all, a month?",
    "When is payday?",
    "Where do I park, if the yard is full?",
]
text = "\n".join(LINES) + "\n"
try:
    print("csv.Sniffer:", repr(csv.Sniffer().sniff(text).delimiter))
except csv.Error as error:
    print("csv.Sniffer:", error)
dialect = clevercsv.Sniffer().sniff(text)
rows = list(clevercsv.reader(LINES, dialect))
print("clevercsv:", repr(dialect.delimiter), rows)
assert dialect.delimiter == "?", f"the behaviour has changed: {dialect.delimiter!r}"
assert rows[1] == ["How do I reset my badge", ""], f"the behaviour has changed: {rows[1]}"
PYTHON
