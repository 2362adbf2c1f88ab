"""Reference entries printed in the styles of many journals, from their parts: material for `references.py`.

Written after the styles' own manuals and example lists, not after the reader that is measured with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

GIVEN = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "Anna Boris Carla David Elena Frank Grace Hiro Ingrid John Karin Luis Maria Nils Olga Pedro Qing Rosa Stefan "
        "Tomas Ute Viktor Wei Xiao Yuki Zoe".split(),
        strict=True,
    )
)


@dataclass(frozen=True)
class Work:
    """What a publisher's record says of one cited work. `authors` are (family, initials such as `JA`)."""

    title: str
    authors: tuple[tuple[str, str], ...]
    year: int | None
    source: str = ""
    volume: str = ""
    issue: str = ""
    first: str = ""
    last: str = ""
    doi: str = ""
    pmid: str = ""
    publisher: str = ""
    city: str = ""
    book: bool = False

    @property
    def pages(self) -> str:
        return f"{self.first}–{self.last}" if self.last and self.last != self.first else self.first


def dotted(initials: str, gap: str = " ") -> str:
    """`JA` as `J. A.`."""
    return gap.join(f"{letter}." for letter in initials)


def full(initials: str) -> str:
    """`JA` as `John A.`."""
    first = GIVEN.get(initials[:1], initials[:1])
    return " ".join([first, *(f"{letter}." for letter in initials[1:])]).strip()


def family_first(work: Work, comma: str = ", ", gap: str = " ") -> list[str]:
    return [f"{family}{comma}{dotted(initials, gap)}" if initials else family for family, initials in work.authors]


def initials_first(work: Work, gap: str = " ") -> list[str]:
    return [f"{dotted(initials, gap)} {family}".strip() for family, initials in work.authors]


def names_first(work: Work) -> list[str]:
    return [f"{full(initials)} {family}".strip() for family, initials in work.authors]


def bare(work: Work) -> list[str]:
    return [f"{family} {initials}".strip() for family, initials in work.authors]


def joined(names: Sequence[str], last: str, comma: str = ", ", most: int = 99, et_al: str = ", et al.") -> str:
    """The names with `last` before the last one; of more than `most` only the first and `et_al`."""
    if len(names) > most:
        return comma.join(names[: max(most - 1, 1)]) + et_al
    if len(names) < 2:
        return "".join(names)
    return comma.join(names[:-1]) + last + names[-1]


def ended(text: str, stop: str = ".") -> str:
    """`text` with `stop`, unless it ends with a mark of its own."""
    return text if text.endswith((".", "?", "!")) else text + stop


def part(before: str, text: str, after: str = "") -> str:
    return f"{before}{text}{after}" if text else ""


def press(work: Work) -> str:
    return part("", work.city, ": " if work.publisher else "") + work.publisher


def apa(w: Work) -> str:
    head = (
        f"{ended(joined(family_first(w), ', & ', most=20, et_al=', … ' + ''.join(family_first(w)[-1:])))} ({w.year}). "
    )
    if w.book:
        return f"{head}{ended(w.title)} {ended(w.publisher)}"
    place = f"{w.source}, {w.volume}{part('(', w.issue, ')')}{part(', ', w.pages)}."
    return f"{head}{ended(w.title)} {place}{part(' https://doi.org/', w.doi)}"


def vancouver(w: Work) -> str:
    head = f"{ended(joined(bare(w), ', ', most=6))} {ended(w.title)} "
    if w.book:
        return f"{head}{press(w)}; {w.year}."
    return f"{head}{ended(w.source)} {w.year};{w.volume}{part('(', w.issue, ')')}{part(':', w.pages)}."


def plos(w: Work) -> str:
    head = f"{joined(bare(w), ', ', most=6)} ({w.year}) {ended(w.title)} "
    if w.book:
        return f"{head}{ended(press(w))}"
    return f"{head}{w.source} {w.volume}{part(': ', w.pages)}.{part(' doi: ', w.doi)}"


def ieee(w: Work) -> str:
    head = joined(initials_first(w), ", and " if len(w.authors) > 2 else " and ", most=6, et_al=" et al.")
    if w.book:
        return f"{head}, {ended(w.title)} {press(w)}, {w.year}."
    parts = [w.source, part("vol. ", w.volume), part("no. ", w.issue), part("pp. ", w.pages), str(w.year)]
    return f"{head}, “{ended(w.title, ',')}” {', '.join(filter(None, parts))}{part(', doi: ', w.doi)}."


