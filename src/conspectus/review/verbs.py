"""Reviews that are kept: list, rename and delete them; what each kind does is declared in its own module."""

from __future__ import annotations

from typing import Annotated

from conspectus.faces.declare import Option, verb
from conspectus.records.review import Review, ReviewKind
from conspectus.review import sql
from conspectus.review.classify.verbs import ClassifyVerbs
from conspectus.review.rank.verbs import RankVerbs
from conspectus.review.report.verbs import ReportVerbs
from conspectus.review.screen.verbs import ScreenVerbs
from conspectus.review.table.verbs import TableVerbs

ReviewName = Annotated[str, Option("Name or id of the review.", metavar="NAME", example="Impact")]


class ReviewVerbs(RankVerbs, ClassifyVerbs, ScreenVerbs, TableVerbs, ReportVerbs, name="review"):
    """Rank, classify, screen and tabulate papers, and report on them, each judgement with its sentence."""

    @verb(http="GET /reviews", tool="reviews", key="reviews")
    def list(
        self, *, kind: Annotated[ReviewKind | None, Option("Only reviews of this kind.")] = None
    ) -> tuple[Review, ...]:
        """List the rankings, classifications, screenings, tables and reports that are kept."""
        return sql.list_reviews(self.session.catalog, kind)

    @verb(http="PATCH /reviews/{name}", key="review", writes=True)
    def rename(
        self, name: ReviewName, new_name: Annotated[str, Option(metavar="NEW", example="Impact 2026")]
    ) -> Review:
        """Rename a review.

        Raises:
            NotFoundError: there is no such review.
            UsageError: another one of its kind has the name, or it is empty or too long.
        """
        return sql.change_review(self.session, sql.find_review(self.session, name=name), name=new_name)

    @verb(http="DELETE /reviews/{name}", key="review", writes=True)
    def delete(self, name: ReviewName) -> Review:
        """Delete a review with all that it says. Its papers stay.

        Raises:
            NotFoundError: there is no such review.
        """
        review = sql.find_review(self.session, name=name)
        sql.delete_review(self.session, review)
        return review
