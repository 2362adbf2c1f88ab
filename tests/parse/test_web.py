"""Web pages in the shapes of six publishers: what the article says, and nothing of what stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from articles import SAMPLE, Grid, Heading, Picture, paragraphs
from hypothesis import given
from hypothesis import strategies as st
from render_html import SHAPES

from conspectus.core.errors import ConspectusError, EmptyTextError, InputError, LimitError
from conspectus.parse.markup.page import paper_of_page, read_html
from conspectus.parse.registry import reader_for
from conspectus.records import Block, ParsedPaper

WITH_REFERENCE_META = ("plos",)
FIRST_HEADINGS = {"plos": 1, "elife": 1, "arxiv": 1, "pmc": 1, "wikipedia": 0, "blog": 0}


def texts(paper: ParsedPaper, kind: str) -> list[str]:
    return [block.text for block in paper.blocks if block.kind == kind]


def marked(block: Block) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(block.text[mark.start : mark.end], mark.kind, mark.targets) for mark in block.marks]


def page(body: str, head: str = "") -> ParsedPaper:
    return paper_of_page(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode(), "page.html")


@pytest.fixture(params=list(SHAPES))
def shape(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def paper(shape: str) -> ParsedPaper:
    return paper_of_page(SHAPES[shape](SAMPLE).encode(), f"{shape}.html")


def without_marks(text: str, block: Block) -> str:
    """The text without its citations and footnote signs."""
    for mark in reversed(block.marks):
        if mark.kind in ("reference", "footnote"):
            text = text[: mark.start] + text[mark.end :]
    for rest in (" [,]", " [,", " []", "[]", " (; )", " ()", "[", "]"):
        text = text.replace(rest, "")
    return text.replace("year,.", "year.").replace("all,.", "all.")


def test_the_text_is_the_articles_and_nothing_else(paper: ParsedPaper, shape: str) -> None:
    """Lost otherwise: what a page says, or its answers would quote cookie notes."""
    wanted = list(SAMPLE.abstract) + paragraphs(SAMPLE)
    found = [without_marks(b.text, b) for b in paper.blocks if b.kind in ("paragraph", "abstract")]
    assert found == wanted


def test_headings_have_their_levels(paper: ParsedPaper, shape: str) -> None:
    """Lost otherwise: the section in which a passage stands."""
    wanted = [(part.level, part.text) for part in SAMPLE.parts if isinstance(part, Heading)]
    first = [(1, "Abstract")] * FIRST_HEADINGS[shape]
    found = [(block.level, block.text) for block in paper.blocks if block.kind == "heading"]
    assert found == [*first, *wanted, (1, "References")]


def test_figures_and_tables_are_found_with_their_captions(paper: ParsedPaper, shape: str) -> None:
    """Lost otherwise: figures, and what they show."""
    for figure in paper.figures:
        source = next(p for p in SAMPLE.parts if isinstance(p, Picture | Grid) and p.label == figure.label)
        assert figure.caption is not None
        caption = paper.blocks[figure.caption]
        assert caption.kind == "caption"
        assert caption.label == source.label
        assert caption.text.startswith(source.label)
        assert caption.text.endswith(source.caption)
        assert figure.cells == (source.rows if isinstance(source, Grid) else ())
        assert figure.href.rpartition("/")[2] == (source.href if isinstance(source, Picture) else "")
    assert [figure.kind for figure in paper.figures] == ["figure", "table"]


def test_marks_lead_to_references_and_figures(paper: ParsedPaper, shape: str) -> None:
    """Lost otherwise: which reference a sentence cites."""
    marks = [(m.kind, m.targets) for b in paper.blocks for m in b.marks if m.kind != "footnote"]
    assert marks == [
        ("reference", ("b1",)),
        ("reference", ("b1",)),
        ("reference", ("b2",)),
        ("figure", ("f1",)),
        ("table", ("t1",)),
        ("reference", ("b3",)),
    ]
    assert [r.text for r in paper.references] == [entry.text for entry in SAMPLE.references]
    if shape in ("plos", "pmc", "blog"):
        assert [r.doi for r in paper.references] == [entry.doi for entry in SAMPLE.references]


def test_the_metadata_are_the_pages(paper: ParsedPaper, shape: str) -> None:
    """Lost otherwise: by whom it is and when it came out."""
    meta = paper.metadata
    assert meta.title == SAMPLE.title
    if shape != "wikipedia":
        assert tuple(author.name for author in meta.authors) == SAMPLE.authors
    if shape in ("plos", "elife", "pmc"):
        assert (meta.doi, meta.date, meta.venue) == (SAMPLE.doi, SAMPLE.date, SAMPLE.venue)
        assert meta.authors[0].affiliations == (SAMPLE.affiliation,)
    if FIRST_HEADINGS[shape]:
        assert meta.abstract == "\n\n".join(SAMPLE.abstract)


def test_footnotes_and_equations_stand_apart(paper: ParsedPaper, shape: str) -> None:
    """Lost otherwise: a note in the middle of a sentence would break it."""
    assert [(b.text, b.label) for b in paper.blocks if b.kind == "equation"] == [(r"T(t) = T_0 e^{-t/\tau}", "(1)")]
    if shape != "wikipedia":
        assert texts(paper, "footnote") == ["The stone is a grey limestone from one quarry."]


def test_every_mark_and_sentence_lies_in_its_text(paper: ParsedPaper) -> None:
    """Lost otherwise: exact places of quotes."""
    for block in paper.blocks:
        assert all(block.text[s.start : s.end].strip() for s in block.sentences)
        ends = [0, *(m.end for m in block.marks)]
        assert all(
            end <= mark.start < mark.end <= len(block.text) for end, mark in zip(ends, block.marks, strict=False)
        )


@pytest.mark.parametrize(
    ("title", "body", "what"),
    [
        ("Sign in", '<h1>Sign in</h1><form><input type="password"></form>', "login page"),
        ("Log in to continue", "<p>You have to log in to see this.</p>", "login page"),
        ("Just a moment...", "<p>Checking your browser</p>", "check for robots"),
        ("404 Not Found", "<h1>Not Found</h1><p>The page was not found.</p>", "error page"),
    ],
)
def test_pages_that_are_no_article_are_told(title: str, body: str, what: str) -> None:
    """Lost otherwise: a library full of login pages."""
    with pytest.raises(InputError, match=f"looks like an? {what}|looks like a {what}"):
        page(body, f"<title>{title}</title>")


@pytest.mark.parametrize(
    "title",
    [
        "Change of sign in the Hall coefficient of bismuth",
        "Star formation in NGC 404",
        "Planet Nine was not found",
        "Attention required in multitasking",
        "Forbidden transitions of oxygen",
        "A 500 MHz survey",
    ],
)
@pytest.mark.parametrize("words", [1, 12, 40])
def test_titles_with_words_of_errors_are_read(title: str, words: int) -> None:
    """Lost otherwise: articles, to a word of their titles."""
    body = f"<h1>{title}</h1><p>{title}: {'we measured it anew. ' * words}</p>"
    assert page(body, f"<title>{title} | A Journal</title>").metadata.title.startswith(title)


def test_a_title_alone_is_not_enough() -> None:
    """Lost otherwise: an essay with an odd title."""
    body = "<h1>Access denied</h1><p>" + "Whoever comes late to a library is judged by its door. " * 6 + "</p>"
    assert page(body, "<title>Access denied</title>").metadata.title == "Access denied"


@pytest.mark.parametrize(
    "title",
    [
        *("Sign in | Elsevier", "Nature - Log in to your account", "404", "Error 404 (Not Found)!!1", "Page not found"),
        *("403 Forbidden", "Oops! Something went wrong", "Attention Required! | Cloudflare", "Are you a robot?"),
        *("The page you requested could not be found", "Access Denied", "Log in or create an account"),
    ],
)
def test_whole_titles_that_are_refused(title: str) -> None:
    """Lost otherwise: a library full of error pages."""
    with pytest.raises(InputError, match="looks like"):
        page("<div>Our journals</div>" + "<a href='/x'>Journal of things</a> " * 20, f"<title>{title}</title>")


def test_headings_that_are_buttons() -> None:
    """Lost otherwise: the headings of pages whose sections fold up."""
    body = (
        "<h1>T</h1><h2><button>Methods</button></h2><p>We measured.</p><h2>Results <button>Copy</button></h2><p>So.</p>"
    )
    assert texts(page(body), "heading")[-2:] == ["Methods", "Results"]


def test_letters_that_mark_notes_are_no_part_of_words() -> None:
    """Lost otherwise: words to search for, and quotations as they were written."""
    note = '<p id="fn1"><sup>a</sup> Of course.</p>'
    paper = page(f'<h1>T</h1><p>This is a note<sup><a href="#fn1">a</a></sup>, and 10<sup>th</sup>.</p>{note}')
    assert texts(paper, "paragraph")[0] == "This is a note a, and 10th."


def test_references_outside_the_main_text_are_read() -> None:
    """Lost otherwise: all references of pages that have them beside `main`, as those of PeerJ."""
    body = f"<main><h2>Results</h2><p>{'Walls were warm. ' * 50}</p></main>"
    entries = "".join(f'<li class="ref">Brook A. 200{n}. Walls of kind {n}.</li>' for n in range(3))
    paper = page(f'<article>{body}<footer><ul class="ref-list">{entries}</ul></footer></article>')
    assert [reference.text[-7:-1] for reference in paper.references] == ["kind 0", "kind 1", "kind 2"]


def test_a_share_box_does_not_hide_what_follows_it() -> None:
    """Lost otherwise: the whole text behind a box with a heading of its own; a heading that is alone in its box has
    what it stands over behind it."""
    text = "<p>Walls were warm.</p>"
    box = "<div><h4>Share this story</h4><p>Get alerts</p></div>"
    assert texts(page(f"<h1>T</h1>{box}{text}"), "paragraph") == ["Walls were warm."]
    alone = "<div><h2>Related articles</h2></div><p>Moss on walls.</p>"
    assert texts(page(f"<h1>T</h1>{text}{alone}"), "paragraph") == ["Walls were warm."]


def test_an_article_about_logins_is_read() -> None:
    """Lost otherwise: papers on security."""
    text = "Users sign in with a password, and we counted how often they forget it. " * 40
    assert page(f"<h1>How users log in</h1><p>{text}</p>").metadata.title == "How users log in"


def test_a_page_with_only_an_abstract_says_so() -> None:
    """Lost otherwise: that the full text is missing."""
    paper = page(
        "<h1>On walls</h1>",
        '<meta name="citation_title" content="On walls"><meta name="citation_abstract" content="Walls stand.">',
    )
    assert paper.metadata.abstract == "Walls stand."
    assert not paper.has_full_text
    assert "only its abstract" in paper.warnings[0]


def test_the_title_of_an_abstract_is_not_its_text() -> None:
    """Lost otherwise: the abstract's first word, and authors without addresses."""
    paper = page(
        '<div class="abstract"><div class="abstract-title">Abstract</div><p>Walls are warm.</p></div><p>Moss.</p>',
        '<meta name="author" content="Ada Brook* E-mail: ada@example.org"><meta name="author" content="b@example.org">',
    )
    assert paper.metadata.abstract == "Walls are warm."
    assert [author.name for author in paper.metadata.authors] == ["Ada Brook"]


