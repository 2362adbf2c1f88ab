"""Ways to answer by name: settings and steps that are tried against each other (the ablations of PaperQA, Table 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conspectus.evals.configurations import by_name, picked
from conspectus.evals.records import Configuration
from conspectus.records import AskOptions

How = Literal["ask", "passages", "vanilla", "blind"]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to answer.

    Attributes:
        configuration: its name, and the settings that it has otherwise.
        about: one sentence for the reader of a result.
        how: `ask` as the verb does; `passages`: no model reads them, they go into the prompt for the answer as they
            are; `vanilla`: that, by the question alone, and nothing is checked by a model; `blind`: the model alone.
        options: of `ask`.
        shows_options: whether the options to choose from are part of the question.
        needs_model: whether it is nothing without a language model.
    """

    configuration: Configuration
    about: str
    how: How = "ask"
    options: AskOptions = AskOptions()
    shows_options: bool = True
    needs_model: bool = True

    @property
    def name(self) -> str:
        """Of its configuration."""
        return self.configuration.name


def _way(name: str, about: str, overrides: Mapping[str, str] | None = None, **more: object) -> Way:
    return Way(Configuration(name, overrides or {}), about, **more)  # type: ignore[arg-type] # fields of Way


_ALL = (
    _way("default", "as `ask` answers with the settings as they are", needs_model=False),
    _way("agent", "a model chooses what to do next", options=AskOptions(agent=True)),
    _way("quick", "half is read, and the statements are not judged", options=AskOptions(depth="quick")),
    _way("thorough", "twice as much is read", options=AskOptions(depth="thorough")),
    _way("one-citation", "written from the one best piece of evidence", {"evidence.keep": "1"}),
    _way("no-evidence", "no evidence step: the passages found go into the prompt as they are", how="passages"),
    _way("vanilla", "one search, the passages found in the prompt, no evidence step and no judge", how="vanilla"),
    _way("no-options", "asked as an open question; the answer is held against the options", shows_options=False),
    _way("no-graph", "as `ask` does, without the graph of entities", {"search.graph": "no"}, needs_model=False),
    _way(
        "graph", "with what the graph finds between the entities named", {"search.graph": "subgraph"}, needs_model=False
    ),
    _way(
        "pagerank", "with a walk on the graph from the entities named", {"search.graph": "pagerank"}, needs_model=False
    ),
    _way("blind", "the model alone, without papers", how="blind"),
    _way("extractive", "made of quotes, without a language model", options=AskOptions(model="none"), needs_model=False),
)
WAYS: Mapping[str, Way] = {way.name: way for way in _ALL}
"""The ways that can be named without being described."""


def chosen_ways(names: Sequence[str], own: Iterable[Configuration] = ()) -> tuple[Way, ...]:
    """The ways to run, in order: those of `names`, then the own ones that it does not name.

    An own one is `default` with other settings. With neither: `default` alone.

    Raises:
        UsageError: a name that neither has, the same name twice, or an own one with the name of a way.
    """
    return picked(names, {name: _own(one) for name, one in by_name(own, WAYS).items()}, WAYS)


def _own(one: Configuration) -> Way:
    about = ", ".join(f"{key}={value}" for key, value in one.overrides.items())
    return Way(one, f"as `ask` answers with {about}", needs_model=False)
