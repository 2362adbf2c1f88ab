"""The reference list of a LaTeX document (`thebibliography`, `.bbl`, `.bib`), and how running text cites it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest

from conspectus.parse.bibliography.bibsyntax import Entry, entries
from conspectus.parse.inline import Inline
from conspectus.parse.tex.scan import group_end
from conspectus.parse.tex.sources import Document

_ITEM = re.compile(r"\\(?:bibitem|bibitemdeclare)\b\s*")
_LIST = re.compile(r"\\begin\s*\{(?:the|mcite|mci)?thebibliography\}|\\begin\s*\{(?:references|chapthebibliography)\}")
_CSL_ENDS = re.compile(r"\\(begin|end)\s*\{CSLReferences\}")
_CSL_ITEM = re.compile(r"\\leavevmode(?:\\vadjust\s+pre\s*\{)?\\hypertarget\{([^{}]*)\}\{\}\}?")
_LABEL_NATBIB = re.compile(r"(?P<names>.+?)\(\s*+(?P<year>[^()]*)\)(?P<long>.*)", re.S)
_BIBLATEX = re.compile(r"\\entry\s*\{([^{}]+)\}\s*\{([^{}]+)\}")
_MAX_ENTRIES = 20_000
CITING = re.compile(
    r"(?:[Cc]ite(?:p|t|alp|alt|author|year|yearpar|num|text|ads|al|fullauthor|n|A|NP|para|url|title)?|(?:paren|text|auto|foot|super"
    r"|smart|full)cites?|[Pp]arencite|[Tt]extcite|[Aa]utocite|onlinecite|shortcite(?:N|A)?|citenum|newcite|refcite|citep?lain)"
)
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
    found = _LIST.search(document.text)
    for text in (document.text[found.start() :] if found else "", document.bbl):
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
        given = fields.get(key.lower())
        if given is not None:
            names = surnames(given.get("author") or given.get("editor") or "")
            year = re.search(r"\d{4}", given.get("year") or given.get("date") or "")
            entries.append(BibEntry(key, "", byline(names), year[0] if year else "", given))
    return entries[:_MAX_ENTRIES]


def cited_keys(text: str) -> list[str]:
    """Every key that is cited, in order of first citation."""
    found: dict[str, None] = {}
    for match in re.finditer(r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?\s*(?:\[[^\]]*\]\s*){0,2}\{([^{}]{1,3000})\}", text):
        found.update(dict.fromkeys(key.strip() for key in match[1].split(",") if key.strip()))
    return list(found)


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
        for named in re.finditer(r"\\(?:field|strng|list)\{(\w+)\}(?:\{\d+\})?\s*", body):
            if body[named.end() : named.end() + 1] == "{":
                fields[named[1]] = body[named.end() + 1 : group_end(body, named.end()) - 1].strip("{}% \n")
        for named in re.finditer(r"\\verb\{(doi|eprint|url)\}\s*\\verb\s+(\S+)", body):
            fields[named[1]] = named[2]
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
    found = []
    for name in re.split(r"(?<!\s)\s++and\s++", " ".join(authors.split())):
        family = name.split(",")[0].strip() if "," in name else (name.split() or [""])[-1]
        if name.startswith("{") and name.endswith("}"):
            family = name
        if family := family.replace("{", "").replace("}", ""):
            found.append(family)
    return found


def bib_fields(texts: list[str]) -> dict[str, dict[str, str]]:
    """The fields of every entry of `.bib` files by lower-case key; entries that are not well formed are left out."""
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        for entry in entries(text.splitlines(keepends=True)):
            if isinstance(entry, Entry) and len(found) < _MAX_ENTRIES:
                values = {name: " ".join(value.split()) for name, value in entry.fields.items()}
                found.setdefault(entry.key.lower(), {"ENTRYTYPE": entry.kind, **values})
    return found


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
    named = sum(bool(entry.names and entry.year) for entry in known.values())
    by_author = known and named >= 0.9 * len(known)
    plain = all(entry.fields is not None for entry in known.values()) and not re.search(
        r"\\(?:[Cc]ite[pt]|textcite|parencite)\b|natbib|apacite|authoryear|\\bibliographystyle\{(?:apa|mnras|aasjournal|plainnat|apalike)",
        text,
    )
    return Citations(known, not by_author or bool(_NUMERIC.search(text)) or bool(plain))
