"""What Prometheus is told: requests and how long they took, jobs, what models took, what the library holds."""

from __future__ import annotations

import time
from collections import Counter as Count
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from conspectus.library import Library
from conspectus.server.board import Board
from conspectus.server.streams import Open

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
"""Others are counted together: callers can invent any number of them. So they can of paths: routes are counted."""


class Metrics:
    """The metrics of one server.

    Args:
        library: what is served.
        board: its jobs.
        streams: the streams of events that are open.
    """

    def __init__(self, library: Library, board: Board, streams: Open) -> None:
        self._registry = CollectorRegistry()
        labels = ["method", "route", "status"]
        self._requests = Counter("conspectus_requests", "Requests answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "conspectus_request_seconds", "Seconds until an answer began.", labels[:2], registry=self._registry
        )
        self._registry.register(_State(library, board, streams))

    def text(self) -> bytes:
        """All of them, in the text format of Prometheus."""
        return generate_latest(self._registry)

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        method = method if method in METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)


class _State(Collector):
    """What is looked up when it is asked for."""

    def __init__(self, library: Library, board: Board, streams: Open) -> None:
        self._library, self._board, self._streams = library, board, streams

    def describe(self) -> Iterator[Metric]:
        """Nothing before it is asked for: the library is not looked at when the server begins."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """See `Collector`."""
        jobs = GaugeMetricFamily("conspectus_jobs", "Jobs that run, and the last that ended.", labels=["verb", "state"])
        for (verb, state), number in Count((job.verb, job.state) for job in self._board.own_jobs()).items():
            jobs.add_metric([verb, state], number)
        yield jobs
        yield GaugeMetricFamily("conspectus_streams", "Streams of events that are open.", value=len(self._streams))
        holdings = GaugeMetricFamily("conspectus_library", "What the library holds.", labels=["kind"])
        for kind, number in self._library.session.catalog.counts().items():
            holdings.add_metric([kind], number)
        yield holdings
        yield from self._models()

    def _models(self) -> Iterator[Metric]:
        calls = CounterMetricFamily("conspectus_model_calls", "Calls of language models.", labels=["model", "result"])
        tokens = CounterMetricFamily("conspectus_model_tokens", "Tokens they took.", labels=["model", "kind"])
        cost = CounterMetricFamily("conspectus_model_cost_dollars", "What they cost, as known.", labels=["model"])
        for row in self._library.usage(by="model").rows:
            results = {"ok": row.calls - row.failed, "failed": row.failed, "cached": row.from_cache}
            for result, number in results.items():
                calls.add_metric([row.name, result], number)
            tokens.add_metric([row.name, "prompt"], row.prompt_tokens)
            tokens.add_metric([row.name, "completion"], row.completion_tokens)
            cost.add_metric([row.name], row.cost)
        yield from (calls, tokens, cost)


class RequestCounter:
    """Counts and times what is answered.

    Args:
        app: what answers.
        metrics: are told.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        since = time.perf_counter()

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path_format", "refused")
                self.metrics.note(scope["method"], route, message["status"], time.perf_counter() - since)
            await send(message)

        await self.app(scope, receive, answer)
