"""Statements that are known to be true or false of sentences of papers, for `eval checks`.

`checks.jsonl` has our own sentences: for each of 200 places in papers a paraphrase as a scientist would put it in an
answer, and an error of one of eight kinds. The papers' words are not in it: they are read from the folder of data at
the place that a line names, and compared with its SHA-256. Half, by that digest, is sealed: not to be looked at one by
one.
"""

from __future__ import annotations

import random
import re
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec
from lxml import etree

from conspectus.core.errors import InputError, describe_os_error
from conspectus.evaluation.set_files import SetId, read_rows
from conspectus.parse.text.sentences import split_sentences
from conspectus.records import Citation, Paper, Passage, Span, Statement

Half = Literal["open", "sealed", "all"]
ERRORS = ("number", "swap", "entity", "negation", "cause", "hedge", "scope", "direction")
PARAPHRASE = "paraphrase"
SUPPORTED = "scifact supported"
_UNITS = {"mg": "g", "μm": "mm", "mm": "cm", "ms": "s", "s": "ms", "days": "weeks", "years": "months", "kpc": "pc"}
_NUMBER = re.compile(r"(?<![\w.,-])(\d{2,})(?![\w.,-]*\d)")
_UNIT = re.compile(rf"(?<=\d) ?({'|'.join(_UNITS)})\b")
_NAME = re.compile(r"\b(?=\w*[A-Z])[A-Za-z]+-?\d+\b")
_VERB = re.compile(r"\b(is|are|was|were|can|may|did|does|could)\b(?! not)")
_PARSER = {"recover": True, "resolve_entities": False, "no_network": True, "load_dtd": False}


@dataclass(frozen=True, slots=True)
class StatementCheck:
    """A statement known to be supported by its sentences, or not.

    Attributes:
        kind: of error; `PARAPHRASE` and `SUPPORTED` are true.
        passage: that its sentences stand in; `statement.citations` names them.
    """

    kind: str
    statement: Statement
    passage: Passage

    @property
    def is_true(self) -> bool:
        """Whether the sentences support it."""
        return self.kind in (PARAPHRASE, SUPPORTED)


class SciFactPaper(msgspec.Struct):
    """A paper of SciFact, its abstract sentence by sentence."""

    doc_id: SetId
    title: str
    abstract: list[str]


class Rationale(msgspec.Struct):
    """The numbers of sentences that experts marked, and whether they support or contradict."""

    sentences: list[int]
    label: str


class SciFactClaim(msgspec.Struct):
    """A claim of SciFact, and the papers that are its evidence."""

    claim: str
    cited_doc_ids: list[SetId] = []
    evidence: dict[str, list[Rationale]] = {}
    id: SetId = ""


class StatementRow(msgspec.Struct, frozen=True):
    """A line of `checks.jsonl`: `part` is the paragraph of the paper, `spans` are offsets in it with single spaces."""

    corpus: str
    paper: str
    part: int
    spans: list[tuple[int, int]]
    sha256: str
    kind: str
    faithful: str
    wrong: str
    sealed: bool


class _Article(msgspec.Struct):
    id: str
    title: str = ""
    year: int | None = None
    abstract: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A paragraph, with the paper's title and the heading above it."""

    text: str
    title: str = ""
    section: str = ""
    year: int | None = None


Read = Callable[[Path, Sequence[StatementRow]], dict[tuple[str, int], _Part]]


def statement_rows(path: Path | None = None) -> tuple[StatementRow, ...]:
    """Read our own statements, or another file of this form."""
    if path is not None:
        return tuple(read_rows(path, StatementRow))
    text = (resources.files("conspectus.evaluation") / "checks.jsonl").read_bytes()
    return tuple(msgspec.json.decode(line, type=StatementRow) for line in text.splitlines())


