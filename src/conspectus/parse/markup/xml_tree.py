"""XML files as trees, read as input from strangers; their tables and formulas as text.

No entity is expanded, no DTD is loaded and nothing is fetched; size, depth and number of elements are limited.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from lxml import etree

from conspectus.core.errors import EmptyTextError, InputError, LimitError
from conspectus.parse.files.streams import Source, Zip
from conspectus.parse.text.blocks import MOST_CELLS, clean_line, even_rows

MAX_BYTES = 64 * 2**20
MAX_ELEMENTS = 2_000_000
MAX_DEPTH = 120
"""Articles have about 30 levels, with formulas 50. What reads them goes down level by level."""

UNEXPANDED = "conspectus-entity"
"""What an element is called that stands where a document has an entity of its own."""
Element = etree._Element


def load(path: Path, max_bytes: int = MAX_BYTES) -> Element:
    """The root of the file, plain or gzipped: as `tree_of`.

    Raises:
        LimitError, EmptyTextError, InputError: as `tree_of`, or it cannot be opened.
    """
    with io.BufferedReader(Source(path, max_bytes), 1 << 20) as stream:
        return tree_of(stream.read(), path.name)


def tree_of(data: bytes, name: str) -> Element:
    """The root of an XML document; tags have no namespace, comments and processing instructions are gone.

    Raises:
        LimitError: It is too deep or has too many elements.
        EmptyTextError: There is nothing in it.
        InputError: It is not well-formed XML.
    """
    if not data.strip():
        raise EmptyTextError(f"'{name}' is empty.", "Download or export the file again.")
    try:
        root = safe_root(data)
    except etree.XMLSyntaxError as error:
        raise _refused(error, name) from error
    except ValueError as error:
        raise InputError(
            f"'{name}' is not valid XML: {error}.", "Download it again; it may have been cut off."
        ) from error
    _check(root, name)
    return root


def root_in_archive(archive: Zip, name: str) -> Element | None:
    """Return the root of an XML file in an archive, as `safe_root`; None if there is no such file."""
    data = archive.read(name)
    if not data:
        return None
    try:
        return safe_root(data)
    except (SyntaxError, ValueError) as error:  # lxml's is a SyntaxError
        raise InputError(
            f"'{archive.name}' is damaged: '{name}' in it is not XML.", "Download or export the file again."
        ) from error


def safe_root(data: bytes) -> Element:
    """Return the root of an XML document with its namespaces: no DTD and no network; raises what lxml raises.

    All nodes are elements: there are no comments, processing instructions or entities. An entity of HTML's names
    becomes the text that it stands for; one of the document's own, which is not expanded, an element `UNEXPANDED`.
    """
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(data, parser)
    for parent in dict.fromkeys(entity.getparent() for entity in root.iter(etree.Entity)):
        if parent is not None:
            _replace_entities(parent)
    return root


def _replace_entities(parent: Element) -> None:
    """Replace the entities right below an element, by text or by elements."""
    before: Element | None = None
    text = [parent.text or ""]
    for node in list(parent):
        child = node
        if node.tag is etree.Entity:
            meaning = _entity_text(node)
            if meaning:
                text += (meaning, node.tail or "")
                parent.remove(node)
                continue
            child = etree.Element(UNEXPANDED, name=node.text or "")
            child.tail = node.tail
            parent.replace(node, child)
        _set_text(parent, before, "".join(text))
        before, text = child, [child.tail or ""]
    _set_text(parent, before, "".join(text))


def _set_text(parent: Element, before: Element | None, text: str) -> None:
    if before is None:
        parent.text = text
    else:
        before.tail = text


def _refused(error: etree.XMLSyntaxError, name: str) -> InputError:
    reason = " ".join((error.msg or "it is damaged").split())[:200]
    if "depth" in reason.lower() or "huge" in reason.lower() or "amplification" in reason.lower():
        return LimitError(f"'{name}' is beyond the limits for XML: {reason}.", "Is it really an article?")
    return InputError(f"'{name}' is not well-formed XML: {reason}.", "Download it again; it may have been cut off.")


def _check(root: Element, name: str) -> None:
    """Takes the namespaces off, and refuses trees that are too deep or too large."""
    depth = count = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            depth -= 1
            continue
        depth += 1
        count += 1
        if depth > MAX_DEPTH:
            raise LimitError(
                f"'{name}' has elements within elements, more than {MAX_DEPTH} deep.", "Is it really an article?"
            )
        if count > MAX_ELEMENTS:
            raise LimitError(f"'{name}' has more than {MAX_ELEMENTS:,} elements.", "Is it really one article?")
        if "}" in element.tag:
            element.tag = element.tag.rpartition("}")[2]


def _entity_text(entity: Element) -> str:
    """Return the text that an entity of HTML's names stands for (`&alpha;`), else ""."""
    raw_text = entity.text or ""
    text = html.unescape(raw_text)
    return "" if text == raw_text else text


