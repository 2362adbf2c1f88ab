"""An article as a web page in the shape of several publishers, with what publishers put around it."""

# ruff: noqa: E501 - pages as publishers write them

from __future__ import annotations

from collections.abc import Callable
from html import escape

from articles import Article, Cite, Formula, Grid, Heading, Italic, Items, Math, Note, Para, Part, Picture, Piece, See

NAVIGATION = """<nav><ul><li><a href="/">Home</a></li><li><a href="/about">About the journal</a></li>
<li><a href="/submit">Submit a manuscript</a></li></ul></nav>"""
COOKIES = """<div id="cookie-banner" class="cookie-consent"><p>We use cookies to improve your experience on our site. By
going on you accept our privacy policy, which was last changed on the first of May.</p><button>Accept all</button></div>"""
SHARE = """<div class="share-bar"><h4>Share this</h4><ul><li><a href="https://a.example">Mail</a></li>
<li><a href="https://b.example">Post</a></li></ul></div>"""
RELATED = """<aside class="related-articles"><h3>Related articles</h3><ul>
<li><a href="/1">The long winter of the spider and what it teaches us</a><p>A study of forty spiders in the cold of the
valley, which nobody had watched before.</p></li><li><a href="/2">Dry stone in the wet season</a></li></ul></aside>"""
FOOTER = """<footer><p>© 2019 The Publisher. All rights reserved. Terms and conditions apply to this site.</p>
<ul><li><a href="/terms">Terms</a></li><li><a href="/contact">Contact</a></li></ul></footer>"""


def head(article: Article, *, citation: bool = True, references: bool = False) -> str:
    meta = [("og:title", article.title), ("og:site_name", article.venue)]
    if citation:
        meta += [("citation_title", article.title), ("citation_journal_title", article.venue)]
        for name in article.authors:
            meta += [("citation_author", name), ("citation_author_institution", article.affiliation)]
        meta += [("citation_publication_date", article.date.replace("-", "/")), ("citation_doi", article.doi)]
    if references:
        meta += [
            ("citation_reference", f"citation_title={entry.text}; citation_year=2001") for entry in article.references
        ]
    lines = "".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in meta if value)
    return f'<head><meta charset="utf-8"><title>{escape(article.title)} | {escape(article.venue)}</title>{lines}</head>'


class Shape:
    """One publisher's way to write things; subclasses change what differs."""

    figure_level = 4

    def __init__(self, article: Article) -> None:
        self.article = article
        self.notes: list[str] = []

    def piece(self, piece: Piece) -> str:
        if isinstance(piece, Cite):
            return self.cite(piece)
        if isinstance(piece, See):
            return f'<a href="#{piece.id}">{self.article.label(piece.id)}</a>'
        if isinstance(piece, Math):
            return f'<math alttext="{escape(piece.tex)}"><mi>x</mi></math>'
        if isinstance(piece, Note):
            self.notes.append(piece.text)
            return f'<sup><a href="#fn{len(self.notes)}">{len(self.notes)}</a></sup>'
        return f"<i>{escape(piece.text)}</i>" if isinstance(piece, Italic) else escape(piece)

    def cite(self, cite: Cite) -> str:
        return " [" + ",".join(f'<a href="#ref{n}">{n}</a>' for n in cite.numbers) + "]"

    def parts(self) -> str:
        return "\n".join(self.part(part) for part in self.article.parts)

    def part(self, part: Part) -> str:
        if isinstance(part, Heading):
            return self.heading(part)
        if isinstance(part, Para):
            return "<p>" + "".join(map(self.piece, part.pieces)) + "</p>"
        if isinstance(part, Items):
            return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in part.items) + "</ul>"
        if isinstance(part, Formula):
            return self.formula(part)
        return self.grid(part) if isinstance(part, Grid) else self.picture(part)

    def heading(self, part: Heading) -> str:
        return f"<h{part.level + 1}>{escape(part.text)}</h{part.level + 1}>"

    def formula(self, part: Formula) -> str:
        return (
            f'<div class="disp-formula"><math display="block" alttext="{escape(part.tex)}"><mi>T</mi></math>'
            f'<span class="label">{part.label}</span></div>'
        )

    def picture(self, part: Picture) -> str:
        return (
            f'<figure id="{part.id}"><img src="/img/{part.href}" alt=""><figcaption><b>{part.label}.</b> '
            f"{escape(part.caption)}</figcaption></figure>"
        )

    def rows(self, part: Grid) -> str:
        first, *others = part.rows
        top = "".join(f"<th>{escape(cell)}</th>" for cell in first)
        return f"<thead><tr>{top}</tr></thead><tbody>" + "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in others
        ) + "</tbody>"  # fmt: skip

    def grid(self, part: Grid) -> str:
        return f'<table id="{part.id}"><caption>{part.label}. {escape(part.caption)}</caption>{self.rows(part)}</table>'

    def abstract(self) -> str:
        return "<h2>Abstract</h2>" + "".join(f"<p>{escape(p)}</p>" for p in self.article.abstract)

    def footnotes(self) -> str:
        items = "".join(f'<li id="fn{i}">{escape(n)} <a href="#x{i}">↩</a></li>' for i, n in enumerate(self.notes, 1))
        return f'<div class="footnotes"><ol>{items}</ol></div>' if items else ""

    def references(self) -> str:
        return f"<h2>References</h2><ol>{''.join(self.entries())}</ol>"

    def entries(self) -> list[str]:
        return [
            f'<li id="ref{i}">{escape(e.text)} '
            + (f'<a href="https://doi.org/{e.doi}">Crossref</a>' if e.doi else "")
            + "</li>"
            for i, e in enumerate(self.article.references, 1)
        ]


