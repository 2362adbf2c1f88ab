"""`eval answers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from conspectus.cli import eval_view
from conspectus.cli.app import verb
from conspectus.cli.commands.eval import (
    baseline_option,
    check_baseline,
    compare_option,
    compared_in,
    config_option,
    data_option,
    eval_verb,
    finish,
    limit_option,
    results_option,
    seed_option,
    store_results,
    work_option,
)
from conspectus.cli.options import stack
from conspectus.cli.state import State

if TYPE_CHECKING:
    from conspectus.evaluation import AnswerSet, Configuration, Sampling

asking_options = stack(
    click.option("--model", metavar="NAME", help="Language model of all roles, as the setting language.model."),
    config_option,
    data_option,
    limit_option,
    click.option(
        "--others",
        type=click.IntRange(min=0),
        metavar="N",
        help="Keep only N of the set's papers that answer no question, drawn at random.",
    ),
    click.option("--own", "own_library", is_flag=True, help="Ask the library of --library, not the set's papers."),
    seed_option,
    work_option,
    results_option,
)
"""The options of every measurement of answers."""


@verb("answers", of=eval_verb)
@click.argument("datasets", nargs=-1, metavar="DATASET…")
@compare_option("default,no-evidence,blind")
@baseline_option
@asking_options
def answers_verb(state: State, /, datasets: tuple[str, ...], **chosen: Any) -> int:
    """Measure answers on sets of questions whose answers are known.

    DATASET is the name of an installed set, or your own file, asked of your library: a question a line, or JSON Lines
    with question, options, right, answerable, papers. Without one the installed sets and configurations are listed.

    It measures choices among options, "unsure" among them (accuracy: right of all; precision: right of those sure),
    refusals, and citations. Without a language model answers are made of quotes, and what needs one is left out.
    Results are stored; `conspectus eval show` lists them.

    The exit code is 1 if some questions gave nothing usable, 3 if all questions of a result did, or if a model is
    missing.
    """
    from conspectus.evaluation import (
        ANSWER_CONFIGS,
        evaluate_answers,
        known_answer_sets,
        load_answers,
        select_answer_configs,
    )

    if not datasets:
        eval_view.print_sets(
            state, known_answer_sets(), "or a file of questions, asked of your library", ANSWER_CONFIGS
        )
        return 0
    ways = select_answer_configs(compared_in(chosen), _custom_configurations(chosen))
    check_baseline(chosen, [way.name for way in ways])
    sets = [load_answers(name, chosen["data"]) for name in dict.fromkeys(datasets)]
    sampling = _sampling(state, sets, chosen)
    made = evaluate_answers(sets, ways, sampling, flags=_flags(state, chosen), work=chosen["work"])
    return finish(state, *store_results(state, chosen, made), chosen)


def _custom_configurations(chosen: dict[str, Any]) -> list[Configuration]:
    from conspectus.evaluation import configuration

    return [configuration(text) for text in chosen["own"]]


def _flags(state: State, chosen: dict[str, Any]) -> dict[str, str]:
    return {**state.flags, **({"language.model": chosen["model"]} if chosen["model"] else {})}


def _sampling(state: State, sets: list[AnswerSet], chosen: dict[str, Any]) -> Sampling:
    """Of the options; a file of questions is asked of the user's own library.

    Raises:
        NotFoundError: that is not there.
    """
    from conspectus.evaluation import Sampling, known_answer_sets

    own = chosen["own_library"] or any(one.name not in known_answer_sets() for one in sets)
    if own:
        with state.library():  # one that is not there is told as by every verb
            pass
    return Sampling(chosen["limit"] or 0, chosen["others"], chosen["seed"], state.folder if own else None)
