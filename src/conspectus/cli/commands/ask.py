"""`ask` and `chat`."""

from __future__ import annotations

from typing import Any, get_args

import click

from conspectus.cli.app import verb
from conspectus.cli.options import (
    graph_option,
    quotes_option,
    stack,
    use_option,
)
from conspectus.cli.progress import showing
from conspectus.cli.state import State
from conspectus.cli.verb_commands import limit_run, options_of, take_options
from conspectus.faces.filters import make_budget, make_question_filters
from conspectus.records import AnswerKind, Depth
from conspectus.wire import encode

_model = click.option("--model", metavar="NAME", help="The language model; `none` for quotes only.")
_cache = click.option(
    "--no-cache",
    "cache",
    flag_value=False,
    default=None,
    help="Ask models again instead of using cached replies.",
)
_explain = click.option(
    "--explain", is_flag=True, help="Also show ids, how the answer was made, and the numbers behind a reason."
)
_verbose = click.option("--verbose", is_flag=True, help="Also show the evidence, drafts and steps.")


asking_options = stack(
    _model,
    click.option(
        "--kind",
        type=click.Choice(get_args(AnswerKind)),
        help="single: short; multi: from several papers (default); bibliometric: a query for ADS, OpenAlex and "
        "PubMed; nuanced: an answer, its critique, a better one.",
    ),
    click.option("--level", metavar="WHOM", help='The intended reader, such as "first-year student".'),
    click.option("--language", metavar="NAME", help="Language of the answer: es, Spanish."),
    click.option("--depth", type=click.Choice(get_args(Depth)), help="How much to read."),
    click.option(
        "--agent", is_flag=True, default=None, help="Let the model choose what to do next; it may search again."
    ),
    click.option("--auto", is_flag=True, default=None, help="Use the settings that suit the kind of question."),
    click.option("--strict", is_flag=True, default=None, help="Leave out unsupported statements."),
    click.option("--background", is_flag=True, default=None, help="Also add what the model itself knows, separately."),
    click.option("--second-opinion", metavar="MODEL", help="A second model that may overrule the answer."),
    click.option(
        "--read-figures", is_flag=True, default=None, help="Also add what a model reads in the figures, separately."
    ),
    click.option(
        "--online/--no-online",
        default=None,
        help="Search online first, and add what is found (default: only if the library does not suffice and "
        "sources.online allows it).",
    ),
    use_option,
    _cache,
    options_of(make_budget),
)
"""How an answer is to be made: the options are those of `AskOptions`."""


@verb("ask")
@click.argument("question", nargs=-1, required=True, metavar="QUESTION…")
@asking_options
@graph_option
@quotes_option
@_verbose
@_explain
@options_of(make_question_filters)
def ask_verb(
    state: State, /, question: tuple[str, ...], graph: bool, quotes: bool, verbose: bool, explain: bool, **chosen: Any
) -> None:
    """Answer a question with cited and checked statements, or explain why there is no answer.

    With a language model (the setting language.model, or --model) the answer is written from evidence; without one it
    consists of quoted sentences. Its numbers refer to the notes below it: `conspectus open 2` shows the page of note
    2, with the sentence highlighted. The answer is saved: `conspectus answers list`. Without a library, `--online`
    makes one, and `--kind bibliometric` needs none.
    """
    from conspectus.library.answer_views import print_answer

    filters = take_options(make_question_filters, chosen)
    limit_run(state, chosen)
    options = {name: value for name, value in chosen.items() if value is not None}
    state.flags |= {"search.graph": "subgraph"} if graph else {}
    needs_none = options.get("kind") == "bibliometric"
    with showing(state, answer=True), state.library(create=bool(options.get("online")), optional=needs_none) as library:
        answer = library.ask(" ".join(question), filters, **options)
    state.tell(
        lambda: encode.body(answer),
        lambda out: print_answer(out, answer, verbose=verbose, quotes=quotes, explain=explain),
    )


@verb("chat")
@click.option("--resume", default="", metavar="ID|last", help="Continue this conversation.")
@asking_options
@quotes_option
@options_of(make_question_filters)
def chat_verb(state: State, /, resume: str, quotes: bool, **chosen: Any) -> int:
    """Ask follow-up questions.

    A language model turns each follow-up into a complete question, which is shown. Lines that begin with a slash are
    commands; /help lists them. If standard input is not a terminal, each of its lines is a question or a command.
    Limits such as --max-cost apply to each answer. The conversation is saved: `conspectus answers conversations`.
    """
    from conspectus.cli.chat_session import Chat

    filters = take_options(make_question_filters, chosen)
    limit_run(state, chosen)
    options = {name: value for name, value in chosen.items() if value is not None}
    with state.library() as library:
        chat = Chat(state, library, options, filters, resume, quotes=quotes)
        chat.run()
    return int(chat.failed and not chat.typed)
