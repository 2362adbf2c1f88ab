"""Figures and tables of PDF files: captions paired with the right part of the page, and nothing of them in the text."""

from __future__ import annotations

from pathlib import Path

import figure_samples as samples
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
from reportlab.pdfgen.canvas import Canvas

from conspectus.core.errors import LimitError, NotFoundError
from conspectus.parse.pdf.page_images import draw_structure, figure_image, render_page
from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import Figure, ParsedPaper, Place


def overlap(one: samples.Rect, two: samples.Rect) -> float:
    """Intersection over union."""
    both = max(min(one[2], two[2]) - max(one[0], two[0]), 0) * max(min(one[3], two[3]) - max(one[1], two[1]), 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, two)]
    return both / (sum(areas) - both)


def labelled(paper: ParsedPaper) -> dict[str, Figure]:
    return {figure.label: figure for figure in paper.figures if figure.label}


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_every_figure_is_found_where_it_was_set(name: str, tmp_path: Path) -> None:
    """A caption would be shown with another figure's picture, or with a piece of text."""
    sample = samples.SAMPLES[name](tmp_path / "paper.pdf")
    paper = read_pdf(sample.path)
    figures = labelled(paper)
    assert set(figures) == {known.label for known in sample.figures}
    for known in sample.figures:
        place = figures[known.label].place
        assert place is not None
        assert place.page == known.page, known.label
        assert overlap(place.rect, known.box) > 0.75, known.label


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_text_of_figures_is_no_running_text_and_no_sentence_is_lost(name: str, tmp_path: Path) -> None:
    """Answers would quote axis labels, or the paper's own sentences would be missing."""
    sample = samples.SAMPLES[name](tmp_path / "paper.pdf")
    paper = read_pdf(sample.path)
    words = " ".join(block.text for block in paper.blocks).split()
    assert not set(sample.inside) & set(words)
    text = " ".join(block.text for block in paper.blocks)
    assert [sentence for sentence in sample.sentences if sentence not in text] == []


def test_keys_labels_and_captions_fit_together(tmp_path: Path) -> None:
    """A mark `Table 2` could not be led to its table, nor the table to its caption."""
    paper = read_pdf(samples.one_column(tmp_path / "paper.pdf").path)
    assert [(f.key, f.label, f.kind) for f in paper.figures] == [
        ("f1", "Figure 1", "figure"),
        ("f2", "Figure 2", "figure"),
        ("t1", "Table 1", "table"),
        ("f3", "Figure 3", "figure"),
        ("t2", "Table 2", "table"),
    ]
    for figure in paper.figures:
        assert figure.caption is not None
        block = paper.blocks[figure.caption]
        assert (block.kind, block.label) == ("caption", figure.label)
        assert block.text.startswith(figure.label)


@pytest.mark.parametrize("name", ["one_column", "two_columns", "captions_above", "side_by_side", "facing"])
def test_cells_are_those_of_the_table(name: str, tmp_path: Path) -> None:
    """A value would be read in another row's or column's name."""
    sample = samples.SAMPLES[name](tmp_path / "paper.pdf")
    figures = labelled(read_pdf(sample.path))
    tables = [known for known in sample.figures if known.cells]
    assert tables
    for known in tables:
        assert figures[known.label].cells == known.cells


def test_text_that_speaks_of_figures_is_no_caption(tmp_path: Path) -> None:
    """Sentences that begin with `Fig. 2 shows` would be torn out of their paragraphs."""
    paper = read_pdf(samples.false_captions(tmp_path / "paper.pdf").path)
    captions = [block.text for block in paper.blocks if block.kind == "caption"]
    assert len(captions) == 2
    assert all(text.split(".")[0] in ("Figure 1", "Figure 2") for text in captions)
    assert any(block.kind == "paragraph" and "Fig. 2 shows" in block.text for block in paper.blocks)


