"""A conversation on the command line: lines are questions, or commands that begin with a slash."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conspectus.cli.chat_commands import COMMANDS, nearest
from conspectus.cli.failure import READ, report_error
from conspectus.cli.interrupts import is_terminated, settle
from conspectus.cli.progress import showing
from conspectus.cli.state import State
from conspectus.core.errors import ConspectusError
from conspectus.faces.printer import Printer, clean, is_terminal, one_line
from conspectus.library.answer_views import print_answer
from conspectus.records import Answer, Filters
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.library import Library

PROMPT = "> "
ECHO = "? "
"""Before a line that was not typed, where it is shown with what came of it."""


@dataclass
class Chat:
    """One conversation at a time, of one library.

    Attributes:
        options: those of `AskOptions`, as keywords.
        conversation: the id of the conversation, at first any name of it; "": none is begun yet.
        quotes: whether each statement stands with its quotes.
        answer: the last one.
        failed: whether something could not be done.
        ended: whether the user has left.
    """

    state: State
    library: Library
    options: dict[str, Any]
    filters: Filters
    conversation: str = ""
    quotes: bool = False
    answer: Answer | None = None
    failed: bool = False
    ended: bool = False
    typed: bool = field(default_factory=lambda: is_terminal(sys.stdin))
    _is_begun: bool = False

    def run(self) -> None:
        """Take lines until the user leaves, or there are none any more."""
        self._greet()
        try:
            for line in _lines(self.typed):
                self.take(line)
                if self.ended:
                    break
        finally:
            self.leave()

    def take(self, line: str) -> None:
        """Do what one line says. What goes wrong is reported, and the conversation goes on."""
        line = clean(line).strip()
        if line and not self.typed and not self.state.json:  # else one would not see what was asked
            self.state.out.line((f"{ECHO}{one_line(line)}", "title"))
        try:
            if line.startswith("/"):
                self._command(line)
            elif line:
                self._ask_question(line)
        except ConspectusError as error:
            self.failed = True
            report_error(self.state, error)
        except KeyboardInterrupt:  # the answer in hand ends, not the conversation
            if is_terminated():
                raise
            settle()
            self.failed = True
            sys.stderr.write(f"\nStopped. {READ}\n")

    def leave(self) -> None:
        """End the conversation in hand; one without a turn leaves no trace."""
        if self._is_begun and self.answer is None:
            self.library.answers.remove_conversation(self.conversation)
        elif self.conversation and self.typed and self.library.answers.keeps_conversation(self.conversation):
            self._print_aside(f"The conversation is kept: conspectus chat --resume {self.conversation}")
        self.conversation, self.answer, self._is_begun = "", None, False

    def _command(self, line: str) -> None:
        name, _, rest = line[1:].partition(" ")
        command = COMMANDS.get(name)
        if command is None:
            raise nearest(name)
        command.act(self, rest.strip())
        if not self.state.json:
            self.state.out.line()

    def _ask_question(self, question: str) -> None:
        if not self.conversation:
            self.conversation, self._is_begun = self.library.answers.begin_conversation(), True
            if not self.library.answers.keeps_conversation(self.conversation):
                self._print_aside("The library can only be read: this conversation is not kept.")
        options = {**self.options, "conversation": self.conversation}
        with showing(self.state, answer=True):
            self.answer = answer = self.library.ask(question, self.filters, **options)

        def show(out: Printer) -> None:
            print_answer(out, answer, quotes=self.quotes)
            out.line()

        self.state.tell(lambda: {"conversation": self.conversation, **encode.body(answer)}, show)

    def _greet(self) -> None:
        if self.conversation:
            saved_conversation = self.library.answers.conversation(self.conversation)
            self.conversation = saved_conversation.conversation.id
            self.answer = saved_conversation.answers[-1] if saved_conversation.answers else None
            self._print_aside(
                f"Going on with {saved_conversation.conversation.id}: {one_line(saved_conversation.conversation.title)}"
            )
            _remember([answer.question for answer in saved_conversation.answers] if self.typed else [])
        elif self.typed:
            self._print_aside("Ask a question. /help lists what else there is; Ctrl-D ends.")

    def _print_aside(self, text: str) -> None:
        """Something on the conversation, not of it: on standard error."""
        if not self.state.quiet:
            sys.stderr.write(f"{clean(text)}\n")
            sys.stderr.flush()


def _lines(typed: bool) -> Iterator[str]:
    """The lines of standard input; of a terminal, with editing where the system has it."""
    if not typed:
        from contextlib import suppress

        with suppress(AttributeError, ValueError, OSError):
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")  # type: ignore[union-attr]
        yield from sys.stdin
        return
    while True:
        try:
            yield _typed_line()
        except EOFError:
            sys.stderr.write("\n")
            return
        except KeyboardInterrupt:
            if is_terminated():
                raise
            settle()
            sys.stderr.write("\nCtrl-D or /quit ends the conversation.\n")


def _typed_line() -> str:
    if is_terminal(sys.stdout):
        from contextlib import suppress

        with suppress(ImportError):
            import readline  # noqa: F401 - `input` edits lines where it is there
        return input(PROMPT)
    sys.stderr.write(PROMPT)  # standard output is for the answers
    sys.stderr.flush()
    if not (line := sys.stdin.readline()):
        raise EOFError
    return line


def _remember(questions: list[str]) -> None:
    """Earlier questions, for the arrow keys."""
    try:
        import readline
    except ImportError:
        return
    for question in questions:
        readline.add_history(one_line(question))
