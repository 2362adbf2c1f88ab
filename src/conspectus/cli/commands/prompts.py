"""`prompts`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import verb
from conspectus.cli.failure import typed
from conspectus.cli.state import State
from conspectus.core.errors import UsageError
from conspectus.faces.printer import Printer, one_line
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.llm.prompts import BrokenPrompt, Prompt


@verb("prompts")
@click.argument("name", required=False)
@click.option("--built-in", is_flag=True, help="Show the prompt that comes with the program, not your own.")
@click.option("--copy", is_flag=True, help="Copy the built-in prompt into your prompts folder, to be edited there.")
def prompts_verb(state: State, name: str | None, built_in: bool, copy: bool) -> int:
    """List the prompts for language models, or show one.

    A file NAME.md in your prompts folder, next to your configuration, replaces the prompt that comes with the program.
    One that cannot be used is listed as broken, with the reason, and the exit code is 1.
    """
    from conspectus.llm.prompts import Prompts
    from conspectus.llm.prompts import built_in as built
    from conspectus.settings.user_folders import prompts_folder

    prompts = Prompts(prompts_folder())
    if name is None:
        if built_in or copy:
            raise UsageError("Which prompt?", "conspectus prompts NAME --copy; `conspectus prompts` lists them.")
        return _prompt_list(state, list(prompts.looked_at()))
    if copy:
        path = prompts.copy(name)
        state.tell(lambda: {"path": str(path), "prompt": _describe_prompt(built(name))}, [str(path)])
        return 0
    prompt = built(name) if built_in else prompts.get(name)
    state.tell(lambda: {"prompt": _describe_prompt(prompt)}, lambda out: _prompt(out, prompt))
    return 0


def _describe_prompt(prompt: Prompt, *, with_words: bool = True) -> dict[str, Any]:
    """A prompt; `with_words`: with its system and user text."""
    names = ("name", "version", "about", "origin", "id", *(("system", "user") if with_words else ()))
    return {name: getattr(prompt, name) for name in names}


def _prompt_list(state: State, prompts: Sequence[Prompt | BrokenPrompt]) -> int:
    from conspectus.llm.prompts import BrokenPrompt

    def row(prompt: Prompt | BrokenPrompt) -> dict[str, Any]:
        return encode.plain(prompt) if isinstance(prompt, BrokenPrompt) else _describe_prompt(prompt, with_words=False)

    def show(out: Printer) -> None:
        for prompt in prompts:
            if isinstance(prompt, BrokenPrompt):
                version, about, origin = ("broken", "bad"), f"{prompt.trouble} {typed(prompt.remedy)}", ""
            else:
                version, about = (prompt.version, ""), prompt.about
                origin = "" if prompt.origin == "built in" else f"  {prompt.origin}"
            head = (f"{prompt.name:<14}", "title"), (f"{version[0]:<8}", version[1])
            cells = (prompt.name, version[0], one_line(about), prompt.origin)
            out.row(cells, *head, f" {one_line(about)}", (origin, "dim"))

    state.tell(lambda: {"prompts": list(map(row, prompts))}, show)
    return int(any(isinstance(prompt, BrokenPrompt) for prompt in prompts))


def _prompt(out: Printer, prompt: Prompt) -> None:
    out.line((f"{prompt.id} · {prompt.origin} · {one_line(prompt.about)}", "dim"))
    for speaker in ("system", "user"):
        out.line()
        out.line((speaker, "title"))
        out.text(getattr(prompt, speaker) + "\n")