def test_the_frame_of_a_program_is_no_figure(tmp_path: Path) -> None:
    """Every program in a manual would be shown among the figures."""
    setter = samples.Setter(tmp_path / "paper.pdf", 1, 12)
    setter.title("A Program in a Frame")
    setter.paragraph(9)
    setter.canvas.setFillGray(0.95)
    setter.box(samples.SIDE, setter.y + 6, samples.SIDE + 300, setter.y + 150, fill=1)
    setter.canvas.setFillGray(0)
    for i in range(12):
        setter.text(samples.SIDE + 4, setter.y + 18 + 11 * i, f"value{i} = compute(value{i}, {i});", 9, "Courier")
    setter.y += 160
    setter.paragraph(9)
    assert read_pdf(setter.save().path).figures == ()


def test_what_an_annotation_shows_is_its_captions_figure(tmp_path: Path) -> None:
    """Films, solid bodies and attached drawings would be captions without a picture."""
    setter = samples.Setter(tmp_path / "film.pdf", 1, 13)
    setter.title("A Film")
    setter.paragraph(9)
    setter.float("Figure 1", lambda setter, box: (), (200, 120))
    setter.paragraph(9)
    sample = setter.save()
    x0, y0, x1, y1 = sample.figures[0].box
    with pypdfium2.PdfDocument(sample.path) as document:
        page = document[0]
        note = pdfium.FPDFPage_CreateAnnot(page.raw, pdfium.FPDF_ANNOT_STAMP)
        rect = pdfium.FS_RECTF(x0, samples.HEIGHT - y0, x1, samples.HEIGHT - y1)
        pdfium.FPDFAnnot_SetRect(note, rect)
        drawn = pdfium.FPDFPageObj_CreateNewRect(x0, samples.HEIGHT - y1, x1 - x0, y1 - y0)
        pdfium.FPDFPath_SetDrawMode(drawn, pdfium.FPDF_FILLMODE_WINDING, False)
        pdfium.FPDFAnnot_AppendObject(note, drawn)
        pdfium.FPDFPage_CloseAnnot(note)
        document.save(tmp_path / "shown.pdf")
    (figure,) = read_pdf(tmp_path / "shown.pdf").figures
    assert figure.place is not None
    assert overlap(figure.place.rect, sample.figures[0].box) > 0.9


def test_a_caption_without_a_picture_keeps_its_figure(tmp_path: Path) -> None:
    """A figure named in the text would be unknown where its picture was left out of the file."""
    setter = samples.Setter(tmp_path / "paper.pdf", 1, 10)
    setter.title("A Caption and No Picture")
    setter.paragraph(9)
    setter.y = setter.caption(
        "Figure 1. The picture is in the printed book only, which is a pity.", 60, setter.y + 8, 480
    )
    setter.y += 10
    setter.paragraph(9)
    (figure,) = read_pdf(setter.save().path).figures
    assert (figure.label, figure.place) == ("Figure 1", None)


def test_regions_are_as_displayed_on_turned_pages(tmp_path: Path) -> None:
    """The picture cut out of a page that is stored lying and shown upright would show something else."""
    sample = samples.one_column(tmp_path / "paper.pdf")
    lying = (0, 1, -1, 0, samples.HEIGHT, 0)
    with pypdfium2.PdfDocument(sample.path) as upright, pypdfium2.PdfDocument.new() as document:
        for number in range(len(upright)):
            page = document.new_page(samples.HEIGHT, samples.WIDTH)
            form = upright.page_as_xobject(number, document).as_pageobject()
            form.set_matrix(pypdfium2.PdfMatrix(*lying))
            page.insert_obj(form)
            page.gen_content()
            page.set_rotation(90)
        document.save(tmp_path / "turned.pdf")
    figures = labelled(read_pdf(tmp_path / "turned.pdf"))
    for known in sample.figures:
        place = figures[known.label].place
        assert place is not None
        assert overlap(place.rect, known.box) > 0.75, known.label


def test_a_page_of_a_hundred_thousand_paths_is_read_in_time(tmp_path: Path) -> None:
    """One dense plot would keep a whole run waiting."""
    path = tmp_path / "dense.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 760, "A plot of very many points that were all drawn one by one by the program.")
    canvas._code += [f"{99 + (i * 37) % 400} {299 + (i * 91) % 397} 2 2 re S" for i in range(100_000)]
    canvas.drawString(72, 270, "Figure 1. Very many points, each of them a path of its own in the file.")
    canvas.save()
    (figure,) = read_pdf(path).figures
    assert figure.place is not None
    assert overlap(figure.place.rect, (99, 143, 501, 543)) > 0.9


