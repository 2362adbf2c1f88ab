"""XML from strangers: it costs one file at most."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from conspectus.core.errors import ConspectusError, EmptyTextError, InputError, LimitError
from conspectus.parse.markup.jats import article_of
from conspectus.parse.markup.tei import paper_of, parse_tei
from conspectus.parse.markup.xml_tree import MAX_DEPTH, formula_text, load, tree_of
from conspectus.parse.process.pool import Limits, ParsePool, ReadingJob
from conspectus.records import ParsedPaper
from xml_samples import JATS, TEI, assert_sound


def jats(text: str) -> ParsedPaper:
    return article_of(tree_of(text.encode(), "a.xml"), "a.xml")


def tei(text: str) -> ParsedPaper:
    return paper_of(tree_of(text.encode(), "a.xml"), "a.xml")


def billion_laughs() -> str:
    names = "abcdefghijkl"
    entities = '<!ENTITY a "hahahahahahahahahahaha">'
    for before, name in pairwise(names):
        entities += f'<!ENTITY {name} "{f"&{before};" * 10}">'
    return f"<!DOCTYPE article [{entities}]>"


@pytest.mark.parametrize("place", ["<p>&l;</p>", '<p id="&l;">x</p>', "<fig><caption><p>&l;</p></caption></fig>"])
def test_entities_are_never_unfolded(place: str) -> None:
    """Lost otherwise: all memory, to a file of a kilobyte."""
    text = f"{billion_laughs()}<article><front/><body>{place}<p>Text.</p></body></article>"
    try:
        paper = jats(text)
    except LimitError:
        return
    assert sum(len(block.text) for block in paper.blocks) < 1000


@pytest.mark.parametrize("root", ["article", "TEI"])
def test_text_that_is_all_in_entities_is_told_so(root: str) -> None:
    """One would fetch a file anew that has its text, and has it again so."""
    title = "<front><article-meta><title-group><article-title>&t;</article-title></title-group></article-meta></front>"
    head = "<teiHeader><fileDesc><titleStmt><title>&t;</title></titleStmt></fileDesc></teiHeader>"
    text = f'<!DOCTYPE {root} [<!ENTITY t "Sleep of cats">]><{root}>{title if root == "article" else head}</{root}>'
    with pytest.raises(InputError, match=r"its own entities stand for \(&t;\)"):
        (jats if root == "article" else tei)(text)


def test_files_and_addresses_in_entities_are_not_read(tmp_path: Path) -> None:
    """Lost otherwise: files of the user's, sent out with an innocent looking paper."""
    secret = tmp_path / "secret.txt"
    secret.write_text("do not tell", "utf-8")
    for system in (secret.as_uri(), "http://127.0.0.1:9/x"):
        for kind in ("", "% "):
            use = "%x;" if kind else ""
            head = f'<!DOCTYPE article SYSTEM "{system}" [<!ENTITY {kind}x SYSTEM "{system}"> {use}]>'
            paper = jats(f"{head}<article><front/><body><p>It says &x; here.</p></body></article>")
            assert [block.text for block in paper.blocks] == ["It says here."]
    include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret.as_uri()}" parse="text"/>'
    paper = jats(f"<article><front/><body><p>It says {include}here.</p></body></article>")
    assert [block.text for block in paper.blocks] == ["It says here."]


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 255, 100_000])
def test_what_is_too_deep_is_refused(depth: int) -> None:
    """Lost otherwise: the reader, which goes down level by level."""
    with pytest.raises(LimitError, match=r"deep|depth"):
        jats("<article><front/><body>" + "<sec>" * depth + "</sec>" * depth + "</body></article>")


@pytest.mark.parametrize(
    "tag",
    """sec italic list list-item fig fig-group xref sup boxed-text p caption supplementary-material disp-quote fn
    def-list table-wrap td unknown mml:mrow mml:msub""".split(),
)
def test_as_deep_as_is_allowed_is_read(tag: str) -> None:
    """Lost otherwise: a paper for an odd formula, to the limit on calls within calls."""
    levels = MAX_DEPTH - 4
    inside = f"<{tag} xmlns:mml='m'>" + f"<{tag}>" * (levels - 1) + "deep" + f"</{tag}>" * levels
    assert_sound(jats(f"<article><front/><body><p>Text {inside}</p></body></article>"))


def test_a_packed_bomb_is_refused(tmp_path: Path) -> None:
    """Lost otherwise: all memory."""
    path = tmp_path / "bomb.xml.gz"
    path.write_bytes(gzip.compress(b"<article>" + b" " * (65 * 2**20)))
    with pytest.raises(LimitError, match="unfolds to more"):
        load(path)
    path.write_bytes(gzip.compress(JATS.encode())[:-200])
    with pytest.raises(InputError, match="damaged"):
        load(path)


