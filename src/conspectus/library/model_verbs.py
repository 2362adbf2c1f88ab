"""Connect language models, and fetch the model that vectors need, on every face but that of language models."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Progressing
from conspectus.library import model_connection
from conspectus.models.languages.model_titles import model_title
from conspectus.models.registry import fetch_needed, needed_model
from conspectus.records.events import Progress
from conspectus.records.models import ModelConnection, ModelTitles, NeededModel, Role
from conspectus.settings import Secret

ModelRole = Annotated[Role | None, Option("Only for this role; by default for all that have no model of their own.")]


class ModelVerbs(VerbGroup, name="models"):
    """Connect language models, and fetch the model that reading and searching need."""

    @verb(http="GET /models/needed", command=False)
    def needed(self) -> NeededModel:
        """Show the model that makes the library's vectors, and whether it is here."""
        return needed_model(self.session.settings.models)

    @verb(http="POST /models/fetch", job=True, writes=True, command=False)
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
        self, name: Annotated[list[str], Option("Names of models, as settings and answers have them.", max_length=1000)]
    ) -> ModelTitles:
        """Show what people call language models: their name and who runs them, not an address."""
        return ModelTitles({one: model_title(one) for one in name})

    @verb(http="POST /models/connect", job=True, writes=True, command=False)
    def connect(
        self,
        name: Annotated[
            str,
            Option(
                "A model; or a provider, an address or a repository, to list its models.",
                max_length=1000,
                example="ollama:qwen3",
            ),
        ] = "",
        *,
        key: Annotated[
            Secret,
            Option("Its key, which is kept and never shown.", max_length=model_connection.LONGEST_KEY, read=Secret),
        ] = Secret(),  # noqa: B008 - it cannot be changed
        role: ModelRole = None,
        untested: Annotated[bool, Option("Set the model without testing it.")] = False,
        progress: Progressing = None,
    ) -> ModelConnection:
        """Test a language model with a small question and set it, or list the models that can be connected.

        Without a name: what runs on this machine, and the providers. With a provider (`openai`), an address
        (`http://HOST:PORT/v1`) or a repository (`hf:OWNER/REPO`): its models. With a model: it is tested and, if it
        answers, set in the user's configuration; a model of the hub (`hf:OWNER/REPO/FILE.gguf`) is fetched first.
        A server that others can reach, or that needs a token, refuses this.

        Raises:
            SettingsError: a name of no known form, or a setting elsewhere that goes before the configuration.
            ServiceError, ModelMissingError: it does not answer as it has to. Nothing was changed.
        """
        with listen(progress, Progress):
            session = self.session
            if model_connection.is_place(name):
                return model_connection.list_offers(session.settings, session.folder, name, key)
            made, settings = model_connection.connect(
                session.settings, session.folder, name, key, role, untested=untested
            )
            self.owner.replace_session(replace(session, settings=settings))
            return made

    @verb(http="POST /models/disconnect", writes=True, command=False)
    def disconnect(self, *, role: ModelRole = None) -> ModelConnection:
        """Set no language model, for a role or for all, and delete the keys that `models connect` kept for them.

        Raises:
            SettingsError: a model is set elsewhere than in the user's configuration. Nothing was changed.
        """
        made, settings = model_connection.disconnect(self.session.settings, self.session.folder, role)
        self.owner.replace_session(replace(self.session, settings=settings))
        return made
