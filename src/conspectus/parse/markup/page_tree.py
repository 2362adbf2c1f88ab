"""Bytes of a web page to a tree of elements, safely, and without the text that the page hides."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from conspectus.core.errors import EmptyTextError, InputError, LimitError
from conspectus.records import Hidden, HiddenReason

Element = Any
"""An lxml element; its stubs do not say that comments have no tag."""

BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody td"
    " tfoot th thead tr ul".split()
)
_MOST_ATTRIBUTES = 1_000
_LONG_TAG = re.compile(r"<([A-Za-z][\w:-]*+)[^<>]{3000,}+>")
_DEPTH = 200
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.I)
_XML_ENCODING = re.compile(rb"""^<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{1,40})""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decoded(data: bytes) -> tuple[str, list[str]]:
    """The page as text, and a warning where its encoding had to be guessed."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), []
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        pass
    match = _XML_ENCODING.match(data[:400]) or _CHARSET.search(data[:4096])
    if match:
        try:
            codec = codecs.lookup(match[1].decode("ascii"))
            if codec.name not in ("utf-8", "iso8859-1", "ascii"):  # browsers read these as Windows-1252
                return codec.decode(data, "replace")[0], []
        except (LookupError, ValueError, AttributeError, TypeError):
            pass
        return data.decode("cp1252", "replace"), []
    return data.decode("cp1252", "replace"), [
        "The page does not say its encoding and was read as Windows-1252; letters with accents may be wrong."
    ]


def page_tree(data: bytes, name: str) -> tuple[Element, list[str]]:
    """The root element of a page, tags in lower case without namespaces, and warnings.

    Raises:
        InputError: There is no element in it.
    """
    from lxml import etree

    text, warnings = decoded(data)
    if (short := _LONG_TAG.sub(_short_tag, text)) != text:
        text = short
        warnings.append(f"Elements with more than {_MOST_ATTRIBUTES:,} attributes were read without them.")
    root = None
    if text.lstrip()[:5] == "<?xml" or "http://www.w3.org/1999/xhtml" in text[:2000]:
        root = _xml(text)
    if root is None:
        clean = re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text).replace("\x00", "")
        parser = etree.HTMLParser(
            recover=True, no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, encoding="utf-8"
        )
        try:
            root = etree.fromstring(clean.encode("utf-8", "replace"), parser) if clean.strip() else None
        except (etree.LxmlError, ValueError, AssertionError):
            root = None
    if root is None:
        raise InputError(
            f"'{name}' is not a web page: there are no elements in it.", "Save or download the page again."
        )
    if _depth_exceeded(root):
        warnings.append("The page is nested very deeply; what lies deepest may be missing.")
    return root, warnings


def _short_tag(match: re.Match[str]) -> str:
    """The tag; without its attributes if they are so many that the parser would compare each with each for minutes."""
    return match[0] if len(match[0].split()) <= _MOST_ATTRIBUTES else f"<{match[1]}>"


def _xml(text: str) -> Element | None:
    from lxml import etree

    from conspectus.parse.markup.xml_tree import safe_root

    try:
        root: Element = safe_root(re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text).encode("utf-8", "replace"))
    except (etree.LxmlError, ValueError):
        return None
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2].lower()
    return root


def _depth_exceeded(root: Element) -> bool:
    level = [root]
    for _ in range(_DEPTH):
        level = [child for element in level for child in element]
        if not level:
            return False
    return True


def nothing_in(root: Element, name: str) -> InputError:
    """What is raised of a page without text."""
    if _depth_exceeded(root):
        return LimitError(
            f"The elements of '{name}' lie more than {_DEPTH} deep within each other, its text deeper than is read.",
            "Save its text alone, for example as the browser's reader view shows it.",
        )
    return EmptyTextError(
        f"'{name}' has no text in it.", "Its text may be put there by a program: save it from a browser."
    )


def is_element(node: Element) -> bool:
    """Whether the node is an element, not an entity or a comment."""
    return isinstance(node.tag, str)


def elements(root: Element, *tags: str) -> Iterator[Element]:
    """The elements below and with `root` that have one of the tags."""
    for node in root.iter(*tags):
        if isinstance(node.tag, str):
            yield node


def names_of(element: Element) -> str:
    """Its class, id, role and type in lower case: what the page's maker calls it."""
    get = element.get
    kind = get("type") or get("{http://www.idpf.org/2007/ops}type") or get("epub:type") or ""
    return " ".join((get("class") or "", get("id") or "", get("role") or "", kind)).lower()


