"""Cover pages of publishers and repositories: the article says its title, authors, journal and DOI. Where DOIs end."""

from collections.abc import Callable
from pathlib import Path

import pytest
from variant_pdfs import BOLD, SANS, SERIF, WIDTH, Drawing

from case_reading import names, searchable_text

TITLE = "Salt marshes behind old dikes"
PEOPLE = ["Greta Holm", "Tomás Ruiz"]
DOI = "10.5555/marsh.2018.31"
ABSTRACT = (
    "Salt marshes grow behind dikes that were given up. We followed eight of them for eleven years. The oldest had "
    "become as high as the marshes outside, and the youngest were still mud."
)
BODY = (
    "Dikes were given up where their repair cost more than the land behind them. The sea brought mud with every spring "
    "tide. Plants came within two years, first glasswort and then grasses. Cattle were kept away by fences."
)


def article(page: Drawing, *, doi: bool = False) -> None:
    """The article itself on a page of its own."""
    page.page()
    page.centre(90, TITLE, 17, BOLD)
    page.centre(115, "Greta Holm1 and Tomás Ruiz2", 11)
    page.centre(132, "1 Dike Institute, Husum, Germany. 2 Marsh Lab, Huelva, Spain.", 8)
    page.text(70, 165, "Abstract", 11, BOLD)
    y = page.paragraph(70, 180, WIDTH - 140, ABSTRACT)
    page.text(70, y + 16, "1 Introduction", 12, BOLD)
    page.paragraph(70, y + 34, WIDTH - 140, BODY)
    if doi:
        page.text(70, 800, f"https://doi.org/{DOI}", 8)
    page.page()
    page.text(70, 80, "2 Methods", 12, BOLD)
    page.paragraph(70, 100, WIDTH - 140, BODY)


def taylor(page: Drawing) -> None:
    page.text(60, 60, "Coastal Letters", 20, BOLD)
    page.text(60, 82, "ISSN: 0000-0019 (Print) Journal homepage: www.tandf.example/loi/tcol20", 7, SANS)
    page.text(60, 160, TITLE, 18, BOLD)
    page.text(60, 190, "Greta Holm & Tomás Ruiz", 12, BOLD)
    page.paragraph(
        60,
        230,
        400,
        f"To cite this article: Greta Holm & Tomás Ruiz (2018) {TITLE}, Coastal Letters, 31:2, 101-118, DOI: {DOI}",
        font=SANS,
        size=9,
    )
    page.text(60, 270, f"To link to this article: https://doi.org/{DOI}", 9, SANS)
    for row, line in enumerate(
        [
            "Published online: 05 Mar 2018.",
            "Submit your article to this journal",
            "Article views: 312",
            "View related articles",
            "View Crossmark data",
            "Citing articles: 4 View citing articles",
        ]
    ):
        page.text(90, 320 + 30 * row, line, 9, SANS)
    page.text(60, 780, "Full Terms & Conditions of access and use can be found at", 8, SANS)
    page.text(60, 792, "https://www.tandf.example/action/journalInformation?journalCode=tcol20", 8, SANS)


def researchgate(page: Drawing) -> None:
    page.text(
        40,
        50,
        "See discussions, stats, and author profiles for this publication at: "
        "https://www.researchgate.example/publication/323111222",
        7,
        SANS,
    )
    page.text(40, 110, TITLE, 16, SANS)
    page.text(40, 132, "Article in Coastal Letters · March 2018", 9, SANS)
    page.text(40, 146, f"DOI: {DOI}", 8, SANS)
    page.text(40, 190, "CITATIONS", 7, SANS)
    page.text(40, 202, "4", 9, SANS)
    page.text(300, 190, "READS", 7, SANS)
    page.text(300, 202, "312", 9, SANS)
    page.text(40, 230, "2 authors:", 9, SANS)
    page.text(70, 256, "Greta Holm", 9, SANS)
    page.text(70, 268, "Dike Institute", 8, SANS)
    page.text(70, 280, "27 PUBLICATIONS   311 CITATIONS", 7, SANS)
    page.text(330, 256, "Tomás Ruiz", 9, SANS)
    page.text(330, 268, "Marsh Lab", 8, SANS)
    page.text(330, 280, "9 PUBLICATIONS   40 CITATIONS", 7, SANS)
    page.text(40, 340, "Some of the authors of this publication are also working on these related projects:", 8, SANS)
    page.text(70, 370, "Fences against geese View project", 8, SANS)
    page.text(40, 700, "All content following this page was uploaded by Greta Holm on 05 March 2018.", 8, SANS)
    page.text(40, 714, "The user has requested enhancement of the downloaded file.", 8, SANS)