def test_an_empty_page_is_told() -> None:
    """Lost otherwise: why nothing was added."""
    with pytest.raises(EmptyTextError, match="no text"):
        page('<div id="root"></div>')


def test_text_that_lies_too_deep_is_told() -> None:
    """One would save a page anew in vain, which has its text."""
    with pytest.raises(LimitError, match="deeper than is read"):
        page("<div>" * 5000 + "<p>Cats sleep most of the day.</p>" + "</div>" * 5000)


def test_superscripts_and_ranges_keep_their_meaning() -> None:
    """Lost otherwise: 10⁵ would be 105, and what `3–5` cites."""
    items = "".join(f'<li id="r{i}">Author {i}. A title of some length. 2001.</li>' for i in range(1, 7))
    paper = page(
        "<h1>A title</h1><p>There were 10<sup>5</sup> cells, 10<sup>–7</sup> g each, in H<sub>2</sub>O "
        '[<a href="#r2">2</a>–<a href="#r5">5</a>].</p>'
        f"<h2>References</h2><ol>{items}</ol>"
    )
    block = paper.blocks[0]
    assert block.text == "There were 10⁵ cells, 10⁻⁷ g each, in H2O [2–5]."
    assert marked(block) == [("2–5", "reference", ("b2", "b3", "b4", "b5"))]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ('<html><meta charset="iso-8859-1"><p>Müller saw it well.'.encode("cp1252"), "Müller"),
        ('<html><meta charset="windows-1251"><p>Стены стоят.'.encode("cp1251"), "Стены"),
        ("<html><p>Müller saw it well.".encode("utf-16"), "Müller"),
        (
            '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml">'
            '<body><a id="x"/><p>Müller.</p></body></html>'.encode(),
            "Müller",
        ),
    ],
)
def test_old_encodings_are_understood(data: bytes, word: str) -> None:
    """Lost otherwise: names with accents in old pages."""
    assert word in paper_of_page(data, "old.html").blocks[0].text


