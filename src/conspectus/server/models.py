"""Which language models a request may name: it could have the server send papers, or its own requests, anywhere."""

from __future__ import annotations

from pydantic import BaseModel

from conspectus.core.errors import ForbiddenError
from conspectus.library import Library
from conspectus.library.library_settings import is_askable

FIELDS = ("model", "second_opinion")


def check(library: Library, given: BaseModel) -> None:
    """Refuse a request for a model at an address, or in a file, that the settings do not name.

    Raises:
        ForbiddenError: it names one.
    """
    for name in (*(getattr(given, field, "") or "" for field in FIELDS), *getattr(given, "models", ())):
        if not is_askable(library.session, name):
            raise ForbiddenError(
                f"'{name}' is not a model that may be asked for from here.",
                "Set it in your configuration (`language.model`, or that of a role), or name one of a provider.",
            )
