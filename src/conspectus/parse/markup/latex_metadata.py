"""Title, authors and reference list of a LaTeX document, and how its running text cites the entries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from conspectus.parse.bibliography.bibtex import BibtexEntry, entries
from conspectus.parse.markup.inline import Inline
from conspectus.parse.markup.latex_files import Document
from conspectus.parse.markup.latex_scanner import group_end
from conspectus.parse.people.authors import author_of_name, without_contact
from conspectus.records import Author

_AUTHORS = frozenset(("author", "Author", "authors"))
_PLACES = frozenset(("affil", "affiliation", "address", "institute", "institution", "affiliations", "altaffiliation"))
_OTHERS = frozenset(
    ("title", "Title", "icmltitle", "date", "keywords", "keyword", "doi", "orcid", "email", "subtitle", "orcidlink")
)
_DROPPED = re.compile(
    r"\\(?:thanks|footnote|footnotemark|email|orcid(?:link|ID)?|altaffil\w*|corref|fnref|tnoteref|ead|IEEEmembership)\b\*?"
)
_KEYS = re.compile(
    r"\\(?:inst|textsuperscript|affilmark|IEEEauthorrefmark|fnmsep|altaffilmark|tablenotemark)\s*+\{([^{}]*)\}|\$\s*+\^\s*+\{?([^${}]*)\}?\s*+\$|\^\{([^{}]*)\}"
)
_KEY = re.compile(
    r"\s*+(?:\\(?:inst|textsuperscript|label)\s*+\{([^{}]*)\}|\$\s*+\^\s*+\{?([^${}]*)\}?\s*+\$|\((\d+)\))\s*+"
)
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_ORDINAL = re.compile(
    r"(?<![\w\\])\d{1,3}\s*+(?:\\textsuperscript\s*+\{\s*+(?:st|nd|rd|th)\s*+\}|(?:st|nd|rd|th)\b)[\s~]*"
)
"""The number before a name in the template of the IEEE."""
_NAME = re.compile(r"[^\W\d_].*[^\W\d_.]\.?")


@dataclass(slots=True)
class LatexFront:
    """What was given, as written and in order."""

    titles: list[str] = field(default_factory=list)
    people: list[tuple[str, str, str]] = field(default_factory=list)
    """("author" | "place", key in brackets, source)."""
    dates: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    dois: list[str] = field(default_factory=list)

    def takes(self, name: str) -> bool:
        """Whether the command belongs here."""
        return name in _AUTHORS or name in _PLACES or name in _OTHERS

    def take(self, name: str, optional: str, argument: str) -> None:
        """What one command says."""
        if name in _AUTHORS:
            self.people.append(("author", optional, argument))
        elif name in _PLACES:
            self.people.append(("place", optional, argument))
        elif name in ("title", "Title", "icmltitle"):
            self.titles.append(argument)
        elif name == "date":
            self.dates.append(argument)
        elif name in ("keywords", "keyword"):
            self.keywords.append(argument.replace("\\sep", ";").replace("---", ";"))
        elif name == "doi":
            self.dois.append(argument)


def authors_of_front(front: LatexFront, rendered: Callable[[str], str]) -> tuple[Author, ...]:
    """The authors in order, with affiliations where it is clear whose they are."""
    keyed_names: list[tuple[str, list[str]]] = []  # source of the name, keys of its affiliations
    orcids: dict[int, str] = {}
    places: dict[str, str] = {}
    loose: list[tuple[int, str]] = []  # how many authors stood before, the place
    for kind, key, source in front.people:
        if kind == "author":
            names, inner = _names(source)
            if _ORCID.fullmatch(key):
                orcids[len(keyed_names)], key = key, ""  # noqa: PLW2901 - as journals of the AAS have it
            keyed_names += [(name, keys + [k.strip() for k in key.split(",") if k.strip()]) for name, keys in names]
            loose += [(len(keyed_names), place) for place in inner]
        else:
            for number, (own_key, place) in enumerate(_places(source), 1):
                sign = own_key or key or (str(number) if "\\and" in source else "")
                if sign:
                    places[sign] = rendered(place)
                else:
                    loose.append((len(keyed_names), place))
    authors: list[Author] = []
    for number, (name, keys) in enumerate(keyed_names):
        words = re.sub(r"(?<![\d*†‡§])[\d*†‡§]++$", "", without_contact(rendered(name))).strip(" ,~")
        if _NAME.fullmatch(words) and len(words.split()) <= 8 and "@" not in words:
            near = tuple(places[key] for key in keys if places.get(key))
            authors.append(replace(author_of_name(words), affiliations=near, orcid=orcids.get(number, "")))
    return tuple(_with_loose(authors, loose, rendered) if len(authors) == len(keyed_names) else authors)


def _with_loose(authors: list[Author], loose: list[tuple[int, str]], rendered: Callable[[str], str]) -> list[Author]:
    """A place that stands behind authors belongs to all since the place before (revtex, article)."""
    first, last = 0, 0
    for count, place in loose:
        if count > last:
            first, last = last, count
        text = rendered(place)
        if text and "@" not in text:
            for i in range(first, min(last, len(authors))):
                if not authors[i].affiliations or first or count == last:
                    authors[i] = replace(authors[i], affiliations=(*authors[i].affiliations, text))
    return authors


def _names(source: str) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """The names of an `\\author` with the keys of their affiliations, and the places that stand below them."""
    while match := _DROPPED.search(source):
        brace = re.match(r"\s*+(?:\[[^\]]*+\])?\s*+\{", source[match.end() :])
        end = group_end(source, match.end() + brace.end() - 1) if brace else match.end()
        source = source[: match.start()] + " " + source[end:]
    names: list[tuple[str, list[str]]] = []
    places: list[str] = []
    for person in re.split(r"\\(?:and|And|AND|IEEEauthorblockN)\b", source):
        first, *below = re.split(r"\\\\(?:\[[^\]\[]{0,200}\])?|\\IEEEauthorblockA", person.strip())
        for part in re.split(r",(?![^{}]{0,300}\})|;|(?<![A-Za-z])and(?![A-Za-z])", _marked(_ORDINAL.sub("", first))):
            keys = [
                key
                for group in re.findall(r"\x01([^\x01\x02]*+)\x02", part)
                for key in re.split(r"[,\s]+", group)
                if key
            ]
            name = re.sub(r"\x01[^\x01\x02]*+\x02", "", part).strip()
            if name:
                names.append((name, keys))
        places += [line for line in below if line.strip(" {}\n")]
    return names, places[:20]


def _marked(text: str) -> str:
    """Signs that point to affiliations between control characters, so that their commas do not separate names."""
    return _KEYS.sub(lambda m: "\x01" + re.sub(r"[,\s]+", " ", m[1] or m[2] or m[3] or "").strip() + "\x02", text)


def _places(source: str) -> list[tuple[str, str]]:
    """The places of an `\\affiliation` or `\\institute`, each with its key."""
    places = []
    for part in re.split(r"\\and\b|\\AND\b", source):
        match = _KEY.match(part)
        key = next((group for group in match.groups() if group), "") if match else ""
        places.append((key.strip(), part[match.end() :] if match and key else part))
    return places


_ITEM = re.compile(r"\\(?:bibitem|bibitemdeclare)\b\s*")
_LIST = re.compile(r"\\begin\s*\{(?:the|mcite|mci)?thebibliography\}|\\begin\s*\{(?:references|chapthebibliography)\}")
_CSL_ENDS = re.compile(r"\\(begin|end)\s*\{CSLReferences\}")
_CSL_ITEM = re.compile(r"\\leavevmode(?:\\vadjust\s+pre\s*\{)?\\hypertarget\{([^{}]*)\}\{\}\}?")
_LABEL_NATBIB = re.compile(r"(?P<names>.+?)\(\s*+(?P<year>[^()]*)\)(?P<long>.*)", re.S)
_BIBLATEX = re.compile(r"\\entry\s*\{([^{}]+)\}\s*\{([^{}]+)\}")
_MAX_ENTRIES = 20_000
_NUMERIC = re.compile(
    r"\\usepackage\s*+\[(?=[^\[\]]*+\]\s*+\{(?:natbib|biblatex)\})[^\[\]]*?\b(?:numbers|super|numeric)\b|style=numeric"
)
_TEXTUAL = frozenset(
    ("citet", "Citet", "textcite", "Textcite", "citealt", "newcite", "shortciteN", "citeN", "citetext")
)


@dataclass(frozen=True, slots=True)
class BibEntry:
    """One entry, in LaTeX still: the key it is cited by, and what it says as text or as named fields.

    `names` and `year` are how running text cites it (`Smith et al.`, `2010a`), where that is known.
    """

    key: str
    text: str = ""
    names: str = ""
    year: str = ""
    fields: Mapping[str, str] | None = None


def bibliography(document: Document) -> list[BibEntry]:
    """The entries in the order in which they are printed; of `.bib` files only those cited, in order of citation."""
    match = _LIST.search(document.text)
    for text in (document.text[match.start() :] if match else "", document.bbl):
        if entries := _items(text) or list(_biblatex(text)):
            return entries
    return from_fields(bib_fields(document.bib), cited_keys(document.text)) if document.bib else []


def with_plain_list(text: str) -> str:
    """`text` with the reference list that pandoc writes as a `thebibliography`."""
    if "CSLReferences}" not in text:
        return text
    return _CSL_ITEM.sub(r"\\bibitem{\1}", _CSL_ENDS.sub(r"\\\1{thebibliography}", text))


def from_fields(fields: Mapping[str, Mapping[str, str]], cited: Iterable[str]) -> list[BibEntry]:
    """Entries from the fields of `.bib` entries by key. Any reader of such files may give them."""
    entries = []
    for key in cited:
        entry_fields = fields.get(key.lower())
        if entry_fields is not None:
            names = surnames(entry_fields.get("author") or entry_fields.get("editor") or "")
            year = re.search(r"\d{4}", entry_fields.get("year") or entry_fields.get("date") or "")
            entries.append(BibEntry(key, "", byline(names), year[0] if year else "", entry_fields))
    return entries[:_MAX_ENTRIES]


def cited_keys(text: str) -> list[str]:
    """Every key that is cited, in order of first citation."""
    keys: dict[str, None] = {}
    for match in re.finditer(r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?\s*(?:\[[^\]]*\]\s*){0,2}\{([^{}]{1,3000})\}", text):
        keys.update(dict.fromkeys(key.strip() for key in match[1].split(",") if key.strip()))
    return list(keys)


def _items(text: str) -> list[BibEntry]:
    """The `\\bibitem` entries of a list."""
    end = re.search(r"\\end\s*\{(?:the|mcite)?(?:thebibliography|bibliography|references)\}", text)
    text = text[: end.start()] if end else text
    starts = list(_ITEM.finditer(text))
    entries = []
    for match, after in zip_longest(starts, starts[1:]):
        body = text[match.end() : after.start() if after else len(text)]
        label, body = _bracketed(body)
        brace = body.find("{")
        if brace < 0 or body[:brace].strip():
            continue
        stop = group_end(body, brace)
        natbib = _LABEL_NATBIB.fullmatch(label.strip())
        names, year = (natbib["names"], natbib["year"]) if natbib else ("", "")
        entries.append(BibEntry(body[brace + 1 : stop - 1].strip(), body[stop:], _plain(names), _plain(year)))
    return entries[:_MAX_ENTRIES]


def _bracketed(text: str) -> tuple[str, str]:
    """What stands in the square brackets at the start, braces within them heeded; and what follows."""
    if not text.startswith("["):
        return "", text
    depth = 0
    for i, sign in enumerate(text[:5000]):
        depth += (sign == "{") - (sign == "}")
        if sign == "]" and depth == 0:
            return text[1:i], text[i + 1 :].lstrip()
    return "", text


def _plain(label: str) -> str:
    """Names or year of a natbib label without braces and commands."""
    label = label.replace("\\protect", "").replace("\\citenamefont", "").replace("\\natexlab", "").replace("~", " ")
    return " ".join(re.sub(r"[{}]", "", label).replace("\\&", "&").split())


def _biblatex(text: str) -> Iterable[BibEntry]:
    """The entries of a `.bbl` file as biblatex writes it."""
    starts = list(_BIBLATEX.finditer(text))
    for match, after in zip_longest(starts, starts[1:]):
        body = text[match.end() : after.start() if after else len(text)]
        fields = {}
        for field_match in re.finditer(r"\\(?:field|strng|list)\{(\w+)\}(?:\{\d+\})?\s*", body):
            if body[field_match.end() : field_match.end() + 1] == "{":
                fields[field_match[1]] = body[field_match.end() + 1 : group_end(body, field_match.end()) - 1].strip(
                    "{}% \n"
                )
        for field_match in re.finditer(r"\\verb\{(doi|eprint|url)\}\s*\\verb\s+(\S+)", body):
            fields[field_match[1]] = field_match[2]
        authors = body[body.find("\\name{author}") :] if "\\name{author}" in body else ""
        people = re.findall(
            r"family=\{((?:[^{}]|\{[^{}]*\})*)\}.*?(?:given=\{((?:[^{}]|\{[^{}]*\})*)\})?", authors, re.S
        )
        fields["author"] = " and ".join(family for family, _ in people[:50])
        year = re.search(r"\d{4}", fields.get("year", "") or fields.get("date", ""))
        yield BibEntry(match[1], "", byline(surnames(fields["author"])), year[0] if year else "", fields)


def byline(names: list[str]) -> str:
    """How running text names the authors: `Smith`, `Smith & Lee`, `Smith et al.`."""
    return f"{names[0]} et al." if len(names) > 2 else " & ".join(names)


def surnames(authors: str) -> list[str]:
    """The family names of a BibTeX author field."""
    families = []
    for name in re.split(r"(?<!\s)\s++and\s++", " ".join(authors.split())):
        family = name.split(",")[0].strip() if "," in name else (name.split() or [""])[-1]
        if name.startswith("{") and name.endswith("}"):
            family = name
        if family := family.replace("{", "").replace("}", ""):
            families.append(family)
    return families


def bib_fields(texts: list[str]) -> dict[str, dict[str, str]]:
    """The fields of every entry of `.bib` files by lower-case key; entries that are not well formed are left out."""
    fields_by_key: dict[str, dict[str, str]] = {}
    for text in texts:
        for entry in entries(text.splitlines(keepends=True)):
            if isinstance(entry, BibtexEntry) and len(fields_by_key) < _MAX_ENTRIES:
                values = {name: " ".join(value.split()) for name, value in entry.fields.items()}
                fields_by_key.setdefault(entry.key.lower(), {"ENTRYTYPE": entry.kind, **values})
    return fields_by_key


@dataclass(slots=True)
class Citations:
    """The entries by key, and how they are cited: by number, or by author and year where all have both."""

    entries: dict[str, BibEntry]
    by_number: bool
    missing: set[str] = field(default_factory=set)

    def label(self, key: str) -> str:
        """What running text calls the entry."""
        entry = self.entries.get(key)
        if entry is None:
            return key
        if self.by_number:
            return str(list(self.entries).index(key) + 1)
        return f"{entry.names} {entry.year}".strip()

    def write(self, line: Inline, command: str, keys: list[str], before: str, after: str) -> None:
        """Adds a citation with a mark for every key to the line."""
        self.missing.update(key for key in keys if key not in self.entries)
        bare = command in ("citealt", "citealp", "citeauthor", "citeyear", "citenum", "citefullauthor", "onlinecite")
        textual = not self.by_number and (command in _TEXTUAL or command == "cite")
        opening, closing = ("[", "]") if self.by_number else ("(", ")")
        wrapped = not bare and not textual
        line.add((opening if wrapped else "") + (f"{before} " if before else ""))
        for i, key in enumerate(keys):
            line.add((", " if self.by_number else "; ") if i else "")
            opened = line.open("reference", ("cite:" + key,))
            line.add(self._words(command, key, textual=textual))
            if opened:
                line.close()
        line.add((f", {after}" if after else "") + (closing if wrapped else ""))

    def _words(self, command: str, key: str, *, textual: bool) -> str:
        entry = self.entries.get(key)
        if entry is None or self.by_number:
            return self.label(key)
        if command in ("citeauthor", "citefullauthor"):
            return entry.names or key
        if command in ("citeyear", "citeyearpar"):
            return entry.year or key
        if textual and command != "citealt" and entry.year:
            return f"{entry.names} ({entry.year})".strip()
        return self.label(key) or key


def citations_of(entries: list[BibEntry], text: str) -> Citations:
    """How this document cites its entries."""
    known: dict[str, BibEntry] = {}
    for entry in entries:
        known.setdefault(entry.key, entry)
    complete_count = sum(bool(entry.names and entry.year) for entry in known.values())
    by_author = known and complete_count >= 0.9 * len(known)
    plain = all(entry.fields is not None for entry in known.values()) and not re.search(
        r"\\(?:[Cc]ite[pt]|textcite|parencite)\b|natbib|apacite|authoryear|\\bibliographystyle\{(?:apa|mnras|aasjournal|plainnat|apalike)",
        text,
    )
    return Citations(known, not by_author or bool(_NUMERIC.search(text)) or bool(plain))