def plos(article: Article) -> str:
    shape = _Plos(article)
    authors = "".join(f'<li><a class="author-name">{name}</a>, </li>' for name in article.authors)
    body = shape.parts()
    return f"""<!DOCTYPE html><html lang="en">{head(article, references=True)}<body class="article plosone">
{COOKIES}<header><div id="topslot"></div>{NAVIGATION}</header>
<main id="main-content"><header id="title-block"><ul class="article-meta"><li>Open Access</li><li>Peer-reviewed</li></ul>
<div class="article-title-etc"><div class="title-authors"><h1 id="artTitle">{escape(article.title)}</h1>
<ul class="author-list" id="author-list">{authors}</ul></div></div></header>
<div class="article-content"><div class="nav-col"><ul id="nav-article-page"><li><a href="#sec1">Introduction</a></li></ul></div>
<div class="article-text" id="artText"><div class="abstract toc-section abstract-type-"><a id="abstract0"></a>
<h2>Abstract</h2><div class="abstract-content">{"".join(f"<p>{escape(p)}</p>" for p in article.abstract)}</div></div>
<div class="articleinfo"><p><strong>Citation: </strong>{", ".join(article.authors)} (2019) {escape(article.title)}.</p></div>
{body}{shape.footnotes()}{shape.references()}</div></div>
<aside class="article-aside">{SHARE}<div class="subject-areas"><h3>Subject Areas</h3><ul><li><a href="/s">Walls</a></li></ul></div>
</aside></main>{FOOTER}</body></html>"""


class _Plos(Shape):
    def heading(self, part: Heading) -> str:
        tag = f"h{part.level + 1}"
        return f'<a id="s{abs(hash(part.text)) % 99}" class="link-target"></a><{tag}>{escape(part.text)}</{tag}>'

    def picture(self, part: Picture) -> str:
        return (
            f'<a id="{part.id}" class="link-target"></a><div class="figure" data-doi="x"><div class="img-box">'
            f'<a href="#"><img src="article/figure/{part.href}" class="thumbnail"></a><div class="figure-inline-download">'
            f"Download: <ul><li>PPT</li></ul></div></div>"
            f'<div class="figcaption"><span>{part.label}.</span> {escape(part.caption)}</div>'
            f'<p class="caption_object"><a href="https://doi.org/10.1000/x.g001">https://doi.org/10.1000/x.g001</a></p></div>'
        )

    def grid(self, part: Grid) -> str:
        return (
            f'<a id="{part.id}"></a><div class="figure"><div class="figcaption"><span>{part.label}.</span> '
            f'{escape(part.caption)}</div><table>{self.rows(part)}</table></div>'
        )  # fmt: skip

    def references(self) -> str:
        items = "".join(
            f'<li id="r{i}"><span class="order">{i}. </span><a id="ref{i}" class="link-target"></a>{escape(e.text)} '
            f'<ul class="reflinks"><li><a href="https://doi.org/{e.doi}">View Article</a></li>'
            f'<li><a href="https://scholar.google.com/x">Google Scholar</a></li></ul></li>'
            for i, e in enumerate(self.article.references, 1)
        )
        return f'<div class="toc-section"><h2>References</h2><ol class="references">{items}</ol></div>'


