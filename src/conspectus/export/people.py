"""The parts of a name, which formats for citation need, also where no source gave them.

An organisation has none: its name stays whole.
"""

from __future__ import annotations

import re

from conspectus.parse.people.names import is_organisation
from conspectus.records import Author

_PERSON = re.compile(r"[^\W\d_][^\W\d_.'’ -]*(?:[.'’ -]+[^\W\d_]+)*")


def parts(author: Author) -> tuple[str, str, str]:
    """(family, given, suffix); of a plain name its last word and the others; all "" for what may be an organisation."""
    name = author.name
    if author.family and not author.given:
        return "", "", ""
    if author.family:
        whole = f"{author.given} {author.family} "
        return author.family, author.given, name.removeprefix(whole).strip() if name.startswith(whole) else ""
    family = author.surname
    given = name.removesuffix(f" {family}")
    is_person = given != name and _PERSON.fullmatch(name) and not is_organisation(name)
    return (family, given, "") if is_person else ("", "", "")


def escape_name_commas(name: str) -> str:
    """Double the comma in an organisation's name, as EndNote does."""
    return name.replace(",", ",,", 1) if re.search(r",(?!,)\s", name) else name


def people(value: object) -> list[str]:
    """The names in a field of what a record has beside; none where it is no list."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def text(value: object) -> str:
    """A field of what a record has beside, as text; "" for what is neither a text nor a number."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
