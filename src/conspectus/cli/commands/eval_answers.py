"""`eval answers` and `eval judge`."""

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
    exit_code,
    finish,
    kept,
    limit_option,
    results_option,
    seed_option,
    store_of,
    work_option,
)
from conspectus.cli.options import stack
from conspectus.cli.polite import step_back
from conspectus.cli.showing import showing
from conspectus.cli.state import State

if TYPE_CHECKING:
    from conspectus.evals import AnswerSet, Configuration, Sampling

asking_options = stack(
    click.option("--model", metavar="NAME", help="The language model of all roles, as the setting language.model."),
    config_option,
    data_option,
    limit_option,
    click.option(
        "--others",
        type=click.IntRange(min=0),
        metavar="N",
        help="Of the set's papers that answer none of the questions, only N, drawn at random.",
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

    DATASET is the name of a set, or a file of your own that is asked of your library: a question a line, or JSON Lines
    with question, options, right, answerable, papers. Without one sets and configurations are listed.

    Measured are choices among options, "unsure" among them (accuracy: right of all; precision: right of those sure),
    refusals, and citations. Without a language model answers are made of quotes, and what needs one is left out. The
    results are kept: `conspectus eval show` lists them.

    The exit code is 1 where nothing could be used of some questions, 3 where of none of a result, or where a model is
    missing.
    """
    from conspectus.evals import WAYS, chosen_ways, evaluate_answers, known_answers, load_answers

    if not datasets:
        eval_view.sets(state, known_answers(), "or a file of questions, asked of your library", WAYS)
        return 0
    ways = chosen_ways(compared_in(chosen), _own(chosen))
    check_baseline(chosen, [way.name for way in ways])
    sets = [load_answers(name, chosen["data"]) for name in dict.fromkeys(datasets)]
    sampling = _sampling(state, sets, chosen)
    made = evaluate_answers(sets, ways, sampling, flags=_flags(state, chosen), work=chosen["work"])
    return finish(state, *kept(state, chosen, made), chosen)


@verb("judge", of=eval_verb)
@click.argument("first", metavar="CONFIG_A")
@click.argument("second", metavar="CONFIG_B")
@click.option("--questions", required=True, metavar="FILE|DATASET", help="What both are asked.")
@click.option(
    "--passages",
    type=click.IntRange(1, 50),
    metavar="N",
    help="Compare not answers but what is found: the best passage of each of the first N papers.",
)
@asking_options
def judge_verb(state: State, /, first: str, second: str, questions: str, passages: int | None, **chosen: Any) -> int:
    """Have a language model compare the answers of two configurations to the same questions.

    The judge (the setting language.judge, else the model) sees each pair in both orders. A preference counts only if
    both orders agree, else it is a tie; how often it turned with the order is told, and what each order alone says. The
    sign test is exact and two-sided, over the questions with a preference. With --passages the judge sees what the two
    find: `eval judge graph no-graph --passages 5` asks whether the graph helps.

    FILE has a question a line, or JSON Lines with `question`, and is asked of your library; a set is asked of its own
    papers, as open questions.

    The exit code is 1 where nothing could be used of some answers or verdicts, 3 where no pair could be judged.
    """
    from conspectus.evals import chosen_ways, evaluate_judge, load_answers

    ways = {way.name: way for way in chosen_ways([first, second], _own(chosen))}
    one = load_answers(questions, chosen["data"])
    sampling = _sampling(state, [one], chosen)
    step_back()
    with showing(state):
        options = {"flags": _flags(state, chosen), "work": chosen["work"], "passages": passages or 0}
        result = evaluate_judge(ways[first], ways[second], one, sampling, **options)
    eval_view.judged(state, store_of(chosen).save(result))
    return exit_code([result])


def _own(chosen: dict[str, Any]) -> list[Configuration]:
    from conspectus.evals import configuration

    return [configuration(text) for text in chosen["own"]]


def _flags(state: State, chosen: dict[str, Any]) -> dict[str, str]:
    return {**state.flags, **({"language.model": chosen["model"]} if chosen["model"] else {})}


def _sampling(state: State, sets: list[AnswerSet], chosen: dict[str, Any]) -> Sampling:
    """Of the options; a file of questions is asked of the user's own library.

    Raises:
        NotFoundError: that is not there.
    """
    from conspectus.evals import Sampling, known_answers

    own = chosen["own_library"] or any(one.name not in known_answers() for one in sets)
    if own:
        with state.library():  # one that is not there is told as by every verb
            pass
    return Sampling(chosen["limit"] or 0, chosen["others"], chosen["seed"], state.folder if own else None)
