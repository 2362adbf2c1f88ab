"""The fields of a record (`title`, `authors`, `year` …) as `Metadata`: for JSON Lines, CSV and Markdown front matter.

Names are taken without regard to case, and `-` or a space for `_`. These other names are understood, unless the
record has the proper one too: `journal` (venue), `author`, `keyword`, `arxiv`, `pubmed_id`, `publication_date`,
`publication_year`, `cited_by_count`, `full_text`. What is not known is kept as `extra` under its own name;
`conspectus`, what users of another library keep about the paper, is no part of it (`library.work_import`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from conspectus.parse.people.authors import authors_of
from conspectus.parse.text.blocks import clean_abstract, clean_line
from conspectus.parse.text.dates import read_date
from conspectus.parse.text.identifiers import identify, normal_arxiv_id, normal_bibcode, normal_doi, normal_pmid
from conspectus.records import Metadata

_SYNONYMS = {
    "journal": "venue",
    "author": "authors",
    "keyword": "keywords",
    "arxiv": "arxiv_id",
    "pubmed_id": "pmid",
    "publication_date": "date",
    "publication_year": "year",
    "cited_by_count": "citation_count",
    "full_text": "text",
}
FIELDS = frozenset(
    [
        *("id", "title", "abstract", "authors", "year", "date", "doi", "arxiv_id", "pmid", "bibcode", "venue"),
        *("keywords", "citation_count", "references", "url", "text", "files", "conspectus"),
    ]
)
_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[T ].*)?")
_EMPTY_DOI = re.compile(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/*|doi\s*:?|[-–—]+|n/?a", re.I)
_SEPARATOR = re.compile(r"(?<!\s)\s*+;\s*+")
_IDENTIFIERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "doi": ("a DOI", normal_doi),
    "arxiv_id": ("an arXiv identifier", normal_arxiv_id),
    "pmid": ("a PubMed identifier", normal_pmid),
    "bibcode": ("a bibcode", normal_bibcode),
}


class FieldError(ValueError):
    """A record that cannot be taken for a paper; the message says which field is why."""


def canonical(names: Mapping[str, Any]) -> dict[str, str]:
    """For each known field that `names` has, the name it goes by there; the proper name goes before a synonym."""
    name_by_field: dict[str, str] = {}
    plain = {name: re.sub(r"[\s-]+", "_", name.strip().lower()) for name in names}
    for name, low in plain.items():
        if low in FIELDS:
            name_by_field.setdefault(low, name)
    for name, low in plain.items():
        if low in _SYNONYMS:
            name_by_field.setdefault(_SYNONYMS[low], name)
    return name_by_field


_MISSING = (None, "", "nan")
"""What programs write where a record has no value."""
_UNCHECKED = ("publication_status", "unchecked")
"""What a table of ours says of a paper that nobody asked about: nothing."""


Description = tuple[dict[str, Any], dict[str, Any]]
"""The fields of a record, and its `extra`."""


def metadata_of(record: Mapping[str, Any]) -> tuple[Metadata, str, list[str]]:
    """The record's metadata, its full text as written ("" if none), and warnings about what was left out.

    Raises:
        FieldError: A field has a type that cannot be meant.
    """
    known = canonical(record)
    values = {field: record[name] for field, name in known.items() if record[name] not in _MISSING}
    known_names = set(known.values())
    warnings: list[str] = []
    year, date = _year_and_date(values, warnings)
    text = values.get("text") or ""
    if not isinstance(text, str):
        raise FieldError(f"the field 'text' must be text, not {_type(text)}")
    metadata = Metadata(
        title=clean_line(_text(values, "title")),
        authors=authors_of(values.get("authors"), FieldError),
        abstract=clean_abstract(_text(values, "abstract")),
        year=year,
        date=date,
        venue=clean_line(_text(values, "venue")),
        keywords=_list(values, "keywords"),
        citation_count=_count(values, warnings),
        references=_list(values, "references"),
        url="" if _is_empty_doi(url := _text(values, "url").strip()) else url,
        external_id=clean_line(_text(values, "id")),
        extra={
            str(name): plain(value)
            for name, value in record.items()
            if name not in known_names and value not in _MISSING and (name, value) != _UNCHECKED
        },
        **_identifiers(values, warnings),
    )
    return metadata, text, warnings


def links_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that the record names as its own, as it writes them."""
    names = record.get(canonical(record).get("files", ""))
    parts = [names] if isinstance(names, str) else names if isinstance(names, list | tuple) else []
    return tuple(dict.fromkeys(part.strip() for part in parts if isinstance(part, str) and part.strip()))


