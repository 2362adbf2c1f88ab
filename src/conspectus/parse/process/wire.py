"""What the pool and its child processes say to each other: MessagePack in frames, four bytes of length before each.

The child has read hostile bytes and is trusted less than the parent: what it says is decoded into declared types, and
never unpickled.
"""

from __future__ import annotations

from typing import BinaryIO, TypeVar

import msgspec

import conspectus.core.errors
from conspectus.core.bounds import BOUNDS
from conspectus.core.errors import ConspectusError, InputError
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.text.key_phrases import key_phrases, remember_phrases
from conspectus.records import FigureWord, KeyPhrase, ParsedPaper, Place, Rect
from conspectus.records.vocabularies import Concept

_M = TypeVar("_M")


class Drawing(msgspec.Struct, frozen=True, array_like=True):
    """What to draw of a PDF: a page with `rects` lit up, `part` of one, or one with the structure of `paper`.

    With `words` those that are seen inside the part are told too; with `ocr` they are recognised where there are none.
    With `picture` instead a picture: the file itself (""), or what it has of that name; see `markup.pictures`.
    """

    page: int
    scale: float
    rects: tuple[Rect, ...] = ()
    part: Place | None = None
    paper: ParsedPaper | None = None
    words: bool = False
    ocr: bool = False
    picture: str | None = None


class PackedImage(msgspec.Struct, frozen=True, array_like=True):
    """An image: three bytes a pixel, row by row, and the words that were asked for."""

    width: int
    height: int
    data: bytes
    words: tuple[FigureWord, ...] = ()


Box = tuple[int, int, int, int]
"""x and y from the top left corner, width and height, in pixels."""


class ImagePage(msgspec.Struct, frozen=True, array_like=True):
    """A picture of a file: its number there, from 1; how large it is; of which file; few pixels; what is said of it."""

    page: int
    width: int
    height: int
    sha256: str
    picture: PackedImage
    facts: tuple[tuple[str, str], ...] = ()
    note: str = ""


class VocabularyOrder(msgspec.Struct, frozen=True, array_like=True):
    """To read a vocabulary: its files, its name, which parts of it, names in which languages."""

    paths: tuple[bytes, ...]
    name: str
    subtree: tuple[str, ...] = ()
    languages: tuple[str, ...] = ("en",)


class VocabularyHead(msgspec.Struct, frozen=True, array_like=True):
    """What a vocabulary says of itself: its version, files that it imports and were read, others, what was left out."""

    version: str
    imported: tuple[bytes, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]


class Order(msgspec.Struct, frozen=True, array_like=True):
    """From the parent: read this file with this reader, or draw it, or tell how large its pages are.

    `path` is as the file system has it; `crop` is what is wanted of a picture.
    """

    path: bytes
    reader: str
    drawing: Drawing | None = None
    measured: bool = False
    crop: Box | None = None
    vocabulary: VocabularyOrder | None = None


class Slot(msgspec.Struct, frozen=True, array_like=True):
    """One item: a paper or a bad record. `phrases` are the key phrases of a paper that has an abstract."""

    paper: ParsedPaper | None = None
    bad: BadRecord | None = None
    phrases: tuple[KeyPhrase, ...] | None = None


class Report(msgspec.Struct, frozen=True, array_like=True):
    """From the child: items of the file in hand; `error` is (class, message, hint).

    The first report of a child has nothing in it and says that it is ready. After one with `leaving` it is gone.
    """

    slots: tuple[Slot, ...] = ()
    done: bool = False
    error: tuple[str, str, str] | None = None
    fraction: float | None = None
    leaving: bool = False
    picture: PackedImage | None = None
    sizes: tuple[tuple[float, float], ...] = ()
    images: tuple[ImagePage, ...] = ()
    concepts: tuple[Concept, ...] = ()
    vocabulary: VocabularyHead | None = None

    def unpack(self) -> tuple[Item, ...]:
        """The papers and bad records; what was found in papers is kept for when it is asked for."""
        for slot in self.slots:
            if slot.paper is not None and slot.phrases is not None:
                remember_phrases(slot.paper.metadata.title, slot.paper.metadata.abstract, slot.phrases)
        return tuple(item for slot in self.slots if (item := slot.paper or slot.bad) is not None)

    @property
    def exception(self) -> ConspectusError | None:
        """The error as one of ours."""
        if self.error is None:
            return None
        name, message, hint = self.error
        kind = getattr(conspectus.core.errors, name, InputError)
        if not (isinstance(kind, type) and issubclass(kind, ConspectusError)):
            kind = InputError
        return kind(message, hint)


def slot(item: Item) -> Slot:
    """The item, packed, with what is found in it here, beside other work of the parent."""
    if isinstance(item, BadRecord):
        return Slot(bad=item)
    metadata = item.metadata
    return Slot(paper=item, phrases=key_phrases(metadata.title, metadata.abstract) if metadata.abstract else None)


def send(stream: BinaryIO, message: Order | Report) -> None:
    """Writes one frame.

    Raises:
        OverflowError: The message is too large, or has a number in it that MessagePack cannot hold.
        OSError: The other side is gone.
    """
    data = msgspec.msgpack.encode(message)
    drawn = isinstance(message, Report) and message.picture is not None
    if len(data) > (BOUNDS.picture if drawn else BOUNDS.report).most:
        raise OverflowError(f"{len(data):,} bytes at once are too many")
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()


def receive(stream: BinaryIO, kind: type[_M], most: int = BOUNDS.report.most) -> _M | None:
    """Reads one frame; None at the end of the stream.

    Raises:
        ValueError: It is not such a message, or has more than `most` bytes, of which none is read then.
    """
    head = stream.read(4)
    if len(head) < 4:
        return None
    length = int.from_bytes(head, "big")
    if length > most:
        raise ValueError("the frame is too large")
    data = stream.read(length)
    return msgspec.msgpack.decode(data, type=kind) if len(data) == length else None
