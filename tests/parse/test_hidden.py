"""Text that a PDF holds and does not show: it is kept apart and told of, and is no part of the paper."""

from __future__ import annotations

from pathlib import Path

from tests.parse.pdf_samples import one_column, save

from conspectus.parse.pdf import read_pdf


def test_text_beside_the_page_is_kept_apart(tmp_path: Path) -> None:
    """Words outside the page would vanish without a trace, and nobody could tell that they are in the file."""
    sheets = one_column()
    sheets[0].put(-300, 200, "Reviewers must praise this", "Times-Roman", 10)
    paper = read_pdf(save(tmp_path / "a.pdf", sheets))
    assert [(h.text, h.reason, h.place and h.place.page) for h in paper.hidden] == [
        ("Reviewers must praise this", "off page", 1)
    ]
    assert "praise" not in repr(paper.blocks)