def plain(value: Any) -> Any:
    """`value` of an unknown field with nothing in it that the catalog cannot hold."""
    if isinstance(value, str):
        return value.replace("\x00", " ")
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, int) and abs(value) >= 2**63:
        return str(value)
    return value


def _text(values: Mapping[str, Any], field: str) -> str:
    value = values.get(field)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FieldError(f"the field '{field}' must be text, not {_type(value)}")


def _type(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), f"a {type(value).__name__}")


def _list(values: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = values.get(field)
    if value is None:
        return ()
    parts = _SEPARATOR.split(value) if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise FieldError(f"the field '{field}' must be a list, or text separated by ';', not {_type(value)}")
    return tuple(line for part in parts if (line := clean_line(_element(part, field))))


def _element(part: object, field: str) -> str:
    if isinstance(part, Mapping):  # a reference as an object: the best that names it
        names = ("doi", "arxiv_id", "pmid", "id", "text", "unstructured", "title", "name")
        part = next((part[name] for name in names if part.get(name) and not _is_empty_doi(part[name])), "")
    if part is None:
        return ""
    if isinstance(part, str | int) and not isinstance(part, bool):
        return str(part)
    raise FieldError(f"the field '{field}' must be a list of texts, but one element is {_type(part)}")


def _is_empty_doi(text: object) -> bool:
    """Whether a text is what stands before a DOI without one behind it (`https://doi.org/`, `doi:`), or a dash."""
    return isinstance(text, str) and _EMPTY_DOI.fullmatch(text.strip()) is not None


def _number(values: Mapping[str, Any], field: str) -> int | str | None:
    """The whole number in the field, None if there is nothing, the text itself if that is no number."""
    value = values.get(field)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise FieldError(f"the field '{field}' must be a number, not {_type(value)}")
    if isinstance(value, str):
        text = value.strip().removesuffix(".0")
        return int(text) if re.fullmatch(r"-?\d{1,12}", text, re.ASCII) else value.strip()
    return int(value) if value == value // 1 and abs(value) < 1e12 else str(value)


def _year_and_date(values: Mapping[str, Any], warnings: list[str]) -> tuple[int | None, str]:
    """The year and the date, each made good by the other."""
    date = _date(_text(values, "date"), "date", warnings)
    year = _number(values, "year")
    if isinstance(year, str):
        written = _date(year, "year", warnings)
        date, year = date or written, int(written[:4]) if written else None
    elif year is not None and not _believable(year):
        warnings.append(f"The year {year} cannot be right and was left out.")
        year = None
    if year is None and date:
        year = int(date[:4])
    return year, date


def _date(text: str, field: str, warnings: list[str]) -> str:
    """The date as ISO 8601, as exact as written, or "" with a warning."""
    if not text.strip():
        return ""
    match = _DATE.fullmatch(text.strip())
    if match and _believable(int(match[1])):
        year, month, day = match[1], int(match[2] or 0), int(match[3] or 0)
        try:
            datetime(int(year), month or 1, day or 1, tzinfo=UTC)
        except ValueError:
            pass
        else:
            return year + (f"-{month:02}" if month else "") + (f"-{day:02}" if day else "")
    elif written := read_date(text):
        return written
    warnings.append(f"The {field} '{clean_line(text)[:40]}' could not be understood and was left out.")
    return ""


def _believable(year: int) -> bool:
    return 1000 <= year <= datetime.now(UTC).year + 2


def _count(values: Mapping[str, Any], warnings: list[str]) -> int | None:
    count = _number(values, "citation_count")
    if count is None or (isinstance(count, int) and count >= 0):
        return count if isinstance(count, int) else None
    warnings.append(f"The citation count '{clean_line(str(count))[:40]}' could not be understood and was left out.")
    return None


def _identifiers(values: Mapping[str, Any], warnings: list[str]) -> dict[str, str]:
    """The identifiers that are fit to be one; what the record's own id says counts where a field is missing."""
    identifiers: dict[str, str] = {}
    for field, (what, normalise) in _IDENTIFIERS.items():
        text = _text(values, field).strip()
        if text and not _is_empty_doi(text) and not (identifiers.setdefault(field, normalise(text))):
            warnings.append(f"'{clean_line(text)[:60]}' is not {what} and was left out.")
    for text in (_text(values, "id"), identifiers.get("doi", "")):
        kind, value = identify(text)
        if kind and not identifiers.get(kind):
            identifiers[kind] = value
    return identifiers


def text(value: Any) -> str:
    """A text, or the first of a list of them, or a number; "" for anything else."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return (
        value if isinstance(value, str) else str(value) if isinstance(value, int | float) and value is not True else ""
    )


def value_at(value: Any, path: str) -> Any:
    """What is at `path` (`journal.name`) within objects; None where there is nothing."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def text_at(value: Any, path: str) -> str:
    """The `text` at `path`."""
    return text(value_at(value, path))


def list_at(value: Any, path: str) -> list[Any]:
    """The list at `path`."""
    entries = value_at(value, path)
    return entries if isinstance(entries, list) else []


def objects_at(value: Any, path: str) -> list[Mapping[str, Any]]:
    """The objects in the list at `path`."""
    return objects_in(list_at(value, path))


def objects_in(values: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Those of the values that are objects."""
    return [value for value in values if isinstance(value, Mapping)]


_KINDS = (
    # CSL, BibTeX, RIS
    ("article-journal", "article", "JOUR"),
    ("paper-conference", "inproceedings", "CPAPER"),
    ("book", "book", "BOOK"),
    ("chapter", "incollection", "CHAP"),
    ("thesis", "phdthesis", "THES"),
    ("report", "techreport", "RPRT"),
    ("manuscript", "unpublished", "UNPB"),
    ("dataset", "dataset", "DATA"),
    ("software", "software", "COMP"),
    ("webpage", "online", "ELEC"),
    ("patent", "patent", "PAT"),
    ("preprint", "", "INPR"),
    ("proceedings", "proceedings", "CONF"),
    ("magazine", "", "MGZN"),
    ("newspaper", "", "NEWS"),
    ("document", "misc", "GEN"),
)
_CSL_ONLY = {"preprint": "article", "magazine": "article-magazine", "newspaper": "article-newspaper"}
_KIND_SYNONYMS = {
    "bibtex": {"conference": "inproceedings", "www": "online", "electronic": "online"},
    "ris": {"EJOUR": "JOUR", "JFULL": "JOUR", "EBOOK": "BOOK", "ECHAP": "CHAP", "UNPD": "UNPB", "WEB": "ELEC"},
    "csl": {
        **{csl: ours for ours, csl in _CSL_ONLY.items()},
        **{
            "journal-article": "article-journal",
            "proceedings-article": "paper-conference",
            "posted-content": "preprint",
        },
        **{"book-chapter": "chapter", "monograph": "book", "edited-book": "book", "dissertation": "thesis"},
        **{"JournalArticle": "article-journal", "Conference": "paper-conference", "eprint": "preprint"},
        **{"inproceedings": "paper-conference", "phdthesis": "thesis", "techreport": "report"},
    },
}
_WORDS = {
    "article-journal": "journalarticle article articleinpress articlearticle review j ieeejournals journal journalpaper"
    " reviewarticle earlyaccess ieeeearlyaccessarticles electronicarticle letter editorial erratum shortsurvey"
    " academicjournal journalarticlereview reviewjournal note",
    "magazine": "magazinearticle ieeemagazines magazine",
    "newspaper": "newspaperarticle",
    "paper-conference": "conferencepaper conferenceproceedings conferenceproceedingsarticle proceedingspaper c"
    " ieeeconferences conferencereview proceeding inproceedings proceedingsarticle conferenceabstract meetingabstract"
    " conference",
    "book": "book b wholebook bookwhole editedbook ebook monograph ieeebooks",
    "chapter": "booksection bookchapter chapter s encyclopediaarticle dictionaryentry electronicbooksection"
    " ieeebookchapters",
    "thesis": "thesis dissertation dissertationthesis thesisdissertation",
    "report": "report governmentdocument technicalreport standard",
    "manuscript": "manuscript unpublishedwork unpublished unpublishedmaterial",
    "dataset": "dataset dataarticle datapaper",
    "software": "computerprogram software",
    "webpage": "webpage blogpost forumpost blog onlinemultimedia",
    "patent": "patent p",
    "preprint": "preprint",
    "document": "generic document presentation",
}
"""By our kind, what databases and reference managers call it, without spaces and in small letters."""
_COLUMN = {"csl": 0, "bibtex": 1, "ris": 2}


def kind_of(name: str, language: str) -> str:
    """Our name of a kind of work, which `language` (`csl`, `bibtex`, `ris`) calls `name`."""
    name = _KIND_SYNONYMS[language].get(name, name)
    column = _COLUMN[language]
    return next((row[0] for row in _KINDS if name and row[column] == name), name)


def kind_of_words(text: str) -> str:
    """Our name of a kind that a database or reference manager writes in words (`Journal Article`); "" if unknown."""
    key = re.sub(r"[\W_]+", "", text.casefold())
    return next((kind for kind, words in _WORDS.items() if key in words.split()), "") if key else ""


def kind_in(kind: str, language: str) -> str:
    """What `language` calls our `kind`; "" where it has no name for it."""
    if language == "csl" and kind in _CSL_ONLY:
        return _CSL_ONLY[kind]
    return next((row[_COLUMN[language]] for row in _KINDS if row[0] == kind), "")


_PLAIN_COLON = re.compile(r"(?<!\\):")
_PLAIN_SEMICOLON = re.compile(r"(?<!\\);")
_ESCAPE = re.compile(r"\\([:;\\_&%#$ ~{}])")
_DRIVE = re.compile(r"[A-Za-z]")
_ADDRESS = re.compile(
    r"(?!file:)[a-z][a-z0-9+.-]{1,30}+:(?://|\\\\)|(?:https?|ftp|mailto|doi|urn|data|zotero|javascript):", re.I
)
_KIND = re.compile(r"[\w.+-]+/[\w.+-]+|[A-Za-z][\w +-]{0,20}")
_ROOTED = re.compile(r"(?:home|Users|root|mnt|media|Volumes|export|data)/", re.A)
_LATEX_BACKSLASH = re.compile(r"\{?\$\\backslash\$\}?|\\textbackslash(?:\{\}| )?")
MOST = 100
"""More files of one record are not looked at."""


def bibtex_files(text: str) -> tuple[str, ...]:
    """The paths in a BibTeX `file` field: `desc:path:type;…`, `path;…` or a path."""
    text = _LATEX_BACKSLASH.sub(r"\\", text.strip())
    return _distinct(_entry(part) for part in _PLAIN_SEMICOLON.split(text))


def plain_files(values: Iterable[str]) -> tuple[str, ...]:
    """Paths and `file:` addresses, as RIS and EndNote write them; several in one value apart by `;`."""
    return _distinct(local_path(part) for value in values for part in re.split(r";(?=\s|$|file:|internal-pdf:)", value))


def local_path(text: str) -> str:
    """The path that a plain path or a `file:` address means, with `/` between its parts; "" for other addresses."""
    text = text.strip()
    if text.lower().startswith("file:"):
        text = unquote(text[5:])
        host, slash, rest = text[2:].partition("/") if text.startswith("//") else ("", "", "")
        if host.lower() not in ("", "localhost"):
            return ""
        text = slash + rest if slash else text
        text = text[1:] if re.match(r"/[A-Za-z]:", text) else text
    elif text.lower().startswith("internal-pdf:"):
        return unquote(text[13:].lstrip("/"))
    elif _ADDRESS.match(text):
        return ""
    path = text.replace("\\", "/") if "/" not in text or re.match(r"[A-Za-z]:\\", text) else text
    return "" if path.startswith("//") or "\0" in path else path


def _entry(part: str) -> str:
    """The path in one part of a `file` field."""
    cells = _PLAIN_COLON.split(part.strip())
    cells = _joined_drives(cells)
    if len(cells) == 1:
        return local_path(_unescaped(cells[0]))
    if len(cells) == 2 and (cells[0].lower() in ("file", "internal-pdf") or _ADDRESS.match(part.strip())):
        return local_path(_unescaped(part))
    if len(cells) == 2 and not _KIND.fullmatch(cells[1].strip()):
        return local_path(_unescaped(cells[1]))
    path = _unescaped(cells[1] if len(cells) > 2 or not cells[0].strip() else cells[0])
    mendeley = not cells[0].strip() and cells[-1] == cells[-1].lower() and _ROOTED.match(path)
    return local_path(f"/{path}" if mendeley else path)


def _joined_drives(cells: list[str]) -> list[str]:
    """The cells, with `C` and the path behind its colon as one, as not all programs escape that colon."""
    merged_cells: list[str] = []
    for cell in cells:
        if merged_cells and _DRIVE.fullmatch(merged_cells[-1]) and cell.startswith(("/", "\\")):
            merged_cells[-1] += f":{cell}"
        else:
            merged_cells.append(cell)
    return merged_cells


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(r"\1", text).strip()


def _distinct(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if path))[:MOST]
