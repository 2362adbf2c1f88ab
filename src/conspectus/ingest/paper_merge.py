"""How documents of one paper are merged, and whether two documents that share an identifier are of one work."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from conspectus.ingest.work_identity import has_distinct_title, is_preprint, notice_word, service_of
from conspectus.parse.text.titles import DISTINCT_WORDS, LEAST_WORDS, holds_title, same_title, similarity, title_words
from conspectus.records import Author, Metadata, ParsedPaper, normal_name
from conspectus.records.paper import without_mark
from conspectus.store.rows import StoredDocument


def paper_id(identity: tuple[str, str], salt: int = 0) -> str:
    """A paper's id, ten letters and digits made from what it is known by."""
    from base64 import b32encode

    raw = hashlib.blake2b("\0".join((*identity, str(salt))).encode(), digest_size=10).digest()
    return b32encode(raw).decode().lower()[:10]


SERVICES = (
    *("crossref", "pubmed", "europepmc", "pmc", "ads", "datacite", "openalex", "semanticscholar", "arxiv"),
    *("unpaywall", "zotero"),
)
"""Whose record gives a field of a paper, of several services: the first of these that has it."""


def merge(documents: Sequence[StoredDocument]) -> ParsedPaper:
    """One paper out of its documents.

    Metadata is taken field by field from the first that has it: what was written by hand, whatever it says, then the
    user's own records, then their files with a full text (the fields of records are entered, not read off a page),
    then records of `SERVICES`, then downloaded full texts; the text from a full text with pages before one without
    before a record.
    """
    if len(documents) == 1 and _says_all(documents[0]):
        return documents[0].parsed
    best = text_document(documents).parsed
    values = dict(_merge_fields(documents)[0])
    values["external_id"] = values["external_id"] or _external_id(values, text_document(documents))
    values["references"] = values["references"] or tuple(reference.text for reference in best.references)
    return replace(best, metadata=Metadata(**values))


def _says_all(document: StoredDocument) -> bool:
    """Whether a document, if it is a paper's only one, is already the merged paper."""
    metadata = document.parsed.metadata
    is_complete = metadata.external_id and (metadata.references or not document.parsed.references)
    return bool(is_complete) and not document.edits and metadata.extra.keys().isdisjoint(_MERGED)


def origins(documents: Sequence[StoredDocument]) -> dict[str, StoredDocument]:
    """Field of the merged paper -> the document that gives it; fields written by hand are left out."""
    return _merge_fields(documents)[1]


def _merge_fields(documents: Sequence[StoredDocument]) -> tuple[dict[str, Any], dict[str, StoredDocument]]:
    """What a paper's documents say together, and which document gives which field."""
    ordered = sorted(documents, key=_metadata_rank)
    values: dict[str, Any] = {}
    source_by_field: dict[str, StoredDocument] = {}
    for document in ordered:
        for name in Metadata.__dataclass_fields__:
            value = getattr(document.parsed.metadata, name)
            if name == "date" and service_of(document) and values.get("year") not in (None, _year_of(value)):
                value = ""  # of another version than the year
            if value and name not in source_by_field and name != "extra":
                source_by_field[name] = document
            values[name] = values.get(name) or value
    values["extra"] = _merge_extra(ordered)
    counted = [
        document
        for document in ordered
        if _count_date(document) and document.parsed.metadata.citation_count is not None
    ]
    if counted:
        newest = max(counted, key=_count_date)
        values["citation_count"], source_by_field["citation_count"] = newest.parsed.metadata.citation_count, newest
        values["extra"] |= {"counted": _count_date(newest), "counted_by": service_of(newest)}
    for document in reversed(documents):  # of papers that became one, the oldest comes first
        values |= document.edits
        if "citation_count" in document.edits:
            values["extra"] = {name: value for name, value in values["extra"].items() if name not in _OF_COUNT}
        for name in document.edits:
            source_by_field.pop(name, None)
    return values, source_by_field


def _metadata_rank(document: StoredDocument) -> tuple[Any, ...]:
    """The user's own records, then their texts, then services' records, of an article before a preprint, then others'
    texts."""
    service, place = service_of(document), PurePath(document.path).parts
    downloaded = _DOWNLOADED in pairwise(place)
    if not service:
        return 3 if downloaded else document.parsed.has_full_text, False, 0, document.path, document.ordinal
    order = SERVICES.index(service) if service in SERVICES else len(SERVICES)
    return 2, is_preprint(document.parsed.metadata), order, document.path, document.ordinal


