"""A map as a file of its own: the page's drawing, with all that it shows packed in; nothing comes from elsewhere."""

from __future__ import annotations

import gzip
from base64 import b64encode
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from conspectus.wire import encode, html

if TYPE_CHECKING:
    from conspectus.records.atlas import Atlas, Overlay

BUNDLE = files("conspectus") / "web_static" / "map_file"
STILL = "This installation carries no page (it was made without Node.js): the file is a picture that stands still."


def is_still() -> bool:
    """Whether there is nothing here that could draw it anew: then the file has a picture of at most 5,000 texts."""
    return not (BUNDLE / "map.js").is_file()


def map_file(found: Atlas, name: str, overlay: Overlay | None = None) -> str:
    """The map as a document: to move and to look into, with titles to search by.

    Args:
        found: the map.
        name: of what.
        overlay: what is shown on it.
    """
    if is_still():
        return html.made("map_file", name=name, still=html.atlas(found, overlay), styles="", packed="", script="")
    whole = {
        "name": name,
        "map": encode.atlas(found),
        "titles": list(found.titles),
        "points": b64encode(encode.map_points(found)).decode(),
        "overlay": overlay and encode.body(overlay),
    }
    packed = b64encode(gzip.compress(msgspec.json.encode(whole), 6, mtime=0)).decode()
    styles, script = ((BUNDLE / f"map.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return html.made("map_file", name=name, still="", styles=styles, packed=packed, script=script)
