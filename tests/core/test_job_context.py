"""Who hears what long work tells."""

import threading
from contextvars import copy_context
from functools import partial

import pytest

from conspectus.core.job_context import JobContext, Notice, Stopped, emit, emit_wait, listen


def test_the_innermost_hears_first_and_may_be_alone() -> None:
    """Progress of one user's callback would be lost to the job around it, or a note be shown twice."""
    heard: list[tuple[str, object]] = []

    def to(name: str):
        return lambda event: heard.append((name, event))

    with listen(to("outer")), listen(None), listen(to("numbers"), int), listen(to("notes"), Notice, alone=True):
        emit(1)
        emit(Notice("a wait"))
        emit("words")
    emit("to nobody")
    assert heard == [("numbers", 1), ("outer", 1), ("notes", Notice("a wait")), ("outer", "words")]


def test_a_thread_hears_nothing_of_another_but_with_its_context() -> None:
    """One user's work would be shown to another; or a wait in a helping thread to nobody."""
    heard: list[Notice] = []
    with listen(heard.append, Notice):
        copied = copy_context()
        for run in (partial(emit_wait, 5, "alone"), partial(copied.run, emit_wait, 6, "helping")):
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
    assert heard == [Notice("Waiting 6 s: helping")]


def test_a_wish_to_end_is_met_once_and_not_in_the_midst() -> None:
    """What is half done would stay so, or what ends the work could not say how far it is."""
    ear = JobContext(lambda _: None)
    with ear.listen():
        ear.stop()
        emit("in the midst", ends=False)
        with pytest.raises(Stopped):
            emit("next")
        emit("cleaning up")
