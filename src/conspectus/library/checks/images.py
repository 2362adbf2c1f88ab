"""The check of collections of images."""

from __future__ import annotations

from conspectus.catalog import images
from conspectus.core.errors import ConspectusError
from conspectus.library.session import Session
from conspectus.records import Finding


def vectors(session: Session) -> Finding | None:
    """Images whose vectors are not of the encoder set, which searches leave out."""
    made = images.encoders(session.catalog)
    if not made:
        return None
    total = sum(made.values())
    try:
        encoder = session.encoder.id
    except ConspectusError as error:
        return Finding("images", False, error.message, error.hint)
    if others := total - made.get(encoder, 0):
        detail = f"{others} of {total} have vectors of {', '.join(sorted(made.keys() - {encoder}))}, not of {encoder}"
        return Finding("images", False, detail, "`images add FILES…` makes them anew, or set models.encoder back")
    return Finding("images", True, f"{total}, all by {encoder}")