def repository(page: Drawing) -> None:
    page.text(70, 60, "This is a repository copy of " + TITLE + ".", 11, SANS)
    page.text(70, 90, "White Cliff Research Online URL for this paper:", 9, SANS)
    page.text(70, 102, "https://eprints.whitecliff.example/128333/", 9, SANS)
    page.text(70, 122, "Version: Accepted Version", 9, SANS)
    page.text(70, 160, "Article:", 9, SANS)
    page.paragraph(
        70,
        178,
        430,
        "Holm, G. and Ruiz, T. (2018) " + TITLE + ". Coastal Letters, 31 (2). pp. 101-118. ISSN 0000-0019",
        font=SANS,
        size=9,
    )
    page.text(70, 214, f"https://doi.org/{DOI}", 9, SANS)
    page.text(70, 280, "Reuse", 10, SANS)
    page.paragraph(
        70,
        296,
        430,
        "Items deposited in White Cliff Research Online are protected by copyright, with all "
        "rights reserved unless indicated otherwise. They may be downloaded and printed for private study.",
        font=SANS,
        size=8,
    )
    page.text(70, 360, "Takedown", 10, SANS)
    page.paragraph(
        70,
        376,
        430,
        "If you consider content in White Cliff Online to be in breach of law, please "
        "notify us by e-mail including the URL of the record and the reason for the request.",
        font=SANS,
        size=8,
    )


def university(page: Drawing) -> None:
    page.text(300, 60, "University of Somewhere", 12, SANS)
    page.text(300, 74, "Open Repository and Archive", 10, SANS)
    page.text(300, 88, "Main Library", 8, SANS)
    page.text(70, 120, "Year: 2018", 10, SANS)
    page.text(70, 180, TITLE, 15, SANS)
    page.text(70, 210, "Holm, Greta; Ruiz, Tomás", 11, SANS)
    page.paragraph(70, 250, 430, "Abstract: " + ABSTRACT, font=SANS, size=9)
    page.text(70, 330, f"DOI: https://doi.org/{DOI}", 9, SANS)
    page.text(70, 400, "Posted at the Open Repository and Archive, University of Somewhere", 8, SANS)
    page.text(70, 412, "Archive URL: https://archive.somewhere.example/id/eprint/150123", 8, SANS)
    page.text(70, 424, "Journal Article", 8, SANS)
    page.text(70, 436, "Accepted Version", 8, SANS)
    page.text(70, 470, "Originally published at:", 8, SANS)
    page.text(70, 482, f"Holm, Greta; Ruiz, Tomás (2018). {TITLE}. Coastal Letters, 31(2):101-118.", 8, SANS)
    page.text(70, 494, f"DOI: https://doi.org/{DOI}", 8, SANS)


def hal(page: Drawing) -> None:
    page.text(380, 50, "HAL", 30, BOLD)
    page.centre(150, TITLE, 16, BOLD)
    page.centre(180, "Greta Holm, Tomás Ruiz", 12)
    page.text(70, 260, "To cite this version:", 10, BOLD)
    page.paragraph(
        90,
        280,
        400,
        f"Greta Holm, Tomás Ruiz. {TITLE}. Coastal Letters, 2018, 31 (2), pp.101-118. ⟨{DOI}⟩. ⟨hal-03211111v2⟩",
        font=SANS,
    )
    page.centre(330, "HAL Id: hal-03211111", 12, BOLD)
    page.centre(346, "https://hal.example/hal-03211111v2", 10)
    page.centre(362, "Submitted on 24 Apr 2021", 10)
    page.paragraph(
        70,
        420,
        210,
        "HAL is a multi-disciplinary open access archive for the deposit and dissemination of "
        "scientific research documents, whether they are published or not.",
        font=SERIF,
        size=9,
    )
    page.paragraph(
        310,
        420,
        210,
        "L'archive ouverte pluridisciplinaire HAL est destinée au dépôt et à la diffusion de "
        "documents scientifiques de niveau recherche, publiés ou non.",
        font=SERIF,
        size=9,
    )


