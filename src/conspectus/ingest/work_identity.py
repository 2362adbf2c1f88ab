"""Whether documents without a common identifier are of one work, and which are versions: for records of services.

A title alone says little: "Preface" has hundreds of papers, a group gives one title to a talk and to an article. So
authors and year have to agree, and nothing that both say may differ: identifiers, kind, venue, volume, pages, abstract.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest

from conspectus.parse.text.identifiers import find_arxiv_id, normal_arxiv_id, normal_doi
from conspectus.parse.text.titles import main_title, title_words
from conspectus.records import Author, Metadata, normal_name
from conspectus.store.rows import SCHEMES, Name, StoredDocument, identifiers

PREPRINT_DOIS = (
    *("10.48550/", "10.1101/", "10.64898/", "10.2139/ssrn", "10.21203/rs.", "10.26434/chemrxiv", "10.20944/preprints"),
    *(
        "10.31234/",
        "10.31219/",
        "10.31222/",
        "10.31223/",
        "10.35542/",
        "10.36227/techrxiv",
        "10.22541/",
        "10.1002/essoar",
    ),
)
"""How DOIs of servers of preprints begin."""
_DISCUSSION = re.compile(r"10\.5194/[a-z]+(?:d-\d+-\d+-\d{4}|-\d{4}-\d+|sphere-\d{4}-\d+)$")
"""A paper under open review: `10.5194/acp-2020-1`, `10.5194/acpd-9-1-2009`; the article is `10.5194/acp-20-1-2020`."""
_SERVERS = re.compile(r"(?:arxiv|(?:bio|med|chem|psy|eng|techr|soc)\w*rxiv|ssrn|research square|preprints)\b", re.I)
_NOTICE_FIRST = re.compile(
    r"\W*(?:(?:author|publisher)'?s?'? |editorial )?(?:"
    r"(correction|retraction|withdrawal|removal|repl(?:y|ies)|response|comment(?:ary)?|discussion)s?(?: notice| note)?"
    r"(?: ?[:\[\]()]| (?:to|on)\b| of:? ?[\"'`“‘])"
    r"|(corrigend|errat(?:um|a)\b|addend|retracted|withdrawn|removed|rejoinder|expression of concern|book review"
    r"|review of|notice of))",
    re.I,
)
_NOTICE_LAST = re.compile(
    r"(?:[:.?!(\[–—]|\s-|--)\s*(?:an? )?(errat(?:um|a)|corrigend(?:um|a)|correction|addend(?:um|a)|retract|withdrawn"
    r"|repl(?:y|ies)|response|rejoinder|comment|discussion)\w{0,3}\W*$",
    re.I,
)
"""Of 356,000 titles of arXiv and PubMed 1,400 match: notices, and hardly any title that only has such a word."""
_PART = re.compile(r"(?:[0-9]+(?:st|nd|rd|th)?|[ivx]+|part|paper|chapter|vol(?:ume)?|first|second|third)$")
_LONGEST = 300
_WORDS, _LETTERS = 4, 18
_KEY_LETTERS = 40
_SAME_ABSTRACT, _OTHER_ABSTRACT = 0.6, 0.4
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("paper-conference", "inproceedings", "proceedings-article", "conference"), "conference"),
    **dict.fromkeys(("dataset", "data", "supplement", "component", "figure", "software"), "data"),
    **dict.fromkeys(("chapter", "book-chapter", "incollection", "inbook"), "chapter"),
    **dict.fromkeys(("book", "monograph", "collection", "proceedings"), "book"),
    **dict.fromkeys(("thesis", "dissertation", "phdthesis"), "thesis"),
    **dict.fromkeys(("article", "article-journal", "journal-article", "review", "review-article"), "article"),
    **dict.fromkeys(("preprint", "posted-content", "eprint"), "preprint"),
    **dict.fromkeys(("erratum", "corrigendum", "retraction", "letter", "editorial", "peer-review"), "notice"),
}


def service_of(document: StoredDocument) -> str:
    """The service whose record a document is; "" for a user's own file."""
    return str(document.parsed.metadata.extra.get("service") or "")