def test_entities_in_xhtml_are_not_expanded(tmp_path: Path) -> None:
    """Lost otherwise: a page could read files or fill the memory."""
    secret = tmp_path / "secret.txt"
    secret.write_text("very secret", encoding="utf-8")
    data = f"""<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">
<!ENTITY s SYSTEM "{secret.as_uri()}">]>
<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Before &b; &s; after.</p></body></html>"""
    text = " ".join(block.text for block in paper_of_page(data.encode(), "x.xhtml").blocks)
    assert "secret" not in text.replace(str(secret), "")
    assert "aaaa" not in text.replace('"aaaaaaaaaa"', "")


def test_deep_and_long_pages_are_read_within_bounds(tmp_path: Path) -> None:
    """Lost otherwise: a hostile page would take the reader down."""
    deep = paper_of_page(("<p>High words.</p>" + "<div>" * 20_000 + "<p>Deep words.").encode(), "deep.html")
    assert texts(deep, "paragraph")[0] == "High words."
    assert "very deeply" in deep.warnings[0]
    path = tmp_path / "big.html"
    with path.open("wb") as file:
        file.truncate(65 * 2**20)
    with pytest.raises(LimitError, match=r"'big.html' is larger"):
        read_html(path)


def test_a_page_without_ending_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    """Lost otherwise: pages that a program saved under a bare name."""
    path = tmp_path / "saved"
    path.write_bytes(SHAPES["blog"](SAMPLE).encode())
    assert reader_for(path).name == "html"


