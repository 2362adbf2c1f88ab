"""How many threads numpy's linear algebra takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within, products of matrices take one thread, in the whole process.

    Those of a question are so small that more threads mostly wait for each other: they took two fifths of its time.
    """
    global _inside, _limit  # noqa: PLW0603 - the number of threads is the process's, too
    with _lock:
        _inside += 1
        if _inside == 1:
            _limit = _controller().limit(limits=1, user_api="blas")
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.restore_original_limits()


@cache
def _controller() -> Any:
    return ThreadpoolController()
