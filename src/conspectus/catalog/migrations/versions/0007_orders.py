"""Papers in the order of their titles, venues and citations, and counted by what filters compare, by indexes alone."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Index how often papers are cited, and whose each term is."""
    op.create_index("ix_papers_cited_by", "papers", ["cited_by"])
    op.drop_index("ix_facets_facet_term", "facets")
    op.create_index("ix_facets_facet_term", "facets", ["facet", "term", "paper_key"])
