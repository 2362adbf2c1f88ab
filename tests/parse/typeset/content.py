"""What the typeset documents say: our own primers of `examples/papers`, with all that makes papers hard to read.

`document(...)` gives the parts of one document in order. Nothing here knows of LaTeX.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

PRIMERS = Path(__file__).resolve().parents[3] / "examples" / "papers"

Kind = Literal["heading", "paragraph", "item", "equation", "figure", "wide figure", "table", "run-in"]


@dataclass
class Part:
    """A part of a document. `notes` are footnotes: `text` has `{note}` where their marks stand."""

    kind: Kind
    text: str
    level: int = 0
    notes: tuple[str, ...] = ()
    joined: bool = False


@dataclass
class Entry:
    """A reference: the key, what the primer prints, and what it means."""

    key: str
    authors: str
    year: int
    title: str
    rest: str
    doi: str = ""


@dataclass
class Document:
    """One document: `authors` with their places of work."""

    name: str
    title: str
    authors: tuple[tuple[str, str], ...]
    abstract: str
    keywords: tuple[str, ...]
    parts: list[Part] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)


AUTHORS = (
    (("Ada B. Lindqvist", "Institute of Examples, Northern University"), ("Marco di Renzo", "Library of Tests, Lowtown")),
    (("Wei-Lin Chen", "School of Samples, Eastbridge"), ("José Núñez", "Laboratory for Trials, Port Nova")),
    (("Rosalind Okafor", "Department of Models, Highfield"), ("Jürgen Weiß", "Academy of Measures, Altstadt"),
     ("Priya Raman", "Centre for Methods, Riverside")),
    (("Tomasz Kowalczyk", "Faculty of Drafts, Westmark"),),
)  # fmt: skip

SUBHEADINGS = (
    "What remains uncertain", "A note on the methods", "Limits of the evidence", "How the numbers were obtained",
    "Consequences for later work", "An older explanation", "Comparison of the estimates", "The choice of the sample",
)  # fmt: skip

COMPOUNDS = (
    "A well-known difficulty is that a long-term measurement needs a low-noise instrument and a high-quality reference, "
    "and that a time-dependent drift looks like a slow-moving signal. State-of-the-art equipment does not remove this "
    "difficulty, because a well-known source of error remains in every long-term record that has been published so far.",
    "The follow-up measurements used a low-noise amplifier and a real-time correction. The so-called two-step procedure "
    "is time-consuming, but it is the only one that gives a model-independent answer. Its critics prefer a real-time "
    "analysis that is less time-consuming and, in their view, not less model-independent than the two-step procedure.",
    "We distinguish short-lived from long-lived effects. Short-lived effects vanish within hours, whereas long-lived "
    "ones outlast the experiment. A cross-check with a time-resolved method showed that the short-lived part is "
    "temperature-dependent and that the long-lived part is not, in agreement with the first-order theory.",
)

NOTES = (
    "The numbers in this paragraph are rounded to the last digit that is certain.",
    "Older textbooks use another sign here, which has led to some confusion.",
    "We thank the readers of an earlier version for this remark.",
    "A table of all values can be had from the authors.",
)

ITEMS = (
    "the first condition is that the sample is large enough to show the effect at all;",
    "the second condition is that nothing else changes while the measurement is made, which is rarely the case;",
    "the third condition is that the result can be repeated by somebody else with other instruments.",
)

CAPTIONS = (
    "The measured signal as a function of time. The dashed line shows the model without any free parameter.",
    "A map of the residuals in arbitrary units. Dark areas are those in which the model is too low.",
    "Overview of the procedure. From left to right: the sample, the detector, and the analysis of the data.",
)

SIMPLE = (
    "The other samples were treated in the same way. They confirm what was said above, with the exception of the third, "
    "which had been stored for too long. We have left it out of the figures and mention it only for the sake of "
    "completeness."
)

TABLE = (
    ("Sample", "Number", "Mean", "Error"),
    ("first", "112", "3.41", "0.12"),
    ("second", "87", "3.38", "0.17"),
    ("third", "240", "3.52", "0.09"),
    ("all", "439", "3.46", "0.07"),
)

TABLE_CAPTION = "The four samples and their means. Errors are those of the mean value."

AROUND = (
    "The balance of gain and loss can be written in a simple form. If the rate is proportional to the distance from "
    "equilibrium, one has",
    "where the constant on the right-hand side is the inverse of the time in which a disturbance decays. The solution "
    "is an exponential, and its parameters follow from two measurements at different times.",
)


def document(name: str, number: int, *, longer: bool = False) -> Document:
    """The document `name`, made of primer `number` and the sections of one or two others."""
    paths = sorted(PRIMERS.glob("*.md"))
    chosen = [paths[(number + k * 3) % len(paths)] for k in range(3 if longer else 2)]
    draw = random.Random(number)
    first = chosen[0].read_text(encoding="utf-8")
    title = re.search(r"^# (.+)$", first, re.M)
    abstract = re.search(r"^## Abstract\n\n(.+)$", first, re.M)
    keywords = re.search(r"^keywords: (.+)$", first, re.M)
    assert title and abstract and keywords
    made = Document(name, title[1], AUTHORS[number % 4], abstract[1], tuple(keywords[1].split("; ")))
    for i, path in enumerate(chosen):
        text = path.read_text(encoding="utf-8")
        if longer:
            name_of = re.search(r"^# (.+)$", text, re.M)
            assert name_of
            made.parts.append(Part("heading", name_of[1], 1))
        _add_sections(made, text, draw, deeper=longer, number=i)
        made.entries += [entry for entry in _entries(text) if entry.key not in {e.key for e in made.entries}]
    return made


def _add_sections(made: Document, text: str, draw: random.Random, *, deeper: bool, number: int) -> None:
    """The primer's sections, with subsections, equations, lists, footnotes, figures and a table put in."""
    sections = re.findall(r"^## (?!Abstract|References)(.+)\n\n((?:(?!## ).*\n?)+)", text, re.M)
    level = 2 if deeper else 1
    for i, (heading, body) in enumerate(sections):
        paragraphs = [part.strip() for part in body.split("\n\n") if part.strip()]
        made.parts.append(Part("heading", heading, level))
        for k, paragraph in enumerate(paragraphs):
            if k == len(paragraphs) - 1 and k > 0:
                made.parts.append(Part("heading", SUBHEADINGS[(i + 4 * number) % 8], level + 1))
            made.parts.append(_with_note(paragraph, draw))
        made.parts += _extras(i + 5 * number, number)


