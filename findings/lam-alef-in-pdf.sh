#!/usr/bin/env bash
# WeasyPrint 70.0 and pypdfium2 5.15.2: in Arabic text of a PDF the two letters of each lam-alef change places.
#
# What: the text of a PDF that WeasyPrint made of Arabic words with the ligature lam-alef, in DejaVu Sans, read with
#   PDFium's text page. The file maps the ligature's glyph to lam and alef, in the order in which they are written.
# Expected: the words as they are written, which is what pypdf 6.14.2 gives of the same file.
# Seen: PDFium turns the text of a right-to-left line around letter by letter, also within one glyph: alef stands before lam
#   in each of the words, all other letters are right.
# Who is hurt: whoever searches Arabic documents. Each word with this ligature is stored as another word, which looks nearly
#   right on the screen and is never found.
# Needs: the font DejaVu Sans on the machine.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check weasyprint==70.0 pypdfium2==5.15.2 pypdf==6.14.2
"$folder/venv/bin/python" - "$folder/a.pdf" <<'PYTHON'
import sys

import pypdf
import pypdfium2
import weasyprint

WORDS = "السلام بلا ثلاثة"
page = f"<html lang=ar dir=rtl style='font-family: DejaVu Sans'><p>{WORDS}</p></html>"
weasyprint.HTML(string=page).write_pdf(sys.argv[1])
with pypdfium2.PdfDocument(sys.argv[1]) as document:
    pdfium = document[0].get_textpage().get_text_range().strip()
other = pypdf.PdfReader(sys.argv[1]).pages[0].extract_text().strip()
swapped = WORDS.replace("\u0644\u0627", "\u0627\u0644")
for name, text in (("written", WORDS), ("pypdf", other), ("PDFium", pdfium)):
    print(f"{name}: {text}  {' '.join(f'{ord(letter):04x}' for letter in text)}")
assert other == WORDS, "pypdf gives something else, or DejaVu Sans is not installed"
assert pdfium == swapped, "the behaviour has changed"
PYTHON
