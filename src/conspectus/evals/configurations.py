"""Configurations by name: settings that are tried against each other."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TypeVar

from conspectus.core.errors import UsageError
from conspectus.evals.records import Configuration
from conspectus.settings.names import known

T = TypeVar("T")

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "default": {},
    "bm25": {"search.dense_weight": "0", "search.rerank": "0"},
    "dense": {"search.dense_weight": "1", "search.rerank": "0"},
    "hybrid": {"search.rerank": "0"},
    "rerank": {"search.rerank": "250", "search.candidates": "250"},
    "feedback": {"search.expand": "feedback"},
    "hyde": {"search.expand": "hyde"},
    "weights": {"search.keywords": "true", "search.recency": "true", "search.citations": "true"},
    "published": {
        "search.weighting": "published",
        "search.keywords": "true",
        "search.recency": "true",
        "search.citations": "true",
    },
    "diverse": {"search.mmr": "0.7"},
    "no-graph": {"search.graph": "no"},
    "graph": {"search.graph": "subgraph"},
    "pagerank": {"search.graph": "pagerank"},
}
"""The configurations that can be named without being described. `default` is as the settings are."""

OF_PAPERS = ("passages.", "models.embedder", "parse.")
"""Settings that decide what is in a library: a configuration that has them needs a library of its own."""


def configuration(text: str) -> Configuration:
    """`NAME=key=value key=value …`, as `--config` has it.

    Raises:
        UsageError: it has no name or no settings, or a setting that there is not.
    """
    name, equals, rest = text.partition("=")
    name = name.strip()
    try:
        pairs = [part.partition("=") for part in shlex.split(rest)]
    except ValueError as error:
        raise UsageError(f"The configuration '{text}' cannot be read: {error}.", _FORM) from error
    if not equals or not name or not pairs or "." in name or not all(pair[1] for pair in pairs):
        raise UsageError(f"'{text}' is no configuration.", _FORM)
    return Configuration(name, {known(key, "flag"): value for key, _, value in pairs})


_FORM = "It looks like `config=low=search.rerank=0`, with more settings behind a space."


def chosen(compare: Sequence[str], own: Iterable[Configuration] = ()) -> tuple[Configuration, ...]:
    """The configurations to run, in order: those of `compare`, then the own ones that it does not name.

    With neither: `default` alone. An own one goes before a built-in one of its name.

    Raises:
        UsageError: a name that neither has, or the same name twice.
    """
    built_in = {name: Configuration(name, dict(values)) for name, values in BUILT_IN.items()}
    return picked(compare, by_name(own, ()), built_in)


def by_name(own: Iterable[Configuration], taken: Container[str]) -> dict[str, Configuration]:
    """A user's configurations by their names; raises UsageError where two have one, or it is taken."""
    mine: dict[str, Configuration] = {}
    for one in own:
        if one.name in mine or one.name in taken:
            raise UsageError(f"There are two configurations '{one.name}'.", "Give each a name of its own.")
        mine[one.name] = one
    return mine


def picked(names: Sequence[str], mine: Mapping[str, T], built_in: Mapping[str, T]) -> tuple[T, ...]:
    """What `names` call, then the rest of `mine`; with neither `default` alone. `mine` go before built-in ones.

    Raises:
        UsageError: a name that neither has.
    """
    there = {**built_in, **mine}
    wanted = list(dict.fromkeys([*names, *mine])) or ["default"]
    for name in wanted:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=1)
            there_are = f"There are: {', '.join(there)}; `config=NAME=group.name=value` makes another."
            hint = f"Did you mean '{near[0]}'?" if near else there_are
            raise UsageError(f"There is no configuration '{name}'.", hint)
    return tuple(there[name] for name in wanted)


def needs_own_library(one: Configuration) -> bool:
    """Whether it has settings that decide what is in a library."""
    return any(key.startswith(OF_PAPERS) for key in one.overrides)
