"""The numbers of records in their file, when others before them came or went: which of two says a paper's title."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from conspectus.catalog import writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import writing


def put_in_order(catalog: Catalog, file_key: int, seen: Mapping[int, int]) -> dict[int, int]:
    """Give the documents of a file the numbers that they were `seen` with (document key -> number).

    Returns those that are left to be done, with their papers: where a paper has several documents of this file, their
    order decides what is said of it, and the two have to change at once.
    """
    places = catalog.places(file_key) if seen else []
    moved = {key: seen[key] for key, number, _ in places if seen.get(key, number) != number}
    if not moved:
        return {}
    several = Counter(paper for _, _, paper in places)
    left = {key: moved[key] for key, _, paper in places if key in moved and several[paper] > 1}
    with writing(catalog.engine) as connection:
        writer.number_documents(connection, {key: number for key, number in moved.items() if key not in left})
    return left