def nothing_in(root: Element, name: str, remedy: str) -> InputError:
    """What is raised of a document without text: what its own entities stand for, or there is none."""
    entity = next(root.iter(UNEXPANDED), None)
    if entity is None:
        return EmptyTextError(f"'{name}' has no text in it.", remedy)
    return InputError(
        f"'{name}' has no text but what its own entities stand for ({entity.get('name')}), and these are not expanded.",
        "Replace them by their text, as programs that edit XML can.",
    )


def unexpanded_note(root: Element) -> list[str]:
    """Return a warning of the entities within an element that were not expanded; none where there are none."""
    count = sum(1 for _ in root.iter(UNEXPANDED))
    note = f"Entities of the document's own (&name;) that were not expanded, and left out: {count}."
    return [note] if count else []


def plain_text(element: Element) -> str:
    """Return all text within the element, as it stands."""
    return "".join(map(str, element.itertext()))


def href_of(element: Element) -> str:
    """The element's `xlink:href` or `href`, whatever namespace is meant by `xlink`."""
    for name, value in element.attrib.items():
        if str(name).rpartition("}")[2] == "href":
            return str(value).strip()
    return ""


def id_of(element: Element) -> str:
    """The element's `id` or `xml:id`."""
    return element.get("id") or element.get("{http://www.w3.org/XML/1998/namespace}id") or ""


MAX_SPAN = 1_000
_CELLS = frozenset({"td", "th", "entry", "cell"})
_ROWS = frozenset({"tr", "row"})

Row = tuple[str, ...]


def rows_of(
    tables: Iterable[Element], text_of: Callable[[Element], str], *, repeated: bool = True
) -> tuple[tuple[Row, ...], bool]:
    """The rows of the tables one below the other, all of one length, and whether all of them are there.

    A cell over several columns or rows says its text in each of them, so that every row can be read alone, unless it
    is not to be `repeated`. Rows come as HTML (`tr`, `td`), CALS (`row`, `entry`) or TEI (`row`, `cell`) write them.
    """
    rows: list[Row] = []
    width = 0
    for table in tables:
        for row in _grid(table, text_of, repeated=repeated):
            if not any(row):
                continue
            if max(width, len(row)) * (len(rows) + 1) > MOST_CELLS:
                return even_rows(rows), False
            width = max(width, len(row))
            rows.append(row)
    return even_rows(rows), True


def _grid(table: Element, text_of: Callable[[Element], str], *, repeated: bool) -> Iterator[Row]:
    columns = {name: number for number, spec in enumerate(table.iter("colspec")) if (name := spec.get("colname"))}
    hanging: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, text
    for row in table.iter(*_ROWS):
        if next(row.iterancestors("table", "tgroup"), None) is not table:
            continue
        cells: list[str] = []
        waiting, hanging = hanging, {}
        for cell in row:
            if cell.tag not in _CELLS:  # nor is a comment
                continue
            _fill(cells, waiting, hanging)
            text = text_of(cell)
            repeat = text if repeated else ""
            width, height = _width(cell, columns), _height(cell)
            for column in range(len(cells), len(cells) + width):
                if height > 1:
                    hanging[column] = (height - 1, repeat)
            cells += [text, *[repeat] * (width - 1)]
            if len(cells) > MOST_CELLS:
                break
        _fill(cells, waiting, hanging)
        yield tuple(cells)


def _fill(cells: list[str], waiting: dict[int, tuple[int, str]], hanging: dict[int, tuple[int, str]]) -> None:
    """Cells that hang down from rows above, as far as they are next."""
    while len(cells) in waiting:
        column = len(cells)
        rows, text = waiting.pop(column)
        if rows > 1:
            hanging[column] = (rows - 1, text)
        cells.append(text)


def _width(cell: Element, columns: dict[str, int]) -> int:
    first, last = (columns.get(cell.get(name, "")) for name in ("namest", "nameend"))
    if first is not None and last is not None and last >= first:
        return min(last - first + 1, MAX_SPAN)
    return _number(cell, "colspan", "cols")


def _height(cell: Element) -> int:
    return min(_number(cell, "morerows") + 1, MAX_SPAN) if cell.get("morerows") else _number(cell, "rowspan", "rows")