def jstor(page: Drawing) -> None:
    page.text(60, 60, "Archive of Journals", 14, BOLD)
    page.text(60, 120, TITLE, 12, SERIF)
    page.text(60, 136, "Author(s): Greta Holm and Tomás Ruiz", 9)
    page.text(60, 148, "Source: Coastal Letters, March 2018, Vol. 31, No. 2 (March 2018), pp. 101-118", 9)
    page.text(60, 160, "Published by: Dike Society", 9)
    page.text(60, 172, "Stable URL: https://www.jstor.example/stable/10.5555/marsh.2018.31", 9)
    page.text(60, 220, "REFERENCES", 8, BOLD)
    page.text(60, 232, "Linked references are available on JSTOR for this article:", 8)
    page.paragraph(
        60,
        300,
        450,
        "Your use of the archive indicates your acceptance of the Terms & Conditions of Use, "
        "available at https://about.jstor.example/terms. The archive is a not-for-profit service.",
        size=8,
    )


def preproof(page: Drawing) -> None:
    page.text(60, 80, "Journal Pre-proofs", 22, BOLD)
    page.text(60, 130, "Research paper", 10)
    page.text(60, 160, TITLE, 14)
    page.text(60, 184, "Greta Holm, Tomás Ruiz", 10)
    for row, (name, value) in enumerate(
        [
            ("PII:", "S0000-0019(18)30031-X"),
            ("DOI:", f"https://doi.org/{DOI}"),
            ("Reference:", "COLET 104431"),
            ("To appear in:", "Coastal Letters"),
            ("Received Date:", "2 January 2018"),
            ("Accepted Date:", "1 March 2018"),
        ]
    ):
        page.text(60, 230 + 16 * row, name, 9)
        page.text(160, 230 + 16 * row, value, 9)
    page.paragraph(
        60,
        380,
        450,
        f"Please cite this article as: G. Holm, T. Ruiz, {TITLE}, Coastal Letters (2018), https://doi.org/{DOI}",
        size=9,
    )
    page.paragraph(
        60,
        440,
        450,
        "This is a PDF file of an article that has undergone enhancements after acceptance, such "
        "as the addition of a cover page and metadata, but it is not yet the definitive version of record.",
        size=9,
    )


def funder(page: Drawing) -> None:
    page.text(60, 60, "HHS Public Access", 22, BOLD)
    page.text(60, 80, "Author manuscript", 12, SANS)
    page.text(60, 96, "Coastal Lett. Author manuscript; available in PMC 2019 March 05.", 9, SANS)
    page.text(60, 120, "Published in final edited form as:", 8, SANS)
    page.text(60, 132, f"Coastal Lett. 2018 March ; 31(2): 101–118. doi:{DOI}.", 8, SANS)
    page.text(60, 170, TITLE, 16, BOLD)
    page.text(60, 194, "Greta Holm and Tomás Ruiz", 11, BOLD)
    page.text(60, 210, "Dike Institute, Husum, Germany", 9)


def downloaded(page: Drawing) -> None:
    page.text(60, 60, "Coastal Letters", 14, BOLD)
    page.text(60, 80, "http://col.journals.example/", 9, SANS)
    page.text(60, 130, TITLE, 14, BOLD)
    page.text(60, 150, "Greta Holm and Tomás Ruiz", 10)
    lines = (
        "Coastal Letters 2018 31: 101 originally published online 5 March 2018",
        f"DOI: {DOI}",
        "The online version of this article can be found at:",
        "http://col.journals.example/content/31/2/101",
        "Additional services and information for Coastal Letters can be found at:",
        "Email Alerts: http://col.journals.example/cgi/alerts",
        ">> Version of Record - Mar 5, 2018",
    )
    for row, line in enumerate(lines):
        page.text(60, 164 + 14 * row, line, 9)


