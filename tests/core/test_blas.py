"""The number of threads of linear algebra, which is the whole process's."""

from threading import Barrier, Thread

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from conspectus.core.blas import one_blas_thread


def blas_threads() -> set[int]:
    return {int(one["num_threads"]) for one in threadpool_info() if one["user_api"] == "blas"}


def test_questions_at_the_same_time_leave_the_number_as_it_was() -> None:
    """The map of a library would be computed by one thread, ever after two searches had met."""
    meet, left = Barrier(2), Barrier(2)

    def first() -> None:
        with one_blas_thread():
            meet.wait(30)
        left.wait(30)

    with threadpool_limits(2, "blas"):
        if blas_threads() != {2}:
            pytest.skip("this numpy has linear algebra of one thread")
        other = Thread(target=first)
        other.start()
        with one_blas_thread():
            meet.wait(30)
            left.wait(30)  # the one that came first has gone
            assert blas_threads() == {1}
        other.join()
        assert blas_threads() == {2}
