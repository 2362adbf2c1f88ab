"""Which errors are the fault of the document in hand and cost that document only; all others end the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError, SQLAlchemyError, StatementError

from conspectus.core.errors import ConspectusError, InputError, LimitError

_SHOWN = 200
_OF_VALUES = (DataError, IntegrityError, ProgrammingError)


def is_document_error(error: Exception) -> bool:
    """Whether an error is of the document in hand, and of no other: then it costs this one.

    What says of itself that a disk, a connection, a model or a service failed is everybody's, and ends the run.
    """
    if isinstance(error, ConspectusError):
        return isinstance(error, InputError)
    if isinstance(error, SQLAlchemyError):
        return _is_of_values(error)
    return not isinstance(error, OSError)


def _is_of_values(error: SQLAlchemyError) -> bool:
    """Whether the database, or what leads there, refused what it was to keep."""
    if isinstance(error, DBAPIError):
        return isinstance(error, _OF_VALUES) and not error.connection_invalidated
    return isinstance(error, StatementError)


def as_input_error(error: Exception) -> InputError:
    """The error as the user is told it: what nobody foresaw is a fault of this program."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, MemoryError):
        return LimitError(
            "It was read, but there was not enough memory to store it.",
            "End other programs, then: `retry everything=True`",
        )
    message = " ".join(str(error).split())
    description = f"{type(error).__name__}: {message[:_SHOWN]}{'…' if len(message) > _SHOWN else ''}".rstrip(": .")
    return InputError(
        f"It was read, but cannot be stored ({description}).",
        "This is a fault of Conspectus, not of the file: please report it, with the file if you may.",
    )


def run_one_by_one(work: Callable[[list[int]], object], keys: Sequence[int]) -> dict[int, InputError]:
    """Do `work` for papers or passages together and, where one spoils it, for each alone; returns those that fail.

    What is everybody's fault is raised.
    """
    try:
        work(list(keys))
    except Exception as error:
        if not is_document_error(error):
            raise
        if len(keys) == 1:
            return {keys[0]: as_input_error(error)}
        return {key: failure for single_key in keys for key, failure in run_one_by_one(work, [single_key]).items()}
    return {}