def title_name(document: StoredDocument) -> Name | None:
    """By what a document finds others of its title and first author; None where its title is many papers'."""
    metadata = document.parsed.metadata
    if not metadata.authors or not has_distinct_title(metadata):
        return None
    people = _forms(metadata.authors[0])
    head = "".join(title_words(main_title(metadata.title)))[:_KEY_LETTERS]
    return ("title", _digest(f"{head}\0{people[-1]}")) if people else None


def version_names(document: StoredDocument) -> tuple[Name, ...]:
    """The identifiers of other versions of its work that a record names, as names of papers."""
    return tuple(("version", _digest(f"{scheme}\0{value}")) for scheme, value in read_versions(document))


def own_version_names(document: StoredDocument) -> tuple[Name, ...]:
    """What a record that names this document as another version of its work is known by."""
    names = (name for name in document.identities if name[0] in ("doi", "arxiv_id"))
    return tuple(("version", _digest(f"{scheme}\0{value}")) for scheme, value in names)


def read_versions(document: StoredDocument) -> list[Name]:
    """The identifiers of other versions of its work that a record of a service names."""
    versions = document.parsed.metadata.extra.get("versions")
    if not isinstance(versions, Mapping) or not service_of(document):
        return []
    listed = (entry for value in versions.values() for entry in (value if isinstance(value, list) else [value]))
    texts = [entry for entry in listed if isinstance(entry, str) and len(entry) < _LONGEST]
    names = [("doi", normal_doi(text)) for text in texts] + [("arxiv_id", find_arxiv_id(text)) for text in texts]
    names += [("arxiv_id", normal_arxiv_id(text)) for text in texts]
    return list(dict.fromkeys((scheme, value.lower()) for scheme, value in names if value))


def has_distinct_title(metadata: Metadata) -> bool:
    """Whether a title, with an author and a year, is one work's own."""
    words = title_words(metadata.title)
    return len(words) >= _WORDS and len("".join(words)) >= _LETTERS and not notice_word(metadata.title)


def notice_word(title: str) -> str:
    """How the word begins by which a title says that its work is about another: `corri`, `reply`; "" if it does not."""
    match = _NOTICE_FIRST.match(title) or _NOTICE_LAST.search(title)
    return next(filter(None, match.groups()))[:5].lower() if match else ""


def is_preprint(metadata: Metadata) -> bool:
    """Whether a record is of a preprint or of a paper under open review, by its kind, DOI or venue."""
    doi = metadata.doi.lower()
    if _kind(metadata) == "preprint" or doi.startswith(PREPRINT_DOIS) or _DISCUSSION.match(doi):
        return True
    return bool(_SERVERS.match(metadata.venue)) or bool(metadata.arxiv_id and not metadata.venue and not doi)


def same_by_title(document: StoredDocument, other: StoredDocument, *, is_shared: bool = False) -> bool:
    """Whether two documents without a common identifier are of one work.

    `is_shared`: other works are known to have the title; then page or abstract have to agree.
    """
    ours, theirs = document.parsed.metadata, other.parsed.metadata
    services = service_of(document), service_of(other)
    if not _may_be_one(document, other) or identifiers_differ([document], [other]):
        return False
    if is_preprint(ours) != is_preprint(theirs) or not (has_distinct_title(ours) and has_distinct_title(theirs)):
        return False
    if not same_people(ours.authors, theirs.authors) or not _nothing_differs(ours, theirs):
        return False
    alone = all(services) and min(len(ours.authors), len(theirs.authors)) < _NAMES_THAT_TELL
    if (all(services) and not title_tells(ours, theirs)) or (is_shared and not _same_text(ours, theirs)):
        return False
    return _titles_match(ours, theirs) and (not alone or _same_text(ours, theirs))


def _may_be_one(document: StoredDocument, other: StoredDocument) -> bool:
    """Whether title, people and year can be enough to tell that two documents are of one work.

    Not of two records of one service, nor of two full texts of a user's own; of two of a user's records page or
    abstract has to agree.
    """
    ours, theirs = document.parsed.metadata, other.parsed.metadata
    services = service_of(document), service_of(other)
    if any(services):
        return services[0] != services[1] and None not in (ours.year, theirs.year)
    texts = document.parsed.has_full_text + other.parsed.has_full_text
    return texts < 2 and (title_tells if texts else _same_text)(ours, theirs)


