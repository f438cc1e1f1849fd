"""A repository on GitHub as a source of documents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.files.reader import FileReader
from adapters.sources.git import GitRepository, GitSource
from adapters.sources.github.api import graphql_endpoint
from adapters.sources.github.listing import ThreadKind
from adapters.sources.github.source import GitHubWiki
from pipeline.compose.citations import build_citation
from pipeline.errors import Refused, Unavailable
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.values import BlockKind, ParsedDocument, RetrievedChunk
from tests.contracts.sources.github import GitHubRemote
from tests.doubles.git import Repository, repository
from tests.doubles.github.repository import Comment
from tests.doubles.github.server import GitHub
from tests.doubles.memory import Kept
from tests.doubles.reader import ReaderHere

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
async def github() -> AsyncIterator[GitHub]:
    async with GitHub().running() as github:
        yield github


async def labels(github: GitHub, memory: Kept | None = None, now: datetime = NOW, **settings: Any) -> list[str]:
    async with GitHubRemote(github).source(Kept() if memory is None else memory, now=lambda: now, **settings) as source:
        return [item.label async for item in source.list_items()]


async def versions(github: GitHub, memory: Kept, now: datetime = NOW) -> dict[str, str]:
    async with GitHubRemote(github).source(memory, now=lambda: now) as source:
        return {item.id: item.version async for item in source.list_items()}


async def read(github: GitHub, number: int) -> ParsedDocument:
    async with GitHubRemote(github).source(Kept(), unanswered=True) as source:
        (item,) = [item async for item in source.list_items() if item.id.endswith(f"/{number}")]
        return await source.parse_item(item)


def texts(parsed: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.anchor, block.text) for block in parsed.blocks]


async def test_what_was_answered_is_taken_and_the_rest_when_asked_for_behind_it(github: GitHub) -> None:
    github.add(1, "Done", "It hangs.")
    github.add(2, "Open", "It hangs.", closed=False)
    github.add(3, "Not planned", "It hangs.", reason="NOT_PLANNED")
    github.add(4, "Duplicate", "It hangs.", reason="DUPLICATE")
    github.add(5, "Closed long ago", "It hangs.", reason=None)
    github.add(6, "Answered", "How?", kind="discussions", closed=False, answer=60)
    github.comment(6, 60, "So.")
    github.add(7, "Not answered", "How?", kind="discussions", closed=False, answer=0)
    github.add(8, "News", "It is out.", kind="discussions", closed=False)
    assert await labels(github) == ["#6 Answered", "#5 Closed long ago", "#1 Done"]
    everything = await labels(github, unanswered=True)
    assert everything[:3] == ["#6 Answered", "#5 Closed long ago", "#1 Done"]
    assert {label.split()[0] for label in everything[3:]} == {"#2", "#3", "#4", "#7", "#8"}
    assert await labels(github, kinds=[ThreadKind.DISCUSSIONS]) == ["#6 Answered"]


async def test_what_is_left_out_is_told_with_the_reason(github: GitHub) -> None:
    github.add(1, "Done", "Text.")
    github.add(2, "Open", "Text.", closed=False)
    github.add(3, "Buy now", "Text.", lock="SPAM")
    async with GitHubRemote(github).source(Kept()) as source:
        assert [item.label async for item in source.list_items()] == ["#1 Done"]
        assert dict(source.skipped) == {
            "#2 Open": "it has no answer yet, or was not worked on",
            "#3 Buy now": "it was locked as spam",
        }


async def test_a_thread_that_was_locked_as_spam_is_left_out(github: GitHub) -> None:
    github.add(1, "Buy now", "Cheap.", lock="SPAM")
    github.add(2, "Heated", "No!", lock="TOO_HEATED")
    assert await labels(github, unanswered=True) == ["#2 Heated"]


async def test_the_answer_follows_the_question_and_comments_lead_to_their_place(github: GitHub) -> None:
    github.add(1, "Rotate keys", "How are **keys** rotated?", kind="discussions", answer=12)
    github.comment(1, 10, "Me too.")
    github.comment(1, 11, "Ask the team.", replies=[Comment(12, "Run `rotate`."), Comment(13, "Thanks.")])
    parsed = await read(github, 1)
    assert texts(parsed) == [
        ("", "How are keys rotated?"),
        ("discussioncomment-12", "Answer"),
        ("discussioncomment-12", "Run rotate."),
        ("discussioncomment-10", "Comment"),
        ("discussioncomment-10", "Me too."),
        ("discussioncomment-11", "Comment"),
        ("discussioncomment-11", "Ask the team."),
        ("discussioncomment-13", "Reply"),
        ("discussioncomment-13", "Thanks."),
    ]
    assert (parsed.document.title, parsed.document.document_type) == ("Rotate keys", "discussion")


async def test_a_citation_leads_to_the_comment_that_it_quotes(github: GitHub) -> None:
    github.add(1, "Deploys hang", "They hang.")
    github.comment(1, 10, "## Why\n\nThe cache was full.\n\n## What helps\n\nEmpty the cache.")
    parsed = await read(github, 1)
    (chunk,) = TokenSplitter(WordTokenizer(), tokens=200).split(parsed)
    passage = RetrievedChunk(chunk=chunk, document=parsed.document, score=1)
    address = f"{github.url}/acme/handbook/issues/1"
    assert build_citation(passage, 1, quotes=["Empty the cache."]).url == f"{address}#issuecomment-10"
    assert build_citation(passage, 1, quotes=["They hang."]).url == address
    assert {block.heading for block in parsed.blocks if block.text == "Empty the cache."} == {("Comment", "What helps")}


async def test_hidden_and_deleted_and_empty_comments_are_left_out(github: GitHub) -> None:
    github.add(1, "Deploys hang", "They hang.")
    github.comment(1, 10, "Buy now.", minimized=True)
    github.comment(1, 11, "")
    github.comment(1, 12, "The cache was full.")
    assert [text for _, text in texts(await read(github, 1))] == ["They hang.", "Comment", "The cache was full."]


async def test_code_and_lists_of_a_comment_stay_what_they_are(github: GitHub) -> None:
    github.add(1, "Deploys hang", "1. Stop it.\n2. Start it.\n\n```\nmake restart\n```\n")
    kinds = [block.kind for block in (await read(github, 1)).blocks]
    assert kinds == [BlockKind.STEP, BlockKind.STEP, BlockKind.CODE]


async def test_all_comments_are_read_and_ten_threads_by_one_request(github: GitHub) -> None:
    for number in range(1, 21):
        github.add(number, f"Issue {number}", "Text.")
    for number in range(250):
        github.comment(1, 1000 + number, f"Comment {number}.")
    async with GitHubRemote(github).source(Kept()) as source:
        items = [item async for item in source.list_items()]
        asked = github.outage.requests
        read = {item.id: await source.parse_item(item) for item in items}
    assert len(read["team/issues/1"].blocks) == 1 + 2 * 250
    assert github.outage.requests - asked == 2 + 2


async def test_a_sync_with_nothing_changed_costs_a_request_for_each_kind(github: GitHub) -> None:
    for number in range(1, 150):
        github.add(number, f"Thread {number}", "Text.", kind="issues" if number % 2 else "discussions", answer=number)
        github.comment(number, number, "So.")
    memory = Kept()
    before = await versions(github, memory)
    asked = github.outage.requests
    assert await versions(github, memory) == before
    assert (len(before), github.outage.requests - asked) == (149, 2)


@pytest.mark.parametrize("kind", ["issues", "discussions"])
async def test_changed_and_deleted_threads_are_seen_at_the_next_sync(github: GitHub, kind: str) -> None:
    for number in range(1, 120):
        github.add(number, f"Thread {number}", "Text.", kind=kind, answer=number)
        github.comment(number, number, "So.")
    memory = Kept()
    before = await versions(github, memory)
    github.comment(3, 1000, "It is back.")
    del github.threads[5]
    after = await versions(github, memory)
    assert before.keys() - after.keys() == {f"team/{kind}/5"}
    assert {name for name in after if after[name] != before[name]} == {f"team/{kind}/3"}


async def test_a_comment_that_is_hidden_later_is_gone_within_a_day(github: GitHub) -> None:
    github.add(1, "Deploys hang", "They hang.")
    spam = github.comment(1, 10, "Buy now.")
    memory = Kept()
    before = await versions(github, memory)
    spam.minimized = True
    assert await versions(github, memory, NOW + timedelta(hours=25)) != before


async def test_an_issue_that_is_opened_again_is_left_out(github: GitHub) -> None:
    github.add(1, "Deploys hang", "They hang.")
    memory = Kept()
    assert await labels(github, memory) == ["#1 Deploys hang"]
    github.threads[1].closed = False
    github.touch(1)
    assert await labels(github, memory) == []


async def test_a_primary_limit_says_how_long_to_wait(github: GitHub) -> None:
    github.points, github.reset = 0, 1800
    with pytest.raises(Unavailable, match="no requests left") as unavailable:
        await labels(github)
    assert 1700 < (unavailable.value.retry_after or 0) <= 1800


async def test_a_repository_that_the_token_may_not_see_says_what_to_do(github: GitHub) -> None:
    with pytest.raises(Unavailable, match="no repository acme/other") as unavailable:
        await labels(github, repository="acme/other")
    assert unavailable.value.permanent
    assert unavailable.value.what_to_do


async def test_a_thread_that_went_is_refused_and_those_that_are_read_with_it_are_not(github: GitHub) -> None:
    github.add(1, "Done", "Text.")
    github.add(2, "Done too", "Text.")
    async with GitHubRemote(github).source(Kept()) as source:
        items = {item.id: item async for item in source.list_items()}
        del github.threads[2]
        assert (await source.parse_item(items["team/issues/1"])).blocks
        with pytest.raises(Refused, match="not there any more"):
            await source.parse_item(items["team/issues/2"])


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("https://github.com", "https://api.github.com/graphql"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com/graphql"),
        ("https://git.acme.example", "https://git.acme.example/api/graphql"),
    ],
)
def test_each_github_has_its_api_where_github_says(base_url: str, address: str) -> None:
    assert graphql_endpoint(base_url) == address


def wiki(served: Repository, folder: Path, memory: Kept, reader: FileReader) -> GitHubWiki:
    address = "https://github.com/acme/handbook/wiki"
    git = GitRepository(folder, served.url, private=True)
    return GitHubWiki(
        GitSource("team/wiki", served.url, git, memory, reader, folder, base_url=address), address, memory
    )


async def test_pages_of_the_wiki_are_documents_with_the_address_of_the_page(github: GitHub, tmp_path: Path) -> None:
    (server := tmp_path / "server").mkdir()
    github.add(1, "Done", "Text.")
    memory, reader = Kept(), ReaderHere()
    async with repository(server) as served:
        (served.tree / "On-call & duty.md").write_text("## Hand-over\n\nAt nine.\n")
        (served.tree / "_Sidebar.md").write_text("* [[Home]]\n")
        await asyncio.to_thread(served.commit)
        pages = wiki(served, tmp_path / "clone", memory, reader)
        async with GitHubRemote(github).source(memory, wiki=pages) as source:
            items = [item async for item in source.list_items()]
            assert [item.id for item in items] == ["team/issues/1", "team/wiki/On-call & duty.md"]
            parsed = await source.parse_item(items[1])
        assert (parsed.document.title, parsed.document.document_type) == ("On call & duty", "wiki page")
        assert parsed.document.url == "https://github.com/acme/handbook/wiki/On-call%20%26%20duty"
        assert parsed.blocks[0].anchor == "hand-over"
        served.token = "another"
        with pytest.raises(Unavailable, match="wiki"):
            _ = [item async for item in pages.items()]
    await reader.close()


async def test_a_repository_without_a_wiki_is_read_without_one(github: GitHub, tmp_path: Path) -> None:
    (server := tmp_path / "server").mkdir()
    github.add(1, "Done", "Text.")
    memory, reader = Kept(), ReaderHere()
    async with repository(server) as served:
        served.url = served.url.replace("team", "other")
        async with GitHubRemote(github).source(memory, wiki=wiki(served, tmp_path / "clone", memory, reader)) as source:
            assert [item.label async for item in source.list_items()] == ["#1 Done"]
            assert list(source.skipped) == ["Wiki"]
    await reader.close()
