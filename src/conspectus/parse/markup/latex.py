"""One LaTeX document as a paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from conspectus.core.errors import EmptyTextError
from conspectus.parse.markup.latex_body import Numbered, Writer
from conspectus.parse.markup.latex_files import Document, from_archive, from_file
from conspectus.parse.markup.latex_metadata import (
    BibEntry,
    Citations,
    authors_of_front,
    bibliography,
    citations_of,
    with_plain_list,
)
from conspectus.parse.markup.latex_scanner import Macros, group_end
from conspectus.parse.people.authors import author_of_name
from conspectus.parse.text.dates import date_in
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi, normal_arxiv_id, normal_doi
from conspectus.parse.text.plain_text import with_accents
from conspectus.records import Author, Block, Metadata, ParsedPaper, Reference

_ARXIV_NAME = re.compile(r"(?:arxiv[-_:]?)?(\d{4}\.\d{4,5})(?:v\d+)?", re.I)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def read_tex(path: Path) -> ParsedPaper:
    """The paper of a main file.

    Raises:
        InputError: It cannot be read, or is no main file (also its subclasses: too large, without text).
    """
    return paper_of_document(from_file(path), path.name)


def read_tex_archive(path: Path) -> ParsedPaper:
    """The paper of an archive, as arXiv gives them.

    Raises:
        InputError: It is damaged or has no LaTeX document in it (also its subclasses: too large, without text).
    """
    paper = paper_of_document(from_archive(path), path.name)
    match = _ARXIV_NAME.match(path.name)
    if match and not paper.metadata.arxiv_id:
        return replace(paper, metadata=replace(paper.metadata, arxiv_id=normal_arxiv_id(match[1])))
    return paper


def paper_of_document(document: Document, name: str) -> ParsedPaper:
    """The paper of a document put together; raises as `read_tex`."""
    text = with_accents(with_plain_list(document.text))
    entries = bibliography(replace(document, text=text, bbl=with_accents(document.bbl)))
    citations = citations_of(entries, text)
    writer = _run_writer(text, name, citations, {})
    writer = _run_writer(text, name, citations, writer.labels)
    references = _references(citations, writer)
    builder = writer.builder
    builder.meaning["\x00note"] = ("footnote", ())
    for label, (_, kind, key, _) in writer.labels.items():
        if kind:
            builder.meaning["label:" + label] = (kind, (key,) if key else ())
    builder.meaning |= {"cite:" + key: ("reference", (reference.key,)) for key, reference in references.items()}
    if references:
        builder.heading("References", 3)
    for reference in references.values():
        builder.reference(reference)
    builder.warnings += [*document.warnings, *_unclosed(writer), *_missing(citations)]
    builder.finish()
    if not any(block.kind in ("paragraph", "abstract") for block in builder.blocks):
        raise EmptyTextError(f"'{name}' has no text in it.", "Add the main file of the document.")
    return builder.paper(_metadata(writer, builder.blocks))


def _run_writer(text: str, name: str, citations: Citations, labels: Mapping[str, Numbered]) -> Writer:
    citations.missing.clear()
    writer = Writer(Macros(name), citations, labels)
    writer.in_document = "\\begin{document}" not in text
    writer.run(text)
    return writer


def _unclosed(writer: Writer) -> list[str]:
    if not writer.macros.unclosed:
        return []
    return ["A brace or an environment is not closed; the text there may be wrong."]


def _missing(citations: Citations) -> list[str]:
    if not citations.missing:
        return []
    if not citations.entries:
        return ["The document has no reference list (.bbl or .bib) next to it, so its citations lead nowhere."]
    count = len(citations.missing)
    return [
        f"The reference list lacks {count} of the entries that are cited."
        if count > 1
        else "The reference list lacks one of the entries that are cited."
    ]


def _metadata(writer: Writer, blocks: list[Block]) -> Metadata:
    front = writer.front

    def words(source: str) -> str:
        return writer.render(_without_notes(source)).text

    date = date_in(words(front.dates[-1])) if front.dates else ""
    keywords = [word.strip(" .") for text in front.keywords for word in re.split(r"[;,·]|\s–\s", words(text))]
    return Metadata(
        title=words(front.titles[-1]) if front.titles else "",
        authors=authors_of_front(front, words),
        abstract="\n\n".join(block.text for block in blocks if block.kind == "abstract"),
        year=int(date[:4]) if date else None,
        date=date,
        doi=normal_doi(words(front.dois[0])) if front.dois else "",
        keywords=tuple(word for word in keywords if word),
        references=tuple(block.text for block in blocks if block.kind == "reference"),
    )


def _without_notes(source: str) -> str:
    """Source of a title or a name without thanks and notes."""
    while match := re.search(r"\\(?:thanks|footnote|titlenote|tnoteref|label)\b\s*\{", source):
        source = source[: match.start()] + source[group_end(source, match.end() - 1) :]
    return source.replace("\\\\", " ")


def _references(citations: Citations, writer: Writer) -> dict[str, Reference]:
    references: dict[str, Reference] = {}
    for number, entry in enumerate(citations.entries.values(), 1):
        reference = _of_fields(entry, writer) if entry.fields is not None else _of_text(entry, writer)
        label = str(number) if citations.by_number else citations.label(entry.key)
        if reference.text:
            references[entry.key] = replace(reference, key=f"b{number}", label=label)
    return references


def _of_text(entry: BibEntry, writer: Writer) -> Reference:
    links = " ".join(re.findall(r"\\(?:href|url|doi|eprint)\s*\{([^{}]*)\}", entry.text))
    text = writer.render(entry.text).text
    url = next((link for link in links.split() if link.startswith("http") and "doi.org/" not in link), "")
    return Reference(
        "",
        text,
        doi=find_doi(links.replace("\\", "")) or find_doi(text),
        arxiv_id=find_arxiv_id(text) or find_arxiv_id(links),
        url=url.replace("\\", "")[:2000],
    )


def _of_fields(entry: BibEntry, writer: Writer) -> Reference:
    """An entry of a `.bib` file, with a text made of its fields."""
    fields = {name: writer.render(value).text for name, value in (entry.fields or {}).items() if value}

    def get(*names: str) -> str:
        return next((fields[name] for name in names if fields.get(name)), "")

    people = _people(fields.get("author", "") or fields.get("editor", ""))
    venue = get("journal", "journaltitle", "booktitle", "publisher", "school", "howpublished", "institution")
    year = _YEAR.search(get("year", "date"))
    pages, volume = get("pages").replace("--", "–"), get("volume")
    where = ", ".join(part for part in (venue, volume, pages) if part)
    names = ", ".join(author.name for author in people)
    text = ". ".join(part for part in (names, get("title"), where) if part)
    eprint = get("eprint")
    return Reference(
        "",
        f"{text} ({year[0]})." if year else f"{text}." if text else "",
        title=get("title"),
        authors=people,
        year=int(year[0]) if year else None,
        venue=venue,
        volume=volume,
        pages=pages,
        doi=normal_doi(get("doi")),
        arxiv_id=normal_arxiv_id(eprint) if eprint else "",
        url=get("url"),
    )


def _people(names: str) -> tuple[Author, ...]:
    parts = (name for name in re.split(r"(?<!\s)\s++and\s++", names) if name and name != "others")
    return tuple(author_of_name(name) for name in parts)