def elife(article: Article) -> str:
    shape = _Elife(article)
    body = shape.parts()
    authors = "".join(
        f'<li class="author_list_item"><a class="author_link" href="#">{n}</a></li>' for n in article.authors
    )
    return f"""<!DOCTYPE html><html>{head(article)}<body><div class="global-wrapper">
<div class="main-menu" id="mainMenu"><ul><li><a href="/">Home</a></li><li><a href="/m">Magazine</a></li></ul></div>
<header class="site-header">{NAVIGATION}</header><main role="main" class="main" id="maincontent">
<header class="content-header"><h1 class="content-header__title">{escape(article.title)}</h1>
<ol class="author_list" aria-label="Authors of this article">{authors}</ol>
<ul class="content-header__links"><li><a href="/dl">Download</a></li><li><a href="/cite">Cite</a></li></ul></header>
<div class="jump-menu__wrapper"><ul class="jump-menu"><li><a href="#abstract">Abstract</a></li></ul></div>
<section class="article-section" id="abstract"><header class="article-section__header"><h2 class="article-section__header_text">
Abstract</h2></header><div class="article-section__body">{"".join(f'<p class="paragraph">{escape(p)}</p>' for p in article.abstract)}
</div></section>{body}{shape.footnotes()}{shape.references()}
<section class="article-section" id="metrics"><h2>Metrics</h2><p>views 1,234 downloads 56 citations 7</p></section>
</main>{RELATED}{FOOTER}</div></body></html>"""


class _Elife(Shape):
    def cite(self, cite: Cite) -> str:
        names = [self.article.references[n - 1].text.split(" ")[0] for n in cite.numbers]
        links = [f'<a href="#ref{n}">{name}, 2001</a>' for n, name in zip(cite.numbers, names, strict=True)]
        return " (" + "; ".join(links) + ")"

    def picture(self, part: Picture) -> str:
        return (
            f'<div id="{part.id}" class="asset-viewer-inline asset-viewer-inline--"><div class="asset-viewer-inline__header_panel">'
            f'<div class="asset-viewer-inline__header_text"><span class="asset-viewer-inline__header_text__prominent">{part.label}'
            f'</span></div><div class="asset-viewer-inline__figure_access"><a href="/dl">Download asset</a></div></div>'
            f'<figure class="captioned-asset"><a href="/i"><picture><source srcset="/iiif/{part.href} 2x"><img src="/iiif/{part.href}">'
            f'</picture></a><figcaption class="captioned-asset__caption"><h6 class="caption-text__heading">{part.label}. '
            f"{escape(part.caption)}</h6></figcaption></figure></div>"
        )

    def references(self) -> str:
        items = "".join(
            f'<li class="reference-list__item"><div class="reference" id="ref{i}"><div class="reference__title">{escape(e.text)}'
            f"</div></div></li>"
            for i, e in enumerate(self.article.references, 1)
        )
        return f'<section id="references"><header><h2>References</h2></header><ol class="reference-list">{items}</ol></section>'


