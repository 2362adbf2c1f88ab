"""Well-known vocabularies: where they come from, what they cost, and under which licence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.errors import NotFoundError
from conspectus.core.job_context import emit
from conspectus.records import normal_name
from conspectus.records.events import Progress
from conspectus.records.vocabularies import KnownVocabulary, Vocabulary

if TYPE_CHECKING:
    from conspectus.services.download import DownloadedFile

_OBO = "https://purl.obolibrary.org/obo/"
_NIF = "https://raw.githubusercontent.com/SciCrunch/NIF-Ontology/master/ttl/"
_NIF_FILES = ("Molecule", "GrossAnatomy", "Organism", "Dysfunction", "Cell", "Subcellular", "Function", "Investigation")
KNOWN: tuple[KnownVocabulary, ...] = (
    KnownVocabulary(
        *("nifstd", "NIFSTD", "neuroscience: molecules, cells, regions, functions, disorders", "CC BY 4.0"),
        *(6.4, tuple(f"{_NIF}NIF-{name}.ttl" for name in _NIF_FILES)),
    ),
    KnownVocabulary("uberon", "UBERON", "anatomy of animals", "CC BY 3.0", 15, (f"{_OBO}uberon.obo",)),
    KnownVocabulary("cl", "Cell Ontology", "kinds of cells", "CC BY 4.0", 4, (f"{_OBO}cl/cl-basic.obo",)),
    KnownVocabulary("mondo", "MONDO", "diseases", "CC BY 4.0", 50, (f"{_OBO}mondo.obo",)),
    KnownVocabulary(
        *("mesh", "MeSH 2026", "biomedicine: the headings of PubMed", "free, naming the NLM", 20),
        ("https://nlmpubs.nlm.nih.gov/projects/mesh/MESH_FILES/xmlmesh/desc2026.gz",),
        ".xml.gz",
    ),
    KnownVocabulary(
        *("uat", "Unified Astronomy Thesaurus", "astronomy and astrophysics", "CC BY-SA 3.0", 3.2),
        ("https://raw.githubusercontent.com/astrothesaurus/UAT/master/UAT.rdf",),
    ),
    KnownVocabulary(
        *("go", "Gene Ontology", "functions, processes and places of gene products", "CC BY 4.0", 32),
        (f"{_OBO}go/go-basic.obo",),
    ),
    KnownVocabulary(
        *("chebi", "ChEBI", "chemicals of biological interest", "CC BY 4.0", 60), (f"{_OBO}chebi/chebi_lite.obo",)
    ),
)
_MOST = 2**30
"""Bytes of a file."""
_SECONDS = 3600.0


def list_known(there: Iterable[Vocabulary]) -> tuple[KnownVocabulary, ...]:
    """All of them, and which the library has."""
    names = {normal_name(vocabulary.name) for vocabulary in there}
    return tuple(replace(vocabulary, is_added=normal_name(vocabulary.name) in names) for vocabulary in KNOWN)


def find_known(name: str) -> KnownVocabulary:
    """The vocabulary of a name or title, in any case.

    Raises:
        NotFoundError: it is not one of them.
    """
    term = normal_name(name)
    for vocabulary in KNOWN:
        if term in (normal_name(vocabulary.name), normal_name(vocabulary.title)):
            return vocabulary
    names = ", ".join(vocabulary.name for vocabulary in KNOWN)
    raise NotFoundError(f"'{name}' is none of the well-known vocabularies.", f"They are {names}; add others by file.")


def fetch_known(vocabulary: KnownVocabulary, folder: Path) -> list[Path]:
    """Download its files into a folder; those that are there as they are now are not sent again.

    Raises:
        ServiceAwayError: one did not come now; what did is kept.
        ServiceError: one is refused.
        LibraryError: the folder cannot be written.
    """
    return [_fetch(vocabulary, number, folder).path for number in range(len(vocabulary.addresses))]


def _fetch(vocabulary: KnownVocabulary, number: int, folder: Path) -> DownloadedFile:
    from conspectus.services.download import download

    url = vocabulary.addresses[number]
    emit(Progress("fetching", number, len(vocabulary.addresses), "files", vocabulary.title))
    ending = vocabulary.ending or Path(url).suffix
    return download(url, folder, most_bytes=_MOST, timeout=_SECONDS, trusted=(url,), expect=("",), ending=ending)
