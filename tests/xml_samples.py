# ruff: noqa: E501
"""A JATS article, and a paper in the TEI that GROBID writes; both are our own."""

from pathlib import Path

from conspectus.parse.markup.tei import parse_tei
from conspectus.records import ParsedPaper

JATS_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2 20190208//EN" "JATS-publishing1.dtd">
"""
JATS_FRONT = """<front>
<journal-meta><journal-title-group><journal-title>Journal of Cats</journal-title></journal-title-group></journal-meta>
<article-meta>
<article-id pub-id-type="pmid">12345678</article-id>
<article-id pub-id-type="pmc">765432</article-id>
<article-id pub-id-type="doi">10.1000/CATS.7</article-id>
<title-group><article-title>Why <italic>Felis catus</italic> purrs at
  10<sup>2</sup> Hz<xref ref-type="fn" rid="fn0">*</xref></article-title></title-group>
<contrib-group>
<contrib contrib-type="author">
<contrib-id contrib-id-type="orcid">https://orcid.org/0000-0002-1825-0097</contrib-id>
<name><surname>van den Berg</surname><given-names>Ann M.</given-names></name>
<xref ref-type="aff" rid="a1"><sup>1</sup></xref><xref ref-type="aff" rid="a2"><sup>2</sup></xref></contrib>
<contrib contrib-type="author"><name><surname>Roe</surname><given-names>Bo</given-names><suffix>Jr</suffix></name>
<aff><institution>Cat House</institution><country>Norway</country></aff></contrib>
<contrib contrib-type="author"><collab>The Purr Consortium<contrib-group><contrib><name><surname>Member</surname>
<given-names>A</given-names></name></contrib></contrib-group></collab></contrib>
<contrib contrib-type="editor"><name><surname>Chief</surname><given-names>E</given-names></name></contrib>
</contrib-group>
<aff id="a1"><label>1</label>Institute of Felines, Oslo</aff>
<aff id="a2"><label>2</label><institution>Vet School</institution>, <country>Norway</country></aff>
<author-notes><fn id="fn0"><label>*</label><p>The cats were not harmed.</p></fn></author-notes>
<pub-date pub-type="collection"><year>2019</year></pub-date>
<pub-date pub-type="ppub"><month>4</month><year>2019</year></pub-date>
<pub-date pub-type="epub"><day>7</day><month>March</month><year>2019</year></pub-date>
<volume>12</volume><issue>3</issue><fpage>10</fpage><lpage>19</lpage>
<abstract abstract-type="teaser"><p>Cats!</p></abstract>
<abstract><sec><title>Background</title><p>Cats purr. Nobody knows why.</p></sec>
<sec><title>Results:</title><p>They purr when warm.</p></sec></abstract>
<abstract abstract-type="summary"><title>Author Summary</title><p>We listened to cats.</p></abstract>
<kwd-group><kwd>purring</kwd><kwd><italic>Felis</italic></kwd></kwd-group>
<kwd-group kwd-group-type="abbreviations"><kwd>CAT</kwd></kwd-group>
<funding-group><funding-statement>Paid by the Milk Board.</funding-statement></funding-group>
</article-meta></front>"""
JATS_BODY = """<body>
<sec id="s1"><label>1</label><title>Introduction</title>
<p>Cats purr [<xref ref-type="bibr" rid="r2">2</xref>–<xref ref-type="bibr" rid="r4">4</xref>], as
<xref ref-type="bibr" rid="r1 r5">Lee and others</xref> say. Warm cells<sup><xref ref-type="bibr" rid="r1">1</xref>,<xref
ref-type="bibr" rid="r3">3</xref></sup> hum at 10<sup>−5</sup> watts.<sup><xref ref-type="bibr" rid="r2">2</xref></sup> See
<xref ref-type="fig" rid="f1">Figure 1</xref>, <xref ref-type="table" rid="t1">Table 1</xref> and
<xref ref-type="disp-formula" rid="e1">Eq. 1</xref>; a lost one<xref ref-type="bibr" rid="nowhere">99</xref>.
<fig id="f1"><label>Figure 1.</label><caption><title>A cat asleep</title><p>It purrs [<xref ref-type="bibr"
rid="r1">1</xref>].</p></caption><graphic xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="cat.tif"/></fig>
The end of it.</p>
<sec><title>A formula</title><p>The power is <disp-formula id="e1"><label>(1)</label><mml:math
xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mi>P</mml:mi><mml:mo>=</mml:mo><mml:mfrac><mml:mi>E</mml:mi><mml:mi>t</mml:mi></mml:mfrac>
</mml:math></disp-formula> where <inline-formula><tex-math>$E_0$</tex-math></inline-formula> is energy and
<inline-formula><inline-graphic/></inline-formula> is unknown.</p></sec>
</sec>
<sec><title>Methods</title>
<list><list-item><label>a)</label><p>Take a cat.</p></list-item><list-item><p>Wait.</p></list-item></list>
<disp-quote><p>It is a cat.</p></disp-quote>
<boxed-text><caption><title>Box 1. Cats</title></caption><p>In the box.</p></boxed-text>
<p>After the box.</p>
<table-wrap id="t1"><label>Table 1</label><caption><title>Cats by size.</title></caption><table>
<thead><tr><th rowspan="2">Cat</th><th colspan="2">Size</th></tr><tr><th>cm</th><th>kg</th></tr></thead>
<tbody><tr><td>Tom</td><td>46</td><td>4<sup>a</sup></td></tr></tbody></table>
<table-wrap-foot><fn id="tf"><label>a</label><p>With fur.</p></fn></table-wrap-foot></table-wrap>
</sec>
<sec sec-type="supplementary-material"><title>Supporting information</title>
<supplementary-material id="S1"><label>S1 Sound</label><caption><p>A purr.</p></caption></supplementary-material></sec>
</body>"""
JATS_BACK = """<back><ack><p>We thank Tom.</p></ack>
<app-group><app><title>Appendix A</title><p>More cats.</p></app></app-group>
<fn-group><title>Competing interests</title><fn><p>We own cats.</p></fn></fn-group>
<ref-list><title>References</title>
<ref id="r1"><label>1</label><mixed-citation publication-type="journal"><name><surname>Lee</surname> <given-names>AB</given-names></name>,
<etal>et al.</etal> <article-title>Cats at <italic>rest</italic>.</article-title> <source>J Cats</source>. <year>2001a</year>;<volume>3</volume>(<issue>2</issue>):<fpage>4</fpage>–<lpage>9</lpage>.
<pub-id pub-id-type="doi">10.1000/REST</pub-id> <pub-id pub-id-type="pmid">111</pub-id></mixed-citation></ref>
<ref id="r2"><label>2</label><element-citation publication-type="book"><person-group person-group-type="author"><name>
<surname>Roe</surname><given-names>Bo Karl</given-names></name><collab>Cat Group</collab></person-group><person-group
person-group-type="editor"><name><surname>Chief</surname><given-names>E</given-names></name></person-group><year>1999</year>
<source>The Book of Cats</source><publisher-name>Fur Press</publisher-name></element-citation></ref>
<ref id="r3"><label>3</label><nlm-citation><article-title>Three cats</article-title><comment>arXiv:1901.00001</comment></nlm-citation></ref>
<ref id="r4"><label>4</label><citation-alternatives><element-citation><article-title>Four cats</article-title><year>2004</year></element-citation>
<mixed-citation>Somebody. Four cats. 2004.</mixed-citation></citation-alternatives></ref>
<ref id="r5"><note><p>A note that is no work.</p></note></ref>
</ref-list></back>"""
JATS = f"""{JATS_HEAD}<article article-type="research-article">{JATS_FRONT}{JATS_BODY}{JATS_BACK}
<sub-article article-type="decision-letter"><body><p>The reviewer did not like cats.</p></body></sub-article></article>"""

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0" xmlns:xlink="http://www.w3.org/1999/xlink">
<teiHeader xml:lang="en"><fileDesc>
<titleStmt><title level="a" type="main">Why cats purr</title></titleStmt>
<publicationStmt><publisher/><date type="published" when="2019-03-07">7 March 2019</date></publicationStmt>
<sourceDesc><biblStruct><analytic>
<author role="corresp"><persName><forename type="first">Ann</forename><forename type="middle">M</forename><surname>Lee</surname></persName>
<email>ann@example.org</email><idno type="ORCID">0000-0002-1825-0097</idno><affiliation key="aff0"><note type="raw_affiliation"><label>1</label>
Institute of Felines, Oslo, Norway</note><orgName type="institution">Institute of Felines</orgName></affiliation></author>
<author><persName><surname>Roe</surname><forename type="first">Bo</forename></persName><affiliation key="aff1"><orgName type="department">Vets</orgName>
<orgName type="institution">Cat House</orgName><address><settlement>Bergen</settlement><country key="NO">Norway</country></address></affiliation></author>
<title level="a" type="main">Why cats purr</title></analytic>
<monogr><title level="j" type="main">Journal of Cats</title><imprint><date type="published" when="2019"/></imprint></monogr>
<idno type="MD5">0123</idno><idno type="DOI">10.1000/CATS.7</idno><idno type="arXiv">arXiv:1901.00007v2[cs.CV]</idno></biblStruct></sourceDesc></fileDesc>
<encodingDesc><appInfo><application version="0.8.1" ident="GROBID"/></appInfo></encodingDesc>
<profileDesc><textClass><keywords><term>purring</term><term>cats</term></keywords></textClass>
<abstract><div><p coords="1,50,100,200,20"><s coords="1,50,100,200,10">Cats purr.</s> <s coords="1,50,110,150,10">Nobody knows why.</s></p></div></abstract>
</profileDesc></teiHeader>
<facsimile><surface n="1" ulx="0.0" uly="0.0" lrx="595.276" lry="841.89"/><surface n="2" ulx="0.0" uly="0.0" lrx="595.276" lry="841.89"/></facsimile>
<text xml:lang="en"><body>
<div><head n="1" coords="1,50,140,100,12">Introduction</head>
<p coords="1,50,160,200,40"><s coords="1,50,160,200,10;1,50,170,80,10">Cats purr <ref type="bibr" target="#b0" coords="1,90,160,9,9">[1]</ref>-<ref type="bibr"
target="#b2">[3]</ref> often.</s><s>As in <ref type="figure" target="#fig_0">Fig. 1</ref> and <ref type="table" target="#tab_0">Table 1</ref>, and <ref type="bibr">[9]</ref>.</s></p></div>
<div><head n="1.1">The formula</head><p>It is so:</p><formula xml:id="formula_0" coords="2,60,200,90,12">P = E / t<label>(1)</label></formula>
<p coords="2,50,220,200,10">One sentence with a place.</p><p coords="2,50,240,200,20">Two sentences. They share a place.</p></div>
<figure xml:id="fig_0" coords="2,50,400,200,30"><head>Fig. 1 .</head><label>1</label><figDesc><div><p><s coords="2,80,400,170,10">A cat asleep.</s></p></div></figDesc><graphic coords="2,50,300,200,90" type="bitmap"/></figure>
<figure type="table" xml:id="tab_0" coords="2,50,500,200,99"><head>Table 1</head><label>1</label><figDesc>Table 1. Cats by size.</figDesc><table coords="2,50,510,200,60"><row><cell>Cat</cell><cell cols="2">Size</cell></row><row><cell>Tom</cell><cell>46</cell><cell>4</cell></row></table></figure>
<note place="foot" n="1" xml:id="foot_0" coords="1,50,800,90,8"><p>A footnote.</p></note>
</body><back>
<div type="acknowledgement"><div><head>Acknowledgments</head><p>We thank Tom.</p></div></div>
<div type="availability"><p>Ask us.</p></div>
<div type="references"><listBibl>
<biblStruct xml:id="b0" coords="2,50,600,200,20"><analytic><title level="a" type="main">Cats at rest</title><author><persName><forename type="first">A</forename><forename type="middle">B</forename><surname>Lee</surname></persName></author>
<idno type="DOI">10.1000/REST</idno></analytic><monogr><title level="j">J Cats</title><imprint><biblScope unit="volume">3</biblScope><biblScope unit="page" from="4" to="9"/><date type="published" when="2001"/></imprint></monogr>
<note type="raw_reference">Lee AB. Cats at rest. J Cats 3:4-9 (2001).</note></biblStruct>
<biblStruct xml:id="b1"><monogr><title level="m">The Book of Cats</title><author><persName><forename type="first">Bo</forename><surname>Roe</surname></persName></author><imprint><publisher>Fur Press</publisher><date type="published" when="1999"/></imprint></monogr></biblStruct>
<biblStruct xml:id="b2"><analytic><title level="a">Three cats</title></analytic><monogr><title level="m">Proc. of Cats</title><imprint><date>2003</date></imprint></monogr></biblStruct>
</listBibl></div></back></text></TEI>"""


