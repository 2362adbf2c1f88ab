"""The parts of a name, which formats for citation need, also where no source gave them."""

from __future__ import annotations

import re

from conspectus.records import Author

_PERSON = re.compile(r"[^\W\d_][^\W\d_.'’ -]*(?:[.'’ -]+[^\W\d_]+)*")


def parts(author: Author) -> tuple[str, str, str]:
    """(family, given, suffix); of a plain name its last word and the others; all "" for what may be an organisation."""
    name = author.name
    if author.family and author.given:
        whole = f"{author.given} {author.family} "
        return author.family, author.given, name.removeprefix(whole).strip() if name.startswith(whole) else ""
    family = author.surname
    given = name.removesuffix(f" {family}")
    person = given not in (name, "The") and _PERSON.fullmatch(name) and not re.search(r"\band\b", name, re.I)
    return (family, given, "") if person else ("", "", "")


def people(value: object) -> list[str]:
    """The names in a field of what a record has beside; none where it is no list."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def text(value: object) -> str:
    """A field of what a record has beside, as text; "" for what is neither a text nor a number."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
