"""Which reader reads which file: those built in, and those that installed packages bring (`protocol.Reader`)."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path

from conspectus.core import entry_points
from conspectus.core.errors import InputError, UnavailableError
from conspectus.parse.builtin import (
    ASKED,
    BUILT_IN,
    XML_SUFFIXES,
    FileReader,
    GrobidReader,
    PdfReader,
    head_of,
    root_name,
)
from conspectus.parse.content_kinds import ContentKind, content_kind, unread_format
from conspectus.parse.protocol import Reader

WITH_OCR = PdfReader(ocr=True)
_MAY_BE_UNREAD = (*XML_SUFFIXES, ".json", ".json.gz")


@lru_cache
def readers() -> tuple[Reader, ...]:
    """All readers. Those of packages come first, so that one may take what a reader here would read otherwise.

    One that cannot be loaded or used, or has the name of another, is left out, which is logged: the others read on.
    """
    found: dict[str, Reader] = {}
    taken = {reader.name for reader in (*BUILT_IN, WITH_OCR)}
    for point in entry_points.offered("readers", {}).values():
        try:
            reader: Reader = entry_points.make(point)
            _check(reader)
            if reader.name in taken or reader.name in found:
                raise UnavailableError(f"There is another reader '{reader.name}'.")
        except Exception as error:  # noqa: BLE001 - whatever a package of somebody else does
            log = logging.getLogger("conspectus")
            log.warning("The reader '%s' (%s) is left out. %s", point.name, entry_points.package(point), error)
        else:
            found[reader.name] = reader
    return (*found.values(), *BUILT_IN)


def _check(reader: Reader) -> None:
    """See that a reader says of itself what is asked of all when a file of any kind is added.

    Raises:
        UnavailableError: it does not.
    """
    right = {
        "name": isinstance(reader.name, str) and reader.name.strip() and "/" not in reader.name,
        "version": isinstance(reader.version, int),
        "suffixes": _are(reader.suffixes, str) and all(one[0] == "." and one == one.lower() for one in reader.suffixes),
        "signatures": _are(reader.signatures, bytes),
        "read": callable(reader.read),
    }
    if wrong := [f"'{name}'" for name, fits in right.items() if not fits]:
        raise UnavailableError(f"Its {', '.join(wrong)} cannot be used: see `conspectus.parse.protocol.Reader`.")


def _are(values: object, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(one, kind) and one for one in values)


def reader_for(path: Path, *, ocr: bool = False) -> Reader:
    """The reader of the file: by its ending, else by its first bytes. With `ocr` pages that are pictures are read too.

    A file that only one reader could mean is left to it, also where it does not look like one: it says what is wrong.

    Raises:
        InputError: No reader knows it; the hint names the kinds that are known.
    """
    found = _reader(path)
    if found is None:
        choices, suffix = _sharing(path)
        if len(choices) == 1:
            return choices[0]
        what = "is of a kind that cannot be read"
        if suffix in XML_SUFFIXES:
            root = root_name(head_of(path))
            what = f"is XML of a kind that cannot be read: its first element is <{root[:60]}>" if root else "is not XML"
        raise InputError(f"'{path.name}' {what}.", _known_endings())
    if isinstance(found, ContentKind):
        raise InputError(f"'{path.name}' is {found.name}, which is not read.", found.remedy or _known_endings())
    return WITH_OCR if ocr and isinstance(found, PdfReader) else found


def _known_endings() -> str:
    known = dict.fromkeys(suffix for reader in readers() for suffix in reader.suffixes)
    return f"These can be read: {' '.join(known)}"


def supported(path: Path) -> bool:
    """Whether some reader knows the file."""
    found = _reader(path)
    return found is not None and (not isinstance(found, ContentKind) or bool(_sharing(path)[0]))


def is_one_paper(path: Path) -> bool:
    """Whether some reader knows the file, and reads one paper of it."""
    found = _reader(path)
    return found is not None and not isinstance(found, ContentKind) and found.one_paper


def reader_named(name: str) -> Reader:
    """The reader called `name`, which may be the order of one that works elsewhere.

    Raises:
        InputError: There is none.
    """
    if name.startswith("grobid "):
        return GrobidReader.ordered(name)
    for reader in (*readers(), WITH_OCR):
        if reader.name == name:
            return reader
    raise InputError(f"There is no reader '{name}'.", f"There are: {', '.join(reader.name for reader in readers())}")


def _reader(path: Path) -> Reader | ContentKind | None:
    """Return the reader of the longest ending, of those that share it the first that accepts the file's first bytes.

    A file whose ending nobody has, or whose bytes say that it is something else, is known by its bytes: what it is if
    that is not read. The endings of readers from packages are left to these.
    """
    choices, suffix = _sharing(path)
    if all(reader in BUILT_IN for reader in choices):
        kind = content_kind(path)
        if kind is not None and not {path.suffix.lower(), suffix} & set(kind.endings):
            return _sharing(Path(f"_{kind.reader}"))[0][0] if kind.reader else kind
        if suffix in _MAY_BE_UNREAD and (kind := unread_format(root_name(head := head_of(path)), head, suffix)):
            return kind
    if not choices:
        return reader_of_bytes(head_of(path))
    if not any(_asks(reader, suffix) for reader in choices):
        return choices[0]
    head = head_of(path)
    return next((reader for reader in choices if _accepts(reader, head, suffix)), None) or _at_home(choices, suffix)


def _at_home(choices: list[Reader], suffix: str) -> Reader | None:
    """The reader to which a file of this ending is left where nothing in it is recognised: it says what is wrong."""
    return next((reader for reader in choices if suffix in getattr(reader, "home", ())), None)


def _asks(reader: Reader, suffix: str) -> bool:
    """Whether a reader looks at the first bytes of a file of this ending."""
    return suffix in ASKED if isinstance(reader, FileReader) else hasattr(reader, "accepts")


def _accepts(reader: Reader, head: bytes, suffix: str) -> bool:
    """Whether it has nothing against a file of its ending. One that fails is not asked to read: the next is asked."""
    accepts = getattr(reader, "accepts", None)
    try:
        return accepts is None or bool(accepts(head, suffix))
    except Exception as error:  # a package's, in this process
        if reader in BUILT_IN:
            raise
        _tell(reader.name, f"{type(error).__name__}: {error}")
        return False


@lru_cache
def _tell(name: str, why: str) -> None:
    """Log it once."""
    logging.getLogger("conspectus").warning("The reader '%s' cannot say whether it reads a file: %s.", name, why)


def _sharing(path: Path) -> tuple[list[Reader], str]:
    """The readers with the longest ending that the name has, and that ending."""
    name = path.name.lower()
    fitting = [(suffix, reader) for reader in readers() for suffix in reader.suffixes if name.endswith(suffix)]
    longest = max((suffix for suffix, _ in fitting), key=len, default="")
    return [reader for suffix, reader in fitting if suffix == longest], longest


def reader_of_bytes(head: bytes) -> Reader | None:
    """The reader of papers whose files begin so, where they have a beginning of their own."""
    for reader in readers():
        if reader.signatures and head.startswith(reader.signatures):
            return reader
        if isinstance(reader, FileReader) and reader.recognises(head):
            return reader
    return None