def arxiv(article: Article) -> str:
    shape = _Latexml(article)
    body = shape.sections()
    authors = "".join(
        f'<span class="ltx_creator ltx_role_author"><span class="ltx_personname">{n}</span></span>'
        for n in article.authors
    )
    items = "".join(
        f'<li id="ref{i}" class="ltx_bibitem"><span class="ltx_tag ltx_role_refnum ltx_tag_bibitem">[{i}]</span>'
        f'<span class="ltx_bibblock">{escape(e.text)} </span></li>'
        for i, e in enumerate(article.references, 1)
    )
    return f"""<!DOCTYPE html><html lang="en"><head><title>{escape(article.title)}</title></head><body>
<nav class="ltx_page_navbar"><nav class="ltx_TOC"><ol class="ltx_toclist"><li class="ltx_tocentry"><a href="#S1">1 Introduction</a></li>
</ol></nav></nav><div class="ltx_page_main"><div class="ltx_page_content"><article class="ltx_document ltx_authors_1line">
<h1 class="ltx_title ltx_title_document">{escape(article.title)}</h1><div class="ltx_authors">{authors}
<span class="ltx_role_affiliation">{article.affiliation}</span></div>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>
{"".join(f'<p class="ltx_p">{escape(p)}</p>' for p in article.abstract)}</div>{body}
<section id="bib" class="ltx_bibliography"><h2 class="ltx_title ltx_title_bibliography">References</h2>
<ul class="ltx_biblist">{items}</ul></section></article></div>
<footer class="ltx_page_footer"><div class="ltx_page_logo">Generated by <a href="https://x.example">LaTeXML</a></div></footer>
</div></body></html>"""


class _Latexml(Shape):
    def sections(self) -> str:
        """Sections nested as LaTeXML nests them."""
        found: list[str] = []
        open_levels: list[int] = []
        for part in self.article.parts:
            if isinstance(part, Heading):
                while open_levels and open_levels[-1] >= part.level:
                    open_levels.pop()
                    found.append("</section>")
                open_levels.append(part.level)
                kind = ("section", "subsection", "subsubsection", "paragraph")[part.level - 1]
                found.append(f'<section class="ltx_{kind}">')
            found.append(self.part(part))
        return "\n".join(found) + "</section>" * len(open_levels)

    def heading(self, part: Heading) -> str:
        tag = f"h{part.level + 1}"
        return f'<{tag} class="ltx_title ltx_title_section">{escape(part.text)}</{tag}>'

    def piece(self, piece: Piece) -> str:
        if isinstance(piece, Note):
            self.notes.append(piece.text)
            n = len(self.notes)
            return (
                f'<span id="footnote{n}" class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">{n}</sup>'
                f'<span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">{n}</sup>'
                f'<span class="ltx_tag ltx_tag_note">{n}</span>{escape(piece.text)}</span></span></span>'
            )
        return super().piece(piece)

    def cite(self, cite: Cite) -> str:
        links = ",".join(f'<a href="#ref{n}" class="ltx_ref">{n}</a>' for n in cite.numbers)
        return f' <cite class="ltx_cite ltx_citemacro_cite">[{links}]</cite>'

    def formula(self, part: Formula) -> str:
        return (
            f'<table id="E1" class="ltx_equation ltx_eqn_table"><tbody><tr class="ltx_equation ltx_eqn_row"><td></td>'
            f'<td class="ltx_eqn_cell"><math class="ltx_Math" alttext="\\displaystyle {escape(part.tex)}" display="block"><mi>T</mi></math>'
            f'</td><td class="ltx_eqn_cell ltx_eqn_eqno"><span class="ltx_tag ltx_tag_equation">{part.label}</span></td></tr></tbody></table>'
        )

    def picture(self, part: Picture) -> str:
        return (
            f'<figure id="{part.id}" class="ltx_figure"><img src="x/{part.href}" class="ltx_graphics"><figcaption class="ltx_caption">'
            f'<span class="ltx_tag ltx_tag_figure">{part.label}: </span>{escape(part.caption)}</figcaption></figure>'
        )

    def grid(self, part: Grid) -> str:
        return (
            f'<figure id="{part.id}" class="ltx_table"><figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_table">'
            f'{part.label}: </span>{escape(part.caption)}</figcaption><table class="ltx_tabular">{self.rows(part)}</table></figure>'
        )


