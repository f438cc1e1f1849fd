#!/usr/bin/env bash
# PyStemmer 3.1.0 and SQLite's FTS5: two stemmers that are both called porter do not agree.
#
# What: PyStemmer's `porter` (Snowball) and FTS5's tokenizer `porter` are both described as Porter's algorithm, so words that
#   were indexed by the one are looked up by stems of the other, for instance in `fts5vocab`, where a term has to be given
#   as it was stemmed.
# Expected: the same stem for the same word.
# Seen: many words in -logy and -bly have other stems: FTS5 knows two rules that Porter published later (logi -> log,
#   bli -> ble), Snowball's `porter` keeps to the paper of 1980.
# Who is hurt: whoever counts or corrects words over an FTS5 index. "technology" and "assembly" count as words that no
#   document has, however often they stand there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check PyStemmer==3.1.0
"$folder/venv/bin/python" - <<'PYTHON'
import sqlite3

import Stemmer

WORDS = ["technology", "biology", "assembly", "possibly", "running", "policies"]
db = sqlite3.connect(":memory:")
db.execute("CREATE VIRTUAL TABLE words USING fts5(word, tokenize = 'porter unicode61')")
db.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(words, 'instance')")
db.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(WORDS, 1))
fts5 = [term for (term,) in db.execute("SELECT term FROM terms ORDER BY doc")]
snowball = Stemmer.Stemmer("porter").stemWords(WORDS)
for word, ours, theirs in zip(WORDS, snowball, fts5):
    print(f"{word}: PyStemmer {ours}, FTS5 {theirs}")
differ = [word for word, ours, theirs in zip(WORDS, snowball, fts5) if ours != theirs]
assert differ == ["technology", "assembly", "possibly"], f"the behaviour has changed: {differ}"
PYTHON
