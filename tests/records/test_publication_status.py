"""What became of a paper after its publication, as its notices say it."""

from __future__ import annotations

from typing import Any

import pytest

from conspectus.records import Metadata

OUT = {"kind": "retraction", "service": "crossref", "doi": "10.5555/r.1", "date": "2013-05-01"}
DOUBT = {"kind": "concern", "service": "pubmed", "date": "2012-01-01"}
FIXED = {"kind": "correction", "service": "crossref", "date": "2011-01-01"}
BACK = {"kind": "reinstatement", "service": "crossref", "date": "2014-01-01"}


@pytest.mark.parametrize(
    ("extra", "status"),
    [
        ({}, "unchecked"),
        ({"notices": []}, "unchecked"),
        ({"checked": "2026-01-01"}, ""),
        ({"checked": "2026-01-01", "notices": []}, ""),
        ({"checked": True}, "unchecked"),
        ({"checked": ""}, "unchecked"),
        ({"notices": [OUT]}, "retracted"),
        ({"notices": [OUT, FIXED, DOUBT], "checked": "2026-01-01"}, "retracted"),
        ({"notices": [DOUBT, FIXED]}, "concern"),
        ({"notices": [FIXED]}, "corrected"),
        ({"notices": [BACK, OUT]}, "reinstated"),
        ({"notices": [BACK | {"date": "2012-06-01"}, OUT]}, "retracted"),
        ({"notices": [BACK | {"date": ""}, OUT]}, "retracted"),
        ({"notices": [BACK, OUT | {"date": ""}]}, "retracted"),
        ({"notices": [BACK, OUT], "retracted": True}, "reinstated"),
        ({"retracted": True}, "retracted"),
        ({"retracted": "yes"}, "retracted"),
        ({"retracted": False}, "unchecked"),
        ({"retracted": "no"}, "unchecked"),
        ({"publication_status": "concern"}, "concern"),
        ({"publication_status": "unchecked"}, "unchecked"),
        ({"publication_status": "fine"}, "unchecked"),
        ({"notices": "retraction"}, "unchecked"),
        ({"notices": [None, 7, {"kind": []}, {"kind": "fine"}, {}]}, "unchecked"),
        ({"notices": [{"kind": "retraction", "date": 2013}]}, "retracted"),
    ],
)
def test_status(extra: dict[str, Any], status: str) -> None:
    """A retracted paper would be taken for a sound one, or one that nobody asked about for checked."""
    assert Metadata(title="Tides of the sea", extra=extra).publication_status == status


@pytest.mark.parametrize(
    ("title", "status"),
    [
        ("RETRACTED: Tides of the sea", "retracted"),
        ("RETRACTED ARTICLE: Tides of the sea", "retracted"),
        ("[Retracted Article] Tides of the sea", "retracted"),
        ("Retracted and reinstated: a survey of journals", "unchecked"),
        ("Retraction of papers: a survey", "unchecked"),
    ],
)
def test_marked_titles(title: str, status: str) -> None:
    """A title that a publisher marked would be overlooked; or a survey of retractions be taken for retracted."""
    paper = Metadata(title=title)
    assert (paper.publication_status, paper.heading) == (status, title)


def test_words() -> None:
    """A reader could not tell when a paper was retracted, and who says so."""
    extra = {"notices": [OUT], "checked": "2026-01-01"}
    paper = Metadata(title="Tides", extra=extra)
    assert paper.status_words == "retracted 2013-05-01 (crossref, 10.5555/r.1)"
    assert (paper.heading, paper.title) == ("RETRACTED: Tides", "Tides")
    assert Metadata(extra={"checked": "2026-01-01"}).status_words == "no notice known on 2026-01-01"
    assert Metadata().status_words == "unchecked for retractions"
    hostile = OUT | {"doi": "\x1b[31m", "date": "<b>"}
    assert Metadata(extra={"notices": [hostile]}).status_words == "retracted (crossref)"
