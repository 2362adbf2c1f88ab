"""Which language model has which role in one answer."""

from __future__ import annotations

from dataclasses import dataclass

from conspectus.core.errors import UnavailableError
from conspectus.core.roles import Role
from conspectus.models.entailment import OnnxEntailment
from conspectus.models.language import LanguageModel
from conspectus.models.languages.names import LanguageModels


@dataclass(frozen=True, slots=True)
class RoleModels:
    """The models of the settings, or `name` for all roles."""

    models: LanguageModels
    name: str = ""

    def of(self, role: Role) -> LanguageModel:
        """The model for a role; the one that reads figures is only its own.

        Raises:
            UnavailableError: none is set.
            SettingsError: its name has no known form.
        """
        model = self.models.named(self.name) if self.name and role != "vision" else self.models.of(role)
        if model is None and role == "vision":
            raise UnavailableError(
                "There is no language model that reads figures.",
                "Set language.vision to one that takes pictures, or leave out `read_figures=True`.",
            )
        if model is None:
            raise UnavailableError(
                f"There is no language model for the role '{role}'.",
                f"Set language.{role}, or language.model for all roles (or `model=NAME`).",
            )
        return model

    def named(self, name: str) -> LanguageModel:
        """The model of this name."""
        return self.models.named(name)

    def entailment(self) -> OnnxEntailment | None:
        """The model of entailment that judges statements, whatever model has the roles; None where there is none."""
        return self.models.entailment()
