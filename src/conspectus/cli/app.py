"""The program: verbs loaded when they are called, and one place where errors become exit codes."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from conspectus.cli.failure import guarded
from conspectus.cli.interrupts import work
from conspectus.cli.options import shared_options
from conspectus.cli.overview import SECTIONS, VERBS
from conspectus.cli.state import State
from conspectus.core.version import __version__
from conspectus.faces import index

PROGRAM = "conspectus"
HELP_NAMES = ("-h", "--help")


class VerbCommand(click.Command):
    """A verb: knows the shared options, and tells the state its name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += shared_options(after_verb=True)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """`-h` and `--help` in any context: click keeps the option that it made for the first one."""
        ctx.help_option_names = [*HELP_NAMES]
        return super().get_help_option_names(ctx)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        from conspectus.core.job_context import Notice, listen

        names = ctx.command_path.split()[1:]
        state = ctx.ensure_object(State)
        state.verb = " ".join(names)
        work()
        with listen(state.note, Notice):
            return super().invoke(ctx)


def verb(
    name: str, of: click.Group | None = None, cls: type[VerbCommand] = VerbCommand
) -> Callable[[Callable[..., Any]], click.Command]:
    """Decorator: makes a function, which is given the state first, a verb; `of` a group's."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        taking = click.pass_obj(function)
        return of.command(name, cls=cls)(taking) if of else click.command(name, cls=cls)(taking)

    return decorate


class CommandGroup(click.Group):
    """A group whose unknown verbs are answered with the nearest right name."""

    command_class = VerbCommand

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """`-h` and `--help` in any context: click keeps the option that it made for the first one."""
        ctx.help_option_names = [*HELP_NAMES]
        return super().get_help_option_names(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that the first word names."""
        name = args[0]
        command_names = self.list_commands(ctx)
        if name not in command_names and not name.startswith("-"):
            matches = difflib.get_close_matches(name, command_names, n=1, cutoff=0.5)
            hint = f"Did you mean '{matches[0]}'?" if matches else f"There are: {', '.join(command_names)}."
            raise click.UsageError(f"There is no verb '{name}'. {hint}", ctx)
        return super().resolve_command(ctx, args)


class DeclaredGroup(CommandGroup):
    """A group of declared verbs, known from the index; a verb's module is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Its verbs, in the order of their declaration."""
        return list(index.groups()[self.name or ""].verbs)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that the first two words name, as `rank add` does, or else the first."""
        if " ".join(args[:2]) in self.list_commands(ctx):
            args = [" ".join(args[:2]), *args[2:]]
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The verb, its module imported now."""
        return declared_command(self.name or "", cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Its verbs with their lines, from the index."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, line) for name, (_, line) in index.groups()[self.name or ""].verbs.items()])


def declared_command(group: str, name: str) -> click.Command | None:
    """The command of a declared verb; None if there is none."""
    if group not in index.groups() or name not in index.groups()[group].verbs:
        return None
    from conspectus.cli.verb_commands import make_command

    return make_command(*index.find_verb(group, name))


class App(CommandGroup):
    """The program itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The verbs and groups, in the order of the overview."""
        return [*VERBS, *(name for name in index.groups() if name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The verb, its module imported now, or the group."""
        if cmd_name and cmd_name in index.groups():
            return DeclaredGroup(
                cmd_name,
                help=index.groups()[cmd_name].about,
                params=shared_options(after_verb=False),
                subcommand_metavar="VERB …",
                epilog=f"Run `conspectus {cmd_name} VERB --help` for a verb's options.",
            )
        if verb_command := declared_command("", cmd_name):
            return verb_command
        if cmd_name not in VERBS:
            return None
        module = import_module(f"conspectus.cli.commands.{VERBS[cmd_name].module}")
        command: click.Command = getattr(module, f"{cmd_name}_verb")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """The overview, from tables: no verb is imported for it."""
        verbs = index.groups()[""].verbs
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.line or verbs[name][1]) for name, entry in entries.items()])
        with formatter.section("Groups"):
            formatter.write_dl([(name, group.about) for name, group in index.groups().items() if name])

    def run(self, words: Sequence[str] | None = None, **extra: Any) -> int:
        """Do what the words say (None: the process's own); returns the exit code."""
        prepare_streams()
        state = State.foreseen(sys.argv[1:] if words is None else words)
        extra = {"prog_name": PROGRAM, "obj": state, **extra, "standalone_mode": False}
        call: Callable[..., Any] = super().main
        return guarded(state, lambda: call(args=words, **extra))

    def main(self, args: Sequence[str] | None = None, *_: Any, **extra: Any) -> Any:
        """`run`, then leave; click's own tools for tests come in here."""
        sys.exit(self.run(args, **extra))


def prepare_streams() -> None:
    """Make no text unprintable: UTF-8 off the terminal unless the user chose otherwise, replacements on it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):
            keeps_encoding = stream.isatty() or "PYTHONIOENCODING" in os.environ
            stream.reconfigure(errors="replace", **({} if keeps_encoding else {"encoding": "utf-8"}))  # type: ignore[union-attr]


def leave(code: int) -> None:
    """End the process now: everything is closed, and the threads of the model's runtime need not be waited for."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


@click.group(
    "conspectus",
    cls=App,
    params=shared_options(after_verb=False),
    subcommand_metavar="VERB …",
    invoke_without_command=True,
    context_settings={"help_option_names": [*HELP_NAMES], "max_content_width": 100},
    epilog="Run `conspectus VERB --help` for a verb's options. Exit codes: 0 done, 1 some inputs failed, 2 wrong use, "
    "3 a model or service is missing or refused, 4 the library is damaged or too new.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Ask questions of your papers; every statement leads to its source sentence."""
    if ctx.invoked_subcommand:
        return
    state = ctx.ensure_object(State)
    if state.json or not sys.stdout.isatty():
        click.echo(ctx.get_help())
        return
    from conspectus.cli.overview import welcome

    welcome(state)
