"""The numbers by which the steps of the PDF reader decide: name, unit, value and reason, in one table.

Type differs between documents, so most are in font sizes of what is measured, or parts of something. Each record names
the benchmark, a script in `benchmarks/`, that shows what moving one of its numbers does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

Points = Annotated[float, "points"]
Sizes = Annotated[float, "font sizes"]
Share = Annotated[float, "part of a whole, 0 to 1"]
Times = Annotated[float, "factor"]
Score = Annotated[float, "score, without a unit"]
Degrees = Annotated[float, "degrees"]


@dataclass(frozen=True, slots=True)
class _Alike:
    """What counts as the same, in all steps. `parsing.py`: words of the body, paragraphs whole."""

    size: Points = 0.3  # sizes that differ by less are one: files round them
    row: Sizes = 0.3  # baselines that differ by less are one row's
    text: Share = 0.08  # sizes that differ from the text's by less of it are the text's
    index: Times = 0.88  # superscripts and subscripts are smaller than this beside their line
    lifted: Sizes = 0.15  # and superscripts stand this much higher
    mark: Times = 0.85  # a word that begins a line and is smaller than this beside it may be its mark
    small: Times = 0.8  # what is smaller than this beside what it belongs to is a mark or an index
    drop_cap: Times = 1.8  # a first letter larger than this beside the next word stands over several lines
    step: Sizes = 1.6  # lines that belong together stand no further apart
    leading: Times = 1.2  # or than so many of the text's distances of lines
    far: Sizes = 1.8  # even set widely, lines of one paragraph or rows of one table stand no further apart


ALIKE = _Alike()


@dataclass(frozen=True, slots=True)
class _Lines:
    """Glyphs to words, lines, columns and what is usual in a document. `parsing.py`: words, order, spans read back."""

    upright: Share = 0.05  # of a quarter turn: text that leans by less runs straight
    back: Sizes = 1.1  # a glyph may begin this far before the last one's end and stay in its word
    reach: Sizes = 0.3  # a wider gap between glyphs parts words, where PDFium made no space
    jump: Times = 2.3  # glyphs whose baselines are so many reaches apart are of two words
    closing: Sizes = 0.4  # closing punctuation that follows a raised number more closely is attached to it
    raised: Sizes = 0.18  # so is a raised number to its word: the narrowest spaces are wider
    accent: Share = 0.6  # so much of the narrower of accent and letter is over the other
    inkless: Points = 0.02  # the box of a glyph that is not drawn is so thin
    closed: Times = 0.1  # of a letter's height: a gap about an accent that is narrower is no space
    gap: Sizes = 0.9  # a wider gap ends a line, gutters begin there; `rejoin` mends what was only a wide space
    overlap: Sizes = 0.9  # a word may begin this far before the last one's end
    level: Points = 0.1  # baselines of one font that differ by less are the same
    share: Times = 0.45  # of the smaller: words of two sizes whose boxes overlap by this stand on one line
    hangs: Sizes = 0.3  # a subscript hangs at most this far below the baseline
    stands: Sizes = 0.6  # a superscript stands at most this far above it
    sinks: Sizes = 0.1  # a mark behind a line lies at most this far below its baseline
    touch: Sizes = 0.15  # what stands nearer to an index has no white space before it
    edge: Points = 1.5  # rows that fill a column end this near each other
    tight: Sizes = 0.9  # lines of one column stand at least this far apart
    even: Sizes = 0.3  # the spaces of a justified row differ by less
    row_drift: Sizes = 0.25  # baselines of the pieces of one row differ by less
    numbered: Sizes = 4.0  # a number and the heading or item behind it may be so far apart
    wide: Sizes = 2.2  # a wider space is never one between words
    spaced: Sizes = 1.4  # a wider space needs more words beside it to be one
    least_step: Sizes = 0.8  # lines of text stand at least this far apart
    most_step: Sizes = 2.6  # and in the most widely set manuscripts at most this far
    usual_step: Sizes = 1.2  # lines of a text without two of them
    rows_apart: Sizes = 3.0  # turned rows of one text or table stand no further apart
    near: Share = 0.15  # lines whose size differs from the text's by less tell the column's edges
    breadth: Share = 0.4  # of the page: narrower text has no columns
    of_three: Share = 0.18  # of the text's width: what a column of three has at least
    of_two: Share = 0.28  # what a column of two has at least
    crossed: Share = 0.35  # of the lines: where more cross is no gutter
    borrowed: Share = 0.1  # of the lines: where more cross, a page has not the columns of the others
    mirrored: Points = 8.0  # gutters of two pages that differ by less are one
    parted: Sizes = 0.6  # a space on a gutter that is wider may part two columns' lines
    switches: Share = 0.7  # of the rows: so many changes of column are those of a page stored row by row
    least_capital: Times = 0.7  # small capitals are larger than this beside large ones
    most_capital: Times = 0.9  # and smaller than this


LINES = _Lines()


@dataclass(frozen=True, slots=True)
class _Groups:
    """Lines to paragraphs, within a page and over its end. `parsing.py`: paragraphs whole, footnotes, formulas."""

    near: Share = 0.1  # of the column: lines that end nearer to its edge nearly fill it
    flush: Sizes = 0.25  # lines that end nearer to the edge end at it
    most: Share = 0.85  # of the lines that nearly fill the column: so many end at its edge on a justified page
    back: Sizes = 0.9  # pieces of a formula may stand this far above the last one
    row_gap: Sizes = 2.5  # lines on one row that are further apart are not of one paragraph
    step: Times = 1.32  # of the usual distance: a paragraph begins below a wider one
    most_leading: Sizes = 1.5  # lines of large type stand no further apart, however widely the text is set
    least_leading: Sizes = 1.15  # lines of one paragraph may always stand this far apart
    large: Times = 1.1  # type larger than this beside the text's is large
    small: Times = 0.95  # footnotes are smaller than this beside the text
    centred: Share = 0.04  # of the column: both margins of a centred line are alike to this
    centred_least: Sizes = 1.5  # or to this
    item: Sizes = 0.4  # what begins this far right of the column's edge is set in
    indent: Sizes = 0.6  # an indent is at least this wide
    short: Share = 0.12  # of the column: a line that ends this far from its edge may be a paragraph's last
    short_least: Sizes = 2.5  # and at least this far
    ended: Sizes = 0.6  # a finished line of justified text that ends this far from the edge is a paragraph's last
    ended_open: Share = 0.3  # of the column: one without a full stop
    note_lift: Sizes = 0.1  # a small mark that opens a note stands this far above the baseline
    mark_lift: Sizes = 0.25  # a mark of the text's size does so
    mark_size: Times = 1.05  # and is no larger than this beside the text
    size: Share = 0.07  # sizes of words that differ by less are one
    full: Share = 0.02  # of the column: a line that goes on on the next page ends this near its edge
    start: Sizes = 0.4  # what begins a column further right has an indent
    reach: Points = 40.0  # lines further apart are never on one row; it only saves time
    formula: Share = 0.4  # of the letters: fewer are of words in a formula
    index_least: Times = 0.5  # an index is at least this large beside its letter
    index_off: Sizes = 0.1  # and stands this far off its baseline
    tail_least: Times = 0.9  # of the text's distance of lines: the short end of a paragraph stands this far below it
    tail_most: Times = 1.1  # at most
    tail_full: Share = 0.06  # of the column: below a line that ends this near its edge it may stand further away
    about: Sizes = 0.45  # pieces of a formula within text reach this far beyond its line
    height: Sizes = 0.7  # what a line of text is high
    drawn_low: Sizes = 0.7  # a formula that is a picture is higher than this
    drawn_high: Sizes = 14.0  # and lower than this; it is no narrower than a part of its height
    drawn_level: Share = 0.3  # of the lower of line and picture: with more in common they are on one row


GROUPS = _Groups()


@dataclass(frozen=True, slots=True)
class _Roles:
    """Groups to headings, prose, captions and notes; the title. `parsing.py`: headings, titles, captions, footnotes."""

    large: Times = 1.09  # type larger than this beside the text's sets a heading off
    gap: Times = 1.15  # of the text's distance of lines: so does a wider one above it
    short: Share = 0.08  # of the column: a heading ends at least this far from its edge
    much_smaller: Times = 0.85  # few headings are smaller than this beside the text
    letters: Share = 0.6  # of the signs: more are of words in prose of the text's size
    small: Times = 0.8  # what is smaller beside the text must be long to be prose
    words: Share = 0.25  # of what white space parts: more are words in prose
    inset: Sizes = 1.5  # cells of a table's head begin this far right of its caption
    caption: Times = 0.96  # a label without punctuation begins a caption that is smaller than this beside the text
    note: Times = 0.93  # notes are at most this large beside the text
    note_marked: Times = 1.02  # those that open with a raised mark
    foot: Share = 0.55  # of the page's height: notes stand below
    prose_most: Share = 0.7  # of the lines in a figure: so many have several words in running text
    title_lowest: Share = 0.7  # of the page's height: titles stand above
    title_size: Score = 6.0  # what each time the text's size counts
    title_usual: Times = 0.95  # beyond this
    title_most: Times = 1.5  # up to this
    title_bold: Score = 1.5  # bold type speaks for a title
    title_plain: Times = 1.06  # what is not larger beside the text looks like it
    title_far: Score = 6.0  # such must be near the top
    title_word: Score = 4.0  # one word, a paragraph, a sentence in the text's size or a number speak against it
    title_words: Score = 1.5  # so do two words
    title_none: Score = 9.0  # no word at all forbids it
    title_sentence: Times = 1.15  # sentences of larger type may be titles
    title_names: Score = 3.0  # a list of names speaks against it
    title_named: Times = 1.25  # in type smaller than this beside the text
    title_apart: Times = 1.05  # unless it is larger than this, and more names follow
    title_step: Sizes = 1.9  # lines of a title stand no further apart
    title_same: Score = 12.0  # agreement with what the file says its title is
    title_part: Score = 8.0  # with a part of it
    title_sure: Score = 8.0  # so much agreement outweighs that running heads have the title too


ROLES = _Roles()


@dataclass(frozen=True, slots=True)
class _Around:
    """Front matter, furniture, the reference list. `parsing.py`: authors, abstracts, running heads; `references.py`."""

    zone: Share = 0.12  # of the page's height: running heads and feet stand in it, at the top and at the bottom
    wider_zone: Share = 0.2  # or in this one, if nothing is above or below them
    head_apart: Sizes = 1.3  # the head of one page stands this far from its text
    head_size: Points = 0.6  # sizes of one running head differ by less
    numbers_edge: Points = 2.5  # line numbers begin, or end, this near each other
    numbers_even: Share = 0.8  # of the line numbers: so many are followed by one that is larger by the same
    numbers_level: Share = 0.8  # of them: so many stand on a line of text
    numbers_crossed: Share = 0.05  # of the words: so many may cross a gutter with line numbers
    numbers_between: Share = 0.15  # of them: so many may stand over a line without one, as formulas of several rows
    numbers_row: Sizes = 0.6  # a line whose baseline is further from a number's has none
    imprint: Sizes = 2.5  # the journal's name stands this near to the lowest line
    abstract: Points = 0.4  # sizes of paragraphs of one abstract differ by less
    prose_small: Share = 0.42  # of the words: more begin with a small letter in sentences of a script with capitals
    prose_small_open: Share = 0.6  # where no sentence ends
    prose_cased: Share = 0.5  # of the words: fewer begin with a letter that has two forms in scripts without capitals
    prose_apart: Annotated[float, "words"] = 2.5  # between two commas of sentences stand more
    names_farthest: Points = 260.0  # more names stand no further below the last
    names_near: Points = 60.0  # a wrapped line ends no further from the edge
    names_spilling: Share = 0.3  # of the lines below the title: a list of names that goes on over the page has so many
    names_wide: Sizes = 1.5  # a wider gap lies between two names
    title_longer: Times = 1.6  # a printed title may be so much longer than what the file says
    locator: Score = 2.2  # so much evidence makes numbers a journal's volume and pages
    hang: Points = 80.0  # the widest hanging indent
    entry_step: Times = 1.12  # of the distance of an entry's rows: the next one stands further below
    dated: Share = 0.7  # of the entries: so many have a year in a list without a heading
    labelled: Share = 0.1  # of the rows: more begin with a label in a labelled list
    hanging: Share = 0.25  # of the rows: more are set in where the list hangs
    unreadable: Share = 0.1  # of the signs: so many of a script or a font are told of


AROUND = _Around()


@dataclass(frozen=True, slots=True)
class _Tables:
    """Cells of tables, and listings of programs. `tables.py`: cells; `parsing.py`: words."""

    gap: Points = 3.0  # narrower white space parts no columns
    space: Sizes = 0.45  # narrower white space parts words and not cells
    across: Share = 0.9  # of the table: rules that run through it are wider
    row: Sizes = 0.55  # baselines that differ by less are one row's
    ruled: Share = 0.7  # of the lines: so many rules are there where each row has one
    close_rows: Times = 1.2  # of the least distance of lines: further apart, two lines are of two rows
    spaced_rows: Share = 0.75  # of the full lines: with a wider space above so many, rows are parted by spaces
    nearly_full: Share = 0.45  # of its column's width: a line that is wrapped fills more
    full_line: Share = 0.8  # of the columns that the fullest line fills: a line that fills so many begins a row
    aligned: Points = 2.0  # edges or middles of a name's lines that differ by less are one
    doubtful: Share = 0.15  # of the lines: with more that are neither a row nor a part of one, there are no rows
    below: Sizes = 0.7  # an index in a row of its own stands no further below the row
    upright: Share = 0.6  # of the height: upright rules that part columns run through more
    reach: Sizes = 0.28  # words reach so far to the right where white space is looked for
    close: Sizes = 0.12  # what stands nearer has no white space between
    same: Share = 0.04  # the widths of characters differ by less in a font that has one width
    code: Share = 0.7  # of a line: so much of a listing is in such a font
    uneven: Share = 0.12  # of a cell: letters that are spaced out stand this near to where they would
    spaced: Share = 0.9  # of the words: so many are single letters where letters are spaced out
    even: Share = 0.85  # of the steps: so many are even there
    blank: Times = 1.6  # of the usual distance of rows: above a wider one is a blank line
    single: Share = 0.7  # of the words: so many are single letters where cells are told by them


TABLES = _Tables()


@dataclass(frozen=True, slots=True)
class _Figures:
    """Figures and tables to their captions. `figures.py`: regions, pairs with captions."""

    thin: Points = 2.5  # thinner paths are rules
    clip: Points = 12.0  # clips are not asked for smaller objects: it would cost more than it tells
    background: Share = 0.7  # of the page: what covers more is its background
    crowd: Points = 16.0  # small objects that begin in one square of this side become one, where there are many
    turned: Times = 0.9  # of its length: text that goes less far to the right is turned
    head: Share = 0.09  # of the height: rules above belong to running heads, if no rule like them is near
    foot: Share = 0.92  # rules below belong to running feet
    like_near: Share = 0.4  # of the height: how near
    repeated: Share = 0.14  # of the height: what is repeated on other pages so near the top or the bottom is furniture
    behind_path: Share = 0.6  # of the text over a drawing: so much is running text where it is only the ground
    behind_image: Share = 0.25  # of the text over a picture
    seam: Points = 8.0  # pictures no further apart may be stripes of one
    frame: Points = 60.0  # shorter rules are none of a table's
    piece: Points = 3.0  # rules of one height no further apart are one, drawn from cell to cell
    flush: Points = 8.0  # headings begin no further from their column's edge
    axis: Share = 0.3  # of the height: longer upright text is a stamp in the margin and no axis
    column: Points = 3.9  # of four: columns are about as wide as most of them
    letters: Share = 0.55  # of the signs: more are of words in running text
    small: Times = 0.7  # running text is larger beside the text
    same: Share = 0.1  # type that differs by less is the text's
    wide: Share = 0.55  # of the column: running text fills more
    wide_other: Share = 0.7  # that of another size
    heading: Times = 1.15  # larger type is a heading's
    picture: Share = 0.01  # of the page: larger drawings may be figures
    marked: Share = 0.7  # of a box: a mark or an underline is mostly over words
    parted: Share = 0.8  # of the height: rules further apart are of two tables
    caption: Share = 0.3  # of a caption: with more of it between two rules, they are of two tables
    prose: Share = 0.8  # of the rules: running text between them is as wide
    ground: Share = 0.2  # of the page's words: more stand in no figure that has no caption
    score: Score = 0.2  # candidates below are none
    share: Share = 0.03  # of the page: smaller drawings without a caption are no figures
    collide: Share = 0.1  # of the smaller of two regions: more is in both
    lean: Score = 0.4  # the document's habit of captions above or below counts so much
    own_text: Share = 0.6  # of a line: with more near a drawing it is its text
    blocked: Share = 0.2  # of running text: with more in it a drawing is no figure
    cluster: Points = 12.0  # drawings no further apart are one
    first_gap: Points = 130.0  # a figure stands no further from its caption
    next_gap: Points = 45.0  # nor its parts from each other
    text_reach: Points = 16.0  # text so near to what is drawn belongs to it
    area: Annotated[float, "square points"] = 600.0  # smaller drawings are no figures
    big: Annotated[float, "square points"] = 3000.0  # larger ones may stand beside their captions
    wall: Share = 0.15  # of a wall: with less of it above or below a caption it ends no figure
    table_drawn: Share = 0.3  # of a stack of rules: with more drawn in it it is no table
    inside: Share = 0.6  # of a drawing: with less in the band it belongs to something else
    rules_only: Score = 0.6  # a drawing of nothing but rules, where others count 1
    above: Score = 0.3  # a figure above its caption counts more
    text_only: Score = 0.3  # a figure of text
    text_above: Score = 0.15  # one above its caption counts more
    table_below: Score = 0.15  # so does a table below its caption
    noted: Points = 30.0  # a table's caption stands no further below its notes
    framed: Score = 1.2  # a table between rules
    rows: Score = 0.25  # each row of cells
    grounded: Score = 0.3  # something is drawn behind
    listed: Score = 0.4  # the caption names a listing, an algorithm or a box
    drawn_rows: Share = 0.6  # of the lines: so many stand in boxes where a table is drawn
    cell: Sizes = 1.2  # a wider space parts cells
    wider: Times = 1.25  # a figure over several columns is so much wider than in one
    over: Share = 0.3  # of a wall: with more in it a region cannot be a figure


FIGURES = _Figures()


@dataclass(frozen=True, slots=True)
class _Sight:
    """Which words can be seen, and stamps on scans. `conservation.py`: letters accounted for, none lost silently."""

    tiny: Points = 0.7  # glyphs that are all lower are not seen
    narrow: Points = 0.2  # nor those with less width a letter
    maybe_tiny: Points = 1.6  # lower words are measured
    sheet: Points = 792.0  # the longer side of a common page: smaller ones are shown larger
    shared: Share = 0.25  # what covers so much of a word may hide it
    inside: Share = 0.75  # of a word that is cut to less little may be left
    broad: Points = 3.0  # thinner lines hide no word
    cover: Points = 1.0  # nor does anything so thin
    slack: Points = 0.01  # more than the rounding of a word's width
    scanned: Share = 0.5  # a page of which pictures cover so much may be a scan
    most_seen: Share = 0.25  # of its letters: if no more are seen its text layer is that of the picture
    line_gap: Sizes = 3.0  # lines of what is left out that stand so far apart have places of their own
    letter: Annotated[float, "pixels"] = 20.0  # so high letters are drawn to see whether they leave a trace
    scale_least: Annotated[float, "pixels a point"] = 0.5  # as far as pages are not drawn smaller
    scale_most: Annotated[float, "pixels a point"] = 3.0  # or larger
    trace: Share = 0.03  # of its box: so much a word changes when it is seen
    trace_short: Share = 0.01  # a short one: it may be a dash
    gap: Points = 40.0  # what lies further apart is drawn by itself
    ink: Share = 0.25  # a pixel with so much ink counts
    stands_out: Share = 0.65  # of those pixels: so many must stand out
    edge: Share = 0.1  # of the page: libraries stamp scans so near its edges
    pictured: Share = 0.8  # of the page: over pictures that cover more


SIGHT = _Sight()


@dataclass(frozen=True, slots=True)
class _Scans:
    """Pages that are recognised: sizes, weights and looks from the picture. `ocr.py`: all rows."""

    full: Share = 0.42  # of the fullest rows' ink: rows between baseline and x-height have more
    stray: Share = 0.05  # rows outside the line have less
    xheight: Sizes = 0.51  # from baseline to x-height (measured: Times, Computer Modern, Linux Libertine)
    capheight: Sizes = 0.72  # and to the height of capitals and digits
    raised: Sizes = 0.2  # what ends so far above the baseline is raised
    slant: Times = 0.22  # of italics: about 12 degrees
    slanted: Times = 1.02  # leaned back, italics fall into fewer columns by more than this
    paper: Share = 0.8  # of the pixels: fewer are darker than the paper's own grey
    black: Share = 0.0005  # of the pixels: so many are the blackest
    clear: Share = 0.12  # of the way from paper to black: what is lighter is paper
    small_letters: Share = 0.25  # of the letters: with more small ones, the x-height tells the size
    capitals: Times = 1.12  # of the height: the tallest of small capitals are higher
    sign: Sizes = 0.16  # a sign reaches so far to each side of its middle
    sign_above: Sizes = 0.95  # and so far above the baseline
    sign_below: Sizes = 0.1  # and below
    sure: Share = 0.8  # pages whose lines are read with less certainty may lie upside down
    skew_least: Degrees = 0.15  # a page that lies less askew is left so
    skew_most: Degrees = 15.0  # lines that slope more are no sign of a page askew
    rule: Points = 2.5  # thicker lines are no rules
    rule_least: Points = 30.0  # nor are shorter ones
    small: Points = 12.0  # smaller drawings are none
    above: Sizes = 0.82  # a line's ink reaches so far above its baseline
    below: Sizes = 0.28  # and below
    tall: Times = 1.5  # boxes of lines that run upwards are so much higher than wide
    same: Share = 0.07  # lines whose sizes differ by less are set in the same size
    short: Times = 2.5  # short lines may differ by so much more: they are measured with less certainty
    near_least: Sizes = 0.7  # the line above or below a short one stands at least so far away
    near_most: Sizes = 1.5  # and at most
    weight: Times = 1.25  # its strokes are no broader
    size: Times = 1.2  # nor is its type larger
    cut: Times = 0.4  # the power by which small type is cut heavier
    bold: Times = 1.28  # strokes so much broader than the text's are bold
    plain: Times = 1.15  # or may be plain up to this
    raised_by: Sizes = 0.35  # superscripts stand so much higher
    raised_size: Times = 0.7  # and are so large beside the text
    capital: Times = 0.8  # small capitals are so large beside large ones
    row: Sizes = 0.35  # baselines that differ by less are one row's


SCANS = _Scans()
