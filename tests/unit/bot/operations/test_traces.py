"""One trace an answer, one span a stage, nothing of what was said."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from bot.run.operations.traces import open_trace_exporter
from pipeline.values import Usage
from tests.contracts.answers import cited
from tests.doubles.collector import collecting
from tests.doubles.ports import free_port

USAGE = Usage(milliseconds={"plan": 20.0, "retrieve": 30.0, "total": 60.0})


async def test_an_answer_is_a_trace_with_a_span_for_each_stage() -> None:
    with collecting() as collector:
        async with open_trace_exporter(collector.address) as traces:
            for _ in range(2):
                traces.observe("slack", cited("Thirty days.", usage=USAGE))
        whole = [span for span in collector.spans if not span.parent_span_id]
        assert [span.name for span in whole] == ["answer", "answer"]
        assert len({span.trace_id for span in whole}) == 2
        within = [span for span in collector.spans if span.parent_span_id == whole[0].span_id]
        took = {span.name: (span.end_time_unix_nano - span.start_time_unix_nano) / 1e6 for span in within}
        assert took == {"plan": 20.0, "retrieve": 30.0}
        assert whole[0].end_time_unix_nano - whole[0].start_time_unix_nano == 60_000_000
        assert all(
            whole[0].start_time_unix_nano <= span.start_time_unix_nano
            and span.end_time_unix_nano <= whole[0].end_time_unix_nano
            for span in within
        )


async def test_a_trace_tells_what_kind_of_answer_it_was_and_nothing_of_it() -> None:
    answer = cited("Thirty days.", question="How much leave does Ann get?", usage=USAGE)
    with collecting() as collector:
        async with open_trace_exporter(collector.address) as traces:
            traces.observe("discord", answer)
    (whole,) = [span for span in collector.spans if not span.parent_span_id]
    assert {one.key: one.value.string_value for one in whole.attributes} == {
        "citewell.platform": "discord",
        "citewell.outcome": "answered",
        "citewell.confidence": "high",
        "citewell.writer": "extractive",
    }
    sent = " ".join(map(str, collector.spans))
    assert not [word for word in ("Ann", "leave", "Thirty", answer.id) if word in sent]


async def test_a_collector_that_is_not_there_does_not_keep_a_bot_from_stopping() -> None:
    async with asyncio.timeout(10), open_trace_exporter(f"http://127.0.0.1:{free_port()}") as traces:
        traces.observe("slack", cited("Thirty days.", usage=USAGE))


def test_nothing_of_prometheus_or_of_traces_is_imported_where_no_setting_asks_for_it() -> None:
    code = "import sys, bot.run.service; print({'prometheus_client', 'bot.run.operations.traces'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