def _with_note(paragraph: str, draw: random.Random) -> Part:
    ends = [m.end() for m in re.finditer(r"[a-z]{3}\.(?= [A-Z][a-z])", paragraph)]
    if ends and draw.random() < 0.2:
        at = draw.choice(ends)
        return Part(
            "paragraph",
            paragraph[:at] + "{note}" + paragraph[at:],
            notes=(f"{draw.choice(NOTES)} {_remark(paragraph)}",),
        )
    return Part("paragraph", paragraph)


def _remark(paragraph: str) -> str:
    """A sentence that no other footnote has."""
    words = sorted(set(re.findall(r"[a-z]{7,}", paragraph)))
    return f"Compare what is said of {words[0]} and {words[-1]} elsewhere."


def _extras(at: int, number: int) -> list[Part]:
    compounds = Part("paragraph", COMPOUNDS[(at + number) % 3])
    if at % 5 == 0:
        return [
            Part("paragraph", AROUND[0]),
            Part("equation", "x' = a(x_0-x)"),
            Part("paragraph", AROUND[1], joined=True),
        ]
    if at % 5 == 1:
        return [
            Part("figure", CAPTIONS[number % 2]),
            Part("paragraph", "The result is shown in Figure {figure}. " + COMPOUNDS[at % 3]),
        ]
    if at % 5 == 2:
        return [Part("paragraph", "Three conditions must be met:"), *(Part("item", text) for text in ITEMS), compounds]
    if at % 5 == 3:
        return [
            Part("table", TABLE_CAPTION),
            Part("paragraph", "Table {table} lists the samples. " + COMPOUNDS[(at + 1) % 3]),
        ]
    return [
        Part("wide figure", CAPTIONS[2]),
        Part("run-in", "Long records" if number else "Early work"),
        compounds,
        Part("run-in", "Other samples" if number else "Later work"),
        Part("paragraph", SIMPLE),
    ]


def _entries(text: str) -> list[Entry]:
    entries = []
    for line in re.findall(r"^- (.+)$", text.partition("## References")[2], re.M):
        found = re.fullmatch(r"(.+?) \((\d{4})\)\. (.+?[^A-Z])\. (.+?)(?: doi:(\S+))?", line)
        if not found:
            continue
        authors, year, title, rest, doi = found.groups()
        key = re.split(r"[ ,]", authors)[0].lower() + year
        entries.append(Entry(key, authors, int(year), title, rest.rstrip("."), doi or ""))
    return entries
