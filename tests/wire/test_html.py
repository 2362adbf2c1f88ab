"""Records in notebooks."""

import numpy as np
import pytest

from conspectus.records import (
    AddReport,
    Answer,
    Author,
    Citation,
    Draft,
    Evidence,
    Hit,
    LedgerRow,
    Opinion,
    Paper,
    Passage,
    Place,
    SearchResult,
    Span,
    Statement,
    Status,
    Step,
)
from conspectus.records.atlas import Impact, ImpactRegion, Legend, Overlay, OverlayRegion, Region, Trend, TrendYear
from conspectus.wire.html import MOST, page

EVIL = '<script>alert("x")</script>'
SPAN = Span("p.s", 0, len(EVIL), EVIL, (Place(3, (0, 0, 1, 1)),))
PAPER = Paper(id="p", title=EVIL, authors=(Author(EVIL),), doi='10.1/"onload="x', venue=EVIL, abstract=EVIL)
PASSAGE = Passage("p.p", "p", "body", EVIL, EVIL, (SPAN,))
ROW = LedgerRow(EVIL, "failed", EVIL)
REGION = Region(1, 1, None, EVIL, "phrases", (EVIL,), 3, 0.0, 0.0)
LEGEND = Legend(EVIL, EVIL, 1.0, 2.0)
OF_REGION = (OverlayRegion(1, 1, EVIL, 2, 1.5), OverlayRegion(2, 0, "all", 2, None))
RECORDS = {
    "paper": PAPER,
    "search": SearchResult(EVIL, (Hit(1, 0.5, {}, PAPER, PASSAGE),), EVIL, (), 0.1, EVIL),
    "answer": Answer(EVIL, True, "", "m", EVIL, (Statement(EVIL, "partly", (Citation(PAPER, "p.p", (SPAN,), EVIL),)),)),
    "refusal": Answer(EVIL, False, EVIL, "m", "", ()),
    "add": AddReport(failed=(ROW,)),
    "overlay": Overlay(EVIL, "papers", None, "number", np.ones(3, np.float32), (), LEGEND, OF_REGION, notes=(EVIL,)),
    "trend": Trend(EVIL, 3, (TrendYear(2001, 0, 0, 0.0, 0.0, 1.0), TrendYear(2002, 3, 4, 0.75, 0.3, 0.95)), 2002),
    "impact": Impact(EVIL, 3, 0.5, 2001, (ImpactRegion(REGION, 3, 1.0),), 1.0, 1.0, 1.0, 1.0),
    "status": Status(EVIL, {"papers": 1}, (ROW,), EVIL, EVIL),
}


@pytest.mark.parametrize("name", RECORDS)
def test_what_papers_say_is_escaped(name: str):
    """A paper could run a script in the reader's notebook."""
    html = RECORDS[name]._repr_html_()
    assert "<script" not in html
    assert '"onload=' not in html
    assert "&lt;script&gt;" in html


def test_overlays_trends_and_impacts_say_what_they_are():
    """Who asks for them in a notebook would see three records, and no numbers."""
    overlay, trend, impact = (RECORDS[name]._repr_html_() for name in ("overlay", "trend", "impact"))
    assert ">1.5 <" in overlay and ">all<" not in overlay
    assert "75.00% (30.00% to 95.00%)" in trend and trend.count("<rect") == 2 and "share in 2002" in trend
    assert "since 2001" in impact and "100.0% of the region" in impact
    assert "<rect" not in Trend("x", 0, (), None)._repr_html_()


def test_a_long_list_is_cut_with_a_note():
    """A notebook would hang on a thousand hits, or hide that there are more."""
    hits = tuple(Hit(n, 0.5, {}, PAPER, PASSAGE) for n in range(1, MOST + 31))
    html = SearchResult("q", hits, "m", (), 0.1)._repr_html_()
    assert "… and 30 more" in html
    assert html.count("score 0.50") == MOST


def test_what_a_model_says_is_escaped_on_a_page_too():
    """Somebody who is sent an exported answer could be attacked by the paper it cites, or by the model."""
    cited = Citation(PAPER, "p.p", (SPAN,), EVIL)
    statement = Statement(EVIL, "unsupported", (cited,), why=EVIL)
    whole = Answer(
        EVIL, True, "", "agent", EVIL, (statement,), (EVIL,), note=EVIL, id=EVIL, standalone=EVIL + "?",
        evidence=(Evidence("e1", PAPER, "p.p", (SPAN,), EVIL, 7, 0.5, EVIL),), background=EVIL,
        drafts=(Draft("critique", EVIL), Draft("first answer", EVIL, (statement,))), queries={"ads": EVIL},
        opinion=Opinion(EVIL, False, EVIL), trace=(Step(1, EVIL, EVIL, EVIL, EVIL),),
    )  # fmt: skip
    for html in (page(EVIL, [whole]), whole._repr_html_()):
        assert "<script" not in html and '"onload=' not in html
        assert html.count('<span style="opacity:.6">&lt;script&gt;') == 2
        for shown in ("From the model, no source:", ">Evidence<", ">Critique<", ">Steps<", "Second opinion"):
            assert shown in html
    assert "default-src 'none'" in page(EVIL, [whole]) and page(EVIL, [whole]).startswith("<!DOCTYPE html>")


def test_a_citation_shows_its_page_and_id():
    """A reader of the notebook could not go on to the page."""
    html = RECORDS["answer"]._repr_html_()
    assert "p. 3" in html
    assert "p.s" in html


def test_nothing_in_it_commands_or_turns_round():
    """Text copied from the page could command a terminal, or read as something else than it is."""
    bad = "a\x1b[2Jb\x07c\u202ed\u2066e\x9bf"
    paper = Paper(id="p", title=bad, authors=(Author(bad),), doi="10.1/x", venue=bad, abstract=bad)
    span = Span("p.s", 0, len(bad), bad, (Place(3, (0, 0, 1, 1)),))
    said = (Statement(bad, "partly", (Citation(paper, "p.p", (span,), bad, bad),), why=bad),)
    found = Answer(bad, True, bad, "model", bad, said, drafts=(Draft("critique", bad),), background=bad)
    hits = SearchResult(bad, (Hit(1, 0.5, {}, paper, Passage("p.p", "p", "body", bad, bad, (span,))),), "m", (), 0.1)
    for html in (page(bad, [found]), found._repr_html_(), paper._repr_html_(), hits._repr_html_()):
        assert "abcdef" in html
        assert not set("\x1b\x07\u202e\u2066\x9b") & set(html)