_OF_COUNT = ("counted", "counted_by")
"""What is said of a citation count besides: its date and its source."""
_MERGED = {*_OF_COUNT, "service", "notices", "checked", "versions"}
"""The names in `extra` by which `merge` goes."""
_DOWNLOADED = ("online", "files")
"""The folders in a library in which downloaded texts lie."""


def _count_date(document: StoredDocument) -> str:
    date = document.parsed.metadata.extra.get("counted")
    return date if isinstance(date, str) else ""


def _year_of(date: str) -> int | None:
    return int(date[:4]) if date[:4].isdecimal() else None


def _merge_extra(ordered: Sequence[StoredDocument]) -> dict[str, Any]:
    """What documents say besides, from the first that says it; notices and versions of all, the newest check."""
    extras = [document.parsed.metadata.extra for document in ordered]
    extra = {name: value for fields in reversed(extras) for name, value in fields.items()}
    if any("notices" in fields for fields in extras):
        listed = [
            notice for fields in extras if isinstance(fields.get("notices"), list) for notice in fields["notices"]
        ]
        unique = {repr(notice): notice for notice in listed if isinstance(notice, Mapping)}
        extra["notices"] = sorted(unique.values(), key=lambda notice: (str(notice.get("date") or ""), repr(notice)))
    if any("checked" in fields for fields in extras):
        extra["checked"] = max(str(fields.get("checked") or "") for fields in extras)
    if any(isinstance(fields.get("versions"), Mapping) for fields in extras):
        versions = [fields["versions"] for fields in extras if isinstance(fields.get("versions"), Mapping)]
        extra["versions"] = {name: value for mapping in reversed(versions) for name, value in mapping.items()}
    if len(ordered) > 1 and extra.get("service") and not all("service" in fields for fields in extras):
        del extra["service"]  # the user's files say it, too
    return extra


def text_document(documents: Sequence[StoredDocument]) -> StoredDocument:
    """The document whose text is the paper's."""
    return _by_text(sorted(documents, key=lambda document: (document.path, document.ordinal)))[0]


def _by_text(ordered: Sequence[StoredDocument]) -> list[StoredDocument]:
    """The best text first; of equals what a record names first, so that a supplement comes behind its article."""
    paths = list(dict.fromkeys(path for document in ordered for path in document.linked))
    position = {path: number for number, path in enumerate(paths)}
    return sorted(ordered, key=lambda document: (_text_rank(document), position.get(document.path, len(paths))))


def _text_rank(document: StoredDocument) -> int:
    if not document.parsed.has_full_text:
        return 2
    return 0 if document.parsed.pages else 1


def _external_id(values: dict[str, Any], document: StoredDocument) -> str:
    identifiers = (values[scheme] for scheme in ("doi", "arxiv_id", "pmid"))
    return next((value for value in identifiers if value), PurePath(document.path).name)


ENTERED_TITLES = 0.6
"""The similarity from which titles of records with one identifier are not clearly different: people shorten them."""
_NAMES = 0.8
"""The similarity from which two surnames are spellings of one."""
_HEAD = 3000
"""Characters of a text in which its title and authors stand, if anywhere."""
_DISTINCT = 12
"""Letters of a title that does not stand in a text by chance."""
_TAIL = re.compile(r"(?<!\s)\s*+[(\[][^()\[\]]{0,80}[)\]]\s*+$")
_NUMBER = re.compile("[0-9]+|[ivx]+")
_KICKER = re.compile(r"\A(?:comment|commentary|discussion)s?:\s*", re.I)
"""What journals print above a title: records have it as a part of this, and a text does not."""


def agree(ours: StoredDocument, other: StoredDocument) -> bool | None:
    """Whether two documents that share an identifier are of one work; None where they say too little to tell.

    Two records, whose identifiers were entered, are unless their titles are clearly different. Where one of them was
    read off a text its title has to be the same and, as far as both say them, an author or the year.
    """
    same = _titles(ours, other)
    entered = not (is_read(ours) or is_read(other))
    if entered and same and (service_of(ours) or service_of(other)) and not _agree_online(ours, other):
        return False
    if entered or same is False:
        return same
    authors, years = _authors(ours, other), _years(ours, other)
    if authors or (years and same):
        return True
    if False in (authors, years):
        return False
    return same if same or _compares_little(ours, other) else False


def _agree_online(document: StoredDocument, other: StoredDocument) -> bool:
    """Whether records of services, which mix up works, agree in more than a title that many have."""
    distinct = all(has_distinct_title(each.parsed.metadata) for each in (document, other))
    return distinct or False not in (_authors(document, other), _years(document, other))


