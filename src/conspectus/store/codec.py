"""How records are kept in the catalog's binary columns: JSON for metadata, packed and compressed for the rest."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import LibraryDamagedError
from conspectus.models.protocol import TokenVectors
from conspectus.records import Metadata, ParsedPaper, Place, Rect, Span


class SpanRow(msgspec.Struct, frozen=True, array_like=True):
    """A span without its text. The last two are left out if they have their defaults."""

    id: str
    start: int
    end: int
    places: list[tuple[int, Rect]]
    recognised: bool = False
    cells: list[tuple[str, str]] = []


T = TypeVar("T")
MOST_UNFOLDED = 2**28
"""Bytes: as many as a process that reads may report at once."""
_LARGEST = float(np.finfo(np.float16).max)
_HALVES = re.compile("[\ud800-\udfff]")


class _Marked(msgspec.Struct):
    """What tells whether a paper was retracted."""

    title: str
    extra: dict[str, Any]


_metadata = msgspec.json.Decoder(Metadata)
_marked = msgspec.json.Decoder(_Marked)
_parsed = msgspec.msgpack.Decoder(ParsedPaper)
_spans = msgspec.msgpack.Decoder(list[SpanRow])


@contextmanager
def _as_written(what: str) -> Iterator[None]:
    try:
        yield
    except (zlib.error, msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise damaged(what, f"cannot be unpacked ({error})") from error


def damaged(what: str, how: str) -> LibraryDamagedError:
    """The error where the catalog has what was never written; `what` it is, and what is wrong with it."""
    return LibraryDamagedError(
        f"The catalog is damaged: {what} {how}.",
        "`doctor` says of which papers. Restore a backup: `library restore FILE replace=True`",
    )


def pack(value: Any) -> bytes:
    """A record, packed. Halves of pairs, which models can write and no file can hold, become U+FFFD."""
    try:
        return msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(_mended(msgspec.to_builtins(value)))


def unpack(raw: bytes, kind: Any, what: str) -> Any:
    """A record that `pack` has packed; `what` it says, for the error."""
    with _as_written(what):
        return msgspec.msgpack.decode(raw, type=kind)


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(name): _mended(part) for name, part in value.items()}
    return [_mended(part) for part in value] if isinstance(value, list | tuple) else value


def unpack_json(text: str, kind: type[T], what: str) -> T:
    """A column of JSON as a value of this kind; `what` it says, for the error.

    Raises:
        LibraryDamagedError: this is not what was written; so in all that unpack.
    """
    with _as_written(what):
        return msgspec.json.decode(text, type=kind)


def known_word(text: str, words: Any, what: str) -> Any:
    """A column's text where it is one of the words of a `Literal`."""
    with _as_written(what):
        return msgspec.convert(text, type=words)


def pack_metadata(metadata: Metadata) -> bytes:
    """Metadata as JSON, compressed: the abstract is most of it."""
    fields = {name: getattr(metadata, name) for name in Metadata.__dataclass_fields__}
    return zlib.compress(msgspec.json.encode(fields), 1)


def unpack_metadata(raw: bytes) -> Metadata:
    """The inverse of `pack_metadata`."""
    with _as_written("a paper's metadata"):
        return _metadata.decode(_unfolded(raw))


def pack_parsed(parsed: ParsedPaper) -> bytes:
    """What a reader made of one document."""
    return zlib.compress(msgspec.msgpack.encode(parsed), 1)


def unpack_parsed(raw: bytes) -> ParsedPaper:
    """The inverse of `pack_parsed`."""
    with _as_written("what was read of a file"):
        return _parsed.decode(_unfolded(raw))


def _unfolded(raw: bytes) -> bytes:
    """What was compressed, where it is not larger than what one file can have said."""
    unfolding = zlib.decompressobj()
    content = unfolding.decompress(raw, MOST_UNFOLDED)
    if not unfolding.eof:
        raise ValueError("it is cut, or unfolds to too much")
    return content


