"""The judge that `eval checks` measures, by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conspectus.answer.checking import Judge, ModelJudge
from conspectus.answer.entailing import EntailmentJudge
from conspectus.evals.checks import PERFECT
from conspectus.llm.client import LlmClient
from conspectus.llm.event_loop import Last
from conspectus.llm.prompting import Prompts
from conspectus.llm.role_models import RoleModels
from conspectus.llm.usage import CallUsage
from conspectus.models.language import Reply
from conspectus.models.languages.names import LanguageModels
from conspectus.settings import NO_MODEL, load_settings


class _Forgetful:
    """Keeps no calls: each measurement asks anew."""

    def known(self, digests: Sequence[str]) -> Mapping[str, Reply]:  # noqa: ARG002
        """Nothing is known."""
        return {}

    def keep(self, digest: str, reply: Reply, papers: Sequence[str]) -> None:
        """Nothing is kept."""

    def spend(self, spent: CallUsage) -> None:
        """Nothing is noted."""


@dataclass(frozen=True, slots=True)
class Named:
    """A judge and what to call it; `close` gives its connections back. No judge for `PERFECT` and `none`."""

    name: str = ""
    judge: Judge | None = None
    close: Last | None = None


def judge_of(name: str | None, flags: Mapping[str, Any]) -> Named:
    """The judge of a name, None: that of the settings.

    Raises:
        SettingsError: the name has no known form.
        ModelMissingError, ServiceError: a folder, a package or a key is missing.
    """
    if name in (PERFECT, NO_MODEL):
        return Named(PERFECT if name == PERFECT else "")
    settings = load_settings(flags={**flags, **({"language.judge": name} if name else {})})
    models = LanguageModels(settings.language)
    if entailment := models.entailment():
        return Named(entailment.id, EntailmentJudge(entailment))
    if model := models.of("judge"):
        client = LlmClient(RoleModels(models), Prompts(), _Forgetful(), settings.language, settings.budget)
        return Named(model.id, ModelJudge(client), models.close)
    return Named()
