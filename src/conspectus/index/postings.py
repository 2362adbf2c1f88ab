"""Postings of the engine `postgres`: which passages have a term, in blocks, and scores that are computed from them.

A term is a word as `queries.Wording` makes it, behind the letter of the field in which it is. A block has the passages
whose keys are equal but for their last 14 bits: so a paper that goes or comes changes few bytes.
"""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.index.protocol import IndexRow
from conspectus.index.queries import FORM, PLACES, Wording

BLOCK = 1 << 14
"""Keys of one block."""
RECORD = np.dtype([("offset", "<u2"), ("count", "u1"), ("length", "u1")])
"""A passage of a block that has a term: its key within the block, how often, and the code of the passage's length."""
_PACK = struct.Struct("<HBB").pack
FIELDS = {"text": "t", "title": "i", "lead": "l", "names": "n", "forms": "f"}
"""The letters before terms."""
K1, B = 1.2, 0.75
"""Of BM25."""
_GAP = 10
"""Places between title and text, so that no phrase goes from one into the other."""

Keys = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]


def _length(code: int) -> int:
    """The length of passages that have a code: exact up to 40 words, then in steps of an eighth, as in Lucene."""
    if code < 24:
        return code
    shift, rest = divmod(code - 24, 8)
    return 24 + ((rest | 8) << (shift - 1) if shift else rest)


LENGTHS = np.array([_length(code) for code in range(256)], np.float64)


@dataclass(frozen=True, slots=True)
class RowTerms:
    """The terms of a row.

    Attributes:
        places: term -> its places in the field; they count on from the title to the text.
        forms: the words of all fields as they are written there, in small letters.
        length: terms in title and text.
    """

    places: Mapping[str, Sequence[int]]
    forms: frozenset[str]
    length: int

    @classmethod
    def of(cls, row: IndexRow, wording: Wording) -> RowTerms:
        """Make terms of a row's words, as the embedded engine does (`text.document`)."""
        places: dict[str, list[int]] = defaultdict(list)
        title, text = wording.all_places(row.title), wording.all_places(row.text)
        start = title[-1][0] + _GAP if title else 0
        both = [*title, *((start + place, term) for place, term in text)]
        fields = {"t": both, "i": title, "l": wording.all_places(row.lead), "n": wording.all_places(row.names)}
        for letter, words in fields.items():
            for place, term in words:
                places[letter + term].append(place)
        forms = wording.all_forms("\n".join((row.title, row.names, row.text)))
        return cls(places, frozenset("f" + form for form in forms), len(both))

    def lexemes(self) -> str:
        """The terms as a `tsvector`; they are of letters and digits only."""
        return " ".join(
            f"'{term}':{','.join(str(place + 1) for place in places)}" for term, places in self.places.items()
        )

    def postings(self, key: int) -> Iterable[tuple[tuple[str, int], bytes]]:
        """((term, block), record) of each term."""
        block, offset = divmod(key, BLOCK)
        code = int(np.searchsorted(LENGTHS, self.length, "right")) - 1
        for term, places in self.places.items():
            yield (term, block), _PACK(offset, min(len(places), 255), code)
        record = _PACK(offset, 1, code)
        for form in self.forms:
            yield (form, block), record


def without(postings: bytes, block: int, keys: Keys) -> bytes:
    """The postings of a block, without those of some keys."""
    records = np.frombuffer(postings, RECORD)
    return records[~np.isin(records["offset"] + block * BLOCK, keys)].tobytes()