def test_too_many_elements_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: minutes, for a file that is no paper."""
    monkeypatch.setattr("conspectus.parse.markup.xml_tree.MAX_ELEMENTS", 100)
    with pytest.raises(LimitError, match="more than 100 elements"):
        jats("<article><front/><body>" + "<p/>" * 100 + "</body></article>")


@pytest.mark.parametrize("sample", [JATS, TEI], ids=["jats", "tei"])
@given(cut=st.floats(0.001, 0.999))
def test_cut_off_files_fail_by_name(sample: str, cut: float) -> None:
    """Lost otherwise: half a paper that passes for a whole one."""
    data = sample.encode()
    with pytest.raises(InputError, match=r"'a\.xml'"):
        tree_of(data[: int(cut * len(data))], "a.xml")


@pytest.mark.parametrize("sample", [JATS, TEI], ids=["jats", "tei"])
@given(data=st.data())
def test_mutated_files_are_read_or_refused(sample: str, data: st.DataObject) -> None:
    """Lost otherwise: the other files of a folder, and offsets that lead elsewhere."""
    raw = bytearray(sample.encode())
    for _ in range(data.draw(st.integers(1, 20))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        tree = tree_of(bytes(raw), "a.xml")
        paper = article_of(tree, "a.xml") if sample is JATS else parse_tei(bytes(raw), "a.xml")
    except InputError:
        return
    assert_sound(paper)


_TAGS = """sec title p fig table-wrap label caption graphic table tr td list list-item disp-formula inline-formula math
 mi mfrac msup mtable sup sub italic xref fn fn-group boxed-text def-list def-item term def supplementary-material media
 ref-list ref mixed-citation element-citation name surname article-title year disp-quote ack app alternatives
 break""".split()
_texts = st.text("ab 1.,[]–-\n²(", max_size=8)


@st.composite
def _elements(draw: st.DrawFn, depth: int = 0) -> str:
    tag = draw(st.sampled_from(_TAGS))
    attributes = draw(st.sampled_from(["", ' id="r1"', ' rid="r1"', ' rid="r1 r2" ref-type="bibr"', ' ref-type="fig"']))
    if tag in ("td", "table-wrap") and not attributes:
        attributes = draw(st.sampled_from(["", ' colspan="3"', ' rowspan="99999"', ' colspan="-1"']))
    inside = draw(_texts)
    if depth < 4:
        for child in draw(st.lists(_elements(depth + 1), max_size=3)):
            inside += child + draw(_texts)
    return f"<{tag}{attributes}>{inside}</{tag}>"


@given(body=st.lists(_elements(), min_size=1, max_size=4), back=st.lists(_elements(), max_size=2))
def test_any_nesting_gives_a_sound_paper_or_an_error(body: list[str], back: list[str]) -> None:
    """Lost otherwise: exact offsets, for publishers nest whatever their editor lets them."""
    text = "".join(body)
    try:
        paper = jats(f"<article><front/><body>{text}</body><back>{''.join(back)}</back></article>")
    except EmptyTextError:
        return
    assert_sound(paper)


@given(body=st.lists(_elements(), min_size=1, max_size=4))
def test_any_nesting_in_tei(body: list[str]) -> None:
    """Lost otherwise: the same for what people mark up by hand."""
    names = {
        "sec": "div",
        "title": "head",
        "fig": "figure",
        "xref": "ref",
        "list-item": "item",
        "tr": "row",
        "td": "cell",
    }
    text = "".join(body)
    for old, new in names.items():
        text = text.replace(f"<{old}>", f"<{new}>").replace(f"<{old} ", f"<{new} ").replace(f"</{old}>", f"</{new}>")
    try:
        paper = parse_tei(f"<TEI><text><body>{text}</body></text></TEI>".encode(), "a.xml")
    except EmptyTextError:
        return
    assert_sound(paper)


@given(data=st.binary(max_size=300))
def test_bytes_that_are_no_xml(data: bytes) -> None:
    """Lost otherwise: the run, to one wrongly named file."""
    try:
        tree_of(data, "a.xml")
    except ConspectusError as error:
        assert "'a.xml'" in error.message


def test_a_child_that_is_bombed_costs_one_file(tmp_path: Path) -> None:
    """Lost otherwise: the other files of the run."""
    (tmp_path / "bomb.xml").write_text(f"{billion_laughs()}<article><front/><body><p>&l;</p></body></article>", "utf-8")
    (tmp_path / "good.xml").write_text(JATS, "utf-8")
    with ParsePool(1, Limits(20, 500)) as pool:
        batches = list(pool.run([ReadingJob(str(tmp_path / name), "jats") for name in ("bomb.xml", "good.xml")]))
    assert isinstance(batches[0].error, InputError)
    assert batches[1].error is None and len(batches[1].items) == 1


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "E = mc^2"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a + b)/2"),
        ("<msqrt><mi>x</mi></msqrt><mo>≤</mo><mroot><mi>y</mi><mn>3</mn></mroot>", "√(x) ≤ y^(1/3)"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><mi>log</mi><mi>y</mi>", "x_i^2 log y"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>N</mi></munderover><mi>x</mi>",
            "∑_(i = 1)^N x",
        ),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced><mover><mi>x</mi><mo>¯</mo></mover>", "(a, b)x¯"),
        (
            "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd></mtr></mtable>",
            "a b; c",
        ),
        ("<semantics><mi>x</mi><annotation>\\x</annotation></semantics>", "x"),
        ("<mphantom><mi>x</mi></mphantom>", ""),
    ],
)
def test_formulas_are_written_out_in_a_line(markup: str, text: str) -> None:
    """Lost otherwise: what a sentence says, where its numbers stand in a formula: c2 is not c squared."""
    assert formula_text(etree.fromstring(f"<f><math>{markup}</math></f>")) == text


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\documentclass{minimal}\begin{document}$$x_1$$\end{document}", "x_1"),
        (r"\[ a \le b \]", r"a \le b"),
        ("$x$", "x"),
    ],
)
def test_tex_goes_before_mathml(tex: str, text: str) -> None:
    """Lost otherwise: formulas in the author's own words, or with a page of preamble around them."""
    root = etree.fromstring("<alternatives><tex-math/><math><mi>wrong</mi></math></alternatives>")
    root[0].text = tex
    assert formula_text(root) == text
