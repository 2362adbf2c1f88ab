"""An embedder that counts letters, an encoder of colours, and a reranker that counts shared words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from PIL import Image, ImageColor

from conspectus.core.arrays import FloatArray
from conspectus.models.protocol import Embedding
from conspectus.settings import ModelSettings


class LetterEmbedder:
    """A text's unit vector says how often it has each pair of letters."""

    def __init__(self, settings: ModelSettings) -> None:
        _, _, size = settings.embedder.partition(":")
        self.dimensions = int(size or 64)
        self.id = f"letters/{self.dimensions}"

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        return map(self.embed_query, texts)

    def embed_query(self, text: str) -> Embedding:
        vector = np.zeros(self.dimensions, np.float32)
        vector[0] = 0.01
        for one, other in zip(text.lower(), text.lower()[1:], strict=False):
            vector[(31 * ord(one) + ord(other)) % self.dimensions] += 1
        return Embedding(vector / np.linalg.norm(vector))


class ColourEncoder:
    """A picture's vector says how much of it has each of some colours, a text's which of them it names."""

    takes = frozenset({"image", "text"})
    side = 32

    def __init__(self, name: str, settings: ModelSettings) -> None:
        self.colours = (name or "black,white,red,lime,blue,yellow,cyan,magenta").split(",")
        self.dimensions = len(self.colours)
        self.id = f"colours/{','.join(self.colours)}"

    def images(self, pictures: Iterable[Image.Image]) -> Iterator[FloatArray]:
        known = np.array([ImageColor.getrgb(colour) for colour in self.colours], np.float32)
        for picture in pictures:
            pixels = np.asarray(picture.convert("RGB").resize((self.side, self.side)), np.float32)
            distances = np.linalg.norm(pixels[:, :, None] - known, axis=-1)
            yield np.exp(-distances / 64).mean(axis=(0, 1))

    def text(self, words: str) -> FloatArray:
        said = words.lower().split()
        return np.array([colour in said for colour in self.colours], np.float32)


class Overlap:
    """The part of the question's words that a text has."""

    id = "overlap/1"

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:
        asked = set(query.lower().split())
        found = [len(asked & set(text.lower().split())) / max(1, len(asked)) for text in texts]
        return np.array(found, np.float32)


def overlap(model: str, settings: ModelSettings) -> Overlap:
    """The reranker `overlap`; nothing follows its name."""
    return Overlap()
