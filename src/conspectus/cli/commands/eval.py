"""`eval retrieval`, `eval self`, `eval show` and `eval diff`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli import eval_view
from conspectus.cli.app import CommandGroup, verb
from conspectus.cli.options import F, stack
from conspectus.cli.progress import showing, step_back
from conspectus.cli.state import State
from conspectus.core.errors import ConspectusError, UnavailableError, UsageError

if TYPE_CHECKING:
    from conspectus.evaluation import Configuration, QuestionOptions, Result, ResultStore, RetrievalOptions
    from conspectus.evaluation.records import Kind
    from conspectus.records.graph import GraphVerdict

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group("eval", cls=CommandGroup)
def eval_verb() -> None:
    """Measure search on your library or on sets of questions, and compare configurations."""


work_option = click.option(
    "--work", type=_FOLDER, metavar="DIR", help="Folder of the sets' libraries and of results (default: in your cache)."
)
results_option = click.option(
    "--results", type=_FOLDER, metavar="DIR", help="Folder of results (default: `results` in the folder --work)."
)
config_option = click.option(
    "--config",
    "own",
    multiple=True,
    metavar='NAME="KEY=VALUE …"',
    help="Your own configuration: settings that it overrides. Repeatable.",
)
data_option = click.option(
    "--data", type=_FOLDER, metavar="DIR", help="Folder of data (default: CONSPECTUS_DATA, else ../shared/data)."
)
limit_option = click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Use N questions of each set, drawn at random."
)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random draws.")


baseline_option = click.option(
    "--baseline", default="", metavar="NAME", help="Configuration to compare the others with (default: the first)."
)


def compare_option(names: str) -> Callable[[F], F]:
    """`--compare`, with these names for examples."""
    return click.option("--compare", default="", metavar="NAMES", help=f"Configurations, separated by commas: {names}.")


measuring_options = stack(
    compare_option("bm25,dense,hybrid,default"),
    config_option,
    baseline_option,
    click.option("--metric", "metrics", multiple=True, metavar="NAME", help="nDCG@10, AP, … Repeatable."),
    seed_option,
    click.option(
        "--depth",
        type=click.IntRange(min=1),
        default=100,
        show_default=True,
        help="Papers to retrieve for each question.",
    ),
    work_option,
    results_option,
)
"""The options of every measurement that compares configurations."""


@verb("retrieval", of=eval_verb)
@click.argument("datasets", nargs=-1, metavar="DATASET…")
@data_option
@limit_option
@measuring_options
def retrieval_verb(state: State, /, datasets: tuple[str, ...], data: Path | None, **chosen: Any) -> int:
    """Measure search on sets of questions whose relevant papers are known.

    DATASET is the name of an installed set, or a folder with corpus.jsonl, queries.jsonl and qrels.tsv as BEIR has
    them. Without one the installed sets are listed. The library of a set is made once for each embedder.

    Each configuration is compared with the first, question by question: the difference, its 95 % bootstrap interval and
    p. Results are stored; `conspectus eval show` lists them.

    The exit code is 1 if some questions gave nothing usable, 3 if all questions of a result did.
    """
    from conspectus.evaluation import evaluate_retrieval, known_sets, load

    if not datasets:
        eval_view.print_sets(state, known_sets(), "or a folder with corpus.jsonl, queries.jsonl and qrels.tsv")
        return 0
    configs, options = _configurations(chosen), _options(chosen, "retrieval")
    sets = [load(name, data) for name in dict.fromkeys(datasets)]
    results = evaluate_retrieval(sets, configs, options, flags=state.flags, work=chosen["work"])
    return finish(state, *store_results(state, chosen, results), chosen)


making_options = stack(
    click.option(
        "--questions",
        type=click.IntRange(min=1),
        default=200,
        show_default=True,
        help="Questions of each kind, at most.",
    ),
    click.option(
        "--by",
        type=click.Choice(["words", "model", "both"]),
        help="Make questions by rule, by the language model, or both (default: both if a model is set).",
    ),
    click.option(
        "--cited",
        type=click.IntRange(min=2),
        default=5,
        show_default=True,
        help="Papers that a sentence has to cite to be a question.",
    ),
    click.option(
        "--multi-entity",
        is_flag=True,
        help="Also make questions about two or three entities that no sentence of the library joins.",
    ),
)
"""How questions are made of a library, for `_making`."""


def _making(state: State, chosen: dict[str, Any]) -> QuestionOptions:
    """Read `making_options`; a missing library is an error as with every verb."""
    from conspectus.evaluation import QuestionOptions

    with state.library():
        pass
    return QuestionOptions(*(chosen.pop(name) for name in ("questions", "by", "cited", "multi_entity")))


@verb("self", of=eval_verb)
@making_options
@measuring_options
def self_verb(state: State, /, **chosen: Any) -> int:
    """Measure search on your own library, with questions made of its papers.

    Questions with one right paper are made from sentences dense in facts, by rule, and by a language model if one is
    set. Questions with several right papers are sentences that cite five or more papers of the library; a note says if
    there are none. With --multi-entity the library's graph makes some, too. The same seed and library give the same
    questions. The exit codes are those of `eval retrieval`.
    """
    from conspectus.evaluation import evaluate_self

    configs, options = _configurations(chosen), _options(chosen, "self")
    results = evaluate_self(state.folder, configs, _making(state, chosen), options, flags=state.flags)
    return finish(state, *store_results(state, chosen, results), chosen)


@verb("graph", of=eval_verb)
@making_options
@seed_option
@work_option
@results_option
def graph_verb(state: State, /, **chosen: Any) -> int:
    """Measure whether the graph helps to find papers of your own library, for `search.graph = auto`.

    The questions of `eval self` are asked without the graph and with each of its two methods. The library stores what
    each gains, with its interval; `auto` uses the better method if its whole interval is above 0, until the library
    changes. Questions of --multi-entity are made from the graph itself: their gain decides only about such questions.
    The exit codes are those of `eval retrieval`.
    """
    from conspectus.evaluation import RetrievalOptions, evaluate_graph

    making, options = _making(state, chosen), RetrievalOptions(seed=chosen["seed"])
    results, error = store_results(state, chosen, evaluate_graph(state.folder, making, options, flags=state.flags))
    with state.library() as library:
        verdicts = () if error else library.graph.verdicts()
    return finish(state, results, error, {**chosen, "baseline": "no-graph"}, verdicts)


@verb("make", of=eval_verb)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@making_options
@seed_option
def make_verb(state: State, /, file: Path, **chosen: Any) -> None:
    """Write questions made from your library to a file that `eval answers` reads.

    FILE is JSON Lines: a question a line, with the papers that answer it and how it was made. An existing file is an
    error. The questions are those of `eval self`; with --multi-entity only those about several entities, written by the
    language model, or by a template if none is set or with `--by words`.
    """
    from conspectus.evaluation import write_questions

    making = _making(state, chosen)
    with showing(state), state.library() as library:
        question_sets = write_questions(library, file, making, chosen["seed"])
    eval_view.print_question_files(state, file, question_sets)


@verb("show", of=eval_verb)
@click.argument("name", required=False, metavar="[ID]")
@click.option("--failures", type=click.IntRange(min=1), metavar="N", help="Show the N questions with the lowest score.")
@click.option("--metric", default="", metavar="NAME", help="Score to sort by (default: the result's first).")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="List only the newest N.")
@work_option
@results_option
def show_verb(
    state: State, /, name: str | None, failures: int | None, metric: str, limit: int | None, **chosen: Any
) -> None:
    """List stored results, newest first, or show one.

    ID may be the beginning of one, or `last`. --failures shows the questions with the lowest score and what was found
    instead.
    """
    from conspectus.evaluation import lowest

    store = store_of(chosen)
    if name is None:
        eval_view.print_result_list(state, store.heads()[:limit])
        return
    result = store.get(name)
    eval_view.print_result(state, result, lowest(result, failures, metric) if failures else [], metric)


@verb("diff", of=eval_verb)
@click.argument("first")
@click.argument("second")
@click.option(
    "--questions",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Show the N questions that changed most.",
)
@work_option
@results_option
def diff_verb(state: State, /, first: str, second: str, questions: int, **chosen: Any) -> None:
    """Compare two results question by question.

    The difference is SECOND minus FIRST, with its 95 % bootstrap interval and p, followed by the questions that changed
    most by the first metric. A warning says why two results are not comparable: other questions, another library.
    """
    from conspectus.evaluation import compare

    store = store_of(chosen)
    base, other = store.get(first), store.get(second)
    eval_view.print_comparison(state, base, other, compare(base, other, seed=base.seed, most=questions))


def store_of(chosen: dict[str, Any]) -> ResultStore:
    """The folder of results that the options name."""
    from conspectus.evaluation import ResultStore, work_folder

    return ResultStore(chosen["results"] or work_folder(chosen["work"]) / "results")


def store_results(
    state: State, chosen: dict[str, Any], results: Iterable[Result]
) -> tuple[list[Result], ConspectusError | None]:
    """Store each result as it comes; returns the results and the error that ended the run, if any."""
    stored_results: list[Result] = []
    step_back()
    try:
        with showing(state):
            for result in results:
                stored_results.append(store_of(chosen).save(result))  # noqa: PERF401 - those before an error stay
    except ConspectusError as error:
        if not stored_results:
            raise
        return stored_results, error
    return stored_results, None


def finish(
    state: State,
    results: list[Result],
    error: ConspectusError | None,
    chosen: dict[str, Any],
    verdicts: Sequence[GraphVerdict] = (),
) -> int:
    """Show what was measured; returns the exit code.

    Raises:
        ConspectusError: what ended the run, after that.
    """
    from conspectus.evaluation import against_baseline

    names = [result.configuration.name for result in results]
    baseline = chosen["baseline"] if chosen["baseline"] in names else names[0]
    comparisons = against_baseline(results, baseline, chosen["seed"])
    eval_view.print_results(state, results, comparisons, verdicts)
    if error:
        raise error
    return exit_code(results)


def exit_code(results: Iterable[Result]) -> int:
    """3 where a result has no question of which something could be used, 1 where it has one of which nothing could."""
    from conspectus.evaluation.records import TROUBLE

    details = [[question.details for question in result.questions] for result in results]
    if any(rows and all(TROUBLE in row for row in rows) for rows in details):
        return UnavailableError.exit_code
    return int(any(name.startswith(TROUBLE) for rows in details for row in rows for name in row))


def _configurations(chosen: dict[str, Any]) -> tuple[Configuration, ...]:
    """The configurations that the options name; what cannot be done at the end is told at once."""
    from conspectus.evaluation import configuration
    from conspectus.evaluation import select_configurations as choose

    configs = choose(compared_in(chosen), map(configuration, chosen["own"]))
    check_baseline(chosen, [config.name for config in configs])
    return configs


def compared_in(chosen: dict[str, Any]) -> list[str]:
    """The names in `--compare`."""
    return [name.strip() for name in chosen["compare"].split(",") if name.strip()]


def check_baseline(chosen: dict[str, Any], names: Sequence[str]) -> None:
    """See that `--baseline` is one of the configurations.

    Raises:
        UsageError: it is not.
    """
    if chosen["baseline"] and chosen["baseline"] not in names:
        raise UsageError(
            f"The baseline '{chosen['baseline']}' is not among the configurations.", f"There are: {', '.join(names)}."
        )


def _options(chosen: dict[str, Any], kind: Kind) -> RetrievalOptions:
    from conspectus.evaluation import RetrievalOptions
    from conspectus.evaluation.retrieval import usable_metrics

    options = RetrievalOptions(chosen["metrics"], chosen.get("limit") or 0, chosen["seed"], chosen["depth"])
    usable_metrics(options, kind)
    return options


from conspectus.cli.commands import eval_answers  # noqa: E402, F401 - it adds its verbs to the group
