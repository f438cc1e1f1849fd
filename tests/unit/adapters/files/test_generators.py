"""What site generators read and readers never see is in no block; what readers see is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.files.text.markdown import read_markdown

ONLY_MARKS = [
    "{% data reusables.accounts.sign-in %}",
    "{%- include note.html\n   content='x' -%}",
    "{% comment %}",
    "{{ content }}",
    "{# a comment #}",
    '{{< img\n  src="a.png"\n  alt="A"\n>}}',
    '{{% alert color="x" %}}',
    "import Tabs from '@theme/Tabs';\nimport B from \"b\"",
    "import {\n  One,\n  Two,\n} from './numbers';",
    "export const toc = [1, 2];",
    "{/* nothing */}",
    "<Tabs groupId=\"os\" items={['a', {b: 1}]}>",
    "</TabItem>",
    '<Card\n  icon="x"\n  href={url}\n/>',
    ":::",
    "{: .no_toc }",
    "[TOC]",
    "[[_TOC_]]",
    '--8<-- "snippet.md"',
]
SAID = {
    "## Install {#install}": "Install",
    "Press {% ifversion ghes %}Save{% endif %} now.": "Press Save now.",
    "Sign in to {% data variables.product.name %} first.": "Sign in to … first.",
    "Hello {{ user.name }}, welcome.": "Hello …, welcome.",
    "See [AUTOTITLE](/auth/connecting-with-ssh#keys).": "See connecting with ssh.",
    'Read [the page]({{< ref "about.md" >}}) first.': "Read the page first.",
    "Read [the post]({% link _posts/x.md %}).": "Read the post.",
    'It is <Badge text="new" /> fast.': "It is fast.",
    "> [!WARNING]\n> Mind the gap.": "Warning: Mind the gap.",
    "> [!tip]- Folded\n> ": "Tip: Folded",
    ":::note[Be careful]\n\nIt is hot.\n\n:::": "Be careful\nIt is hot.",
    "::: warning\nIt is hot.\n:::": "Warning:\nIt is hot.",
    "!!! tip\n\n    It is hot.": "Tip:\nIt is hot.",
    "::: danger Stop\nIt is hot.\n:::": "Stop\nIt is hot.",
    '!!! note "Mind"\n\n    It is hot.': "Mind\nIt is hot.",
    "??? question\n    Why is it hot?": "Why is it hot?",
    '=== "Linux"\n\n    Run it.\n\n=== "macOS"\n\n    Click it.': "Linux\nRun it.\nmacOS\nClick it.",
    "Paragraph.\n{: .lead }": "Paragraph.",
    "Use `{{ name }}` and ${{ secrets.KEY }}.": "Use {{ name }} and ${{ secrets.KEY }}.",
    "```yaml\n{% if x %}\n:::note\nimport a from 'b'\n```": "{% if x %}\n:::note\nimport a from 'b'",
    "!!! Attention, everybody.": "!!! Attention, everybody.",
    "import duties apply to parcels.": "import duties apply to parcels.",
    "export your data as CSV": "export your data as CSV",
    "A set {a, b} of two.": "A set {a, b} of two.",
    '{{% alert title="Mind" %}}\nIt is hot.\n{{% /alert %}}': "Mind\nIt is hot.",
    '{% tab title="Linux" %}\nRun it.\n{% endtab %}': "Linux\nRun it.",
    '<TabItem value="l" label="Linux">\n\nRun it.\n\n</TabItem>': "Linux\nRun it.",
    '{{< tab "Linux" >}}\nRun it.\n{{< /tab >}}': "Linux\nRun it.",
    "![A bridge](a.png){ width=300 }": "A bridge",
    "A sum $\\sum_{i=1}^{n} x_i$.": "A sum \\sum_{i=1}^{n} x_i.",
    "> [!info] Opening\n> We open.": "Info: Opening\nWe open.",
    "(place)=\n% a remark\n\n```{note}\nIt is {ref}`hot <place>`.\n```": "Note:\nIt is hot.",
    "```{code-block} sh\n:caption: run.sh\n\nmake\n```": "run.sh\nmake",
    "````{tab-set}\n```{tab-item} Linux\nRun it.\n```\n````": "Linux\nRun it.",
    "```{csv-table} Seats\n:header: Room, Seats\n\nSwift, 12\n```": "Seats\nRoom | Seats\nSwift | 12",
    "```{toctree}\na\n```": "",
}


def read(text: str) -> str:
    return "\n".join(block.text for block in read_markdown(text.encode()).blocks)


@pytest.mark.parametrize("text", ONLY_MARKS)
def test_what_is_only_a_mark_leaves_nothing(text: str) -> None:
    assert read(text) == ""


@pytest.mark.parametrize("text", SAID)
def test_what_readers_see_stays(text: str) -> None:
    assert read(text) == SAID[text]


def test_the_front_matter_of_hugo_is_read() -> None:
    found = read_markdown(b'+++\ntitle = "Leave"\nowner = "People"\ndate = 2026-01-02\n+++\nTake it.\n')
    assert (found.title, found.metadata) == ("Leave", {"owner": "People", "date": "2026-01-02"})
    assert [block.text for block in found.blocks] == ["Take it."]


@given(st.lists(st.sampled_from(ONLY_MARKS), min_size=1, max_size=6), st.sampled_from(["\n\n", "\n"]))
def test_marks_between_paragraphs_take_nothing_with_them(marks: list[str], gap: str) -> None:
    text = "".join(f"Paragraph {number}.\n\n{mark}{gap}" for number, mark in enumerate(marks)) + "\nThe end."
    if gap == "\n\n":
        assert read(text).split("\n") == [*(f"Paragraph {number}." for number in range(len(marks))), "The end."]
    assert "The end." in read(text)


@given(st.text("{}%#/*:<>[]!=\"'`A\n ab.-", max_size=80))
def test_no_text_breaks_the_reading(text: str) -> None:
    read(text)


def test_a_page_full_of_open_marks_is_read_in_time() -> None:
    for mark in ("{% ", "{{a}}", "{\n", "<A b={", "](", "!!! a\n", "import {\n"):
        assert read(mark * 3_000 + "\n\nThe end.").endswith("The end.")


@given(st.lists(st.text("abc de,.()*_-1\n", min_size=1), max_size=5).map("\n\n".join))
def test_a_page_without_marks_is_read_as_it_was(text: str) -> None:
    marked = read_markdown(f"{text}\n\n{{% mark %}}\n".encode())
    assert marked.blocks == read_markdown(text.encode()).blocks
