"""A PDF file to a parsed paper: the steps, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pypdfium2

from conspectus.core.disk import read_file
from conspectus.core.errors import EmptyTextError, InputError
from conspectus.parse.pdf.block_text import (
    DocumentWords,
    assemble,
    join_listings,
    listing_block,
    make_block,
    rows_block,
)
from conspectus.parse.pdf.figures import PlacedFigure, boxes_by_page, name_figures, take_figures
from conspectus.parse.pdf.front_matter import CODES, Front, mark_front
from conspectus.parse.pdf.furniture import find_line_numbers, remove_contents, remove_furniture
from conspectus.parse.pdf.glyphs import CrowdedPageError, page_words
from conspectus.parse.pdf.headings import drop_strangers, join_headings, set_levels, split_run_ins
from conspectus.parse.pdf.ligatures import close_up
from conspectus.parse.pdf.lines import (
    Edges,
    Usual,
    borrow_gutters,
    build_lines,
    column_edges,
    find_gutters,
    measure_usual,
    reading_order,
    rejoin,
)
from conspectus.parse.pdf.metadata import FileMetadata, Printed, merge, read_info, read_xmp
from conspectus.parse.pdf.ocr import is_installed
from conspectus.parse.pdf.page_accounts import (
    account_page,
    add_unclaimed,
    keep_rest,
    list_doubts,
    list_hidden,
    list_left_out,
    mark_recognised,
    restore_prose,
    slanted_texts,
)
from conspectus.parse.pdf.page_text import (
    FRONT_MATTER,
    STAMPS,
    LineGroup,
    PageFrame,
    PdfLine,
    PdfPageText,
    Role,
    settle,
    settle_words,
)
from conspectus.parse.pdf.paragraphs import Grouper, join_paragraphs
from conspectus.parse.pdf.pdf_file import Extras, document_info, find_extras, is_scan, open_document, visible_box
from conspectus.parse.pdf.reference_section import split_references
from conspectus.parse.pdf.roles import assign_roles, find_listings, label_of, mark_formulas
from conspectus.parse.pdf.text_direction import mirror_leftward, settle_turned_lines, turned_sheets
from conspectus.parse.pdf.title_page import TitleFinder, count_covers, cover_authors
from conspectus.parse.pdf.visibility import Sight
from conspectus.parse.protocol import Working
from conspectus.parse.text.blocks import hidden_notes
from conspectus.records import (
    Block,
    BlockKind,
    Fate,
    Figure,
    Hidden,
    Metadata,
    PageAccount,
    ParsedPaper,
    Share,
    describe_lacking,
    normal_name,
)

_FATES: dict[Role | None, Fate] = {Role.EQUATION: "equation", Role.REFERENCE: "reference"}
"""Those of words in blocks that are not searched."""
_CROWDED = "more characters than a page can show"


def read_pdf(path: Path) -> ParsedPaper:
    """The metadata and blocks of the PDF at `path`, every sentence with its rectangles.

    Raises:
        EncryptedError: The file asks for a password.
        EmptyTextError: The file has no text layer.
        LimitError: It has more pages than are read.
        InputError: The file is missing, damaged or not a PDF.
    """
    *_, paper = read_pdf_steps(path, ocr=False)
    assert isinstance(paper, ParsedPaper)
    return paper


def read_pdf_steps(path: Path, *, ocr: bool) -> Iterator[Working | ParsedPaper]:
    """The same as `read_pdf`, at last; before that, with `ocr`, a sign of life for each page that is recognised.

    Raises:
        UnavailableError: There are pages without a text layer, and what recognises text is not installed.
    """
    with open_document(path, for_text=True) as document:
        data = read_file(path, 2**31)
        pages, unread, warnings = _page_texts(document, find_extras(data))
        hidden = tuple(text for page in pages for text in list_hidden(page))
        count = len(document)
        sources = [read_info(document_info(document)), read_xmp(data)]
        if len(warnings) == count:
            raise InputError(
                f"None of the pages of '{path.name}' can be read: {warnings[0]}", "Download or export the file again."
            )
        if ocr:
            yield from _recognised(document, pages, warnings)
    _lay_out(pages)
    if not any(line.wordlike for page in pages for line in page.lines):
        raise _nothing(path.name, hidden, ocr=ocr)
    warnings += [*list_doubts(pages), *hidden_notes(hidden)]
    metadata, blocks, figures = _structure(pages, sources)
    blocks = mark_recognised(blocks, {page.number for page in pages if page.recognised})
    settled = tuple(sorted((*map(account_page, pages), *unread), key=lambda account: account.page))
    if lacking := describe_lacking(settled, figures=False):
        warnings.append(lacking)
    yield ParsedPaper(
        metadata,
        tuple(blocks),
        count,
        tuple(warnings),
        figures=tuple(figures),
        hidden=hidden,
        accounts=settled,
        left_out=tuple(left for page in pages for left in list_left_out(page)),
    )


def _nothing(name: str, hidden: Sequence[Hidden], *, ocr: bool) -> EmptyTextError:
    if notes := hidden_notes(hidden):
        return EmptyTextError(f"'{name}' shows no text. {notes[0]}", "Look at it: what nobody sees is not read.")
    if ocr:
        return EmptyTextError(f"No text was recognised in '{name}' (OCR).", "Look whether there is some, and sharp.")
    first = "" if is_installed() else "pip install 'conspectus[ocr]', "
    remedy = f"To have its text recognised (OCR): {first}set parse.ocr to auto, then `retry everything=True`."
    return EmptyTextError(f"'{name}' has no text layer: it looks like a scan.", remedy)


def _page_texts(document: Any, has: Extras) -> tuple[list[PdfPageText], list[PageAccount], list[str]]:
    """All pages with their words; of each page that cannot be read an account and a warning."""
    pages: list[PdfPageText] = []
    unread: list[PageAccount] = []
    warnings: list[str] = []
    for number in range(1, len(document) + 1):
        try:
            pages.append(_page_text(document[number - 1], number, has))
        except pypdfium2.PdfiumError:
            warnings.append(_unread(number))
        except CrowdedPageError as error:
            unread.append(PageAccount(number, error.count, (Share("unread", _CROWDED, error.count),)))
            warnings.append(f"Page {number} has {_CROWDED}, and is left out.")
    return pages, unread, warnings


def _unread(number: int) -> str:
    return f"Page {number} could not be read and is left out."


def _page_text(page: Any, number: int, has: Extras) -> PdfPageText:
    try:
        sight = Sight(page, has)
        contents = page_words(page, visible_box(page), sight.unseen)
        text = PdfPageText(
            number, contents.frame, stamps=contents.stamps, hidden=contents.hidden, unread=contents.unread
        )
        text.words = list(contents.words)
        text.scanned = is_scan(page, contents.frame, contents.words)
        if text.scanned:
            settle_words(text.words, "furniture", STAMPS)
        else:
            text.graphics = sight.objects(contents.frame, (word.text for word in contents.words)).graphics
    finally:
        page.close()
    if not text.scanned:
        mirror_leftward(text)
    return text


def _lay_out(pages: Sequence[PdfPageText]) -> None:
    """Put the words of each page into lines in reading order, without the numbers of lines."""
    written = [page for page in pages if page.recognised or not page.scanned]
    numbers = find_line_numbers(written)
    for page in written:
        words = [word for word in page.words if word not in numbers] if numbers else page.words
        page.lines = build_lines(page.number, words)
    close_up([line.words for page in written for line in page.lines])
    for page in written:
        page.gutters = find_gutters(page.lines, page.frame.width)
        page.lines = rejoin(reading_order(page.lines, page.gutters), page.gutters)


def _recognised(document: Any, pages: list[PdfPageText], warnings: list[str]) -> Iterator[Working]:
    """Puts what is recognised on those pages that are pictures in their places."""
    from conspectus.parse.pdf.ocr import ScannedPage, convert_words
    from conspectus.parse.pdf.scans import recognise_page

    todo = [page.number for page in pages if page.scanned]
    scans: list[ScannedPage] = []
    for done, number in enumerate(todo):
        yield Working(done / len(todo))
        try:
            page = document[number - 1]
            try:
                scans.append(recognise_page(page, number))
            finally:
                page.close()
        except pypdfium2.PdfiumError:
            warnings.append(_unread(number))
    words = convert_words(scans)
    for scan in scans:
        at = next(i for i, page in enumerate(pages) if page.number == scan.number)
        graphics = list(scan.graphics)
        text = PdfPageText(scan.number, scan.frame, scanned=True, recognised=True, graphics=graphics)
        text.words, text.hidden = list(words[scan.number]), pages[at].hidden
        pages[at] = text


def _structure(pages: list[PdfPageText], sources: list[FileMetadata]) -> tuple[Metadata, list[Block], list[Figure]]:
    """Metadata, blocks and figures of the pages."""
    all_lines = [line for page in pages for line in page.lines]
    vocabulary = DocumentWords(all_lines)
    printed = [[line.text for line in page.lines] for page in pages]
    heads = remove_furniture(pages)
    remove_contents(pages)
    borrow_gutters(pages)
    body = measure_usual(pages)
    edges = column_edges(pages, body)
    grouper = Grouper(body, edges, find_listings(pages, body, edges))
    groups = [grouper.groups(page) for page in pages]
    hints = tuple(normal_name(source.title) for source in sources if source.title)
    finder = TitleFinder(body, pages[0].frame.height, hints, frozenset(map(normal_name, heads)))
    covers = count_covers(groups, finder)
    title = finder.find(groups[covers])
    regions = take_figures(pages, groups, body, edges)
    assign_roles(groups, body, edges, [page.frame.height for page in pages])
    mark_formulas(pages, groups, boxes_by_page(regions), body, edges)
    left, right = _text_edges(all_lines, edges)
    before = [group for page in groups for group in page]
    roles = [group.role for group in before]
    front = mark_front(groups[covers:], title, left, right, body)
    restore_prose(before, roles, title, body)
    if covers and title:
        front.authors = front.authors or cover_authors(groups[:covers], title)
        for group in (group for page in groups[:covers] for group in page):
            group.role = Role.FRONT
    first_page = [text for page in printed[: covers + 1] for text in page]
    on_covers = {text for page in printed[:covers] for text in page}
    flat = split_run_ins([group for page in groups for group in page if group.lines], body)
    flat = join_headings(flat)
    drop_strangers([group for group in flat if group.role == Role.HEADING], body)
    set_levels([group for group in flat if group.role == Role.HEADING])
    flat = join_listings(split_references(join_paragraphs(flat, body, edges)))
    frames = {page.number: page.frame for page in pages}
    settle((line for group in flat if group.role == Role.FRONT for line in group.lines), "front", FRONT_MATTER)
    flat = add_unclaimed(pages, keep_rest([group for group in flat if group.role != Role.FRONT]))
    blocks = [_block(group, vocabulary, frames) for group in flat]
    for sheet in turned_sheets(pages):
        sheet_groups, sheet_regions = _sheet_structure(sheet, body)
        blocks += [_block(group, vocabulary, {sheet.number: sheet.frame}) for group in sheet_groups]
        regions, flat = regions + sheet_regions, flat + sheet_groups
    settle_turned_lines(pages)
    blocks, figures = name_figures(regions, flat, blocks)
    blocks += slanted_texts(pages)
    stamps = [stamp.text for stamp in pages[0].stamps]
    metadata = merge(
        _printed(front, groups[: covers + 1], heads, on_covers, first_page, stamps, blocks, vocabulary), sources
    )
    return metadata, blocks, figures


def _sheet_structure(sheet: PdfPageText, body: Usual) -> tuple[list[LineGroup], list[PlacedFigure]]:
    """The groups, with their roles, and the figures and tables of what is turned on a page."""
    _lay_out([sheet])
    edges = column_edges([sheet], body)
    groups = Grouper(body, edges, set()).groups(sheet)
    regions = take_figures([sheet], [groups], body, edges)
    assign_roles([groups], body, edges, [sheet.frame.height])
    return add_unclaimed([sheet], keep_rest(groups)), regions


def _block(group: LineGroup, vocabulary: DocumentWords, frames: dict[int, PageFrame]) -> Block:
    """The group as a block, its words settled."""
    label = label_of(group)
    settle(group.lines, _FATES.get(group.role, "text"))
    if group.role == Role.CODE:
        return listing_block(group.lines, frames)
    if group.role == Role.REST:
        return rows_block(group.lines, frames)
    kind = cast(BlockKind, str(group.role))  # other roles have gone by now
    return make_block(kind, group.lines, vocabulary, frames, level=group.level, label=label)


def _text_edges(lines: list[PdfLine], edges: dict[PdfLine, Edges]) -> tuple[float, float]:
    """Where the document's text begins and ends on the left and right, by most of its lines."""
    text_edges = [edges[line] for line in lines if line in edges and line.wordlike >= 4]
    if not text_edges:
        return 0, 10_000
    lefts, rights = sorted(e.left for e in text_edges), sorted(e.right for e in text_edges)
    return lefts[len(lefts) // 20], rights[-1 - len(rights) // 20]


def _printed(
    front: Front,
    groups: list[list[LineGroup]],
    heads: set[str],
    covers: set[str],
    first_page: list[str],
    stamps: list[str],
    blocks: list[Block],
    vocabulary: DocumentWords,
) -> Printed:
    """What the first page says of the paper, and covers before it."""
    abstract = " ".join(block.text for block in blocks if block.kind == "abstract")
    parts = [group for page in groups for group in page if group.role == Role.FRONT]
    lines = [assemble(group.lines, vocabulary)[0] for group in parts]
    return Printed(
        title=assemble(front.title.lines, vocabulary)[0] if front.title else "",
        authors=front.authors,
        abstract=abstract,
        keywords=front.categories.get("keywords", ""),
        extra={
            **{kind: " ".join(text.split()) for kind, text in front.categories.items() if kind in CODES},
            **front.dates,
        },
        front=[line for line in first_page if line in heads] + lines + [line for line in first_page if line in covers],
        heads=sorted(heads, key=lambda head: (head not in first_page, head)),
        stamps=stamps,
        page=" ".join(first_page),
    )
