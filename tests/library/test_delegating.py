"""Verbs of `Library` that are functions of a session."""

from inspect import getmembers, isfunction, signature

from conspectus import Library


def test_they_are_methods_like_others() -> None:
    """`help(library.tag)` would say nothing, or ask for a session, and `begin(library.edit, …)` have no name."""
    found = {name: made for name, made in getmembers(Library, isfunction) if hasattr(made, "__wrapped__")}
    assert {"watch", "find"} <= found.keys()
    for name, made in found.items():
        source = made.__wrapped__  # type: ignore[attr-defined]
        assert made.__name__ == name and made.__doc__ == source.__doc__ and made.__doc__
        bound = signature(made.__get__(object()))
        assert "session" not in bound.parameters and len(bound.parameters) == len(signature(source).parameters) - 1