def test_the_picture_of_a_figure_is_its_part_of_the_page(tmp_path: Path) -> None:
    """Search by image would compare something else than the figure."""
    sample = samples.one_column(tmp_path / "paper.pdf")
    place = labelled(read_pdf(sample.path))["Figure 1"].place
    assert place is not None
    picture = figure_image(sample.path, place, 2.0)
    x0, y0, x1, y1 = place.rect
    assert abs(picture.width - 2 * (x1 - x0 + 2)) < 3
    page = render_page(sample.path, place.page, [], 2.0)
    cut = page.crop((round(2 * x0), round(2 * y0), round(2 * x1), round(2 * y1))).resize((40, 30)).convert("L")
    own = picture.resize((40, 30)).convert("L")
    pairs = zip(cut.tobytes(), own.tobytes(), strict=True)
    assert sum(abs(a - b) for a, b in pairs) / (40 * 30) < 25


def test_places_and_sizes_that_cannot_be_drawn_are_told(tmp_path: Path) -> None:
    """A page of many metres would fill the memory; a place off the page would be an empty picture."""
    path = tmp_path / "large.pdf"
    canvas = Canvas(str(path), pagesize=(14_000, 14_000))
    canvas.drawString(72, 760, "Something on a very large page.")
    canvas.save()
    with pytest.raises(LimitError, match="pixels"):
        figure_image(path, Place(1, (0, 0, 14_000, 14_000)), 1.0)
    picture = render_page(path, 1, [], 2.0)
    assert 39_000_000 < picture.width * picture.height < 41_000_000
    with pytest.raises(NotFoundError, match="nothing at"):
        figure_image(path, Place(1, (20_000, 10, 20_100, 90)), 1.0)
    assert figure_image(path, Place(1, (60, 13_200, 300, 13_300)), 1.0).size == (242, 102)


def test_the_drawn_page_shows_blocks_figures_and_a_legend(tmp_path: Path) -> None:
    """`inspect` would show an ordinary page, and nobody could see what was read."""
    sample = samples.two_columns(tmp_path / "paper.pdf")
    paper = read_pdf(sample.path)
    plain = render_page(sample.path, 1, [], 1.0)
    drawn = draw_structure(sample.path, paper, 1, 1.0)
    assert drawn.height == plain.height
    assert drawn.width > plain.width + 200
    place = labelled(paper)["Figure 1"].place
    assert place is not None
    middle = round((place.rect[1] + place.rect[3]) / 2)
    edge = [drawn.getpixel((round(place.rect[0]) + dx, middle)) for dx in range(-4, 3)]
    assert any(isinstance(pixel, tuple) and pixel[0] > 180 and pixel[1] < 110 for pixel in edge)  # red
    paragraph = next(block for block in paper.blocks if block.kind == "paragraph")
    x0, y0, x1, y1 = (round(value) for value in paragraph.sentences[0].places[0].rect)
    tints = [drawn.getpixel((x, y)) for x in range(x0, x1) for y in range(y0, y1)]
    assert sum(isinstance(pixel, tuple) and pixel[2] > pixel[0] + 10 for pixel in tints) > len(tints) / 3


@pytest.mark.data
def test_boxes_drawn_by_hand_are_found(data: Path) -> None:
    """Figures of real papers would be paired with the wrong part of a page."""
    import json

    boxes = json.loads((Path(__file__).parents[2] / "benchmarks" / "figures.json").read_text(encoding="utf-8"))
    right = known = 0
    for file, rows in list(boxes.items())[::4]:
        figures = read_pdf(data / file).figures
        for page, label, *box in rows:
            known += 1
            places = [f.place for f in figures if f.label == label and f.place and f.place.page == page]
            right += any(overlap(place.rect, tuple(box)) >= 0.5 for place in places)
    assert right >= 0.9 * known
