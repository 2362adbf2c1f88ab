"""The model that tells the headings of PDF files: its training, and how well it does.

    python benchmarks/heading_model.py check --sources DIR     # cross-validation by paper on the training part
    python benchmarks/heading_model.py fit --sources DIR       # src/conspectus/parse/pdf/headings.json
    python benchmarks/heading_model.py sealed --sources DIR    # the sealed part: read once, when all was settled

Papers whose headings are known: those of `parsing.py`, and PDF files that lie beside their LaTeX or Sweave sources in
DIR, as R packages have them for their vignettes (`apt-get download r-cran-zoo`, `dpkg -x`). A hash of its name decides
whether a paper is of the third that is sealed. Counted are the groups of lines that nothing forbids to be headings, of
each paper from its first heading on; groups that the source sets as titles, names or stressed words are left out.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import blake2b
from pathlib import Path
from typing import Any

import corpora
import msgspec
import numpy as np
from numpy.typing import NDArray
from parsing_measures import fold_text, without_number
from parsing_truth import default_data, real_truths, typeset_truths

from conspectus.parse.pdf import headings, roles
from conspectus.parse.pdf.headings import Features, HeadingModel, Headings
from conspectus.parse.pdf.page_text import LineGroup
from conspectus.parse.pdf.reader import read_pdf

TARGET = corpora.ROOT / "src" / "conspectus" / "parse" / "pdf" / "headings.json"
OWN = frozenset({"abstract", "references", "keywords", "contents", "bibliography"})
"""Headings that sources do not name."""
RIDGE = 2.0
WEIGHTS = {"jose": 2.0}
"""What a group counts that is of another set than LaTeX's and R's."""
FOLDS, STEPS = 8, 40
_HEADING = re.compile(r"\\(?:chapter|(?:sub){0,2}section|paragraph)\*?\s*(?:\[[^\]]*\])?\s*\{")
_OTHER = re.compile(r"\\(?:textbf|emph|textit|textsc|title|author)\*?\{")
_UNPRINTED = re.compile(r"\\(?:label|index|footnote|cite\w*)\s*(?:\[[^\]]*\])?\{[^{}]*\}")
_APPENDIX = re.compile(r"^(?:Appendix )?[A-Z](?:\.\d+)*\.?\s+")
_PART = re.compile(r"(?:Chapter|Appendix) \w+")
_ALIKE = 0.87
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Paper:
    """A PDF file, what its headings are, and what in it looks like some and is neither."""

    kind: str
    path: Path
    headings: frozenset[str]
    others: frozenset[str] = frozenset()

    @property
    def sealed(self) -> bool:
        """Whether it is of the third that is read once."""
        return blake2b(f"heading\0{self.path.stem}".encode(), digest_size=4).digest()[0] % 3 == 0


@dataclass(frozen=True, slots=True)
class Sample:
    paper: Paper
    text: str
    found: Features
    heading: bool


def papers(sources: Path | None, folder: Path) -> Iterator[Paper]:
    """All papers; copies of our own, stored row by row, are written to `folder`."""
    for truth in (*typeset_truths(), *typeset_truths(folder), *real_truths(default_data())):
        if truth.headings:
            names = frozenset(fold_text(without_number(text)) for text, _ in truth.headings)
            yield Paper(truth.kind, truth.path, names | OWN)
    for path in sorted(sources.rglob("*.pdf")) if sources else ():
        source = next((p for end in (".Rnw", ".tex") if (p := path.with_suffix(end)).is_file()), None)
        text = _plain_source(source) if source else ""
        names = frozenset(fold_text(name) for name in _arguments(_HEADING, text))
        if len(names) >= 3:
            yield Paper("sources", path, names | OWN, frozenset(map(fold_text, _arguments(_OTHER, text))))


def _plain_source(path: Path) -> str:
    """The source without code, comments and what stands behind its end."""
    text = path.read_text("utf-8", errors="replace").split("\\end{document}")[0]
    text = re.sub(r"^<<.*?>>=\n.*?^@", "", text, flags=re.S | re.M)
    text = re.sub(r"\\begin\{comment\}.*?\\end\{comment\}", "", text, flags=re.S)
    return re.sub(r"(?<!\\)%[^\n]*", "", text)


def _arguments(command: re.Pattern[str], text: str) -> Iterator[str]:
    """What stands between the braces of a command, without commands of its own."""
    for found in command.finditer(text):
        depth, end = 1, found.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        name = re.sub(
            r"\\(?:label|index|footnote|cite\w*)\s*(?:\[[^\]]*\])?\{[^{}]*\}", "", text[found.end() : end - 1]
        )
        name = re.sub(r"[{}$]|\\[a-zA-Z]+\*?\s*", "", name)
        if fold_text(name) and "#" not in name:
            yield name


def samples(paper: Paper) -> list[Sample]:
    """The paper's groups, from the first heading on."""
    seen: list[Sample] = []
    begun = False

    class Watched(Headings):
        def __contains__(self, group: LineGroup) -> bool:
            nonlocal begun
            heading, other = _is_heading(paper, group.text)
            begun = begun or heading or group.first.page > 1
            found = self.features(group)
            if begun and found is not None and (heading or not other):
                seen.append(Sample(paper, group.text, found, heading))
            return super().__contains__(group)

    roles.Headings = Watched  # type: ignore[misc]
    try:
        read_pdf(paper.path)
    finally:
        roles.Headings = Headings  # type: ignore[misc]
    return seen