def title_tells(ours: Metadata, other: Metadata) -> bool:
    """Whether title and authors are enough to tell a work, or the two agree in page or abstract, too.

    Two prefaces of one year and journal have one title and the same editors. The fewer words and authors there are,
    the less they tell.
    """
    words = min(len(title_words(each.title)) for each in (ours, other))
    authors = min(len(each.authors) for each in (ours, other))
    return words + _WORDS_FOR_AUTHOR * min(authors, _NAMES_THAT_COUNT) >= _TELLING or _same_text(ours, other)


def title_is_shared(records: Sequence[Metadata]) -> bool:
    """Whether a title is that of several works, among records of one title: two have other identifiers of one kind.

    A preprint and its article are no such two.
    """
    for scheme in SCHEMES:
        for is_early in (False, True):
            stage_records = (record for record in records if is_preprint(record) == is_early)
            values = {
                str(getattr(record, scheme, "") or record.extra.get(scheme) or "").lower() for record in stage_records
            }
            if len(values - {""}) > 1:
                return True
    return False


_WORDS_FOR_AUTHOR, _NAMES_THAT_COUNT, _TELLING = 3, 3, 12
"""An author tells as much as three words: nine words and one author are enough, or six and two."""

_NAMES_THAT_TELL = 2
"""Authors that have to agree. "Preface" and "Book reviews" have one: such records have to agree in more."""


def are_versions(ours: Metadata, other: Metadata) -> bool:
    """Whether two papers with identifiers of their own are versions of one work, such as a preprint and its article."""
    if not (ours.doi or ours.arxiv_id) or not (other.doi or other.arxiv_id):
        return False
    if not (has_distinct_title(ours) and has_distinct_title(other)) or ours.year is None or other.year is None:
        return False
    kinds = {_kind(each) for each in (ours, other)} & {"data", "notice", "book", "chapter"}
    same = _titles_match(ours, other) and same_people(ours.authors, other.authors)
    return same and not kinds and abs(ours.year - other.year) <= _YEARS_APART


_YEARS_APART = 3


def identifiers_differ(documents: Iterable[StoredDocument], others: Iterable[StoredDocument]) -> bool:
    """Whether both have identifiers of one kind, and none in common."""
    ours, theirs = ({name for document in each for name in identifiers(document)} for each in (documents, others))
    for scheme in SCHEMES:
        mine, its = ({value for kind, value in names if kind == scheme} for names in (ours, theirs))
        if mine and its and mine.isdisjoint(its):
            return True
    return False


def _titles_match(ours: Metadata, other: Metadata) -> bool:
    """Whether the letters are the same, or one lacks the other's subtitle and their texts are the same."""
    first, second = title_words(ours.title), title_words(other.title)
    if "".join(first) == "".join(second):
        return True
    short, long = sorted((ours, other), key=lambda each: len(title_words(each.title)))
    main, rest = title_words(main_title(long.title)), title_words(long.title)
    if title_words(short.title) != main or _PART.match(rest[len(main)]) or _PART.match(main[-1]):
        return False
    return ours.year == other.year and len(ours.authors) == len(other.authors) and _same_text(ours, other)


def _same_text(ours: Metadata, other: Metadata) -> bool:
    """Whether they begin on one page, or have one abstract."""
    abstracts = _abstracts(ours.abstract, other.abstract) or 0.0
    return abstracts >= _SAME_ABSTRACT or _first_page(ours) == _first_page(other) != ""


def same_people(ours: Sequence[Author], theirs: Sequence[Author]) -> bool:
    """Whether the first authors are one person by name, and most of the shorter list are in the other."""
    if not ours or not theirs or not _same_person(ours[0], theirs[0]):
        return False
    short, long = sorted((ours[:30], theirs[:30]), key=len)
    known = {form for author in long for form in _forms(author)}
    shared = sum(not known.isdisjoint(_forms(author)) for author in short)
    return shared * 2 > len(short) and (len(short) > 1 or len(long) == 1 or len(ours) == len(theirs))


def _same_person(author: Author, other: Author) -> bool:
    if set(_folded(author.name).split()) == set(_folded(other.name).split()):
        return True
    if set(_forms(author)).isdisjoint(_forms(other)):
        return False
    first, second = _initial(author), _initial(other)
    return not first or not second or first == second


