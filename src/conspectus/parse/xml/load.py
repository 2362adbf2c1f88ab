"""XML files as trees, read as what they are: input from strangers.

No entity is expanded, no DTD is loaded and nothing is fetched; size, depth and number of elements are limited.
"""

from __future__ import annotations

import html
import io
from pathlib import Path

from lxml import etree

from conspectus.core.errors import EmptyTextError, InputError, LimitError
from conspectus.parse.streams import Source

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
        raise EmptyTextError(f"'{name}' is empty.", "Fetch or export the file anew.")
    try:
        root = safe_root(data)
    except etree.XMLSyntaxError as error:
        raise _refused(error, name) from error
    except ValueError as error:
        raise InputError(f"'{name}' is not valid XML: {error}.", "Fetch it anew; it may have been cut off.") from error
    _check(root, name)
    return root


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
    return InputError(f"'{name}' is not well-formed XML: {reason}.", "Fetch it anew; it may have been cut off.")


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
    whole = entity.text or ""
    text = html.unescape(whole)
    return "" if text == whole else text


def nothing_in(root: Element, name: str, remedy: str) -> InputError:
    """What is raised of a document without text: what its own entities stand for, or there is none."""
    own = next(root.iter(UNEXPANDED), None)
    if own is None:
        return EmptyTextError(f"'{name}' has no text in it.", remedy)
    return InputError(
        f"'{name}' has no text but what its own entities stand for ({own.get('name')}), and these are not expanded.",
        "Write it anew with their text in their place, as programs that edit XML can.",
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