def _number(cell: Element, *names: str) -> int:
    text = next((value.strip() for name in names if (value := cell.get(name))), "")
    return min(max(int(text), 1), MAX_SPAN) if text.isascii() and text.isdigit() and len(text) < 6 else 1


_TEX_BEGIN, _TEX_END = r"\begin{document}", r"\end{document}"
_TEX_FENCES = ("$$", "$", r"\[", r"\]", r"\(", r"\)")
_SPACED = frozenset("=<>≤≥≈≠≡∼≃≅∝∈∉⊂⊆→←↔⇒⇔+−±×∗·∪∩")
_INVISIBLE = str.maketrans("", "", "\u2061\u2062\u2063\u2064\u200b\ufeff")
_SPACE_BEFORE = re.compile(r"(?<! ) ++([,;.)\]}])")
_SPACE_AFTER = re.compile(r"([(\[{]) +")
_SIMPLE = re.compile(r"[\w.′'∞]+")


def formula_text(element: Element) -> str:
    """The formula of an element that holds one in TeX, MathML or plain text; "" where there is only a picture."""
    tex = next(element.iter("tex-math"), None)
    if tex is not None and (text := tex_text(plain_text(tex))):
        return text
    math = next(element.iter("math"), None)
    if math is not None:
        return math_text(math)
    return clean_line(_plain(element))


def math_text(math: Element) -> str:
    """A `math` element of MathML on one line."""
    return _SPACE_AFTER.sub(r"\1", _SPACE_BEFORE.sub(r"\1", clean_line(_linear(math))))


def tex_text(text: str) -> str:
    """TeX without the document and the fences around the formula."""
    body, closed, _ = text.partition(_TEX_BEGIN)[2].partition(_TEX_END)
    text = clean_line(body if closed else text)
    for fence in _TEX_FENCES:
        text = text.removeprefix(fence).removesuffix(fence).strip()
    return text


def _plain(element: Element) -> str:
    if element.tag in ("label", "graphic", "inline-graphic", "object-id"):
        return ""
    return (element.text or "") + "".join(_plain(child) + (child.tail or "") for child in element)


def _linear(node: Element) -> str:
    if node.tag in ("mi", "mn", "mtext", "ms", "mo"):
        return _token(node, node.tag)
    if node.tag in ("mspace", "mphantom"):
        return " "
    parts = [_linear(child) for child in node if child.tag not in ("annotation", "annotation-xml")]
    return _script(node.tag, parts) if node.tag in _SCRIPTS else _layout(node, parts)


def _layout(node: Element, parts: list[str]) -> str:
    """Fractions, roots, brackets and matrices; what else there is stands in a row."""
    two = len(parts) == 2
    match node.tag:
        case "mfrac" if two:
            text = f"{_group(parts[0])}/{_group(parts[1])} "
        case "msqrt":
            text = f"√{_group(''.join(parts), always=True)}"
        case "mroot" if two:
            text = f"{_group(parts[0])}^(1/{parts[1].strip()})"
        case "mfenced":
            separator = (node.get("separators", ",").strip() or "")[:1]
            text = node.get("open", "(") + f"{separator} ".join(parts) + node.get("close", ")")
        case "mtr" | "mlabeledtr":
            text = " ".join(part for part in parts if part.strip()) + "; "
        case "mtable":
            text = "".join(parts).rstrip("; ")
        case _:
            text = "".join(parts)
    return text


def _token(node: Element, tag: str) -> str:
    text = plain_text(node).translate(_INVISIBLE)
    if tag != "mo":
        return f" {text} " if tag == "mi" and len(text) > 1 and text.isalpha() else text
    text = text.strip()
    if text in _SPACED and text:
        return f" {text} "
    return text + " " if text in (",", ";") else text


_SCRIPTS = {
    "msub": ("_",),
    "msup": ("^",),
    "msubsup": ("_", "^"),
    "munder": ("_",),
    "mover": ("",),
    "munderover": ("_", "^"),
}


def _script(tag: str, parts: list[str]) -> str:
    signs = _SCRIPTS[tag]
    if len(parts) != len(signs) + 1:
        return "".join(parts)
    if tag == "mover":  # an accent: `x̄`, or a word above an arrow
        return parts[0] + parts[1].strip()
    return (
        parts[0].rstrip()
        + "".join(sign + _group(part) for sign, part in zip(signs, parts[1:], strict=True) if part.strip())
        + " "
    )


def _group(text: str, *, always: bool = False) -> str:
    text = text.strip()
    simple = len(text) == 1 or _SIMPLE.fullmatch(text)
    return text if simple and not always else f"({text})"