def pmc(article: Article) -> str:
    shape = _Pmc(article)
    body = shape.parts()
    items = "".join(
        f'<li id="ref{i}"><span class="label">{i}.</span><cite>{escape(e.text)}</cite> [<a href="https://doi.org/{e.doi}">DOI</a>] '
        f'[<a href="https://pubmed.ncbi.nlm.nih.gov/123{i}/">PubMed</a>] [<a href="https://scholar.google.com">Google Scholar</a>]</li>'
        for i, e in enumerate(article.references, 1)
    )
    return f"""<!DOCTYPE html><html lang="en">{head(article)}<body><a class="usa-skipnav" href="#main">Skip to main content</a>
<section class="usa-banner"><header class="usa-banner__header"><p>An official website of the government of somewhere</p></header></section>
{NAVIGATION}<main id="main-content"><section class="front-matter"><div class="ameta"><div class="pmc-layout__citation">J Walls. 2019</div>
<hgroup><h1>{escape(article.title)}</h1></hgroup><div class="cg p">{", ".join(f'<a href="/a"><span class="name">{n}</span></a><sup>1</sup>' for n in article.authors)}</div>
<ul class="d-buttons"><li><button>Author information</button></li></ul><div class="d-panel" style="display: none"><div>1 {article.affiliation}</div></div></div></section>
<section class="body main-article-body"><section class="abstract" id="abstract1"><h2>Abstract</h2>
{"".join(f"<p>{escape(p)}</p>" for p in article.abstract)}<section class="kwd-group"><p><strong>Keywords:</strong> moss, walls</p></section></section>
{body}{shape.footnotes()}<section id="ref-list1" class="ref-list"><h2 class="pmc_sec_title">References</h2><section class="ref-list"><ul class="ref-list font-sm">{items}</ul></section></section>
</section></main><aside class="pmc-sidebar" role="complementary"><h2>Similar articles</h2><ul><li><a href="/x">Another one</a></li></ul></aside>{FOOTER}</body></html>"""


class _Pmc(Shape):
    def cite(self, cite: Cite) -> str:
        return "<sup>" + ",".join(f'<a href="#ref{n}">{n}</a>' for n in cite.numbers) + "</sup>"

    def heading(self, part: Heading) -> str:
        return f'<h{part.level + 1} class="pmc_sec_title">{escape(part.text)}</h{part.level + 1}>'

    def picture(self, part: Picture) -> str:
        return (
            f'<figure class="fig xbox font-sm" id="{part.id}"><h4 class="obj_head">{part.label}.</h4><p class="img-box">'
            f'<a href="/i"><img class="graphic" src="https://cdn.example/{part.href}" alt="x"></a></p><div class="p text-right">'
            f'<a href="/o">Open in a new tab</a></div><figcaption><p>{escape(part.caption)}</p></figcaption></figure>'
        )

    def grid(self, part: Grid) -> str:
        return (
            f'<section class="tw xbox font-sm" id="{part.id}"><h4 class="obj_head">{part.label}.</h4><div class="caption p"><p>'
            f'{escape(part.caption)}</p></div><div class="tbl-box p"><table class="content">{self.rows(part)}</table></div></section>'
        )


def wikipedia(article: Article) -> str:
    shape = _Wikipedia(article)
    lead = "".join(f"<p>{escape(p)}</p>" for p in article.abstract)
    body = shape.parts()
    items = "".join(
        f'<li id="cite_note-{i}"><span class="mw-cite-backlink"><b><a href="#cite_ref-{i}">^</a></b></span> '
        f'<span class="reference-text"><cite class="citation journal cs1">{escape(e.text)}</cite></span></li>'
        for i, e in enumerate(article.references, 1)
    )
    return f"""<!DOCTYPE html><html class="client-nojs"><head><title>{escape(article.title)} - Wikipedia</title></head>
<body class="skin-vector"><div class="vector-header-container"><header class="vector-header mw-header"><nav><ul><li><a href="/">Main page</a></li></ul></nav></header></div>
<div class="mw-page-container"><div id="mw-navigation"></div><main id="content" class="mw-body"><header class="mw-body-header"><h1 id="firstHeading" class="firstHeading">
<span class="mw-page-title-main">{escape(article.title)}</span></h1></header><div id="bodyContent"><div id="siteSub" class="noprint">From Wikipedia, the free encyclopedia</div>
<div id="mw-content-text" class="mw-body-content"><div class="mw-parser-output"><div role="note" class="hatnote navigation-not-searchable">For other uses, see <a href="/w">Moss</a>.</div>
<table class="infobox"><tbody><tr><th colspan="2">Moss on walls</th></tr><tr><td>Kingdom</td><td>Plants</td></tr></tbody></table>{lead}
<div id="toc" class="toc" role="navigation"><h2>Contents</h2><ul><li><a href="#I">1 Introduction</a></li></ul></div>{body}
<div class="mw-heading mw-heading2"><h2 id="References">References</h2><span class="mw-editsection"><span>[</span><a href="/e">edit</a><span>]</span></span></div>
<div class="reflist"><div class="mw-references-wrap"><ol class="references">{items}</ol></div></div>
<div role="navigation" class="navbox"><table class="nowraplinks"><tbody><tr><th>Walls</th><td><a href="/a">Dry stone</a></td></tr></tbody></table></div>
</div><div class="printfooter">Retrieved from "https://x.example"</div></div><div id="catlinks" class="catlinks"><ul><li><a href="/c">Category: Moss</a></li></ul></div></div></main></div>
<footer id="footer" class="mw-footer"><ul><li>This page was last edited on 3 May.</li></ul></footer></body></html>"""