def _forms(author: Author) -> list[str]:
    """The surname's spellings: as one word, and its last word."""
    words = [word for word in _folded(author.surname).split() if word not in ("jr", "sr", "ii", "iii")]
    return list(dict.fromkeys(("".join(words), words[-1]))) if words else []


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    plain = normal_name(name.replace("ø", "o").replace("Ø", "O").replace("ł", "l").replace("Ł", "L").replace("ß", "ss"))
    return re.sub("(?<=[aou])e", "", plain)


def _initial(author: Author) -> str:
    surname_words = set(_folded(author.surname).split())
    forenames = author.given or " ".join(word for word in _folded(author.name).split() if word not in surname_words)
    return _folded(forenames)[:1]


def _nothing_differs(ours: Metadata, other: Metadata) -> bool:
    """Whether years agree, as far as they are known, and kind, place and abstract do not speak against it."""
    if ours.year is not None and other.year is not None and abs(ours.year - other.year) > 1:
        return False
    kinds = {_kind(ours), _kind(other)} - {""}
    venues = _venues(ours.venue, other.venue)
    pages, volumes = (_compare(read(ours), read(other)) for read in (_first_page, _volume))
    languages = [str(each.extra.get("language") or "").lower() for each in (ours, other)]
    abstracts = _abstracts(ours.abstract, other.abstract)
    if len(kinds) > 1 or False in (venues, pages, volumes):
        return False
    if abstracts is not None and abstracts < _OTHER_ABSTRACT:
        return False
    if all(languages) and len(languages[0]) == len(languages[1]) and languages[0] != languages[1]:
        return False
    return ours.year == other.year or None in (ours.year, other.year) or bool(pages or (volumes and venues))


def _kind(metadata: Metadata) -> str:
    kind = str(metadata.extra.get("type") or "").lower()
    return _KINDS.get(kind, "")


def _compare(ours: str, other: str) -> bool | None:
    return ours == other if ours and other else None


def _first_page(metadata: Metadata) -> str:
    return re.split(r"[\s,;–—-]", str(metadata.extra.get("pages") or "").strip().lower())[0].lstrip("0")


def _volume(metadata: Metadata) -> str:
    return str(metadata.extra.get("volume") or "").strip().lower()


_SMALL = frozenset(
    (
        "of",
        "the",
        "and",
        "for",
        "in",
        "on",
        "at",
        "by",
        "from",
        "with",
        "de",
        "der",
        "des",
        "fur",
        "la",
        "et",
        "to",
        "a",
        "e",
        "und",
    )
)


def _venues(ours: str, other: str) -> bool | None:
    """Whether two names of a journal are spellings of one: whole, abbreviated or by initials; None where one lacks."""
    first, second = ([word for word in normal_name(name).split() if word not in _SMALL] for name in (ours, other))
    if not first or not second:
        return None
    if "".join(first) == "".join(second):
        return True
    short, long = sorted((first, second), key=lambda words: (len("".join(words)), len(words)))
    if len(short) == 1 and len(short[0]) >= 3 and short[0] == "".join(word[0] for word in long):
        return True
    if short[0] == long[0] == "proceedings" and len(short) == 1:
        return None
    pairs = list(zip_longest(short, long, fillvalue=""))
    return (
        all(_shortens(brief, full) or _shortens(full, brief) for brief, full in pairs if brief and full)
        and all(brief or number >= len(short) > 1 or full in _PLACES for number, (brief, full) in enumerate(pairs))
        and (len(short) == len(long) or set(long[len(short) :]) <= _PLACES)
    )


_PLACES = frozenset(
    "usa us u s america united states london england uk oxford cambridge new york berlin online basel switzerland "
    "journal print international edition".split()
)
"""What services add to a journal's name."""


def _shortens(brief: str, full: str) -> bool:
    """Whether `brief` has letters of `full` in their order, beginning with the first."""
    if brief[0] != full[0] or len(brief) > len(full):
        return False
    rest = iter(full)
    return all(sign in rest for sign in brief)


def _abstracts(ours: str, other: str) -> float | None:
    """How much of the shorter abstract's pairs of words the other has; None where one is too short to tell."""
    first, second = ({*pairwise(normal_name(text).split())} for text in (ours, other))
    least = min(len(first), len(second))
    return len(first & second) / least if least >= _LEAST_PAIRS else None


_LEAST_PAIRS = 20


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
