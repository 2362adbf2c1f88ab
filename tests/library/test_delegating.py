"""Verbs of `Library` that are functions of a session."""

from __future__ import annotations

from inspect import getmembers, isfunction, signature

from conspectus import Library
from conspectus.library import (
    curating,
    discovering,
    figure_cards,
    figure_export,
    graph_export,
    graph_use,
    graphing,
    history,
    images,
    likening,
    linking,
    looking,
    mapping,
    merging,
    overlaying,
    region_names,
    relating,
    removing,
    reviewing,
    revising,
    searching,
    surveying,
    vocabularies,
)


def test_they_are_methods_like_others() -> None:
    """`help(library.tag)` would say nothing, or ask for a session, and `begin(library.edit, …)` have no name."""
    found = {name: made for name, made in getmembers(Library, isfunction) if hasattr(made, "__wrapped__")}
    assert {"tag", "collect", "note", "edit", "judge", "undo_remove"} <= found.keys()
    for name, made in found.items():
        modules = (curating, figure_cards, figure_export, history, images, likening, looking, revising, removing)
        modules = (*modules, discovering, graph_export, graph_use, graphing, linking, mapping, merging, relating)
        modules = (*modules, reviewing, searching, vocabularies, overlaying, region_names, surveying)
        source = next(getattr(module, name) for module in modules if hasattr(module, name))
        assert made.__name__ == name and made.__doc__ == source.__doc__ != ""
        bound = signature(made.__get__(object()))
        assert "session" not in bound.parameters and len(bound.parameters) == len(signature(source).parameters) - 1
