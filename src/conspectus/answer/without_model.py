"""What an answer made of quotes cannot do: said, or refused, instead of passed over."""

from __future__ import annotations

from conspectus.core.errors import UsageError
from conspectus.records import AskOptions
from conspectus.records.models import Role
from conspectus.settings import LanguageSettings

_NEEDED: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("kind", ("bibliometric", "nuanced")),
    ("agent", (True,)),
)
"""Options with the values for which quotes would be something else than what was asked for."""
_WITHOUT_EFFECT = ("kind", "level", "depth", "strict", "background")
_ANSWERING: tuple[Role, ...] = ("ask", "agent", "judge")
"""Roles of no use without a model that writes; one that summarises has a verb of its own."""


def notes(options: AskOptions, language: LanguageSettings, *, expanding: bool) -> list[str]:
    """What the user is to know of options and settings that have no effect on an answer made of quotes.

    Args:
        options: as the question was asked.
        language: the settings of language models.
        expanding: whether the settings have a model search for more than the question.

    Raises:
        UsageError: an option without which quotes would be something else than what was asked for.
    """
    why = language.none_for("write", options.model)
    _refuse(options, why)
    usual = AskOptions()
    remarks = []
    if idle := [name for name in _WITHOUT_EFFECT if getattr(options, name) != getattr(usual, name)]:
        remarks.append(f"Without a language model these options have no effect: {', '.join(idle)}.")
    if options.language:
        remarks.append(
            f"Quotes stay in the language of their papers: for an answer in '{options.language}', name a language "
            "model that writes it (`model=NAME`), or connect one (`models connect`)."
        )
    if roles := [f"language.{role}" for role in _ANSWERING if not options.model and getattr(language, role)]:
        verb = "is" if len(roles) == 1 else "are"
        remarks.append(
            f"{', '.join(roles)} {verb} set, but no model that writes the answer, so it is made of quotes: "
            "set language.write, or connect one for all roles (`models connect`)."
        )
    if expanding:
        remarks.append(
            "It was searched by the question alone: what search.expand asks for is written by a language model, and "
            f"{why}."
        )
    return remarks


def _refuse(options: AskOptions, why: str) -> None:
    for name, values in _NEEDED:
        if (value := getattr(options, name)) in values:
            subject = f"{name} '{value}'" if isinstance(value, str) else f"option '{name}'"
            raise _needs(f"The {subject}", why)
    if options.second_opinion:
        raise _needs("The option 'second_opinion'", why)


def _needs(what: str, why: str) -> UsageError:
    return UsageError(
        f"{what} needs a language model that writes the answer, and {why}.",
        "Connect one (`models connect`), or name one with `model=NAME`; or leave the option out.",
    )
