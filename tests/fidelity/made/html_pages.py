"""Makes the HTML of `cases/html` that programs write. Needs pandoc, LibreOffice, and of Python's packages Sphinx
with sphinx-design, and mkdocs-material; not run by tests. What stands in `cases/html` besides was written by hand as
these sites write it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

CASES = Path(__file__).parents[1] / "cases" / "html"

PANDOC = {
    "notes/pandoc": """# Visitors

Visitors sign in at the desk[^a] and wear a badge.[^b] Dogs stay outside.

[^a]: On weekends at the *gate*.

[^b]: The blue one. It is returned in the evening.

    After six it goes into the box.
""",
    "formulas/pandoc": """# Load

The load is at most $\\frac{3}{4}$ of $10^{6}$ N, so

$$F = m \\cdot a$$

holds for CO~2~ and 10^3^ bottles.
""",
    "tables/pandoc": """# Rooms

| Room  | Inside | Garden |
|:------|-------:|:------:|
| Heron |      8 |        |
| Swift |        | 12[^w] |

: What each room holds

[^w]: Not in winter.
""",
    "lists/pandoc": """# Steps

4. Open the valve.

   Turn it slowly.

   ```
   valve --open
     --slow
   ```
5. Read the gauge.
   - above 3 bar: close it
   - below: wait

Gauge
:   Shows the pressure.

Valve
:   Lets water in.
""",
}
SPANS = """<h1>Rooms</h1><table border=1><thead><tr><th rowspan=2>Floor</th><th colspan=2>Seats</th></tr>
<tr><th>Inside</th><th>Garden</th></tr></thead><tbody><tr><td rowspan=2>First</td><td>8</td><td></td></tr>
<tr><td></td><td>12</td></tr><tr><td>Second</td><td colspan=2>closed <strike>until May</strike> in June</td></tr>
</tbody></table><p>Area 25 m<sup>2</sup>, CO<sub>2</sub> below 10<sup>3</sup>.</p>"""
SPHINX = """Pump station
============

.. note:: Wear gloves.

.. warning::

   Never open the lid
   while it runs.

The pump moves 40 l [#rate]_ a minute.

.. code-block:: python
   :linenos:
   :caption: pump.py

   def pump():
       return 40

.. tab-set::

   .. tab-item:: North

      Use key 4.

   .. tab-item:: South

      Use key 9.

.. py:function:: start(rate=40)

   Starts the pump.

   :param rate: Litres a minute.

.. versionadded:: 2.1
   The second pump.

======== ===== =====
Pump     Litres
-------- -----------
Name     Low   High
======== ===== =====
A        10    40
B              60
======== ===== =====

.. [#rate] Measured at 20 degrees.
"""
MKDOCS = """# Backups

!!! warning "Before you begin"

    Stop the writer first.

??? question "How long does it take?"

    About an hour.

=== "Daily"

    Run `backup --day`.

=== "Weekly"

    Run `backup --week`.

``` sh linenums="1"
backup --all
verify
```

Costs ~~8 EUR~~ 12 EUR.[^1] H~2~O and 10^3^.

[^1]: Without tax.

- [x] tested
- [ ] signed

Store
:   Where copies lie.
"""
MKDOCS_SETTINGS = """site_name: Handbook
theme: {name: material}
plugins: []
markdown_extensions:
  - admonition
  - footnotes
  - def_list
  - tables
  - pymdownx.details
  - pymdownx.superfences
  - pymdownx.highlight: {anchor_linenums: true}
  - pymdownx.tilde
  - pymdownx.caret
  - pymdownx.tasklist
  - pymdownx.tabbed: {alternate_style: true}
  - toc: {permalink: true}
"""


def main() -> None:
    for name, text in PANDOC.items():
        _write(f"{name}.html", _ran(["pandoc", "-s", "--mathml", "-t", "html5"], text))
        if name.startswith("formulas"):
            _write("formulas/pandoc-mathjax.html", _ran(["pandoc", "-s", "--mathjax", "-t", "html5"], text))
    with tempfile.TemporaryDirectory() as folder:
        _libreoffice(Path(folder))
        _sphinx(Path(folder))
        _mkdocs(Path(folder))


def _libreoffice(folder: Path) -> None:
    docx = folder / "notes.docx"
    subprocess.run(["pandoc", "-o", docx], input=PANDOC["notes/pandoc"].encode(), check=True)
    _converted(docx, "html")
    _write("notes/libreoffice.html", docx.with_suffix(".html").read_text(encoding="utf-8"))
    page = folder / "spans.html"
    page.write_text(SPANS)
    _converted(page, "odt", "--infilter=HTML (StarWriter)")
    _converted(page.with_suffix(".odt"), "html")
    _write("tables/libreoffice.html", page.read_text(encoding="utf-8"))


def _converted(file: Path, to: str, *more: str) -> None:
    office = ["soffice", "--headless", f"-env:UserInstallation=file://{file.parent}/office", *more]
    command = [*office, "--convert-to", to, "--outdir", str(file.parent), str(file)]
    subprocess.run(command, check=True, capture_output=True)


def _sphinx(folder: Path) -> None:
    (folder / "sphinx").mkdir()
    (folder / "sphinx" / "conf.py").write_text("project = 'Handbook'\nextensions = ['sphinx_design']\n")
    (folder / "sphinx" / "index.rst").write_text(SPHINX)
    for theme in ("alabaster", "basic"):
        built = folder / theme
        command = [sys.executable, "-m", "sphinx", "-q", "-D", f"html_theme={theme}", folder / "sphinx", built]
        subprocess.run(command, check=True)
        _write(f"generators/sphinx-{theme}.html", (built / "index.html").read_text(encoding="utf-8"))


def _mkdocs(folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text(MKDOCS)
    (folder / "mkdocs.yml").write_text(MKDOCS_SETTINGS)
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q", "-f", folder / "mkdocs.yml"], check=True)
    _write("generators/mkdocs-material.html", (folder / "site" / "index.html").read_text(encoding="utf-8"))


def _ran(command: list[str], text: str) -> str:
    return subprocess.run(command, input=text, text=True, check=True, capture_output=True).stdout


def _write(name: str, text: str) -> None:
    file = CASES / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
