"""Kinds of works, as CSL names them and as BibTeX and RIS do; what has no partner keeps its own name."""

from __future__ import annotations

import re

_ROWS = (
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
_SYNONYMS = {
    "bibtex": {"conference": "inproceedings", "www": "online", "electronic": "online"},
    "ris": {"EJOUR": "JOUR", "JFULL": "JOUR", "EBOOK": "BOOK", "ECHAP": "CHAP", "UNPD": "UNPB", "WEB": "ELEC"},
    "csl": {
        **{csl: own for own, csl in _CSL_ONLY.items()},
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
    name = _SYNONYMS[language].get(name, name)
    column = _COLUMN[language]
    return next((row[0] for row in _ROWS if name and row[column] == name), name)


def kind_of_words(text: str) -> str:
    """Our name of a kind that a database or reference manager writes in words (`Journal Article`); "" if unknown."""
    key = re.sub(r"[\W_]+", "", text.casefold())
    return next((kind for kind, words in _WORDS.items() if key in words.split()), "") if key else ""


def kind_in(kind: str, language: str) -> str:
    """What `language` calls our `kind`; "" where it has no name for it."""
    if language == "csl" and kind in _CSL_ONLY:
        return _CSL_ONLY[kind]
    return next((row[_COLUMN[language]] for row in _ROWS if row[0] == kind), "")
