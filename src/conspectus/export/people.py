"""The parts of a name, which formats for citation need, also where no source gave them."""

from __future__ import annotations

import re

from conspectus.records import Author

_PERSON = re.compile(r"[^\W\d_][^\W\d_.'’ -]*(?:[.'’ -]+[^\W\d_]+)*")


def parts(author: Author) -> tuple[str, str]:
    """(family, given); of a plain name its last word and the others; ("", "") for what may be an organisation."""
    if author.family and author.given:
        return author.family, author.given
    name, family = author.name, author.surname
    given = name.removesuffix(f" {family}")
    person = given not in (name, "The") and _PERSON.fullmatch(name) and not re.search(r"\band\b", name, re.I)
    return (family, given) if person else ("", "")
