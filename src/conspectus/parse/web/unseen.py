"""What a page's own styles keep from its readers: switched off, invisible, without size, white, far outside."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conspectus.parse.web.tree import Element, elements, is_element, plain_text, remove
from conspectus.records import Hidden, HiddenReason

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
    found = [(e, *why) for e in root.iter() if is_element(e) and e.tag not in _NEVER and (why := _why(e, rules))]
    total = max(len(plain_text(root)), 1)
    folded = sum(len(plain_text(e)) for e, reason, inline in found if reason == "switched off" and not inline)
    hidden = []
    for element, reason, inline in found:
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


def _why(element: Element, rules: dict[str, list[tuple[frozenset[str], Style]]]) -> tuple[HiddenReason, bool] | None:
    """Why an element is not seen, and whether it says so itself."""
    own = _declarations(element.get("style") or "")
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return "switched off", True
    styles = own if not rules else {**_ruled(element, rules), **own}
    for name, pattern, reason in _SIGNS:
        if name in styles and pattern.fullmatch(styles[name]) and _holds(element, name, rules):
            return reason, name in own
    return None


def _holds(element: Element, name: str, rules: dict[str, list[tuple[frozenset[str], Style]]]) -> bool:
    """Whether the property makes the text unseen here: no ground of its own, no part that is set otherwise."""
    if name == "color":
        near = [element, *element.iterancestors()]
        return not any("background" in key for e in near for key in _all(e, rules)) and not _coloured(near)
    if name in ("font-size", "visibility"):
        return not any(name in _all(e, rules) for e in element.iterdescendants() if is_element(e))
    return True


def _coloured(near: list[Element]) -> bool:
    return any(e.get("bgcolor") or e.get("background") for e in near)


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
    names = {element.tag, *(f".{name}" for name in (element.get("class") or "").split())}
    if element.get("id"):
        names.add(f"#{element.get('id')}")
    styles: Style = {}
    for name in names & rules.keys():
        for needed, style in rules[name]:
            if needed <= names:
                styles |= style
    return styles


def _rules(root: Element) -> dict[str, list[tuple[frozenset[str], Style]]]:
    """The rules of the page's style sheets by one of the names that their elements must have."""
    rules: dict[str, list[tuple[frozenset[str], Style]]] = {}
    for sheet in elements(root, "style"):
        for selectors, body in _blocks(_COMMENT.sub(" ", (sheet.text or "")[:_MOST_SHEET])):
            style = _declarations(body)
            for selector in selectors.split(",") if style else ():
                found = _SIMPLE.fullmatch(selector.strip())
                if found and (
                    needed := frozenset(
                        [*([found[1].lower()] if found[1] else []), *re.findall(r"[.#][\w-]+", found[2])]
                    )
                ):
                    rules.setdefault(min(needed), []).append((needed, style))
    return rules


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """The rules of a style sheet that stand in no other, such as one for printing: selectors and body."""
    depth, start, head = 0, 0, ""
    for found in re.finditer(r"[{}]", sheet):
        if found[0] == "{":
            if depth == 0:
                head = sheet[start : found.start()]
            depth += 1
        else:
            depth = max(depth - 1, 0)
            if depth == 0 and "@" not in head:
                yield head.strip(), sheet[start + len(head) + 1 : found.start()]
        if depth == 0:
            start = found.end()