COVERS: dict[str, tuple[Callable[[Drawing], None], str]] = {
    "taylor and francis": (taylor, "Coastal Letters"),
    "researchgate": (researchgate, "Coastal Letters"),
    "a repository of three universities": (repository, "Coastal Letters"),
    "a university's archive": (university, "Coastal Letters"),
    "hal, with the record below": (hal, "Coastal Letters"),
    "jstor": (jstor, "Coastal Letters"),
    "pre-proofs": (preproof, "Coastal Letters"),
    "an author's manuscript": (funder, "Coastal Lett"),
    "a journal's own": (downloaded, "Coastal Letters"),
}  # fmt: skip


@pytest.mark.parametrize(("cover", "venue"), COVERS.values(), ids=COVERS)
def test_a_cover_does_not_speak_for_the_article(tmp_path: Path, cover: Callable[[Drawing], None], venue: str) -> None:
    """Much of what people download has a page in front; papers would all be called 'Journal Pre-proof'."""
    page = Drawing(tmp_path / "cover.pdf")
    cover(page)
    article(page)
    paper = page.read()
    assert paper.metadata.title == TITLE and names(paper) == PEOPLE
    assert paper.metadata.doi == DOI or (cover is jstor and not paper.metadata.doi)
    assert paper.metadata.venue.rstrip(".") == venue
    assert paper.metadata.abstract == ABSTRACT
    assert searchable_text(paper).count(BODY) == 2


def test_the_stamp_of_arxiv(tmp_path: Path) -> None:
    """The stamp at the side would be read as the title, or its parts as authors."""
    page = Drawing(tmp_path / "arxiv.pdf")
    page.canvas.saveState()
    page.canvas.translate(30, 250)
    page.canvas.rotate(90)
    page.canvas.setFont(SERIF, 20)
    page.canvas.setFillGray(0.5)
    page.canvas.drawString(0, 0, "arXiv:1803.01234v2  [physics.ao-ph]  5 Mar 2018")
    page.canvas.restoreState()
    page.centre(90, TITLE, 17, BOLD)
    page.centre(115, "Greta Holm1 and Tomás Ruiz2", 11)
    page.centre(150, "Abstract", 11, BOLD)
    y = page.paragraph(90, 166, WIDTH - 180, ABSTRACT, size=9)
    page.text(70, y + 16, "1 Introduction", 12, BOLD)
    page.paragraph(70, y + 34, WIDTH - 140, BODY)
    paper = page.read()
    assert (paper.metadata.title, names(paper), paper.metadata.abstract) == (TITLE, PEOPLE, ABSTRACT)
    assert paper.metadata.arxiv_id.startswith("1803.01234") and "ao-ph" not in searchable_text(paper)


def test_a_printed_listing_of_arxiv(tmp_path: Path) -> None:
    """The page of the listing, printed in front of the paper, has a title and a list of subjects of its own."""
    page = Drawing(tmp_path / "listing.pdf")
    page.text(60, 50, "Physics > Atmospheric and Oceanic Physics", 12, SANS)
    page.text(60, 70, "[Submitted on 5 Mar 2018]", 8, SANS)
    page.text(60, 100, TITLE, 18, BOLD)
    page.text(60, 124, "Greta Holm, Tomás Ruiz", 10, SANS)
    y = page.paragraph(60, 150, 450, ABSTRACT, size=9, font=SANS)
    page.text(60, y + 16, "Subjects: Atmospheric and Oceanic Physics (physics.ao-ph)", 8, SANS)
    page.text(60, y + 28, "Cite as: arXiv:1803.01234 [physics.ao-ph]", 8, SANS)
    page.text(60, y + 40, "Journal reference: Coastal Letters 31 (2018) 101", 8, SANS)
    article(page)
    paper = page.read()
    assert (paper.metadata.title, names(paper), paper.metadata.abstract) == (TITLE, PEOPLE, ABSTRACT)
    assert paper.metadata.arxiv_id.startswith("1803.01234")


