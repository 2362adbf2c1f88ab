"""Functions of a session as methods of `Library`, where a method would only pass on what it is given."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from conspectus.session.session import Session

if TYPE_CHECKING:
    from conspectus.library.facade import Library

P = ParamSpec("P")
T = TypeVar("T")


def verb(function: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Library, P], T]:
    """A method that gives `function` the library's session; its name, docstring and signature are the function's."""

    @wraps(function)
    def method(library: Library, /, *given: P.args, **named: P.kwargs) -> T:
        return function(library.session, *given, **named)

    return method
