"""BibTeX, JSON, XML and Markdown as programs write them, and prose, in our own words."""

# ruff: noqa: E501
from __future__ import annotations

from export_record import Record, record

BIBTEX: dict[str, tuple[str, list[Record]]] = {
    "months.bib": (
        "@article{a, title={Moss}, author={Lund, Ada}, year=2014, month={6}}\n"
        "@article{b, title={Slate}, author={Roth, Eva}, year=2015, month=mar}\n"
        "@article{c, title={Dust}, author={Blum, Dora}, year=2016, month={March 7}}\n"
        "@article{d, title={Peat}, author={de Vries, Jan}, year=2017, month={12}, day={24}}\n"
        "@article{e, title={Roofs}, author={Lund, Ada}, year=2018, month={07~jan}}\n",
        [
            record("Moss", "Ada Lund", 2014, date="2014-06"),
            record("Slate", "Eva Roth", 2015, date="2015-03"),
            record("Dust", "Dora Blum", 2016, date="2016-03-07"),
            record("Peat", "Jan de Vries", 2017, date="2017-12-24"),
            record("Roofs", "Ada Lund", 2018, date="2018-01-07"),
        ],
    ),
    "years.bib": (
        "@book{a, title={Moss}, year={2005a}}\n@book{b, title={Slate}, year={c1999}}\n"
        "@book{c, title={Dust}, year={January 1978}}\n@book{d, title={Peat}, year={[1951]}}\n"
        "@book{e, title={Roofs}, year={2014/2015}}\n@book{f, title={Rain}, year={in press}}\n"
        "@book{g, title={Fog}, date={2011-03~}}\n",
        [
            record("Moss", "", 2005),
            record("Slate", "", 1999),
            record("Dust", "", 1978, date="1978-01"),
            record("Peat", "", 1951),
            record("Roofs", "", 2014),
            record("Rain", "", None),
            record("Fog", "", 2011, date="2011-03"),
        ],
    ),
    "keys.bib": (
        "@article{\n  title = {Moss},\n  author = {Lund, Ada},\n  year = 2014\n}\n"
        "@article{ , title = {Slate}, author = {Roth, Eva}, year = 2015}\n"
        '@misc{author = "Blum, Dora", title = "Dust", year = "2016"}\n'
        "@article{a key of words, title={Peat}, year=2017}\n",
        [
            record("Moss", "Ada Lund", 2014),
            record("Slate", "Eva Roth", 2015),
            record("Dust", "Dora Blum", 2016),
            record("Peat", "", 2017),
        ],
    ),
    "names.bib": (
        "@article{a, title={Moss}, year=2014, author={family=Vries, given=Jan, prefix=de and given=Wei, family=Li}}\n"
        "@article{b, title={Slate}, year=2015, author={family=King, given={Martin L.}, suffix=Jr., given-i=ML}}\n"
        "@article{c, title={Dust}, year=2016, author={family={Roof, Slate {\\&} Sons}}}\n"
        "@article{d, title={Peat}, year=2017, author={Lund, Ada; Roth, Eva; Blum, Dora}}\n"
        "@article{e, title={Rain}, year=2018, author={{World Health Organization} and {European Space Agency}}}\n"
        "@article{f, title={Fog}, year=2019, author={King, Jr., Martin L. and Ludwig van Beethoven and others}}\n"
        "@article{g, title={Snow}, year=2020, author={Lund, A. and\n Roth, E. and {Roof and Sons}}}\n",
        [
            record("Moss", "Jan de Vries; Wei Li", 2014),
            record("Slate", "Martin L. King Jr.", 2015),
            record("Dust", "Roof, Slate & Sons", 2016),
            record("Peat", "Ada Lund; Eva Roth; Dora Blum", 2017),
            record("Rain", "World Health Organization; European Space Agency", 2018),
            record("Fog", "Martin L. King Jr.; Ludwig van Beethoven", 2019),
            record("Snow", "A. Lund; E. Roth; Roof and Sons", 2020),
        ],
    ),
    "html.bib": (
        "@article{a, title={Growth of <i>Bryum argenteum</i> &amp; CO<sub>2</sub>}, year=2014}\n"
        "@article{b, title={Values of $p < 0.05$ and n > 3 on roofs}, year=2015}\n"
        "@article{c, title={H<sub>2</sub>O &lt; 5 mm, &quot;dry&quot;}, year=2016, abstract={<p>One.</p><p>Two.</p>}}\n",
        [
            record("Growth of Bryum argenteum & CO2", "", 2014),
            record("Values of p < 0.05 and n > 3 on roofs", "", 2015),
            record('H2O < 5 mm, "dry"', "", 2016, abstract="One.\n\nTwo."),
        ],
    ),
    "html_twice.bib": (
        "@article{a, title={Growth of &lt;i&gt;Bryum&lt;/i&gt; for p &lt; 3}, year=2014}\n",
        [record("Growth of Bryum for p < 3", "", 2014)],
    ),
    "inherited.bib": (
        "@inproceedings{a, title={Moss}, author={Lund, Ada}, crossref={p}}\n@proceedings{p, title={Roofs}, year=2014}\n",
        [record("Moss", "Ada Lund", 2014, venue="Roofs"), record("Roofs", "", 2014)],
    ),
    "accents.bib": (
        "@article{a, title={Moss}, year=2014, author={B{\\h a}o, Ng{\\^o} and Nguy{\\~{\\^e}}n, V{\\u{a}}n}}\n"
        "@article{b, title={Slate}, year=2015, author={Tr{\\`\\acircumflex}n, H{\\h o}ng}}\n".replace(
            "\\acircumflex", "{\\^a}"
        )
        + "@article{c, title={Dust}, year=2016, author={{\\L}ukasz {\\.Z}ak and {\\AA}se {\\O}deg{\\aa}rd}}\n"
        "@article{d, title={Peat}, year=2017, author={\\c{S}ahin, {\\.I}pek and Dvo{\\v r}{\\'a}k, Ji{\\v r}{\\'\\i}}}\n"
        "@article{e, title={Rain}, year=2018, author={\\u{G}ul, \\k{A}da and \\t{oo}mas, \\G{a}da}}\n",
        [
            record("Moss", "Ngô Bảo; Văn Nguyễn", 2014),
            record("Slate", "Hỏng Trần", 2015),
            record("Dust", "Łukasz Żak; Åse Ødegård", 2016),
            record("Peat", "İpek Şahin; Jiří Dvořák", 2017),
            record("Rain", "Ąda Ğul; ȁda o͡omas", 2018),
        ],
    ),
    "bibtex.txt": ("@article{a,\n title={Moss},\n author={Lund, Ada},\n year=2014\n}\n", [record("Moss", "Ada Lund", 2014)]),
    "zotero_markup.bib": (
        "@article{a, title={Growth of {\\textless}i{\\textgreater}Bryum{\\textless}/i{\\textgreater} \\&amp; {CO}$_2$}, year={2014}}\n"
        "@article{b, title={R\\&D of <span class=\"nocase\">pH</span>&nbsp;7}, year={c. 1999}, month={jun # \"~1\"}}\n",
        [record("Growth of Bryum & CO₂", "", 2014), record("R&D of pH 7", "", 1999)],
    ),
    "names_again.bib": (
        "@article{a, title={Moss}, year=2014, author={given=Ludwig, family=Beethoven, prefix=van, useprefix=true and {R Core Team}}}\n"
        "@article{b, title={Slate}, year=2015, author={Lund, A.; Roth, E. and Blum, D.}}\n"
        "@article{c, title={Dust}, year=2016, author={Nguy{\\~{\\^e}}n Th{\\d i} H{\\h{\\^o}}ng}}\n"
        "@article{d, title={Peat}, year=2017, author={{European Commission, Joint Research Centre} and others}}\n",
        [
            record("Moss", "Ludwig van Beethoven; R Core Team", 2014),
            record("Slate", "A. Lund; E. Roth; D. Blum", 2015),
            record("Dust", "Nguyễn Thị Hổng", 2016),
            record("Peat", "European Commission, Joint Research Centre", 2017),
        ],
    ),
}  # fmt: skip

