"""Citations as running text prints them: `[3]`, `Smith et al. (2010)`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from conspectus.parse.inline import Inline
from conspectus.parse.tex.bibliography import BibEntry

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
