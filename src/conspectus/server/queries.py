"""Parameters of an address that its route does not have are refused: a filter with a slip in it would be none."""

from __future__ import annotations

import difflib

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Query


async def refuse_unknown(request: Request) -> None:
    """A dependency of every route of the API.

    Raises:
        RequestValidationError: what is asked has a parameter that the route does not know.
    """
    asked = request.query_params.keys()
    if not asked:
        return
    fields = get_flat_params(request.scope["route"].dependant)
    known = sorted(field.alias for field in fields if isinstance(field.field_info, Query))
    for name in asked:
        if name not in known:
            raise RequestValidationError([_told(name, known)])  # of a thousand, the first


def _told(name: str, known: list[str]) -> dict[str, object]:
    near = difflib.get_close_matches(name, known, n=1)
    said = "there is no such parameter here" + (f"; the nearest is '{near[0]}'" if near else "")
    remedy = f"There are: {', '.join(known)}." if known else "This address takes none."
    return {"type": "extra_forbidden", "loc": ("query", name), "msg": said, "remedy": remedy}