OTHER_FILES: dict[str, tuple[str, list[Record]]] = {
    "zotero_items.json": (
        '[{"key":"QW12ER34","version":7,"library":{"type":"user","id":1},"data":{"key":"QW12ER34","version":7,'
        '"itemType":"journalArticle","title":"Moss on <i>slate</i> roofs","creators":[{"creatorType":"author",'
        '"firstName":"Ada","lastName":"Lund"},{"creatorType":"author","name":"World Health Organization"},'
        '{"creatorType":"editor","firstName":"Eva","lastName":"Roth"}],"abstractNote":"Moss holds water.",'
        '"publicationTitle":"Roof Ecology","volume":"5","issue":"2","pages":"11-19","date":"March 5, 2014",'
        '"DOI":"10.1234/moss.7","url":"https://x.example/m","tags":[{"tag":"moss"},{"tag":"roofs","type":1}],'
        '"extra":"PMID: 24000001"}},'
        '{"key":"AT1","data":{"key":"AT1","itemType":"attachment","title":"Full Text PDF"}},'
        '{"key":"ZX98CV76","data":{"key":"ZX98CV76","itemType":"bookSection","title":"Peat","creators":'
        '[{"creatorType":"author","firstName":"Jan","lastName":"de Vries"}],"bookTitle":"Handbook of Soils",'
        '"date":"2009"}}]',
        [
            record(
                "Moss on slate roofs", "Ada Lund; World Health Organization", 2014, venue="Roof Ecology",
                abstract="Moss holds water.", keywords=("moss", "roofs"), pmid="24000001", date="2014-03-05",
                editor=["Eva Roth"], volume="5", number="2", type="article-journal", external_id="QW12ER34",
            ),
            record("Peat", "Jan de Vries", 2009, venue="Handbook of Soils", type="chapter"),
        ],
    ),
    "better_bibtex.json": (
        '{"config":{"id":"36a3b0b5","label":"BetterBibTeX JSON"},"version":{"zotero":"6"},"collections":{},"items":['
        '{"citationKey":"lund2014","itemType":"conferencePaper","title":"Sensing moss","creators":[{"firstName":"Ada",'
        '"lastName":"Lund","creatorType":"author"},{"name":"Roof Group","creatorType":"author"}],'
        '"proceedingsTitle":"Proc. Roofs","date":"2014-03","DOI":"10.1234/c.1","tags":["moss"],"notes":[],'
        '"attachments":[{"itemType":"attachment","path":"files/9/lund.pdf","title":"PDF"}]},'
        '{"itemType":"note","note":"<p>Read this.</p>"}]}',
        [
            record(
                "Sensing moss", "Ada Lund; Roof Group", 2014, venue="Proc. Roofs", date="2014-03", keywords=("moss",),
                external_id="lund2014", type="paper-conference",
            )
        ],
    ),
    "zotero_one.json": (
        '{"key":"X1","version":1,"data":{"key":"X1","itemType":"report","title":"Roofs of the world","creators":'
        '[{"creatorType":"author","name":"World Health Organization"}],"institution":"WHO","date":"c1999"}}',
        [record("Roofs of the world", "World Health Organization", 1999, type="report")],
    ),
    "books.xml": (
        "<?xml version='1.0'?><PubmedBookArticleSet><PubmedBookArticle><BookDocument><PMID>77</PMID><Book><Publisher>"
        "<PublisherName>Roof Press</PublisherName></Publisher><BookTitle>Roof Reviews</BookTitle><PubDate><Year>2014"
        "</Year></PubDate></Book><ArticleTitle>Moss on roofs.</ArticleTitle><AuthorList Type='authors'><Author><LastName>"
        "Lund</LastName><ForeName>Ada</ForeName></Author></AuthorList></BookDocument></PubmedBookArticle>"
        "<PubmedBookArticle><BookDocument><PMID>78</PMID><Book><BookTitle>Slate</BookTitle><PubDate><Year>2015</Year>"
        "</PubDate><AuthorList Type='editors'><Author><LastName>Roth</LastName><ForeName>Eva</ForeName></Author>"
        "</AuthorList></Book></BookDocument></PubmedBookArticle></PubmedBookArticleSet>",
        [
            record("Moss on roofs", "Ada Lund", 2014, venue="Roof Reviews", type="chapter"),
            record("Slate", "", 2015, editor=["Eva Roth"], type="book"),
        ],
    ),
    "mixed_set.xml": (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>5</PMID><Article><ArticleTitle>Moss</ArticleTitle>"
        "<AuthorList><Author><LastName>King</LastName><ForeName>Martin L</ForeName><Suffix>Jr</Suffix></Author>"
        "</AuthorList><Journal><JournalIssue><PubDate><Year>2014</Year></PubDate></JournalIssue></Journal></Article>"
        "</MedlineCitation></PubmedArticle><PubmedBookArticle><BookDocument><PMID>6</PMID><Book><BookTitle>Slate"
        "</BookTitle><PubDate><Year>2015</Year></PubDate></Book><ArticleTitle>Dust</ArticleTitle><AuthorList "
        "Type='authors'><Author><CollectiveName>Roof Study Group</CollectiveName></Author></AuthorList></BookDocument>"
        "</PubmedBookArticle></PubmedArticleSet>",
        [record("Moss", "Martin L King Jr", 2014), record("Dust", "Roof Study Group", 2015, venue="Slate")],
    ),
    "one_book.xml": (
        "<PubmedBookArticle><BookDocument><PMID>6</PMID><Book><BookTitle>Slate</BookTitle><PubDate><Year>2015</Year>"
        "</PubDate></Book><ArticleTitle>Dust</ArticleTitle></BookDocument></PubmedBookArticle>",
        [record("Dust", "", 2015, venue="Slate")],
    ),
    "joss.md": (
        "---\ntitle: 'Moss: a package for roofs'\ntags:\n  - Python\n  - moss\nauthors:\n  - name: Ada Lund\n"
        "    orcid: 0000-0002-1825-0097\n    affiliation: \"1, 2\"\n  - name: Per van der Meer\n    affiliation: 2\n"
        "    corresponding: true\naffiliations:\n - name: Roof Institute, Oslo\n   index: 1\n - name: Slate Lab\n"
        "   index: 2\ndate: 5 March 2014\nbibliography: paper.bib\n---\n\n# Summary\n\nMoss is read from pictures.\n",
        [
            record(
                "Moss: a package for roofs", "Ada Lund; Per van der Meer", 2014, date="2014-03-05",
                keywords=("Python", "moss"),
            )
        ],
    ),
    "joss_given.md": (
        "---\ntitle: Moss on slate\nauthors:\n- given-names: Ada\n  surname: Lund\n  affiliation: [1]\n"
        "- name:\n    given-names: Per\n    surname: van der Meer\n  affiliation: '1'\n"
        "affiliations:\n- {name: 'Roof Institute', index: 1}\ndate: 2014-03-05\n---\n\n# Summary\n\nMoss is read.\n",
        [record("Moss on slate", "Ada Lund; Per van der Meer", 2014, date="2014-03-05")],
    ),
    "joss_notes.md": (
        "---\ntitle: Moss^[Funded by [Slate](https://x.example)]\nauthors:\n  - name: Ada Lund^[corresponding author]\n"
        "  - name: Per Roth^1,2^\ndate: 2014-03-05\n---\n\n# Summary\n\nMoss is read.\n",
        [record("Moss", "Ada Lund; Per Roth", 2014)],
    ),
    "colon.md": (
        "---\ntitle: Moss: a package for roofs\nauthor: Ada Lund\ndate: March 2014\nabstract: |\n  Moss is read\n"
        "  from pictures.\n---\n\nText of it.\n",
        [
            record(
                "Moss: a package for roofs", "Ada Lund", 2014, date="2014-03", abstract="Moss is read from pictures.",
            )
        ],
    ),
    "zotero_plain.json": (
        '[{"key":"A1","itemType":"thesis","title":"Moss","creators":[{"creatorType":"author","firstName":"","lastName":"Plato"},'
        '{"creatorType":"contributor","firstName":"Eva","lastName":"Roth"}],"university":"Oslo","date":"1999-00-00","tags":[]},'
        '{"key":"A2","itemType":"computerProgram","title":"Slate","creators":[{"creatorType":"programmer","firstName":"Ada",'
        '"lastName":"Lund"}],"date":"2015"},{"key":"N","itemType":"note","note":"x"}]',
        [
            record("Moss", "Plato", 1999, publisher="Oslo", type="thesis"),
            record("Slate", "Ada Lund", 2015, type="software"),
        ],
    ),
    "joss_particles.md": (
        "---\r\ntitle: \"Moss: a package\"\r\nauthors:\r\n  - given-names: Ludwig\r\n    dropping-particle: van\r\n    surname: Beethoven\r\n"
        "    suffix: Jr.\r\n    affiliation: \"1\"\r\n  - name: Roof Study Group\r\naffiliations:\r\n  - index: 1\r\n    name: Roof Lab\r\n"
        "date: 2014-03-05\r\ntags: [moss, roofs]\r\n---\r\n\r\n# Summary\r\n\r\nMoss is read.\r\n",
        [
            record(
                "Moss: a package", "Ludwig van Beethoven Jr.; Roof Study Group", 2014, date="2014-03-05",
                keywords=("moss", "roofs"),
            )
        ],
    ),
}  # fmt: skip

PROSE: dict[str, str] = {
    "dashes.txt": "Notes of a roof\n\nTY  - as the keepers say - is a word for slate.\n\nAB  - is another.\n\nMoss is green.\n",
    "percent.txt": "Rates of growth\n\n%A is the share of moss.\n\nOf it 5 % is wet, and %T is its rate.\n",
    "letters.txt": "On letters\n\nPT J and AU are signs.\nER was the last of them.\n\nThey were cut in slate.\n",
    "angles.txt": "<1> is a mark of a line\n\nTitle\n\nThe rest of it is prose about roofs and moss.\n",
    "colons.txt": "ID: a short word\n\nTI: another one. They are said of roofs, and so on, as one does.\n",
    "tabs.txt": "Title\tof a table\n\nYear\tafter year moss grows.\n",
    "pmid.txt": "Reading list\n\nPMID is a number that papers have. PMID- 5 is one of them.\n\nRead it.\n",
}
