"""Short names of concepts: CURIEs (`UBERON:0000955`) of IRIs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conspectus.core.characters import line

_OBO = re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z]+)_([0-9A-Za-z_-]+)$")
_NUMBERED = re.compile(r"[/#]([A-Za-z]+)_(\d+)$")
"""EFO, Orphanet, the NCI Thesaurus and others after OBO's manner."""
_MESH = re.compile(r"https?://id\.nlm\.nih\.gov/mesh/(?:\d{4}/)?([A-Z]\d+)$")
_UNFIT = re.compile(r"[^\w.-]+")


class Curies:
    """Gives each id one CURIE, and no two the same.

    Args:
        vocabulary: whose name stands before what has no prefix.
        prefixes: namespace -> prefix, as files declare them.
    """

    def __init__(self, vocabulary: str, prefixes: Mapping[str, str]) -> None:
        self._own = _UNFIT.sub("_", vocabulary)
        self._prefixes = {
            space: prefixes[space] for space in sorted(prefixes, key=len, reverse=True) if prefixes[space]
        }
        self._made: dict[str, str] = {}
        self._given: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The CURIE of an IRI, of an id that is one already, or of a bare one; an IRI itself where another has it."""
        if (made := self._made.get(name)) is None:
            made = line(self._short(name) if "://" in name or name.startswith("urn:") else self._bare(name))
            if self._given.setdefault(made, name) != name:
                made = name
            self._made[name] = made
        return made

    def _bare(self, name: str) -> str:
        return name if ":" in name else f"{self._own}:{name}"

    def _short(self, iri: str) -> str:
        if found := _OBO.match(iri):
            return f"{found[1]}:{found[2]}"
        if found := _MESH.match(iri):
            return f"MESH:{found[1]}"
        space = next((one for one in self._prefixes if one and iri.startswith(one)), "")
        if space and (local := iri[len(space) :]) and not set(local) & set("/#?"):
            return f"{self._prefixes[space]}:{local}"
        if found := _NUMBERED.search(iri):
            return f"{found[1]}:{found[2]}"
        last = re.split(r"[/#?]", iri.rstrip("/#?"))[-1]
        return f"{self._own}:{last}" if last else iri
