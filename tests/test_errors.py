"""Errors: one tree, one exit code each, and they survive the way between processes."""

import copy
import inspect
import pickle
import re

import pytest

from conspectus.core import errors
from conspectus.core.errors import ConspectusError, ServiceError

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, ConspectusError)]
EXIT_CODES = {
    "ConspectusError": 1,
    "UsageError": 2,
    "InputError": 1,
    "UnavailableError": 3,
    "LibraryError": 4,
    "BusyError": 1,
}


def drawn() -> dict[str, tuple[str, str, str]]:
    """Class -> (parent, exit code or "", HTTP status or "") as the module's docstring draws them."""
    found: dict[str, tuple[str, str, str]] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"([│├└─ ]*)(\w+Error)\b *(\b\d\b)? *(\d{3})?", line):
            depth = len(match[1])
            above = [item for item in above if item[0] < depth]
            found[match[2]] = (above[-1][1] if above else "Exception", match[3], match[4])
            above.append((depth, match[2]))
    return found


def test_the_tree_is_as_it_is_drawn() -> None:
    """Else who catches by the drawing misses an error."""
    assert {kind.__name__: kind.__bases__[0].__name__ for kind in KINDS} == {
        n: parent for n, (parent, *_) in drawn().items()
    }
    for name, (parent, code, status) in drawn().items():
        kind, above = getattr(errors, name), getattr(errors, parent, ConspectusError)
        assert kind.exit_code == int(code or above.exit_code), name
        assert kind.status == int(status or above.status), name


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_exit_codes_are_those_of_the_contract(kind: type[ConspectusError]) -> None:
    """Else a script that looks at the exit code does the wrong thing."""
    nearest = next(parent.__name__ for parent in kind.__mro__ if parent.__name__ in EXIT_CODES)
    assert kind.exit_code == EXIT_CODES[nearest]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_says_what_it_means_and_travels(kind: type[ConspectusError]) -> None:
    """Else an error in a child process arrives without its hint."""
    assert kind.__doc__
    error = kind("'a.pdf' is broken.", "Mend it.")
    for other in (error, pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is kind
        assert (other.message, other.hint, str(other)) == (
            "'a.pdf' is broken.",
            "Mend it.",
            "'a.pdf' is broken. Mend it.",
        )
        assert other.retry == error.retry
    assert str(kind("Alone.")) == "Alone."


@pytest.mark.parametrize("retry", [True, False])
def test_a_service_error_keeps_whether_to_try_again(retry: bool) -> None:
    """Else a batch job gives up on a service that was only busy."""
    error = ServiceError("It is busy.", "Wait.", retry=retry)
    assert pickle.loads(pickle.dumps(error)).retry is retry
    assert copy.copy(error).retry is retry


def test_a_message_does_not_repeat_a_name_without_end() -> None:
    """A model that asks for a paper by a million letters would have them all back in its context."""
    error = errors.NotFoundError(f"There is no paper '{'x' * 1_000_000}'.", "List them.")
    assert len(str(error)) < 3_000
    assert str(error).startswith("There is no paper 'xxx") and str(error).endswith("x'. List them.")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