class _Wikipedia(Shape):
    def piece(self, piece: Piece) -> str:
        if isinstance(piece, Math):
            tex = escape(piece.tex)
            return (
                f'<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math alttext="{{\\displaystyle {tex}}}">'
                f'<semantics><mi>q</mi><annotation encoding="application/x-tex">{{\\displaystyle {tex}}}</annotation></semantics></math></span>'
                f'<img src="/m.svg" class="mwe-math-fallback-image-inline" alt="{{\\displaystyle {tex}}}"></span>'
            )
        if isinstance(piece, Note):
            return ""
        return super().piece(piece)

    def cite(self, cite: Cite) -> str:
        return "".join(
            f'<sup id="cite_ref-{n}" class="reference"><a href="#cite_note-{n}"><span class="cite-bracket">[</span>{n}<span class="cite-bracket">]</span></a></sup>'
            for n in cite.numbers
        )

    def heading(self, part: Heading) -> str:
        tag = f"h{part.level + 1}"
        return (
            f'<div class="mw-heading"><{tag} id="x">{escape(part.text)}</{tag}><span class="mw-editsection"><span>[</span>'
            f'<a href="/e">edit</a><span>]</span></span></div>'
        )

    def picture(self, part: Picture) -> str:
        return (
            f'<figure class="mw-default-size" typeof="mw:File/Thumb" id="{part.id}"><a href="/f" class="mw-file-description"><img src="//up.example/{part.href}"></a>'
            f"<figcaption>{part.label}. {escape(part.caption)}</figcaption></figure>"
        )

    def grid(self, part: Grid) -> str:
        return f'<table class="wikitable" id="{part.id}"><caption>{part.label}. {escape(part.caption)}</caption>{self.rows(part)}</table>'


def blog(article: Article) -> str:
    shape = Shape(article)
    body = shape.parts()
    lead = "".join(f"<p>{escape(p)}</p>" for p in article.abstract)
    data = f"""{{"@context": "https://schema.org", "@type": "BlogPosting", "headline": "{article.title}", "datePublished": "{article.date}T10:00:00Z",
"author": [{", ".join(f'{{"@type": "Person", "name": "{name}"}}' for name in article.authors)}]}}"""
    return f"""<!DOCTYPE html><html><head><title>{escape(article.title)} – The Wall Blog</title><meta property="og:title" content="{escape(article.title)}">
<meta property="og:site_name" content="The Wall Blog"><script type="application/ld+json">{data}</script></head><body class="single post">
<div id="page"><header class="site-header"><p class="site-title"><a href="/">The Wall Blog</a></p>{NAVIGATION}</header><div id="content" class="site-content has-sidebar">
<div id="primary"><article class="post"><header class="entry-header"><h1 class="entry-title">{escape(article.title)}</h1>
<div class="entry-meta">By <a rel="author" href="/a">{article.authors[0]}</a> · March 7, 2019 · 5 min read</div></header>
<div class="entry-content">{lead}{body}{shape.footnotes()}{shape.references()}</div>{SHARE}</article>
<div id="comments" class="comments-area"><h2>2 comments</h2><ol><li><p>I have a wall as well and my moss is dying, what should I do about that now?</p></li></ol>
<form><label>Leave a reply</label><textarea></textarea></form></div></div>{RELATED}</div>{FOOTER}</div>{COOKIES}</body></html>"""


SHAPES: dict[str, Callable[[Article], str]] = {
    "plos": plos,
    "elife": elife,
    "arxiv": arxiv,
    "pmc": pmc,
    "wikipedia": wikipedia,
    "blog": blog,
}