def unpack_extra(raw: bytes) -> tuple[str, dict[str, Any]]:
    """The title and the `extra` of packed metadata."""
    with _as_written("a paper's metadata"):
        fields = _marked.decode(_unfolded(raw))
    return fields.title, fields.extra


def check_parsed(raw: bytes) -> bool:
    """Whether these are the bytes that `pack_parsed` made, by their checksum."""
    try:
        _unfolded(raw)
    except (zlib.error, ValueError, TypeError):
        return False
    return True


def pack_spans(spans: Sequence[Span]) -> bytes:
    """Spans without their texts, which are slices of the passage's, and without the paper's id before their own."""
    return msgspec.msgpack.encode([_row(span) for span in spans])


def _row(span: Span) -> tuple[object, ...]:
    row = span.id.partition(".")[2], span.start, span.end, [(place.page, place.rect) for place in span.places]
    if span.cells:
        return (*row, span.recognised, span.cells)
    return (*row, True) if span.recognised else row


def check_spans(raw: bytes) -> None:
    """Raise `LibraryDamagedError` where `unpack_spans` would."""
    with _as_written("a passage's sentences"):
        _spans.decode(raw)


def unpack_spans(raw: bytes, text: str, paper_id: str) -> tuple[Span, ...]:
    """The inverse of `pack_spans`, given the passage's text and its paper's id."""
    with _as_written("a passage's sentences"):
        rows = _spans.decode(raw)
    return tuple(
        Span(
            f"{paper_id}.{row.id}",
            row.start,
            row.end,
            text[row.start : row.end],
            tuple(Place(page, rect) for page, rect in row.places),
            row.recognised,
            tuple(row.cells),
        )
        for row in rows
    )


def unpack_vector(raw: bytes, dimensions: int) -> FloatArray:
    """A passage's vector, float32 [dimensions]."""
    vector: FloatArray = unpack_vectors([raw], dimensions)[0]
    return vector


def unpack_vectors(raw: Sequence[bytes], dimensions: int) -> FloatArray:
    """Passages' vectors, float32 [passages, dimensions]."""
    return unpack_halves(raw, dimensions, "a passage's vector").astype(np.float32)


def half(vector: FloatArray) -> npt.NDArray[np.float16]:
    """A vector in two bytes a number; what is too large for that becomes the largest there is."""
    return np.clip(vector, -_LARGEST, _LARGEST).astype(np.float16)


def unpack_halves(raw: Sequence[bytes], dimensions: int, what: str) -> npt.NDArray[np.float16]:
    """Vectors of two bytes a number, float16 [vectors, dimensions]; `what` each is, for the error."""
    odd = next((vector for vector in raw if len(vector) != 2 * dimensions), None)
    if odd is not None:
        raise damaged(what, f"has {len(odd)} bytes, not {2 * dimensions}")
    halves: npt.NDArray[np.float16] = np.frombuffer(b"".join(raw), "<f2").reshape(len(raw), dimensions)
    if not np.isfinite(halves).all():
        raise damaged(what, "has what are no numbers")
    return halves


def pack_starts(starts: npt.NDArray[np.uint32]) -> bytes:
    """Where words begin, each as the characters since the one before, in two bytes; more than those hold is cut."""
    gaps = np.diff(starts.astype(np.int64), prepend=0)
    return np.clip(gaps, 0, np.iinfo(np.uint16).max).astype("<u2").tobytes()


def unpack_tokens(starts: bytes, words: bytes) -> TokenVectors:
    """Word vectors from their two columns."""
    with _as_written("a passage's word vectors"):
        begins = np.cumsum(np.frombuffer(starts, "<u2"), dtype=np.uint32)
        values = np.frombuffer(words, np.int8)
        return TokenVectors(begins, values.reshape(len(begins), -1) if len(begins) else values.reshape(0, 0))