def is_read(document: StoredDocument) -> bool:
    """Whether its fields were read off a text, not entered."""
    return document.parsed.has_full_text


def _compares_little(document: StoredDocument, other: StoredDocument) -> bool:
    """Whether no title can be compared for what a record lacks, or for another script."""
    both = document.parsed.metadata.title and other.parsed.metadata.title
    return bool(both) or any(not is_read(each) and not each.parsed.metadata.title for each in (document, other))


def _titles(document: StoredDocument, other: StoredDocument) -> bool | None:
    first, second = document.parsed.metadata.title, other.parsed.metadata.title
    first, second = map(without_mark, (first, second))
    if not first or not second:
        untitled, title = (document, second) if second else (other, first)
        return True if title and is_read(untitled) and _stands(title, _head(untitled)) else None
    if is_read(document) != is_read(other):
        first, second = (_KICKER.sub("", title) for title in (first, second))
    if notice_word(first) != notice_word(second):
        return False
    if _script(first) != _script(second):
        return None
    return _same_title(first, second, entered=not (is_read(document) and is_read(other)))


def _same_title(first: str, second: str, *, entered: bool) -> bool:
    first, second = _TAIL.sub("", first) or first, _TAIL.sub("", second) or second
    both = zip(title_words(first), title_words(second), strict=False)
    if any(word != other and _NUMBER.fullmatch(word) and _NUMBER.fullmatch(other) for word, other in both):
        return False  # "… I" and "… II"
    if same_title(first, second):
        return True
    short, long = sorted((title_words(first), title_words(second)), key=lambda words: (len(words), words))
    if short and long[: len(short)] == short:
        cut = entered or (len(short) >= LEAST_WORDS and len("".join(short)) >= _DISTINCT)
        return cut and not _NUMBER.fullmatch(long[len(short)])
    if any(_NUMBER.fullmatch(word) for word in {*short} ^ {*long}):
        return False  # parts of a series
    if entered and similarity(first, second) >= ENTERED_TITLES:
        return True
    return _stands(first, second) or _stands(second, first)


def _stands(title: str, text: str) -> bool:
    """Whether a title stands in a text: one of several words also where spaces and signs were read otherwise."""
    words = title_words(title)
    if len(words) >= DISTINCT_WORDS and holds_title(text, title):
        return True
    letters = "".join(words)
    return len(words) >= LEAST_WORDS and len(letters) >= _DISTINCT and letters in "".join(title_words(text[:_HEAD]))


def _head(document: StoredDocument) -> str:
    return " ".join(block.text for block in document.parsed.blocks[:12])[:_HEAD]


def _script(text: str) -> bool:
    """Whether most letters are Latin or Greek, as titles with symbols are."""
    letters = [char for char in text if char.isalpha()]
    return sum(char < "\u0400" or "\u1e00" <= char < "\u2000" for char in letters) * 2 >= len(letters)


def _authors(document: StoredDocument, other: StoredDocument) -> bool | None:
    """Whether they have an author in common, by surname; also where a text's authors were not told from its words."""
    ours, theirs = document.parsed.metadata.authors, other.parsed.metadata.authors
    if not ours or not theirs:
        unsigned, authors = (document, theirs) if theirs else (other, ours)
        return True if authors and is_read(unsigned) and _signed(unsigned, authors) else None
    first, second = _surnames(ours), _surnames(theirs)
    if _script("".join(first)) != _script("".join(second)):
        return None
    return not set(first).isdisjoint(second) or any(_alike(name, known) for name in first[:5] for known in second[:5])


def _signed(document: StoredDocument, authors: Iterable[Author]) -> bool:
    words = set(normal_name(_head(document)).split())
    return any(name in words for name in _surnames(authors) if len(name) > 2)


def _surnames(authors: Iterable[Author]) -> list[str]:
    """The last words of the surnames, umlauts written out as without."""
    names = (normal_name(author.surname).split() for author in list(authors)[:50])
    return [re.sub("(?<=[aou])e", "", words[-1]) for words in names if words]


def _alike(name: str, other: str) -> bool:
    if name == other:
        return True
    both = min(len(name), len(other)) >= 4 and name[0] == other[0]
    return both and difflib.SequenceMatcher(None, name, other, autojunk=False).ratio() >= _NAMES


def _years(document: StoredDocument, other: StoredDocument) -> bool | None:
    first, second = document.parsed.metadata.year, other.parsed.metadata.year
    return None if first is None or second is None else abs(first - second) <= 1
