"""Vectors of statements, kept paper by paper with the calls of language models, so that each is computed once.

A call is found by a digest of what was asked, here of the embedder and the statements, and goes with its paper.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import islice

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import BusyError, LibraryError, ServiceError
from conspectus.core.groups import grouped
from conspectus.core.job_context import emit
from conspectus.llm.sql import keep_calls, read_replies
from conspectus.models.language import ModelReply
from conspectus.records.events import Progress
from conspectus.review.report.paper_statements import PaperStatement
from conspectus.session.session import Session
from conspectus.store.codec import half

_AT_ONCE = 50
"""Papers whose statements are embedded between two writes: what was computed stays if the run is killed."""


def embed_statements(session: Session, statements: Sequence[PaperStatement]) -> FloatArray:
    """The vectors of statements, in their order, float32 [statements, dimensions]; numbers have two bytes."""
    embedder = session.embedder  # read once: another process may go over to another model
    places_by_paper = grouped((item.paper.id, place) for place, item in enumerate(statements))
    digests = {
        paper: _digest(embedder.id, [statements[place].text for place in places])
        for paper, places in places_by_paper.items()
    }
    replies = read_replies(session.catalog, [*digests.values()])
    dimensions = embedder.dimensions
    vectors = np.zeros((len(statements), dimensions), np.float32)
    missing: list[str] = []
    for paper, places in places_by_paper.items():
        stored = _unpack(replies.get(digests[paper]), len(places), dimensions)
        if stored is None:
            missing.append(paper)
        else:
            vectors[places] = stored
    done, total = 0, sum(len(places_by_paper[paper]) for paper in missing)
    texts = [statements[place].text for paper in missing for place in places_by_paper[paper]]
    embeddings = embedder.embed(texts) if texts else iter(())
    for begin in range(0, len(missing), _AT_ONCE):
        new_calls = []
        for paper in missing[begin : begin + _AT_ONCE]:
            places = places_by_paper[paper]
            new = half(np.array([embedding.vector for embedding in islice(embeddings, len(places))], np.float32))
            vectors[places] = new
            done += len(places)
            new_calls.append((digests[paper], ModelReply(b64encode(new.tobytes()).decode()), [paper]))
        with suppress(LibraryError, ServiceError, BusyError):  # the result is worth more than its keeping
            keep_calls(session.catalog.engine, new_calls)
        emit(Progress("comparing", done, total, "statements"))
    return vectors


def _digest(model: str, texts: Sequence[str]) -> str:
    return blake2b("\0".join(("statements", model, *texts)).encode(), digest_size=32).hexdigest()


def _unpack(reply: ModelReply | None, count: int, dimensions: int) -> FloatArray | None:
    """What was kept, float32 [count, dimensions]; None: nothing, or nothing of this shape."""
    if reply is None:
        return None
    with suppress(ValueError):
        return np.frombuffer(b64decode(reply.text), np.float16).reshape(count, dimensions).astype(np.float32)
    return None
