"""`add` with scans: told, recognised when wanted, and labelled wherever their sentences are quoted."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from helpers import open_library

sys.path.append(str(Path(__file__).resolve().parents[1] / "parse"))

import pdf_samples as samples
from scan_samples import as_scan

from conspectus.records import Citation


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    sheet = samples.Sheet()
    sheet.put(72, 90, samples.TITLE, "Times-Bold", 17)
    sheet.paragraph(72, 150, 450, samples.FIRST)
    source = samples.save(tmp_path / "source.pdf", [sheet])
    (tmp_path / "papers").mkdir()
    return as_scan(source, tmp_path / "papers" / "scan.pdf")


def test_a_scan_is_refused_with_the_remedy(scan: Path, tmp_path: Path) -> None:
    """Without this nobody would know that there is a remedy, or how to get it."""
    with open_library(tmp_path / "lib") as library:
        (failed,) = library.add(scan).failed
        assert "scan" in failed.reason
        assert ("pip install 'conspectus[ocr]'" in failed.reason) == (importlib.util.find_spec("rapidocr") is None)
        assert "parse.ocr" in failed.reason


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="the extra `ocr` is not installed")
@pytest.mark.slow
def test_with_the_setting_it_is_recognised_and_labelled(scan: Path, tmp_path: Path) -> None:
    """Without this guesses would be quoted as print, or turning OCR on would change nothing for what had failed."""
    with open_library(tmp_path / "lib") as library:
        assert library.add(scan).failed
    with open_library(tmp_path / "lib", parse__ocr="auto") as library:
        (added,) = library.add(scan).added
        assert added.reader.startswith("pdf-ocr/")
        assert added.notes == ("Page 1 was recognised by OCR; its words may be wrong.",)
        assert len(library.add(scan).unchanged) == 1
    with open_library(tmp_path / "lib", parse__ocr="auto") as library:
        (hit,) = library.search("heat friction tides").hits
        assert "warm" not in hit.paper.title and hit.paper.title == samples.TITLE
        assert hit.passage.recognised and all(span.recognised for span in hit.passage.spans)
        cited = Citation(hit.paper, hit.passage.id, hit.passage.spans[:1], hit.passage.spans[0].text)
        assert cited.marker.endswith(", p. 1, OCR]")
        assert library.open(hit.passage.spans[0].id).width > 100
    with open_library(tmp_path / "lib") as library:
        (failed,) = library.add(scan).failed
        assert failed.reason.endswith("What was read of it before by OCR is kept.")
        assert library.search("heat friction tides").hits


def test_a_file_with_text_is_read_anew_when_the_setting_changes(tmp_path: Path) -> None:
    """Without this pages that were left out as pictures would stay left out."""
    path = samples.save(tmp_path / "plain.pdf", samples.one_column())
    with open_library(tmp_path / "lib") as library:
        assert len(library.add(path).added) == 1
    with open_library(tmp_path / "lib", parse__ocr="auto") as library:
        assert len(library.add(path).updated) == 1
        assert len(library.add(path).unchanged) == 1
        assert not any(
            span.recognised for passage in library.passages(next(iter(library.papers())).id) for span in passage.spans
        )