def nature(w: Work) -> str:
    head = ended(joined(family_first(w), " & ", most=5, et_al=" et al."))
    if w.book:
        return f"{head} {w.title} ({w.publisher}, {w.year})."
    return f"{head} {ended(w.title)} {w.source} {w.volume}{part(', ', w.pages)} ({w.year})."


def acs(w: Work) -> str:
    head = ended(joined(family_first(w), "; ", "; "))
    if w.book:
        return f"{head} {w.title}; {part('', w.publisher, ': ')}{part('', w.city, ', ')}{w.year}."
    return f"{head} {w.source} {w.year}, {w.volume}{part(', ', w.pages)}."


def acs_titled(w: Work) -> str:
    if w.book:
        return acs(w)
    head = ended(joined(family_first(w), "; ", "; "))
    return (
        f"{head} {ended(w.title)} {w.source} {w.year}, {w.volume}{part(f' ({w.issue})' if w.issue else ', ', w.pages)}."
    )


def physics(w: Work) -> str:
    head = joined(initials_first(w), ", and " if len(w.authors) > 2 else " and ", most=8, et_al=" et al.")
    if w.book:
        return f"{head}, {w.title} ({w.publisher}{part(', ', w.city)}, {w.year})."
    return f"{head}, {w.source} {w.volume}{part(', ', w.first)} ({w.year})."


def mnras(w: Work) -> str:
    head = joined(family_first(w, " "), ", ", most=8, et_al=", et al.")
    if w.book:
        return f"{head}, {w.year}, {w.title}. {w.publisher}{part(', ', w.city)}"
    return f"{head}, {w.year}, {w.source}, {w.volume}{part(', ', w.first)}"


def apj(w: Work) -> str:
    head = joined(family_first(w), ", & ", most=6, et_al=", et al.")
    if w.book:
        return f"{head} {w.year}, {w.title} ({part('', w.city, ': ')}{w.publisher})"
    return f"{head} {w.year}, {w.source}, {w.volume}{part(', ', w.first)}{part(', doi: ', w.doi)}"


def bibtex_plain(w: Work) -> str:
    head = f"{ended(joined(names_first(w), ', and ' if len(w.authors) > 2 else ' and '))} {ended(w.title)} "
    if w.book:
        return f"{head}{w.publisher}{part(', ', w.city)}, {w.year}."
    return f"{head}{w.source}, {w.volume}{part('(', w.issue, ')')}{part(':', w.pages)}, {w.year}."


def bibtex_abbrv(w: Work) -> str:
    head = f"{ended(joined(initials_first(w), ', and ' if len(w.authors) > 2 else ' and '))} {ended(w.title)} "
    if w.book:
        return f"{head}{w.publisher}{part(', ', w.city)}, {w.year}."
    return f"{head}{w.source}, {w.volume}{part('(', w.issue, ')')}{part(':', w.pages)}, {w.year}."


def biblatex(w: Work) -> str:
    head = ended(joined(names_first(w), ", and " if len(w.authors) > 2 else " and ", most=4, et_al=" et al."))
    if w.book:
        return f"{head} {ended(w.title)} {press(w)}, {w.year}."
    number = f"{w.volume}{part('.', w.issue)}"
    return f"{head} “{w.title}”. In: {w.source} {number} ({w.year}){part(', pp. ', w.pages)}.{part(' doi: ', w.doi)}."


def elsevier_numbers(w: Work) -> str:
    head = joined(initials_first(w, ""), ", ", most=7)
    if w.book:
        return f"{head}, {w.title}, {part('', w.publisher, ', ')}{part('', w.city, ', ')}{w.year}."
    return (
        f"{head}, {w.title}, {w.source} {w.volume} ({w.year}){part(' ', w.pages)}.{part(' https://doi.org/', w.doi)}."
    )


def elsevier_harvard(w: Work) -> str:
    head = f"{joined(family_first(w, gap=''), ', ', most=9)}, {w.year}. {ended(w.title)} "
    if w.book:
        return f"{head}{w.publisher}{part(', ', w.city)}."
    return f"{head}{w.source} {w.volume}{part(' (', w.issue, ')')}{part(', ', w.pages)}."


def chicago(w: Work) -> str:
    names = [*family_full(w)[:1], *names_first(w)[1:]]
    head = f"{ended(joined(names, ', and ', most=8))} {w.year}. "
    if w.book:
        return f"{head}{ended(w.title)} {ended(press(w))}"
    return f"{head}“{ended(w.title)}” {w.source} {w.volume}{part(' (', w.issue, ')')}{part(': ', w.pages)}."


def family_full(w: Work) -> list[str]:
    return [f"{family}, {full(initials)}" if initials else family for family, initials in w.authors]


