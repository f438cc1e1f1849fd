"""The prose of README and docs: a sentence that must be read twice is refused, whatever page it stands on."""

from __future__ import annotations

import pytest

from bench.lint_prose import CLAUSES, LENGTH, PAGES, ROOT, RULES, breaches, newest

LONG = f"The worker leases {', '.join(f'message {number}' for number in range(16))}."
BAD = {
    "opening": "Whether a message is for the bot is decided by the platform.",
    "whoever": "The bot tells whoever asked.",
    "of which": "It keeps a list, the last entry of which is the newest.",
    "the same in": "It is the same in every process.",
    LENGTH: LONG,
    CLAUSES: "A reply that waits while a model writes is lost if the process ends before it is posted, which is rare.",
    "lexical_illusions": "The bot reads the the document.",
}
"""For each rule, and one of proselint's, a sentence that breaks it."""
GOOD = (
    "The platform decides whether a message is for the bot.",
    "What does it read?",
    "## What it reads",
    "The bot runs `whoever --of which`.",
    "```\nWhoever asks\n```",
    "It reads these: [a page](a.md), [another page](b.md).",
    "| yes | yes |\n| --- | --- |\n| no | no |",
)


def rules_of(markdown: str) -> list[str]:
    return [breach.rule for breach in breaches("docs/newcomer.md", markdown)]


@pytest.mark.parametrize("rule", [*(rule.name for rule in RULES), LENGTH, CLAUSES, "lexical_illusions"])
@pytest.mark.parametrize("form", ["{}", "- Fine.\n- It is fine. {}", "| Name | Text |\n| --- | --- |\n| Fine | {} |"])
def test_a_sentence_that_breaks_a_rule_is_refused_with_its_line(rule: str, form: str) -> None:
    page = f"# Newcomer\n\nIt is fine.\n\n{form.format(BAD[rule])}\n"
    found = list(breaches("docs/newcomer.md", page))
    assert {breach.rule for breach in found} == {rule}
    assert BAD[rule] in page.splitlines()[found[0].line - 1]


@pytest.mark.parametrize("markdown", GOOD)
def test_other_sentences_titles_questions_and_code_are_left_alone(markdown: str) -> None:
    assert rules_of(markdown) == []


def test_every_page_is_read_but_those_made_from_the_code() -> None:
    read = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert read >= {"README.md", "SECURITY.md", "docs/operations/backup.md", "docs/decisions/0001-inbox.md"}
    assert "docs/commands.md" not in read


def test_of_the_changes_only_the_newest_part_is_read() -> None:
    changes = "# Changes\n\n## 0.2.0\n\nThe bot tells whoever asked.\n\n## 0.1.0\n\nIt tells whoever asked.\n"
    assert newest(changes).endswith("The bot tells whoever asked.\n\n")


def test_the_list_of_decisions_has_each_by_its_number_and_title() -> None:
    folder = ROOT / "docs" / "decisions"
    titles = {file.name: file.read_text(encoding="utf-8").splitlines()[0] for file in folder.glob("0*.md")}
    assert [name for name, title in titles.items() if not title.startswith(f"# {name[:4]} ")] == []
    rows = [f"| [{name[:4]}]({name}) | {title[7:]} |" for name, title in sorted(titles.items())]
    listed = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in listed if row.startswith("| [0")] == rows
