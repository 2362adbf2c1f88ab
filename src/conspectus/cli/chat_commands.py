"""What can be done in a conversation besides asking."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from conspectus.core.disk import user_path
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.text import pluralize
from conspectus.faces.printer import Printer, one_line
from conspectus.library.answer_views import say_evidence
from conspectus.records import Answer, Paper
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.cli.chat_session import Chat


class Command(NamedTuple):
    """A command: what stands behind its name, what it does, and how."""

    takes: str
    line: str
    act: Callable[[Chat, str], None]


def nearest(name: str) -> UsageError:
    """The error for a command that is not there."""
    matches = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    hint = f"Did you mean '/{matches[0]}'?" if matches else "/help lists the commands."
    return UsageError(f"There is no command '/{name}'.", hint)


Cited = dict[str, tuple[Paper, dict[int, str]]]


def cited(answers: Iterable[Answer]) -> Cited:
    """The papers that answers cite: id -> the paper, and by the number (from 1) of an answer how it calls the paper."""
    turns_by_paper: Cited = {}
    for number, answer in enumerate(answers, 1):
        for citation in (citation for statement in answer.statements for citation in statement.citations):
            turns = turns_by_paper.setdefault(citation.paper.id, (citation.paper, {}))[1]
            turns.setdefault(number, citation.label or citation.paper.label)
    return turns_by_paper


def _sources(chat: Chat, _: str) -> None:
    turns_by_paper = cited(_answers(chat))
    papers = [
        {**encode.brief(paper), "turns": list(turns), "labels": list(turns.values())}
        for paper, turns in turns_by_paper.values()
    ]
    _print_command(chat, "sources", {"papers": papers}, lambda out: _say_sources(out, turns_by_paper))


def _say_sources(out: Printer, turns_by_paper: Cited) -> None:
    label_counts = Counter(label for _, turns in turns_by_paper.values() for label in set(turns.values()))
    for paper, turns in turns_by_paper.values():
        names = set(turns.values())
        plain = len(names) == 1 and label_counts[min(names)] == 1  # else the label means something only with its answer
        places = ", ".join(str(turn) if plain else f"{turn} as [{one_line(label)}]" for turn, label in turns.items())
        out.fold(f"[{min(names)}] {paper.reference}" if plain else paper.reference, indent=2)
        out.line((f"{paper.id} · cited in {places}", "dim"), indent=4)
    if not turns_by_paper:
        out.line("No paper is cited yet.")


def _evidence(chat: Chat, _: str) -> None:
    answer = _last(chat)

    def show(out: Printer) -> None:
        say_evidence(out, answer.evidence)
        if not answer.evidence:
            is_quoted = answer.method == "extractive" and answer.answered
            reason = "It is made of quotes, which are all that there is." if is_quoted else "None was found."
            out.line(f"The last answer has no evidence besides its citations. {reason}")

    _print_command(chat, "evidence", {"answer": answer.id, "evidence": encode.body(answer)["evidence"]}, show)


def _open(chat: Chat, rest: str) -> None:
    from conspectus.cli.commands.open import note_of, open_citation, show_picture

    span_ids = [span.id for span in note_of(_last(chat), rest).spans]
    path = open_citation(chat.state, chat.library, span_ids)
    if path and chat.typed:
        show_picture(chat.state, path)


def _save(chat: Chat, rest: str) -> None:
    path = user_path(rest)
    to = {"htm": "html", "markdown": "md"}.get(path.suffix[1:].lower(), path.suffix[1:].lower())
    if not rest or not to:
        raise UsageError("Which file?", "/save FILE.md, FILE.html, FILE.json, or FILE.bib for the papers cited.")
    _last(chat)
    saved_conversation = chat.library.export_conversation(chat.conversation, to, path)
    message = f"Wrote {pluralize(len(saved_conversation.answers), 'answer')} to {one_line(str(path))}."
    _print_command(chat, "save", {"path": str(path.absolute()), "format": to}, [message])


def _history(chat: Chat, _: str) -> None:
    answers = _answers(chat)
    fields = ("id", "made", "question", "standalone", "answered")

    def show(out: Printer) -> None:
        for number, answer in enumerate(answers, 1):
            out.fold(f"{number}. {answer.question}")
            if answer.standalone:
                out.fold(f"asked as: {answer.standalone}", indent=3)
            how = ("answered" if answer.answered else "not answered", answer.id)
            out.line((" · ".join(filter(None, how)), "dim"), indent=3)
        if not answers:
            out.line("Nothing was asked yet.")

    _print_command(
        chat, "history", {"answers": [{name: getattr(answer, name) for name in fields} for answer in answers]}, show
    )


def _model(chat: Chat, rest: str) -> None:
    from conspectus.models.languages.registry import parse_model_name
    from conspectus.settings import NO_MODEL

    if rest and rest != NO_MODEL:
        parse_model_name(rest)
    if rest:
        chat.options["model"] = rest
    name = chat.options.get("model") or chat.library.settings.language.of("write") or NO_MODEL
    description = "none: answers are made of quotes" if name == NO_MODEL else one_line(name)
    _print_command(chat, "model", {"model": name}, [f"The language model is {description}."])


def _new(chat: Chat, _: str) -> None:
    chat.leave()
    message = "A new conversation: the next question does not go on with the last one."
    _print_command(chat, "new", {}, [message])


def _help(chat: Chat, _: str) -> None:
    rows = {f"/{name} {command.takes}".strip(): command.line for name, command in COMMANDS.items()}

    def show(out: Printer) -> None:
        for name, line in rows.items():
            out.line((f"{name:<14}", "title"), line)

    _print_command(chat, "help", {"commands": rows}, show)


def _quit(chat: Chat, _: str) -> None:
    chat.ended = True


def _answers(chat: Chat) -> tuple[Answer, ...]:
    return chat.library.answers.conversation(chat.conversation).answers if chat.conversation else ()


def _last(chat: Chat) -> Answer:
    if chat.answer is None:
        raise NotFoundError("There is no answer yet in this conversation.", "Ask a question first.")
    return chat.answer


def _print_command(
    chat: Chat, name: str, body: dict[str, Any], show: Callable[[Printer], None] | Iterable[str]
) -> None:
    chat.state.tell(lambda: {"conversation": chat.conversation, "command": name, **body}, show)


COMMANDS = {
    "sources": Command("", "The papers cited so far.", _sources),
    "evidence": Command("", "Show the evidence of the last answer: scores, summaries, sentences.", _evidence),
    "open": Command("N", "Show the page of note N of the last answer with its sentence highlighted.", _open),
    "save": Command("FILE", "Write the conversation: .md, .html, .json, or .bib for the papers cited.", _save),
    "history": Command("", "List the questions so far.", _history),
    "model": Command("NAME", "Another language model from now on (`none`: quotes); without NAME: which one.", _model),
    "new": Command("", "Begin a new conversation.", _new),
    "help": Command("", "These commands.", _help),
    "quit": Command("", "Leave. The conversation is kept.", _quit),
}
