"""Values of settings that are not shown: keys, passwords, and those in addresses."""

from __future__ import annotations


class Secret(str):
    """A string that does not show itself: keys and passwords."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'" if self else "''"

    __str__ = __repr__

    def reveal(self) -> str:
        """The secret itself, for the one call that needs it."""
        return str.__add__(self, "")


def without_user(address: str) -> str:
    """An address as it may be shown: `***` for the user and the password in it."""
    parts = []
    for part in address.split("#"):
        head, slashes, tail = part.partition("//")
        parts.append(f"{head}{slashes}***@{tail.rpartition('@')[2]}" if "@" in tail else part)
    return "#".join(parts)
