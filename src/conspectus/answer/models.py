"""The language models that a library's settings name, each made once."""

from __future__ import annotations

from dataclasses import replace

from conspectus.errors import SettingsError
from conspectus.models.language import LanguageModel
from conspectus.models.languages import Limits, language_model
from conspectus.settings import LanguageSettings, Role

NONE = "none"
"""The name that stands for no language model: answers are made of quotes."""


class ConfiguredModels:
    """Language models by role and by name.

    Args:
        settings: which model has which role, and the limits.
    """

    def __init__(self, settings: LanguageSettings) -> None:
        self.settings = settings
        self._limits = Limits(settings)
        self._made: dict[str, LanguageModel] = {}

    def of(self, role: Role) -> LanguageModel:
        """The model for a role."""
        name = self.settings.of(role)
        if not name or name == NONE:
            raise SettingsError(
                f"There is no language model for the role '{role}'.",
                f"Set language.{role}, or language.model for all roles (or --model).",
            )
        return self.named(name)

    def named(self, name: str) -> LanguageModel:
        """The model of this name."""
        if name not in self._made:
            self._made[name] = language_model(name, self.settings, self._limits)
        return self._made[name]

    def overridden(self, name: str) -> ConfiguredModels:
        """The same, with one model for all roles."""
        if not name:
            return self
        other = ConfiguredModels(replace(self.settings, model=name, ask="", summarise="", write="", agent="", judge=""))
        other._limits, other._made = self._limits, self._made
        return other

    async def close(self) -> None:
        """Give back what the models hold."""
        for model in self._made.values():
            await model.close()
        self._made.clear()
