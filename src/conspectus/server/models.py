"""Which language models a request may name: it could have the server send papers, or its own requests, anywhere."""

from __future__ import annotations

from dataclasses import fields

from pydantic import BaseModel

from conspectus.core.errors import UntrustedError
from conspectus.library import Library
from conspectus.models.languages.names import is_served

FIELDS = ("model", "second_opinion")


def check(library: Library, given: BaseModel) -> None:
    """Refuse a request for a model at an address, or in a file, that the library's settings do not name.

    Raises:
        UntrustedError: it names one.
    """
    language = library.settings.language
    known = {"", "none", *library.session.given.models, *(getattr(language, field.name) for field in fields(language))}
    for name in (*(getattr(given, field, "") for field in FIELDS), *getattr(given, "models", ())):
        if name not in known and not is_served(name):
            raise UntrustedError(
                f"'{name}' is not a model that may be asked for from here.",
                "Set it in the library's settings (`language.model`, or that of a role), or name one of a provider.",
            )