def plain_text(element: Element) -> str:
    """All its words on one line."""
    return " ".join("".join(piece for piece in element.itertext() if isinstance(piece, str)).split())


def folded(text: str) -> str:
    """Letters and digits only, in lower case."""
    return re.sub(r"[\W_]+", "", text).lower()


def has_block(element: Element) -> bool:
    """Whether there is a block element below it."""
    return any(child.tag in BLOCK_TAGS for child in element.iterdescendants())


def remove(element: Element) -> None:
    """Takes the element out of its tree; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail or ""
    if tail:
        before = element.getprevious()
        if before is not None:
            before.tail = _settable((before.tail or "") + tail)
        else:
            parent.text = _settable((parent.text or "") + tail)
    element.tail = None
    parent.remove(element)


def _settable(text: str) -> str:
    """The text without what lxml reads (`&#1;`) but does not take."""
    return _NOT_XML.sub(" ", text)


_SIMPLE = re.compile(r"([a-z][\w-]*)?((?:[.#][\w-]+)*)", re.I)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_ZERO = r"0*(?:\.0+)?(?:px|pt|em|rem|%|ex|ch|vw|vh)?"
_LIGHT, _NEXT = r"25[0-5]", r"(?:\s*+,\s*+|\s++)"
_WHITE = (
    r"white|transparent|#f{3,4}|#f{6}|#f{8}|#(?:f[c-f]){3}"
    rf"|rgba?\(\s*+{_LIGHT}{_NEXT}{_LIGHT}{_NEXT}{_LIGHT}\s*+(?:[,/][^()]*)?\)|rgba\([^()]*[,/]\s*0(?:\.0*)?\s*\)"
)
_FAR = r"-\d{4,}(?:\.\d+)?(?:px|pt)?|-\d{3,}(?:em|rem|%|vw|vh)"
_SIGNS: tuple[tuple[str, re.Pattern[str], HiddenReason], ...] = (
    ("display", re.compile(r"none"), "switched off"),
    ("visibility", re.compile(r"hidden|collapse"), "invisible"),
    ("opacity", re.compile(r"0*(?:\.0\d*)?%?"), "invisible"),
    ("font-size", re.compile(rf"{_ZERO}|(?:0*\.\d+|1(?:\.\d+)?)(?:px|pt)|0*\.0\d*r?em"), "tiny"),
    ("color", re.compile(_WHITE), "same colour"),
    *((side, re.compile(_FAR), "off page") for side in ("left", "top", "right", "text-indent", "margin-left")),
)  # fmt: skip
"""Properties with what they must be for their text not to be seen."""

_NEVER = frozenset(("html", "head", "body", "script", "style", "math", "noscript", "template", "title", "meta", "link"))
_MOST_SHEET, _MOST_TEXT = 500_000, 20_000
_MOSTLY = 0.15
"""Styles that switch off more of a page than this keep it for a click."""

_MOST, _UNFOLDED = 0.5, ("switched off", "invisible")
"""Pages of which most is hidden in these ways are shown by a program, once they are open."""

Style = dict[str, str]


def take_hidden(root: Element) -> tuple[Hidden, ...]:
    """Takes out of the page what its readers do not see, and returns its text. What holds a formula stays.

    Only what the page itself says counts: inline styles, the attribute `hidden`, and rules of its style sheets for a
    tag, a class or an id.
    """
    rules = _rules(root)
    hidden_elements = [
        (e, *why) for e in root.iter() if is_element(e) and e.tag not in _NEVER and (why := _hidden_reason(e, rules))
    ]
    total = max(len(plain_text(root)), 1)
    folded = sum(len(plain_text(e)) for e, reason, inline in hidden_elements if reason == "switched off" and not inline)
    hidden = []
    for element, reason, inline in hidden_elements:
        if folded > _MOSTLY * total and reason == "switched off" and not inline:
            continue
        if element.getparent() is None or next(elements(element, "math", "script"), None) is not None:
            continue
        text = plain_text(element)
        if len(text) < _MOST * total or reason not in _UNFOLDED:
            remove(element)
            if text:
                hidden.append(Hidden(text[:_MOST_TEXT], reason))
    return tuple(hidden)


def _hidden_reason(
    element: Element, rules: dict[str, list[tuple[frozenset[str], Style]]]
) -> tuple[HiddenReason, bool] | None:
    """Why an element is not seen, and whether it says so itself."""
    own_style = _declarations(element.get("style") or "")
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return "switched off", True
    styles = own_style if not rules else {**_ruled(element, rules), **own_style}
    for name, pattern, reason in _SIGNS:
        if name in styles and pattern.fullmatch(styles[name]) and _holds(element, name, rules):
            return reason, name in own_style
    return None


def _holds(element: Element, name: str, rules: dict[str, list[tuple[frozenset[str], Style]]]) -> bool:
    """Whether the property makes the text unseen here: no ground of its own, no part that is set otherwise."""
    if name == "color":
        near = [element, *element.iterancestors()]
        return not any("background" in key for e in near for key in _all(e, rules)) and not any(
            e.get("bgcolor") or e.get("background") for e in near
        )
    if name in ("font-size", "visibility"):
        return not any(name in _all(e, rules) for e in element.iterdescendants() if is_element(e))
    return True


def _all(element: Element, rules: dict[str, list[tuple[frozenset[str], Style]]]) -> Style:
    return {**_ruled(element, rules), **_declarations(element.get("style") or "")}


def _declarations(text: str) -> Style:
    """The properties of a style in lower case, later ones before earlier ones."""
    parts = (part.partition(":") for part in text[:5000].lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, sign, value in parts if sign}


def _ruled(element: Element, rules: dict[str, list[tuple[frozenset[str], Style]]]) -> Style:
    """What the rules say of an element."""
    if not rules:
        return {}
    names = dict.fromkeys((element.tag, *(f".{name}" for name in (element.get("class") or "").split())))
    if element.get("id"):
        names[f"#{element.get('id')}"] = None
    styles: Style = {}
    for name in names:
        for needed, style in rules.get(name, ()):
            if needed <= names.keys():
                styles |= style
    return styles


def _rules(root: Element) -> dict[str, list[tuple[frozenset[str], Style]]]:
    """The rules of the page's style sheets by one of the names that their elements must have."""
    rules: dict[str, list[tuple[frozenset[str], Style]]] = {}
    for sheet in elements(root, "style"):
        for selectors, body in _blocks(_COMMENT.sub(" ", (sheet.text or "")[:_MOST_SHEET])):
            style = _declarations(body)
            for selector in selectors.split(",") if style else ():
                match = _SIMPLE.fullmatch(selector.strip())
                if match and (
                    needed := frozenset(
                        [*([match[1].lower()] if match[1] else []), *re.findall(r"[.#][\w-]+", match[2])]
                    )
                ):
                    rules.setdefault(min(needed), []).append((needed, style))
    return rules


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """The rules of a style sheet that stand in no other, such as one for printing: selectors and body."""
    depth, start, head = 0, 0, ""
    for brace in re.finditer(r"[{}]", sheet):
        if brace[0] == "{":
            if depth == 0:
                head = sheet[start : brace.start()]
            depth += 1
        else:
            depth = max(depth - 1, 0)
            if depth == 0 and "@" not in head:
                yield head.strip(), sheet[start + len(head) + 1 : brace.start()]
        if depth == 0:
            start = brace.end()
