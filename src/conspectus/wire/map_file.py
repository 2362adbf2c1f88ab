"""A map as a file of its own: the page's drawing, with all that it shows packed in; nothing comes from elsewhere."""

from __future__ import annotations

import gzip
from base64 import b64encode
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from conspectus.wire import encode, html

if TYPE_CHECKING:
    from conspectus.records.atlas import Atlas

BUNDLE = files("conspectus") / "web_static" / "map_file"
STILL = "This installation has no web page (it was built without Node.js), so the file is a static picture."


def is_still() -> bool:
    """Whether there is nothing here that could draw it anew: then the file has a picture of at most 5,000 texts."""
    return not (BUNDLE / "map.js").is_file()


def map_file(found: Atlas, name: str) -> str:
    """The map of `name` as a document: to move and to look into, with titles to search by, and with its overlay."""
    if is_still():
        return html.render_template("map_file", name=name, still=html.atlas(found), styles="", packed="", script="")
    whole = {
        "name": name,
        "map": encode.body(replace(found, overlay=None)),
        "titles": list(found.titles),
        "points": b64encode(encode.map_points(found)).decode(),
        "overlay": None if found.overlay is None else encode.body(found.overlay),
    }
    packed = b64encode(gzip.compress(msgspec.json.encode(whole), 6, mtime=0)).decode()
    styles, script = ((BUNDLE / f"map.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return html.render_template("map_file", name=name, still="", styles=styles, packed=packed, script=script)