def statement_checks(data: Path, half: Half, rows: Sequence[StatementRow]) -> list[StatementCheck]:
    """Paraphrases and errors of one half, with errors planted by rule in the same sentences.

    Raises:
        InputError: a file of the data is not there, or does not have the words that a line is about.
    """
    chosen = [row for row in rows if half == "all" or row.sealed == (half == "sealed")]
    names = sorted(name for row in rows for name in _NAME.findall(row.faithful))
    checks: list[StatementCheck] = []
    for corpus, read in _READERS.items():
        of = [row for row in chosen if row.corpus == corpus]
        parts = read(data, of) if of else {}
        for row in of:
            part = parts.get((row.paper, row.part))
            texts = [part.text[start:end] for start, end in row.spans] if part else []
            if part is None or sha256("\n".join(texts).encode()).hexdigest()[:16] != row.sha256:
                raise InputError(
                    f"'{row.paper}' of {corpus} in '{data}' has not the words that a check is about.",
                    "Take the data as this version of the program knows it.",
                )
            checks += [_make_check(PARAPHRASE, row.faithful, row.paper, part, row.spans)]
            checks += [_make_check(row.kind, row.wrong, row.paper, part, row.spans)]
            checks += [
                _make_check(kind, text, row.paper, part, row.spans) for kind, text in plant_errors(texts[0], names)
            ]
    return checks


def scifact_checks(data: Path) -> list[StatementCheck]:
    """SciFact's training claims with the marked sentences, or if none is marked, the nearest by words."""
    papers = {str(paper.doc_id): paper for paper in read_rows(data / "scifact" / "corpus.jsonl.gz", SciFactPaper)}
    checks = []
    for claim in read_rows(data / "scifact" / "claims_train.jsonl", SciFactClaim):
        marked = [(name, rationale) for name, rationales in claim.evidence.items() for rationale in rationales]
        for name, rationale in marked:
            kind = SUPPORTED if rationale.label == "SUPPORT" else "scifact contradicted"
            checks.append(_of_abstract(kind, claim.claim, papers[name], rationale.sentences))
        for name in [] if marked else [str(paper_id) for paper_id in claim.cited_doc_ids][:1]:
            near = _nearest(claim.claim, papers[name].abstract)
            checks.append(_of_abstract("scifact not enough", claim.claim, papers[name], near))
    return checks


