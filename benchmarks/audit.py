"""How well an audit tells wrong references from right ones.

Run `python benchmarks/audit.py [--data DIR] [--part held-out|developed-on] [--count N] [--show N]`.

The references of JATS articles are printed in the styles of many journals (`reference_styles.py`), a third of them with
their DOIs. **Right** ones are left as they are, or changed as people and programs change them: the title in small
letters, without its subtitle, without accents, with a typing mistake, with the year of the preprint. **Wrong** ones are
made as language models make them: the DOI of another work, a DOI that nobody has, a title made of two others, a title
with a word of another, the year two to nine off, the authors of another work. A service on loopback that answers as
Crossref does has the records of all the works. Articles are parted by the hash of their names; nothing was developed on
those held out.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parsing import default_data, fold_text
from reference_styles import TITLED, Work, print_reference
from reference_truth import articles
from results import Figure, store_figures
from tests_path import crossref_server

from conspectus import Library
from conspectus.lexicon import STOP_WORDS
from conspectus.parse.references.lists import entry_of
from conspectus.parse.text.titles import main_title, title_words
from conspectus.records import Reference, ReferenceCheck
from conspectus.references.audit import check_references
from conspectus.references.comparison import CrossrefLookup
from conspectus.settings.groups import SourcesSettings

LIMIT_PRECISION, LIMIT_RECALL = 0.95, 0.95
Change = Callable[[Work, Work, random.Random], Work]


@dataclass(frozen=True)
class Case:
    """A printed reference, how it was made, and whether an audit is to object."""

    kind: str
    wrong: bool
    text: str


def works(data: Path, part: str) -> list[Work]:
    """The works that are cited, each once, with a DOI: their own, else one made for them."""
    found: dict[str, Work] = {}
    for article in articles(data):
        if article.held_out != (part == "held-out"):
            continue
        for entry in article.entries:
            work = entry.work
            usable = work.authors and work.year and work.source and work.volume and work.first and not work.book
            if usable and len(title_words(work.title)) >= 3 and len(work.title) < 300:
                doi = work.doi.lower().rstrip(".,;") or f"10.5555/{abs(hash_of(fold_text(work.title))):x}"
                found.setdefault(fold_text(work.title), replace(work, doi=doi))
    return list({work.doi: work for work in found.values()}.values())


def hash_of(text: str) -> int:
    return int.from_bytes(random.Random(text).randbytes(6), "little")


def record(work: Work) -> dict[str, Any]:
    """The work as Crossref has it."""
    names = [{"family": family, "given": given} if given else {"name": family} for family, given in work.authors]
    issued = {"date-parts": [[work.year]]}
    return {"DOI": work.doi, "title": [work.title], "author": names, "issued": issued, "container-title": [work.source]}


def with_title(work: Work, title: str) -> Work:
    return replace(work, title=title)


def typed_wrong(work: Work, _: Work, chance: random.Random) -> Work:
    words = work.title.split()
    long = [at for at, word in enumerate(words) if len(word) > 6 and word.isalpha()]
    if long:
        at = chance.choice(long)
        cut = chance.randrange(2, len(words[at]) - 2)
        words[at] = words[at][:cut] + words[at][cut + 1 :]
    return with_title(work, " ".join(words))


def of_two(work: Work, other: Work, _: random.Random) -> Work:
    one, two = work.title.split(), other.title.split()
    return with_title(work, " ".join([*one[: len(one) // 2], *two[len(two) // 2 :]]))


def one_word(work: Work, other: Work, chance: random.Random) -> Work:
    """A content word of the title is one of another title."""
    words = work.title.split()
    mine = [at for at, word in enumerate(words) if len(word) > 4 and word.isalpha() and word.lower() not in STOP_WORDS]
    known = {word.lower() for word in words}
    theirs = [w for w in other.title.split() if len(w) > 4 and w.isalpha() and w.lower() not in known | STOP_WORDS]
    if mine and theirs:
        words[chance.choice(mine)] = chance.choice(theirs).lower()
    return with_title(work, " ".join(words))


def other_year(work: Work, _: Work, chance: random.Random) -> Work:
    return replace(work, year=(work.year or 2000) + chance.choice((-1, 1)) * chance.randint(2, 9))


def bare(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def mangled(work: Work, _: Work, chance: random.Random) -> Work:
    return replace(work, doi=f"{work.doi[:-2]}{chance.randrange(1000, 9999)}x")


RIGHT: dict[str, Change] = {
    "as printed": lambda work, *_: work,
    "small letters": lambda work, *_: with_title(work, work.title[:1] + work.title[1:].lower()),
    "no subtitle": lambda work, *_: with_title(work, main_title(work.title)),
    "no accents": lambda work, *_: with_title(work, bare(work.title)),
    "typing mistake": typed_wrong,
    "a year early": lambda work, *_: replace(work, year=(work.year or 2000) - 1),
}
WRONG: dict[str, Change] = {
    "DOI of another": lambda work, other, _: replace(work, doi=other.doi),
    "DOI of nobody": mangled,
    "title of two": of_two,
    "one word of title": one_word,
    "other year": other_year,
    "other authors": lambda work, other, _: replace(work, authors=other.authors),
}
OF_DOI = ("DOI of another", "DOI of nobody")


def cases(known: list[Work], count: int) -> Iterator[Case]:
    """`count` right references and as many wrong ones, each of another work, in a fixed order."""
    chance = random.Random(5)
    chosen = chance.sample(known, min(2 * count, len(known)))
    for number, work in enumerate(chosen):
        wrong = number % 2 == 1
        kinds = WRONG if wrong else RIGHT
        kind = list(kinds)[number // 2 % len(kinds)]
        other = chance.choice(known)
        made = kinds[kind](work, other, chance)
        if other is work or (wrong and made == work) or fold_text(other.authors[0][0]) == fold_text(work.authors[0][0]):
            continue
        text = print_reference(chance.choice(sorted(TITLED)), made)
        shown = kind in OF_DOI or chance.random() < 1 / 3
        text = text.replace(made.doi, "") if not shown else text
        yield Case(kind, wrong, f"{text} https://doi.org/{made.doi}" if shown and made.doi not in text else text)


def measure(known: list[Work], made: list[Case]) -> list[ReferenceCheck]:
    """What the audit says of each, with an empty library."""
    references: list[Reference] = [entry_of(case.text) for case in made]
    works = map(record, known)
    with tempfile.TemporaryDirectory() as folder, Library(folder) as library, crossref_server(works) as server:
        lookup = CrossrefLookup(SourcesSettings(crossref_url=server.url, max_age=0.0))
        return list(check_references(library.session.catalog, references, lookup).checks)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with the JATS sets")
    parser.add_argument("--part", choices=("held-out", "developed-on"), default="held-out")
    parser.add_argument("--count", type=int, default=600, metavar="N", help="right references, and wrong ones [600]")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N of the mistakes")
    arguments = parser.parse_args()
    if not (arguments.data / "jats_plos").is_dir():
        print(f"No 'jats_plos' in '{arguments.data}': give the data folder with --data.", file=sys.stderr)
        return 2
    known = works(arguments.data, arguments.part)
    made = list(cases(known, arguments.count))
    checks = measure(known, made)
    counts: dict[str, Counter[str]] = {}
    mistakes = []
    for case, check in zip(made, checks, strict=True):
        counts.setdefault(case.kind, Counter())[check.verdict] += 1
        if case.wrong != (check.verdict in ("wrong", "not found")):
            mistakes.append(f"{case.kind}: {check.verdict} {check.contradicts}: {case.text}\n    {check.note}")
    print(f"{len(made):,} references against {len(known):,} works ({arguments.part})")
    for kind in (*RIGHT, *WRONG):
        total = sum(counts.get(kind, Counter()).values())
        said = ", ".join(f"{verdict} {number}" for verdict, number in counts.get(kind, Counter()).most_common())
        print(f"  {'right' if kind in RIGHT else 'wrong':6} {kind:18} {total:4}: {said}")
    flagged = [case.wrong for case, check in zip(made, checks, strict=True) if check.verdict in ("wrong", "not found")]
    wrong = sum(case.wrong for case in made)
    precision, recall = sum(flagged) / max(len(flagged), 1), sum(flagged) / max(wrong, 1)
    print(f"Objected to: precision {precision:.3f} (at least {LIMIT_PRECISION}), recall {recall:.3f} ({LIMIT_RECALL})")
    what, limit = f"{len(made):,} references audited: precision; recall", f"≥ {LIMIT_PRECISION}; {LIMIT_RECALL}"
    if arguments.part == "held-out":
        figure = Figure(what, f"{precision:.3f}; {recall:.3f}", limit)
        store_figures("audit", "answers", "python benchmarks/audit.py", [figure])
    for mistake in mistakes[: arguments.show]:
        print(f"- {mistake}")
    return 0 if precision >= LIMIT_PRECISION and recall >= LIMIT_RECALL else 1


if __name__ == "__main__":
    raise SystemExit(main())
