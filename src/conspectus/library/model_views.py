"""How models look in a terminal: those that can be connected, and those of the model store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.models.languages.model_titles import model_title

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.models.minilm_float import DeviceCheck
    from conspectus.records.models import (
        ModelConnection,
        ModelFolder,
        ModelIntegrity,
        ModelOffer,
        ModelTest,
        RecommendedModel,
        StoreModels,
    )

SHOWN = 30
"""Models of a place that are listed."""


def connect(out: Printer, connection: ModelConnection) -> None:
    """Places with their models, or how the model that was connected answered; and which model each role has."""
    servers = [offer for offer in connection.offers if offer.kind != "provider" or offer.models]
    for offer in servers:
        _show_offer(out, offer)
    providers = [offer for offer in connection.offers if offer not in servers]
    if providers and not servers:
        out.line("No server of language models runs on this machine (Ollama, LM Studio, llama.cpp, vLLM).")
    if providers:
        out.line(("Providers, which need a key: ", "title"), ", ".join(offer.name for offer in providers))
        with_key = ", ".join(offer.name for offer in providers if offer.has_key)
        out.fold(f"There is a key for {with_key}." if with_key else "There is no key for any of them.", indent=2)
        out.line("conspectus models connect openai --key", indent=2)
    if connection.recommended:
        _show_recommended(out, connection.recommended)
    if connection.tested:
        _show_test(out, connection.tested)
    if connection.key:
        out.line(f"Its key is in {'the system’s keyring' if connection.key == 'keyring' else connection.key}")
    _show_roles(out, connection)


disconnect = connect


def _show_offer(out: Printer, offer: ModelOffer) -> None:
    out.line((f"{one_line(offer.title)}  ", "title"), pluralize(len(offer.models), "model"))
    for model in offer.models[:SHOWN]:
        size = f"  {model.megabytes:,} MB  {one_line(model.licence)}" if model.megabytes else ""
        here = "  fetched" if model.is_here else ""
        out.line(f"conspectus models connect {one_line(model.name)}", (f"{size}{here}", "dim"), indent=2)
    if len(offer.models) > SHOWN:
        out.line((f"… and {len(offer.models) - SHOWN} more", "dim"), indent=2)


def _show_recommended(out: Printer, models: tuple[RecommendedModel, ...]) -> None:
    out.line(("Small models to download, which run on this computer without a key", "title"))
    for model in models:
        size = f"  {model.megabytes / 1000:.1f} GB  {model.licence}{'  fetched' if model.is_here else ''}"
        out.line((model.title, "title"), f": for computers with {model.memory} GB of memory, ", size.strip(), indent=2)
        out.line(f"about {pluralize(model.minutes, 'minute')} an answer on a laptop without a graphics card", indent=4)
        out.line(f"conspectus models connect {model.name}", indent=4)


def _show_test(out: Printer, tested: ModelTest) -> None:
    about = "about " if tested.estimated else ""
    out.line((one_line(model_title(tested.model)), "title"), ("  answers", "good"), f" ({tested.seconds:.1f} s)")
    out.line(f"tokens: {about}{tested.prompt_tokens} and {tested.completion_tokens}", indent=2)
    cost = tested.question_cost
    price = "unknown" if cost is None else "free, on your own computer" if cost == 0 else f"about ${cost:.4f}"
    out.line(f"cost of a question: {price}", indent=2)
    if tested.context:
        out.line(f"context: {tested.context:,} tokens", indent=2)
    for advice in tested.advice:
        out.fold(advice, indent=2)


def _show_roles(out: Printer, connection: ModelConnection) -> None:
    names = {name for role, name in connection.roles.items() if role != "vision"}
    if names == {""}:
        out.line("No language model is set: answers are made of quotes.")
    elif len(names) == 1:
        out.line(f"Set for all roles: {one_line(model_title(names.pop()))}")
    else:
        for role, name in connection.roles.items():
            out.line(f"{role}: {one_line(model_title(name)) or 'none'}", indent=2)


def list(out: Printer, store_models: StoreModels) -> None:
    """A line a model, then the folder of the store."""
    for model in store_models.models:
        presence = ("there", "good") if model.there else (f"not there: conspectus models fetch {model.name}", "bad")
        suffix = "  set" if model.used else ""
        out.line((model.name, "title"), f"  {model.title}, {model.licence}, {model.megabytes} MB  ", presence, suffix)
    out.line((f"store: {store_models.store}", "dim"))


def download(out: Printer, models: Sequence[ModelFolder]) -> None:
    """Where each model is; of one of the hub also what it is, and how to use it."""
    for model in models:
        if not model.file:
            out.line(f"{model.name} is in {model.folder}")
            continue
        about = f"{model.megabytes:,} MB, {model.licence or 'no licence given'}, SHA-256 checked"
        out.line(f"{model.name} is in {model.file} ({about})")
        out.line(f"Use it: conspectus models connect {model.name}")


def verify(out: Printer, models: Sequence[ModelIntegrity]) -> None:
    """A line a model."""
    for model in models:
        out.line(f"{model.name} is whole: every file has the bytes it should have.")


def check(out: Printer, done: DeviceCheck) -> None:
    """How near the vectors are, and how fast the device is."""
    verdict = "as they should be" if done.ok else "not the same"
    out.line(
        f"{done.model} on {done.device} ({', '.join(done.providers)}): vectors are {verdict}: the lowest cosine of "
        f"{done.texts} texts is {done.cosine:.5f} (at least {done.tolerance})."
    )
    out.line(f"{done.rate:,.1f} texts a second, {done.rate / done.cpu_rate:.1f} times the processor's.")
    if not done.ok:
        out.line("Set models.device to 'cpu', and report it with the device and the version of onnxruntime.")
