"""Reference lists in any text: one reference a line, numbered, wrapped, with `Title:` and `DOI:`, or among prose.

What reads as an entry of a list is told apart by `parse.references`. Of prose the works count that it names by DOI,
arXiv id or PMID.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from conspectus.lexicon import STOP_WORDS
from conspectus.parse.references.cited_works import mentioned_works
from conspectus.parse.references.entries import parse_reference, split_entries, split_label
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi
from conspectus.records import Author, MentionedWork, Reference

MAX_TEXT = 5_000_000
"""Characters of a text that are looked at."""
MOST = 5000
"""References of one text that are taken."""

_COMMAND = re.compile(r"\x1b\[(?!\d{1,4}\])[0-?]*[ -/]*[@-~]")
"""A command to a terminal; a label in brackets behind the sign for one is none."""
_PAGE_BREAK = re.compile(r"\n?[\x0b\x0c]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Signs that are not seen, and would hide the label behind them."""
_HEADING = re.compile(
    r"\s*+(?:#{1,6}\s*+)?(?:[*_]{1,3})?\s*+(?:\d{1,2}\.?\s++)?(?:(?:selected|key|cited|main|further)\s++)?"
    r"(?:references?|bibliography|sources|works cited|literature(?: cited)?|citations|further reading)"
    r"\s*+:?\s*+(?:[*_]{1,3})?\s*+:?\s*+",
    re.I,
)
_OTHER_HEADING = re.compile(r"\s*#{1,6}\s+\S")
_LABELLED = re.compile(r"(?<!\s)\s*+(?:\[\d{1,4}\]|\(\d{1,3}\)|\d{1,4}[.)](?=\s)|[•▪◦*–+-](?=\s))\s*+")
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|`)(?=\S)((?:[^*_`\n]|(?<=\w)[*_`]){1,500}?)(?<=\S)\1(?!\w)")
"""What is inside holds no sign that could begin another, so that each beginning is followed up to the next only."""
_KEYED = re.compile(r"(?:^|[\s;,.|(–-])(title|authors?|year|date|doi|journal|pmid|arxiv)\s*[:=]\s*", re.I)
_QUOTED = re.compile(r"[“\"„«](?P<title>[^“”\"„»]{12,400}?)[,.]?[”\"»]")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d[a-z]?\b")
_FIRST_NAME = re.compile(r"(?:(?:van|von|de|der|den|del|della|di|da|la|le)\s){0,3}[A-ZÀ-Þ][\w’'‐-]+")
_SMALL = re.compile(r"(?<![\w’'])[a-z]{3,}(?![\w’'])")
_MAY_BE_ENTRY = re.compile(r"\d{4}|title", re.I)
"""Every entry has a year, an identifier, or a title that is called so."""
_MOST_SMALL = 3
"""So many small words may stand behind a title in quotes; a sentence that quotes has more."""
_ONLY_IDENTIFIER = re.compile(r"\W*+(?:doi|arxiv|pmid|url|link|see|available at)?\W*+", re.I)


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """The references of a text, in its order, and what the user should know of it."""

    references: tuple[Reference, ...]
    notes: tuple[str, ...] = ()


def references_of_text(text: str) -> ReferenceList:
    """The references in `text`; none where it has none."""
    notes = [f"Only the first {MAX_TEXT:,} characters were looked at."] if len(text) > MAX_TEXT else []
    references: list[Reference] = []
    others: list[str] = []
    for raw, listed in _raw_entries(_visible_text(text[:MAX_TEXT])):
        plain = without_emphasis(raw)
        reference = entry_of(plain)
        if (listed and (reference.title or _identified(reference))) or is_entry(plain, reference):
            references.append(reference)
        elif works := list(_identified_works(plain)):
            references += works
        else:
            others.append(plain)
    if not references and len(others) > 0:
        references, others = _titles(others)
    if others and references:
        first = others[0] if len(others[0]) <= 60 else others[0][:59].rstrip() + "…"
        notes.append(f"{len(others)} lines or paragraphs are no references: '{first}' …")
    if len(references) > MOST:
        notes.append(f"Only the first {MOST:,} of {len(references):,} references were taken.")
    numbered = (replace(reference, key=f"b{number}") for number, reference in enumerate(_once(references)[:MOST], 1))
    return ReferenceList(tuple(numbered), tuple(notes))


def reference_lines(lines: list[str]) -> list[bool]:
    """For each line of a text whether it belongs to a reference list: its heading, or an entry."""
    lines = [_visible_text(line) for line in lines]
    marked = [False] * len(lines)
    listed = False
    for at, line in enumerate(lines):
        if _HEADING.fullmatch(line):
            following = next((later for later in lines[at + 1 :] if later.strip()), "")
            listed = marked[at] = not following or _in_list(following)
        elif not line.strip():
            marked[at] = listed
        else:
            listed = listed and not _OTHER_HEADING.match(line) and _in_list(line)
            marked[at] = listed or _is_told_apart(without_emphasis(line))
    return marked


def _visible_text(text: str) -> str:
    """A text without what is not seen of it."""
    return _UNSEEN.sub("", _PAGE_BREAK.sub("\n", _COMMAND.sub("", text)))


def _is_told_apart(line: str) -> bool:
    """Whether a line of an answer is an entry; a quotation with a DOI behind it is none."""
    if not _MAY_BE_ENTRY.search(line):
        return False
    reference = entry_of(line)
    return is_entry(line, reference) and bool(_LABELLED.match(line) or reference.authors)


def entry_of(text: str) -> Reference:
    """What one entry says, also where its parts have names (`Title: … DOI: …`) or its title stands first, in quotes."""
    _, bare = split_label(text)
    keyed = _keyed(bare)
    if "title" in keyed:
        return _of_parts(keyed, clean_line(text))
    reference = parse_reference(text, "b0")
    quoted = _QUOTED.match(bare.lstrip("*_ "))
    if quoted and not reference.authors:
        rest = re.sub(r"^[\s,.–—-]*(?:by\s+)?", "", bare.lstrip("*_ ")[quoted.end() :])
        behind = parse_reference(f"{rest.rstrip('.')}." if rest else "", "b0")
        return replace(reference, title=quoted["title"].strip(), authors=behind.authors, year=reference.year)
    return reference


def is_entry(text: str, reference: Reference) -> bool:
    """Whether a line reads like an entry of a list rather than a sentence that names a work."""
    label = bool(_LABELLED.match(text))
    bare = split_label(text)[1]
    identified = _identified(reference)
    if identified and _ONLY_IDENTIFIER.fullmatch(_rest(bare)):
        return True
    if "title" in _keyed(bare) and reference.title:
        return True
    if (quoted := _QUOTED.match(bare)) and (identified or reference.year):
        small = [word for word in _SMALL.findall(_rest(bare[quoted.end() :])) if word not in STOP_WORDS]
        return bool(identified or reference.authors) and len(small) <= _MOST_SMALL
    title = reference.title.lstrip("“\"'‘")
    if not (reference.authors and reference.year and (reference.venue or reference.volume or identified or label)):
        return False
    return bool(title[:1].isupper() or title[:1].isdigit()) if title else bool(reference.volume)


def without_emphasis(text: str) -> str:
    """A line of Markdown without its signs for bold, italics and code."""
    for _ in range(3):
        text = _EMPHASIS.sub(r"\2", text)
    return text


def _in_list(line: str) -> bool:
    """Whether a line under the heading of a reference list goes on with it."""
    plain = without_emphasis(line)
    if _LABELLED.match(plain):
        return True
    reference = entry_of(plain)
    return is_entry(plain, reference) or _identified(reference) or bool(reference.authors and reference.year)


def _identified(reference: Reference) -> bool:
    return bool(reference.doi or reference.arxiv_id or reference.pmid)


def _rest(text: str) -> str:
    """What is left of a line without the identifiers in it."""
    for work in reversed(mentioned_works(text)):
        text = text[: work.start] + " " + text[work.end :]
    return text


def _keyed(text: str) -> dict[str, str]:
    """The parts of an entry that have names, by these in small letters."""
    marks = list(_KEYED.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts: dict[str, str] = {}
    for mark, end in zip(marks, ends, strict=False):
        parts.setdefault(mark[1].lower().removesuffix("s"), text[mark.end() : end].strip(' ,;.|()"“”*_'))
    return parts


def _of_parts(parts: dict[str, str], text: str) -> Reference:
    year = _YEAR.search(parts.get("year", "") or parts.get("date", "") or text)
    names = f"{parts.get('author', '').rstrip('.')} (2000). X y z." if parts.get("author") else ""
    authors = parse_reference(names, "b0").authors if names else ()
    pmid = re.search(r"\d{1,9}", parts.get("pmid", ""))
    return Reference(
        "b0",
        text,
        title=parts["title"],
        authors=authors,
        year=int(year[0][:4]) if year else None,
        venue=parts.get("journal", ""),
        doi=find_doi(parts.get("doi", "") or text),
        arxiv_id=find_arxiv_id(f"arXiv:{parts['arxiv']}" if parts.get("arxiv") else text),
        pmid=pmid[0] if pmid else "",
    )


def _raw_entries(text: str) -> Iterator[tuple[str, bool]]:
    """The text cut into what may be entries, each with whether it stands under a heading that says so."""
    paragraphs = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    listed = False
    for paragraph in paragraphs:
        lines = [line for line in paragraph.split("\n") if line.strip()]
        for at, line in enumerate(lines):
            if _HEADING.fullmatch(line) or _OTHER_HEADING.match(line):
                yield from ((raw, listed) for raw in _joined(lines[:at]))
                listed, lines = _HEADING.fullmatch(line) is not None, lines[at + 1 :]
                break
        yield from ((raw, listed) for raw in _joined(lines))


def _joined(lines: list[str]) -> Iterator[str]:
    """The entries of a paragraph: labels begin them, indents go on with them; else each line, or all, is one."""
    if not lines:
        return
    labelled = [bool(_LABELLED.match(line)) for line in lines]
    if sum(labelled) < 2 and len(counted := split_entries(" ".join(line.strip() for line in lines))) > 1:
        yield from counted
        return
    if not any(labelled) and _is_wrapped(lines):
        yield " ".join(line.strip() for line in lines)
        return
    entry: list[str] = []
    indent = _indent(lines[0])
    for line, begins in zip(lines, labelled, strict=True):
        goes_on = not begins and bool(entry) and (_indent(line) > indent or (any(labelled) and not _is_whole(line)))
        deeper = (
            begins and bool(entry) and _indent(line) > indent and bool(_KEYED.match(_LABELLED.sub(" ", line, count=1)))
        )
        if entry and not goes_on and not deeper:
            yield " ".join(entry)
            entry = []
        entry.append(_LABELLED.sub("", line, count=1).strip() if deeper else line.strip())
    yield " ".join(entry)


def _is_wrapped(lines: list[str]) -> bool:
    """Whether the lines of a paragraph are one entry or one paragraph of prose, broken into lines."""
    if len(lines) < 2 or len({_indent(line) for line in lines}) > 1:
        return False
    if any("title" in _keyed(" " + line) for line in lines[:1]):
        return True
    entry_count = sum(map(_is_whole, lines))
    flows = any(map(_flows, lines, lines[1:])) or (not entry_count and _is_whole(" ".join(map(str.strip, lines))))
    return entry_count <= 1 and flows and not all(line.rstrip().endswith(".") for line in lines)


def _flows(line: str, following: str) -> bool:
    """Whether a line goes on in the next one."""
    return (
        following.lstrip()[:1].islower()
        or line.rstrip()[-1:] in ",;:–-&"
        or line.rsplit(maxsplit=1)[-1].lower() in STOP_WORDS
    )


def _is_whole(line: str) -> bool:
    plain = without_emphasis(line)
    return is_entry(plain, entry_of(plain))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _identified_works(text: str) -> Iterator[Reference]:
    """The works named by identifiers, each with the words around; authors and years beside one are its own."""
    mentions = mentioned_works(text)
    for at, mention in enumerate(mentions):
        if mention.kind in ("doi", "arxiv_id", "pmid"):
            around = clean_line(text[max(mention.start - 120, 0) : mention.end + 20])
            doi, arxiv, pmid = (mention.value if mention.kind == kind else "" for kind in ("doi", "arxiv_id", "pmid"))
            yield replace(_with_authors_before(text, mentions, at), text=around, doi=doi, arxiv_id=arxiv, pmid=pmid)


def _with_authors_before(text: str, mentions: tuple[MentionedWork, ...], at: int) -> Reference:
    mention = mentions[at]
    words = mention.words
    if at and mentions[at - 1].kind == "author-year" and mention.start - mentions[at - 1].end < 4:
        words = mentions[at - 1].words
    written = re.search(r"(?P<names>[^\W\d_][^;()\[\]]{1,80}?),?\s\(?(?P<year>(?:1[6-9]|20)\d\d)[a-z]?\b", words)
    if not written or re.search(r"\d|/", written["names"]):
        return Reference("b0", text)
    first = _FIRST_NAME.search(written["names"])
    return Reference("b0", text, authors=(Author(first[0]),) if first else (), year=int(written["year"]))


def _titles(lines: list[str]) -> tuple[list[Reference], list[str]]:
    """Lines without anything else taken for titles, where they are several or few words."""
    titles, left = [], []
    for line in lines:
        reference = entry_of(line)
        single = len(re.findall(r"[.!?]\s+[A-ZÀ-Þ]", line)) == 0 and 3 <= len(line.split()) <= 40
        if single and reference.title:
            titles.append(reference)
        else:
            left.append(line)
    return titles, left


def _once(references: Iterable[Reference]) -> list[Reference]:
    """Without what prose names again by an identifier that an entry has."""
    listed = {(r.doi, r.arxiv_id, r.pmid) for r in references if r.title}
    unique_references, seen = [], set()
    for reference in references:
        names = (reference.doi, reference.arxiv_id, reference.pmid)
        if not reference.title and any(names):
            if names in seen or any(name and name in other for name in names for other in listed):
                continue
            seen.add(names)
        unique_references.append(reference)
    return unique_references