def plant_errors(sentence: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Change one thing in a sentence by rule, for each kind of error that it has words for."""
    choice = random.Random(sentence)  # noqa: S311 - the same sentence is changed alike
    if matches := list(_NUMBER.finditer(sentence)):
        match = choice.choice(matches)
        yield "planted number", _replace_match(sentence, match, str(int(match[1]) + choice.choice((3, 10, 27))))
    if matches := list(_UNIT.finditer(sentence)):
        match = choice.choice(matches)
        yield "planted unit", _replace_match(sentence, match, f" {_UNITS[match[1]]}")
    if matches := list(_NAME.finditer(sentence)):
        others = [name for name in names if name not in sentence]
        if others:
            yield "planted name", _replace_match(sentence, choice.choice(matches), choice.choice(others))
    if verb := _VERB.search(sentence):
        yield "planted negation", _replace_match(sentence, verb, f"{verb[1]} not")


def _replace_match(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _nearest(claim: str, sentences: Sequence[str]) -> list[int]:
    words = set(re.findall(r"\w{4,}", claim.lower()))
    order = sorted(range(len(sentences)), key=lambda n: -len(words & set(re.findall(r"\w{4,}", sentences[n].lower()))))
    return sorted(order[:2])


def _of_abstract(kind: str, claim: str, paper: SciFactPaper, sentences: Sequence[int]) -> StatementCheck:
    spans, place = [], 0
    for text in paper.abstract:
        spans.append((place, place + len(text)))
        place += len(text) + 1
    part = _Part(" ".join(paper.abstract), paper.title)
    return _make_check(kind, claim, str(paper.doc_id), part, [spans[number] for number in sentences])


def _make_check(kind: str, text: str, name: str, part: _Part, cited: Sequence[tuple[int, int]]) -> StatementCheck:
    others = [
        (start, end) for start, end in split_sentences(part.text) if all(end <= a or start >= b for a, b in cited)
    ]
    places = sorted({*cited, *others})
    spans = {
        place: Span(f"{name}.s{number}", place[0], place[1], part.text[slice(*place)])
        for number, place in enumerate(places)
    }
    passage = Passage(f"{name}.p", name, "body", part.section, part.text, tuple(spans.values()))
    chosen = tuple(spans[place] for place in sorted(cited))
    paper = Paper(id=name, title=part.title, year=part.year)
    citation = Citation(paper, passage.id, chosen, " … ".join(span.text for span in chosen))
    return StatementCheck(kind, Statement(text, "unchecked", (citation,)), passage)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _articles(name: str) -> Read:
    """Reader of records: each line of `body` is a part, `#` begins a heading; without a body the abstract."""

    def read(data: Path, rows: Sequence[StatementRow]) -> dict[tuple[str, int], _Part]:
        keys = {(row.paper, row.part) for row in rows}
        papers = {paper for paper, _ in keys}
        parts: dict[tuple[str, int], _Part] = {}
        for item in read_rows(data / name, _Article):
            section = ""
            for number, text in enumerate((item.body or item.abstract).split("\n") if item.id in papers else ()):
                section = _one_line(text.lstrip("# ")) if text.startswith("#") else section
                if (item.id, number if item.body else 0) in keys:
                    parts.setdefault(
                        (item.id, number if item.body else 0),
                        _Part(_one_line(text if item.body else item.abstract), item.title, section, item.year),
                    )
        return parts

    return read


def _in_archive(data: Path, rows: Sequence[StatementRow]) -> dict[tuple[str, int], _Part]:
    papers = {row.paper for row in rows}
    path = data / "jats_plos" / "plos_72.tar.xz"
    parts: dict[tuple[str, int], _Part] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = member.name.removeprefix("./")
                if name in papers and (file := archive.extractfile(member)):
                    parts |= _paragraphs(name, file.read())
    except (OSError, EOFError, tarfile.TarError) as error:
        raise InputError(
            f"'{path}' cannot be read: {describe_os_error(error)}.", "Look whether it is there and whole."
        ) from error
    return parts


def _in_files(data: Path, rows: Sequence[StatementRow]) -> dict[tuple[str, int], _Part]:
    parts: dict[tuple[str, int], _Part] = {}
    for name in sorted({row.paper for row in rows}):
        path = data / "pdf_jose" / name
        try:
            parts |= _paragraphs(name, path.read_bytes())
        except OSError as error:
            raise InputError(
                f"'{path}' cannot be read: {describe_os_error(error)}.", "Look whether it is there and whole."
            ) from error
    return parts


def _paragraphs(name: str, content: bytes) -> dict[tuple[str, int], _Part]:
    """The paragraphs of a JATS article's body, by their number."""
    tree = etree.fromstring(content, etree.XMLParser(**_PARSER))  # type: ignore[arg-type]
    title = _element_text(tree.find(".//article-title"))
    year = (tree.findtext(".//pub-date/year") or "").strip()
    parts = {}
    for number, element in enumerate(tree.iterfind(".//body//p")):
        heading = next((_element_text(section.find("title")) for section in element.iterancestors("sec")), "")
        parts[name, number] = _Part(_element_text(element), title, heading, int(year) if year.isdecimal() else None)
    return parts


def _element_text(element: etree._Element | None) -> str:
    return "" if element is None else _one_line("".join(map(str, element.itertext())))


_READERS: dict[str, Read] = {
    "neuro": _articles("neuro_corpus/fulltext.jsonl.gz"),
    "astro": _articles("arxiv_astro/astro_abstracts.jsonl.gz"),
    "plos": _in_archive,
    "jose": _in_files,
}
