"""`ask`."""

from __future__ import annotations

from typing import Any, get_args

import click

from conspectus.cli.app import verb
from conspectus.cli.options import (
    budget_options,
    budgeted,
    filter_options,
    filters_of,
    graph_option,
    quotes_option,
    stack,
    use_option,
)
from conspectus.cli.progress_display import showing
from conspectus.cli.state import State
from conspectus.records import AnswerKind, Depth
from conspectus.wire import encode

_model = click.option("--model", metavar="NAME", help="The language model; `none`: quotes only, no model.")
_cache = click.option(
    "--no-cache",
    "cache",
    flag_value=False,
    default=None,
    help="Ask models again even if they have answered the same before.",
)
_verbose = click.option("--verbose", is_flag=True, help="Also show the evidence, drafts and steps.")


asking_options = stack(
    _model,
    click.option(
        "--kind",
        type=click.Choice(get_args(AnswerKind)),
        help="single: terse; multi: from several papers (usual); bibliometric: a query for ADS, OpenAlex and "
        "PubMed; nuanced: an answer, its critique, a better one.",
    ),
    click.option("--level", metavar="WHOM", help='The intended reader, such as "first-year student".'),
    click.option("--language", metavar="NAME", help="In which it is written: es, Spanish."),
    click.option("--depth", type=click.Choice(get_args(Depth)), help="How much to read."),
    click.option(
        "--agent", is_flag=True, default=None, help="Let the model choose what to do next; it may search again."
    ),
    click.option("--auto", is_flag=True, default=None, help="Use the settings that suit the kind of question."),
    click.option("--strict", is_flag=True, default=None, help="Leave unsupported statements out."),
    click.option("--background", is_flag=True, default=None, help="Also add what the model knows itself, kept apart."),
    click.option("--second-opinion", metavar="MODEL", help="A second model that may overrule the answer."),
    click.option(
        "--read-figures", is_flag=True, default=None, help="Also add what a model reads in the figures, kept apart."
    ),
    use_option,
    _cache,
    budget_options,
)
"""How an answer is to be made: the options are those of `AskOptions`."""


@verb("ask")
@click.argument("question", nargs=-1, required=True, metavar="QUESTION…")
@asking_options
@graph_option
@quotes_option
@_verbose
@filter_options(kind_option="--passage-kind")
def ask_verb(
    state: State, /, question: tuple[str, ...], graph: bool, quotes: bool, verbose: bool, **chosen: Any
) -> None:
    """Answer a question with statements that are cited and checked, or say why not.

    With a language model (the setting language.model, or --model) the answer is written from evidence; without one it
    is made of quoted sentences. Its numbers lead to the notes below it: `conspectus open 2` shows the page of note 2,
    with the sentence highlighted. The answer is kept: `conspectus answers list`.
    """
    from conspectus.library.answer_views import say

    filters = filters_of(chosen)
    options = budgeted(state, chosen)
    state.flags |= {"search.graph": "subgraph"} if graph else {}
    with showing(state, answer=True), state.library() as library:
        answer = library.ask(" ".join(question), filters, **options)
    state.tell(lambda: encode.body(answer), lambda out: say(out, answer, whole=verbose, quotes=quotes))
