"""Configurations of answers: settings and steps that are compared (the ablations of PaperQA, Table 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conspectus.evaluation.configurations import by_name, select_by_name
from conspectus.evaluation.records import Configuration
from conspectus.records import AskOptions

How = Literal["ask", "passages", "vanilla", "blind"]


@dataclass(frozen=True, slots=True)
class AnswerConfig:
    """How questions are answered.

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
        """The name of its configuration."""
        return self.configuration.name


def _config(name: str, about: str, overrides: Mapping[str, str] | None = None, **more: object) -> AnswerConfig:
    return AnswerConfig(Configuration(name, overrides or {}), about, **more)  # type: ignore[arg-type] # fields of Way


_ALL = (
    _config("default", "as `ask` answers with the settings as they are", needs_model=False),
    _config("agent", "a model chooses what to do next", options=AskOptions(agent=True)),
    _config("quick", "half is read, and the statements are not judged", options=AskOptions(depth="quick")),
    _config("thorough", "twice as much is read", options=AskOptions(depth="thorough")),
    _config("one-citation", "written from the one best piece of evidence", {"evidence.keep": "1"}),
    _config("no-evidence", "no evidence step: the passages found go into the prompt as they are", how="passages"),
    _config("vanilla", "one search, the passages found in the prompt, no evidence step and no judge", how="vanilla"),
    _config("no-options", "asked as an open question; the answer is held against the options", shows_options=False),
    _config("no-graph", "as `ask` does, without the graph of entities", {"search.graph": "no"}, needs_model=False),
    _config(
        "graph", "with what the graph finds between the entities named", {"search.graph": "subgraph"}, needs_model=False
    ),
    _config(
        "pagerank", "with a walk on the graph from the entities named", {"search.graph": "pagerank"}, needs_model=False
    ),
    _config("blind", "the model alone, without papers", how="blind"),
    _config(
        "extractive", "made of quotes, without a language model", options=AskOptions(model="none"), needs_model=False
    ),
)
ANSWER_CONFIGS: Mapping[str, AnswerConfig] = {config.name: config for config in _ALL}
"""The built-in configurations."""


def select_answer_configs(names: Sequence[str], own: Iterable[Configuration] = ()) -> tuple[AnswerConfig, ...]:
    """The configurations to run, in order: those of `names`, then those of `own` that it does not name.

    An own one is `default` with other settings. With neither: `default` alone.

    Raises:
        UsageError: a name that neither has, the same name twice, or one of `own` with a built-in name.
    """
    return select_by_name(
        names, {name: _own_config(one) for name, one in by_name(own, ANSWER_CONFIGS).items()}, ANSWER_CONFIGS
    )


def _own_config(one: Configuration) -> AnswerConfig:
    about = ", ".join(f"{key}={value}" for key, value in one.overrides.items())
    return AnswerConfig(one, f"as `ask` answers with {about}", needs_model=False)