def cell(w: Work) -> str:
    head = f"{joined(family_first(w, gap=''), ', and ', most=11)} ({w.year}). {ended(w.title)} "
    if w.book:
        return f"{head}({w.publisher})."
    return f"{head}{w.source} {w.volume}{part(', ', w.pages)}."


def springer(w: Work) -> str:
    head = f"{joined(bare(w), ', ', most=10, et_al=' et al.')} ({w.year}) {w.title}"
    if w.book:
        return f"{ended(head)} {w.publisher}{part(', ', w.city)}"
    return (
        f"{ended(head)} {w.source}"
        f" {w.volume}{part('(', w.issue, ')')}{part(':', w.pages)}{part('. https://doi.org/', w.doi)}"
    )


def lncs(w: Work) -> str:
    head = f"{joined(family_first(w, gap=''), ', ')}: {ended(w.title)} "
    if w.book:
        return f"{head}{w.publisher}{part(', ', w.city)} ({w.year})"
    return f"{head}{w.source} {w.volume}{part('(', w.issue, ')')}{part(', ', w.pages)} ({w.year})"


def acm(w: Work) -> str:
    head = f"{ended(joined(names_first(w), ', and ' if len(w.authors) > 2 else ' and '))} {w.year}. {ended(w.title)} "
    if w.book:
        return f"{head}{w.publisher}{part(', ', w.city)}."
    return f"{head}{w.source} {w.volume}{part(', ', w.issue)} ({w.year}){part(', ', w.pages)}."


def harvard(w: Work) -> str:
    head = f"{joined(family_first(w, gap=''), ' and ')} ({w.year}) "
    if w.book:
        return f"{head}{w.title}. {press(w)}."
    return f"{head}‘{w.title}’, {w.source}, {w.volume}{part('(', w.issue, ')')}{part(', pp. ', w.pages)}."


def german(w: Work) -> str:
    head = f"{joined(family_first(w), ' u. ', '; ')} ({w.year}): "
    if w.book:
        return f"{head}{w.title}. {part('', w.city, ': ')}{w.publisher}."
    return f"{head}{ended(w.title)} In: {w.source} {w.volume}{part(' (', w.issue, ')')}{part(', S. ', w.pages)}."


def mla(w: Work) -> str:
    names = [*family_full(w)[:1], *names_first(w)[1:]]
    head = ended(joined(names, ", and ", most=3))
    if w.book:
        return f"{head} {ended(w.title)} {w.publisher}, {w.year}."
    return f"{head} “{ended(w.title)}” {w.source} {w.volume}{part('.', w.issue)} ({w.year}){part(': ', w.pages)}."


def bmc(w: Work) -> str:
    head = f"{joined(bare(w), ', ', most=30)}: {ended(w.title)} "
    if w.book:
        return f"{head}{press(w)}; {w.year}."
    return f"{head}{w.source} {w.year}, {w.volume}{part(':', w.pages)}."


def science(w: Work) -> str:
    head = joined(initials_first(w), ", ", most=7, et_al=" et al.")
    if w.book:
        return f"{head}, {w.title} ({w.publisher}, {w.year})."
    return f"{head}, {ended(w.title)} {w.source} {w.volume}{part(', ', w.pages)} ({w.year})."


def agu(w: Work) -> str:
    names = [*family_first(w)[:1], *initials_first(w)[1:]]
    head = f"{joined(names, ', and ', most=10)} ({w.year}), {w.title}, "
    if w.book:
        return f"{head}{w.publisher}{part(', ', w.city)}."
    return f"{head}{w.source}, {w.volume}{part('(', w.issue, ')')}{part(', ', w.pages)}{part(', doi:', w.doi)}."


TITLED: dict[str, Callable[[Work], str]] = {
    f.__name__: f
    for f in (
        apa,
        vancouver,
        plos,
        ieee,
        nature,
        acs_titled,
        bibtex_plain,
        bibtex_abbrv,
        biblatex,
        elsevier_numbers,
        elsevier_harvard,
        chicago,
        cell,
        springer,
        lncs,
        acm,
        harvard,
        german,
        mla,
        bmc,
        science,
        agu,
    )
}
UNTITLED: dict[str, Callable[[Work], str]] = {f.__name__: f for f in (acs, physics, mnras, apj)}
"""Styles that print no titles of articles; those of books they do."""


def print_reference(style: str, work: Work) -> str:
    """The entry as the style prints it, empty parts tidied away."""
    text = (TITLED | UNTITLED)[style](work)
    text = re.sub(r"\(\s*,\s*", "(", text)
    text = re.sub(r"([,:;])\s*(?=[,.;)])", "", text)
    return " ".join(re.sub(r"\.\.+", ".", text).split())
