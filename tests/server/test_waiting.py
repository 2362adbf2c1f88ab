"""Requests that come while somebody writes, or while all threads are taken."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from anyio import to_thread
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.core import job_context
from conspectus.server import app
from helpers import HANG

ROOT = "/api/v1"


@pytest.mark.parametrize(
    ("method", "path", "asked"),
    [
        ("PATCH", "/papers/p0", {"set": {"title": "Lattices"}}),
        ("DELETE", "/papers/p0", None),
        ("POST", "/removals/last/undo", None),
    ],
)
def test_an_edit_does_not_wait_for_a_job_to_end(
    library: Library, client: TestClient, monkeypatch: pytest.MonkeyPatch, method: str, path: str, asked: Any
) -> None:
    """Some dozens of edits while papers are added would take all threads, and nobody could search for an hour."""
    monkeypatch.setattr(app, "PATIENCE", 0.2)
    with library.session.writing(), ThreadPoolExecutor(1) as pool:
        found = pool.submit(client.request, method, f"{ROOT}{path}", json=asked).result(HANG)
    problem = found.json()
    assert found.status_code == 503 and problem["retry"] and found.headers["retry-after"]
    assert "a job of this one" in problem["detail"], "it would blame a process that there is not"
    assert library.settings.catalog.wait > 1 and job_context.wait_timeout.get() > library.settings.catalog.wait


def test_health_and_metrics_need_no_thread_of_the_others(client: TestClient) -> None:
    """A server whose threads are all taken would look as if it was dead, and be killed with its jobs."""
    portal, taken = client.portal, [object() for _ in range(1000)]
    assert portal

    async def take() -> int:
        limiter = to_thread.current_default_thread_limiter()
        free = int(limiter.available_tokens)
        for one in taken[:free]:
            limiter.acquire_on_behalf_of_nowait(one)
        return free

    async def give(number: int) -> None:
        for one in taken[:number]:
            to_thread.current_default_thread_limiter().release_on_behalf_of(one)

    with ThreadPoolExecutor(2) as pool:
        number = portal.call(take)
        try:
            asked = [pool.submit(client.get, f"{ROOT}/{name}") for name in ("health", "metrics")]
            assert [one.result(HANG).status_code for one in asked] == [200, 200]
        finally:
            portal.call(give, number)