def tei(text: str = TEI) -> ParsedPaper:
    return parse_tei(text.encode(), "cats.tei.xml")


def describe_blocks(paper: ParsedPaper) -> list[tuple[str, str]]:
    """Kind and text of all blocks, footnotes and references left out."""
    return [(block.kind, block.text) for block in paper.blocks if block.kind not in ("footnote", "reference")]


def describe_marks(paper: ParsedPaper) -> list[tuple[str, str, tuple[str, ...]]]:
    """What each mark prints, its kind and its targets."""
    return [
        (block.text[mark.start : mark.end], mark.kind, mark.targets) for block in paper.blocks for mark in block.marks
    ]


def assert_sound(paper: ParsedPaper) -> None:
    """All that holds for every paper, whatever reader made it."""
    keys = {reference.key for reference in paper.references} | {figure.key for figure in paper.figures}
    assert len(keys) == len(paper.references) + len(paper.figures)
    for figure in paper.figures:
        assert figure.caption is None or paper.blocks[figure.caption].kind == "caption"
        assert len({len(row) for row in figure.cells}) <= 1
    for block in paper.blocks:
        assert block.text == block.text.strip() != ""
        assert (block.level > 0) == (block.kind == "heading")
        at = 0
        for sentence in block.sentences:
            assert block.text[at : sentence.start].strip() == "" and at <= sentence.start < sentence.end
            at = sentence.end
        assert block.text[at:].strip() == ""
        at = 0
        for mark in block.marks:
            words = block.text[mark.start : mark.end]
            assert at <= mark.start and words == words.strip() != ""
            assert set(mark.targets) <= keys
            at = mark.end


def write_xml(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
