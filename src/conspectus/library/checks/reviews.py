"""The check of rankings, classifications, screenings, tables and reports."""

from __future__ import annotations

from conspectus.core.errors import LibraryDamagedError
from conspectus.records import Finding
from conspectus.review.sql import entries_of, list_reviews
from conspectus.session.session import Session


def check_reviews(session: Session) -> Finding:
    """Reviews of which what they ask, or what they say of papers, cannot be read."""
    try:
        reviews = list_reviews(session.catalog)
        for review in reviews:
            entries_of(session.catalog, review)
    except LibraryDamagedError as error:
        return Finding("reviews", False, error.message, "Restore a backup: `library restore FILE`")
    return Finding("reviews", True, f"{len(reviews)} can be read")
