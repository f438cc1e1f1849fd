"""One OpenTelemetry trace for each answer, with a span for each stage. No question, answer or person is in it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer, set_span_in_context

from pipeline.values import Answer

EXPORT_SECONDS = 1
"""Seconds that the collector may take, also for the last spans at a stop."""
NANOSECONDS = 1_000_000
"""Nanoseconds in a millisecond."""


class TraceExporter:
    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def observe(self, platform: str, answer: Answer) -> None:
        """Trace an answer that was just made.

        Only the total time of a stage is known: the spans follow one another in the order of the stages, although some
        run in turns.
        """
        durations = dict(answer.usage.milliseconds)
        end = time.time_ns()
        at = end - round(durations.pop("total", 0.0) * NANOSECONDS)
        root = self._tracer.start_span(
            "answer",
            context=Context(),
            start_time=at,
            attributes={
                "citewell.platform": platform,
                "citewell.outcome": answer.outcome.value,
                "citewell.confidence": answer.confidence.level.value,
                "citewell.writer": answer.usage.writer,
            },
        )
        root_context = set_span_in_context(root, Context())
        for stage, milliseconds in durations.items():
            span = self._tracer.start_span(stage, context=root_context, start_time=at)
            at += round(milliseconds * NANOSECONDS)
            span.end(at)
        root.end(end)


@asynccontextmanager
async def open_trace_exporter(collector: str) -> AsyncIterator[TraceExporter]:
    """Export to the collector at `http(s)://HOST:PORT`; at the end, remaining spans are sent or dropped within a
    second."""
    resource = Resource({"service.name": "citewell", "service.version": version("citewell")})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(collector, timeout=EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        yield TraceExporter(provider.get_tracer("citewell"))
    finally:
        await asyncio.to_thread(provider.shutdown)
