"""References to be checked, from a file or text of any kind: a bibliography, a printed list, an answer, a paper."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import replace
from pathlib import Path

from conspectus.core.disk import open_file, possible_path
from conspectus.parse.files.inspection import inspect_file
from conspectus.parse.files.streams import cannot_open
from conspectus.parse.markup.markdown import decode
from conspectus.parse.process.pool import Limits
from conspectus.parse.references.lists import MAX_TEXT, MOST, ReferenceList, references_of_text
from conspectus.parse.registry import readers
from conspectus.records import Metadata, Reference

_TEXTS = ("", ".txt", ".text", ".md", ".markdown")
_LONGEST_NAME = 4096
_KINDS = (
    (r"\s*(?:%[^\n]*\n\s*)*@\s*[A-Za-z]{3,20}\s*[{(]", ".bib"),
    (r"\s*TY  ?- \w", ".ris"),
    (r"\s*PMID- *\d", ".nbib"),
    (r"\s*\{[^\n]*\}\s*\n\s*\{", ".jsonl"),
    (r"\s*[\[{]\s*[\[{\"]", ".json"),
    (r"\s*<(?:\?xml|[A-Za-z!])", ".xml"),
)
"""How bibliographies begin that came as text, and the ending by which their reader is known."""


def references_of(source: str | Path, limits: Limits) -> ReferenceList:
    """The references in a file or a text. A text without line ends that is the name of a file means the file.

    BibTeX, RIS, MEDLINE, CSL-JSON, tables and what other records `add` reads are the references themselves; of a paper
    (PDF, JATS, HTML …) it is the list that it cites.

    Raises:
        InputError: there is no such file, or it cannot be read (also its subclasses).
    """
    path = source if isinstance(source, Path) else _existing_file(source)
    if path is None:
        return _of_text(str(source), limits)
    if path.suffix.lower() in _TEXTS and path.is_file():
        return _of_text(_read(path), limits)
    return _of_file(path, limits)


def _existing_file(text: str) -> Path | None:
    if not text.strip() or len(text) > _LONGEST_NAME or "\n" in text or "\x00" in text:
        return None
    path = possible_path(text)
    return path if os.path.isfile(path) else None  # noqa: PTH113 - a text can be no path at all; this never raises


def _read(path: Path) -> str:
    try:
        with open_file(path) as file:
            return decode(file.read(4 * MAX_TEXT), path.name)[0]
    except OSError as error:
        raise cannot_open(path.name, error) from error


def _of_text(text: str, limits: Limits) -> ReferenceList:
    kind = next((suffix for pattern, suffix in _KINDS if re.match(pattern, text[:2000])), "")
    if not kind:
        return references_of_text(text)
    with tempfile.TemporaryDirectory(prefix="conspectus-") as folder:
        path = Path(folder) / f"references{kind}"
        path.write_text(text, "utf-8", errors="replace")
        return _of_file(path, limits)


def _of_file(path: Path, limits: Limits) -> ReferenceList:
    inspection = inspect_file(path, limits, most=MOST)
    notes = [*inspection.notes, *([f"Only the first {MOST:,} records were taken."] if inspection.more else [])]
    if len(inspection.papers) == 1 and any(
        reader.one_paper for reader in readers() if reader.name == inspection.reader
    ):
        return ReferenceList(inspection.papers[0].references, tuple(notes))
    references = []
    for number, paper in enumerate(inspection.papers, 1):
        reference = _of_metadata(paper.metadata, f"b{number}")
        references.append(reference)
        notes += [f"{reference.label or reference.key}: {warning}" for warning in paper.warnings]
    return ReferenceList(tuple(references), tuple(notes))


def _of_metadata(known: Metadata, key: str) -> Reference:
    head = " ".join(part for part in (known.byline, f"({known.year})" if known.year else "") if part)
    where = f"doi:{known.doi}" if known.doi else f"arXiv:{known.arxiv_id}" if known.arxiv_id else ""
    text = ". ".join(part.rstrip(".") for part in (head, known.title, known.venue, where) if part)
    reference = Reference(key, text, known.external_id, known.title, known.authors, known.year, known.venue)
    return replace(reference, doi=known.doi, arxiv_id=known.arxiv_id, pmid=known.pmid, url=known.url)