AROUND = {
    "mathematical brackets": ("Coastal Letters, 2018. ⟨{}⟩", DOI),
    "brackets and the next id": ("⟨{}⟩. ⟨hal-03211111⟩", DOI),
    "a stop and the next id": ("Coastal Letters 31. {}. hal-03211111v2", DOI),
    "round brackets": ("Coastal Letters 31 (doi:{}), see there", DOI),
    "a semicolon": ("Coastal Letters 31; doi:{}; in press", DOI),
    "square brackets": ("[doi:{}]", DOI),
    "angle quotes": ("«https://doi.org/{}»", DOI),
    "angle brackets": ("<https://doi.org/{}>", DOI),
    "low brackets of East Asia": ("「{}」", DOI),
    "a full stop of East Asia": ("https://doi.org/{}。", DOI),
    "quotation marks": ("“https://doi.org/{}”,", DOI),
    "a dagger": ("doi: {}†", DOI),
    "a dash and words": ("https://doi.org/{} – Received 5 March 2018", DOI),
    "a query": ("https://doi.org/{}?utm_source=mail", DOI),
    "a slash that is escaped": ("https://doi.org/10.5555%2Fmarsh.2018.31", DOI),
    "an address in an address": ("https://go.example/?to=https%3A%2F%2Fdoi.org%2F10.5555%2Fmarsh.2018.31", DOI),
    "brackets that belong to it": ("doi:{}", "10.5555/S0140-6736(12)60001-2"),
    "brackets inside brackets": ("(doi:{})", "10.5555/S0140-6736(12)60001-2"),
    "a semicolon that belongs to it": ("doi:{}", "10.5555/0003(2000)026<0001:SM>2.0.CO;2"),
}


@pytest.mark.parametrize(("line", "doi"), AROUND.values(), ids=AROUND)
def test_a_doi_ends_where_it_ends(tmp_path: Path, line: str, doi: str) -> None:
    """A DOI with a sign too many leads nowhere, and the paper is never merged with its record."""
    page = Drawing(tmp_path / "doi.pdf")
    page.text(70, 50, line.format(doi), 9, SANS if "。" not in line and "「" not in line else "STSong-Light")
    page.centre(90, TITLE, 17, BOLD)
    page.centre(115, "Greta Holm and Tomás Ruiz", 11)
    page.text(70, 165, "Abstract", 11, BOLD)
    y = page.paragraph(70, 180, WIDTH - 140, ABSTRACT)
    page.text(70, y + 16, "1 Introduction", 12, BOLD)
    page.paragraph(70, y + 34, WIDTH - 140, BODY)
    assert page.read().metadata.doi.lower() == doi.lower()


@pytest.mark.parametrize(
    ("title", "names", "text"),
    [
        (
            "Getijden van open kusten",
            "Jan de Vries en Eva Bakker",
            "De getijden stijgen twee keer per dag langs de open kusten. Wij maten ze veertig jaar.",
        ),
        (
            "Παλίρροιες ανοικτών ακτών",
            "Νίκος Παππάς, Ελένη Βλάχου",
            "Οι παλίρροιες ανεβαίνουν δύο φορές την ημέρα. Τις μετρήσαμε σαράντα χρόνια.",
        ),
    ],
)
def test_a_cover_that_does_not_say_the_title(tmp_path: Path, title: str, names: str, text: str) -> None:
    """The paper would be called after its repository, and its authors be lost."""
    page = Drawing(tmp_path / "bare_cover.pdf")
    page.text(60, 80, "University of Nowhere Repository", 14, BOLD)
    page.text(60, 110, "Downloaded from https://repo.example/123 on 3 May 2020")
    page.text(60, 130, "Please cite the published version. This is the author accepted manuscript.")
    page.page()
    page.centre(70, title, 16, BOLD)
    page.centre(92, names)
    y = 130.0
    for _ in range(4):
        y = page.paragraph(60, y, WIDTH - 120, text) + 8
    paper = page.read()
    assert paper.metadata.title == title
    assert len(paper.metadata.authors) == 2
    assert text[:40] in searchable_text(paper)