@given(st.binary(max_size=2000))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Lost otherwise: a damaged page would end the run with a strange error."""
    try:
        paper = paper_of_page(data, "any.html")
    except ConspectusError:
        return
    assert paper.blocks or paper.metadata.abstract


TAGS = st.sampled_from(
    "p div table tr td th ul ol li a sup figure figcaption caption h1 h2 span math section br pre".split()
)
PIECES = st.one_of(
    TAGS.map(lambda tag: f"<{tag}>"),
    TAGS.map(lambda tag: f"</{tag}>"),
    st.sampled_from(
        [
            "Words stand here. ",
            "Fig. 1 ",
            "References",
            '<a href="#x">1</a>',
            '<li id="x">',
            '<div class="ref-list">',
            '<td colspan="99999">',
        ]
    ),
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_tags_are_read_or_refused(text: str) -> None:
    """Lost otherwise: pages of careless makers."""
    try:
        paper = page(f"<p>Something to read stands here.</p>{text}")
    except ConspectusError:
        return
    for block in paper.blocks:
        assert all(0 <= mark.start < mark.end <= len(block.text) for mark in block.marks)
    for figure in paper.figures:
        assert figure.caption is None or paper.blocks[figure.caption].kind == "caption"


def test_an_element_with_very_many_attributes_takes_no_time() -> None:
    """Lost otherwise: twenty seconds and more, to a page of some hundred kilobytes."""
    from conspectus.parse.markup.page_tree import page_tree

    picture = "data:image/png;base64," + "A" * 50_000
    attributes = " ".join(f"a{number}=1" for number in range(80_000))
    root, warnings = page_tree(f"<p>One <b {attributes}>two</b> <img src='{picture}'></p>".encode(), "a.html")
    assert warnings[-1].startswith("Elements with more than 1,000 attributes")
    assert "".join(root.itertext()).split() == ["One", "two"]
    assert [len(found.attrib) for found in root.iter("b", "img")] == [0, 1]
    assert len(page_tree(b"<p a=1 b=2>One</p>", "a.html")[0].find(".//p").attrib) == 2


def test_logos_and_second_copies_are_no_figures() -> None:
    """Lost otherwise: a gallery in which every article shows its publisher, and each figure twice."""
    figure = "<figure id='{}'><img src='a.png'><figcaption>Figure 1. A cat that purrs.</figcaption></figure>"
    logo = "<figure class='logo'><img src='logo.png' alt='The publisher'></figure>"
    said = "<p>Cats purr, as <a href='#two'>Figure 1</a> shows. They do so when they rest, and at no other time.</p>"
    found = page(f"<article><h1>On cats</h1>{logo}{said}{figure.format('one')}{said}{figure.format('two')}</article>")
    assert [(one.key, one.href) for one in found.figures] == [("f1", "a.png")]
    assert texts(found, "caption") == ["Figure 1. A cat that purrs."]
    marks = [mark for block in found.blocks for mark in marked(block)]
    assert marks == [("Figure 1", "figure", ("f1",))] * 2, "a link to the copy leads to the figure"