class Scoreboard:
    """The postings of some terms, and scores of the passages that they are of.

    Args:
        rows: (term, block, postings).
    """

    def __init__(self, rows: Iterable[tuple[str, int, bytes]]) -> None:
        by_term: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        for term, block, postings in rows:
            by_term[term].append((block, postings))
        self._blocks = np.unique([block for blocks in by_term.values() for block, _ in blocks]).astype(np.int64)
        self._terms: dict[str, tuple[npt.NDArray[np.int64], npt.NDArray[Any]]] = {}
        for term, blocks in by_term.items():
            records = np.frombuffer(b"".join(postings for _, postings in blocks), RECORD)
            slots = np.searchsorted(self._blocks, [block for block, _ in blocks])
            lengths = [len(postings) // RECORD.itemsize for _, postings in blocks]
            self._terms[term] = np.repeat(slots * BLOCK, lengths) + records["offset"], records

    def _zeros(self) -> Scores:
        return np.zeros(len(self._blocks) * BLOCK, np.float32)

    def _keys(self, cells: npt.NDArray[np.int64]) -> Keys:
        return self._blocks[cells // BLOCK] * BLOCK + cells % BLOCK

    def keys(self) -> Keys:
        """The keys of the passages that have any of the terms, ascending."""
        cells = [cells for cells, _ in self._terms.values()]
        return self._keys(np.unique(np.concatenate(cells))) if cells else np.empty(0, np.int64)

    def bm25(self, terms: Sequence[str], passages: int, mean_length: float) -> Scores:
        """Scores by any of the terms; all postings of them have to be here."""
        scores = self._zeros()
        shares = (K1 * (1 - B + B * LENGTHS / mean_length)).astype(np.float32)
        for term in terms:
            if term in self._terms:
                cells, records = self._terms[term]
                rarity = math.log1p((passages - len(records) + 0.5) / (len(records) + 0.5))
                counts = records["count"].astype(np.float32)
                scores[cells] += np.float32(rarity * (1 + K1)) * (counts / (counts + shares[records["length"]]))
        return scores

    def exactness(self, weights: Mapping[str, float], forms: Mapping[str, str]) -> Scores:
        """Which part of words the passages hold: `weights` by term, which add up to 1, and the form asked for."""
        scores = self._zeros()
        for term, weight in weights.items():
            places = self._zeros()
            for field, share in PLACES.items():
                if cells := self._terms.get(FIELDS[field] + term):
                    places[cells[0]] = np.maximum(places[cells[0]], np.float32(weight * (1 - FORM) * share))
            scores += places
            if cells := self._terms.get("f" + forms[term]):
                scores[cells[0]] += np.float32(weight * FORM)
        return np.minimum(scores, 1)

    def best(self, scores: Scores, k: int) -> tuple[Keys, Scores]:
        """The k best and all that are equal to the last of them, best first, then by key; those of 0 are left out."""
        hits = np.flatnonzero(scores)
        if len(hits) > k:
            hits = hits[scores[hits] >= np.partition(scores[hits], -k)[-k]]
        keys = self._keys(hits)
        order = np.lexsort((keys, -scores[hits]))
        return keys[order], scores[hits][order]


def within_edits(word: str, others: Sequence[str], most: int) -> list[str]:
    """Those of `others` that are at most `most` letters away; two neighbouring letters exchanged are one."""
    if not word or not others:
        return []
    size = max(map(len, others))
    letters = np.array([[*map(ord, other), *[0] * (size - len(other))] for other in others], np.int64)
    rows = [np.tile(np.arange(size + 1), (len(others), 1))]
    for at, letter in enumerate(map(ord, word), 1):
        row = np.empty_like(rows[0])
        row[:, 0] = at
        for place in range(1, size + 1):
            best = np.minimum(rows[-1][:, place], row[:, place - 1]) + 1
            best = np.minimum(best, rows[-1][:, place - 1] + (letters[:, place - 1] != letter))
            if at > 1 and place > 1:
                swapped = (letters[:, place - 1] == ord(word[at - 2])) & (letters[:, place - 2] == letter)
                best = np.where(swapped, np.minimum(best, rows[-2][:, place - 2] + 1), best)
            row[:, place] = best
        rows = [rows[-1], row]
    edits = rows[-1][np.arange(len(others)), [len(other) for other in others]]
    return [other for other, number in zip(others, edits.tolist(), strict=True) if number <= most]