def _is_heading(paper: Paper, text: str) -> tuple[bool, bool]:
    """Whether it is a heading, and whether it is something else that the source sets apart."""
    forms = {fold_text(text), fold_text(without_number(text)), fold_text(_APPENDIX.sub("", text))}
    near = paper.kind == "sources" and any(
        abs(len(form) - len(name)) < 8 and SequenceMatcher(None, form, name).ratio() > _ALIKE
        for form in forms
        for name in paper.headings
        if len(name) > 8
    )
    return bool(forms & paper.headings) or near or _PART.fullmatch(text) is not None, bool(forms & paper.others)


def fit(chosen: Sequence[Sample]) -> HeadingModel:
    """A logistic regression with a ridge, by Newton's method."""
    matrix = np.array([(1.0, *one.found) for one in chosen])
    truth = np.array([one.heading for one in chosen], np.float64)
    counts = np.array([WEIGHTS.get(one.paper.kind, 1.0) for one in chosen])
    weights = np.zeros(matrix.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-matrix @ weights))
        slope = matrix.T @ (counts * (chance - truth)) + RIDGE * weights
        bend = (matrix * (counts * chance * (1 - chance))[:, None]).T @ matrix + RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(bend, slope)
    intercept, *others = np.round(weights, 2).tolist()
    return HeadingModel(intercept, dict(zip(Features._fields, others, strict=True)))


def show(name: str, chosen: Sequence[Sample], tell: Callable[[Sample], bool]) -> None:
    """Print precision, recall and F1 of each set."""
    for kind in dict.fromkeys(one.paper.kind for one in chosen):
        own = [(tell(one), one.heading) for one in chosen if one.paper.kind == kind]
        right, found, there = (sum(map(bool, part)) for part in ([a and b for a, b in own], *zip(*own, strict=True)))
        print(f"{name:8} {kind:10} {right} right of {found} found, {there} there: F1 {2 * right / (found + there):.4f}")


def check(chosen: Sequence[Sample], verbose: bool) -> None:
    """Cross-validation: the papers of each fold by a model of the others."""
    names = sorted({one.paper.path.stem for one in chosen}, key=lambda name: blake2b(name.encode()).digest())
    folds = {name: i % FOLDS for i, name in enumerate(names)}
    told: dict[int, bool] = {}
    for fold in range(FOLDS):
        made = fit([one for one in chosen if folds[one.paper.path.stem] != fold])
        told |= {i: made.odds(one.found) > 0 for i, one in enumerate(chosen) if folds[one.paper.path.stem] == fold}
    answers = {id(one): told[i] for i, one in enumerate(chosen)}
    show("check", chosen, lambda one: answers[id(one)])
    for one in (one for one in chosen if verbose and answers[id(one)] != one.heading):
        print(f"  {'missed' if one.heading else 'none  '} {one.paper.path.stem}: {one.text[:90]}")


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("check", "fit", "sealed"))
    parser.add_argument("--sources", type=Path, help="PDF files beside their sources")
    parser.add_argument("--verbose", action="store_true", help="print what is told wrongly")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wanted = [one for one in papers(arguments.sources, Path(folder)) if one.sealed == (arguments.what == "sealed")]
        chosen: list[Any] = [sample for one in wanted for sample in samples(one)]
    if arguments.what == "check":
        check(chosen, arguments.verbose)
    elif arguments.what == "sealed":
        show("sealed", chosen, lambda one: headings.is_heading(one.found))
    else:
        TARGET.write_bytes(msgspec.json.format(msgspec.json.encode(fit(chosen)), indent=1) + b"\n")


if __name__ == "__main__":
    main()
