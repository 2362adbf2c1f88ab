"""The number of threads of linear algebra, which is the whole process's."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from conspectus.search import retriever
from conspectus.search.retriever import one_blas_thread


def blas_threads() -> set[int]:
    return {int(one["num_threads"]) for one in threadpool_info() if one["user_api"] == "blas"}


def test_questions_within_questions_leave_the_number_as_it_was() -> None:
    """The map of a library would be computed by one thread, ever after the first search."""
    retriever._blas_controller.cache_clear()  # other tests may have loaded libraries since
    with threadpool_limits(2, "blas"):
        if blas_threads() != {2}:
            pytest.skip("this numpy has linear algebra of one thread")
        with one_blas_thread():
            with one_blas_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {2}
