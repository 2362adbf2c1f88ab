"""`conspectus-evaluations judge` and `conspectus-evaluations plot`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from conspectus.core.errors import ConspectusError
from conspectus.evaluation import (
    ResultStore,
    Sampling,
    configuration,
    known_answer_sets,
    load_answers,
    select_answer_configs,
    work_folder,
)
from conspectus_evaluations.judging import evaluate_judge
from conspectus_evaluations.plots import check_plot, plot


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="conspectus-evaluations", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    judge = commands.add_parser("judge", help="Have a language model compare two configurations on the same questions.")
    judge.add_argument("first")
    judge.add_argument("second")
    judge.add_argument("--questions", required=True, metavar="FILE|SET", help="a file is asked of your library")
    judge.add_argument("--library", type=Path, default=Path.cwd(), metavar="DIR")
    judge.add_argument("--own", action="store_true", help="ask the library instead of the set's papers")
    judge.add_argument("--passages", type=int, default=0, metavar="N", help="compare the best passage of N papers each")
    judge.add_argument("--config", action="append", default=[], metavar='NAME="KEY=VALUE …"')
    judge.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of both")
    judge.add_argument("--data", type=Path, metavar="DIR", help="the data (else CONSPECTUS_DATA, else ../shared/data)")
    judge.add_argument("--limit", type=int, default=0, metavar="N", help="N questions, drawn at random")
    judge.add_argument("--others", type=int, metavar="N", help="of the set's other papers only N, drawn at random")
    judge.add_argument("--seed", type=int, default=0)
    picture = commands.add_parser("plot", help="Draw results: metrics with intervals, and retrieval curves.")
    picture.add_argument("file", type=Path, help="a .png, .svg or .pdf")
    picture.add_argument("ids", nargs="+", help="ids of results, as `conspectus eval show` lists them; `last`")
    for command in (judge, picture):
        command.add_argument(
            "--work", type=Path, metavar="DIR", help="libraries of sets and results (else in your cache)"
        )
    return parser


def _judge(options: argparse.Namespace, store: ResultStore) -> int:
    names = (options.first, options.second)
    configs = {config.name: config for config in select_answer_configs(names, map(configuration, options.config))}
    questions = load_answers(options.questions, options.data)
    own = options.library if options.own or options.questions not in known_answer_sets() else None
    result = evaluate_judge(
        configs[options.first],
        configs[options.second],
        questions,
        Sampling(options.limit, options.others, options.seed, own),
        flags=dict(pair.split("=", 1) for pair in options.set),
        work=options.work,
        passages=options.passages,
    )
    print(*result.notes, f"Stored as {store.save(result).id}.", sep="\n")
    return 0 if all(question.scores.get("unjudged", 0) == 0 for question in result.questions) else 1


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code, as those of `conspectus`."""
    options = _parser().parse_args(words)
    store = ResultStore(work_folder(options.work) / "results")
    try:
        if options.command == "judge":
            return _judge(options, store)
        check_plot(options.file)
        plot([store.get(name) for name in options.ids], options.file)
        return 0
    except ConspectusError as error:
        print(error.message, error.hint, sep="\n", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
