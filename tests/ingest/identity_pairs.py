# ruff: noqa: E501 - a pair a line
"""Pairs of records as services have them: of one work (`SAME`), or of two (`OTHER`). All works are invented.

`SAME` are spellings of services made from `WORKS`, and some written by hand; `OTHER` are written by hand. Half of them,
by a digest of what they are, is sealed: rules are made by looking at the other half.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

Record = dict[str, Any]


class Pair(NamedTuple):
    """Two records; `same`: whether they are of one paper."""

    kind: str
    one: Record
    other: Record
    same: bool

    @property
    def sealed(self) -> bool:
        """Whether rules are made without looking at it."""
        said = f"{self.kind}{self.one['title']}{self.other['title']}{self.one.get('doi')}{self.one['year']}"
        return hashlib.sha256(said.encode()).digest()[0] % 2 == 1


def work(service: str, title: str, authors: str, year: int | None, **known: Any) -> Record:
    """A record of a service; `authors` are apart by `;`. It has the service's own identifier, as all of them have."""
    people = [name.strip() for name in authors.split(";") if name.strip()]
    digest = hashlib.sha256(f"{service}{title}{authors}{year}{known}".encode()).hexdigest()
    number = str(int(digest[:7], 16))
    own = {
        "crossref": {"doi": f"10.5555/{digest[:9]}"},
        "datacite": {"doi": f"10.5555/{digest[:9]}"},
        "openalex": {"openalex": f"W{number}"},
        "semanticscholar": {"s2": digest[:40]},
        "pubmed": {"pmid": number},
        "europepmc": {"pmid": number},
        "ads": {"bibcode": f"{year or 2000}Inven.{number[:3]}..{number[3:6]}Z"},
        "pmc": {"pmcid": f"PMC{number}"},
    }.get(service, {})
    return {"service": service, "title": title, "authors": people, "year": year, **own, **known}


WORKS = """
Thermal drift of quartz gauges below ten kelvin|Ottilie Brandauer;Pascal Vermeulen|2011|Journal of Cryogenic Metrology|J. Cryog. Metrol.|14|201
Foraging routes of solitary bees in terraced vineyards|Nuria Caballé;Tomás Echeverría;Ines Falk|2014|Ecology of Farmed Land|Ecol. Farmed Land|8|33
A slow wave at the edge of the Perlan glacier: seismic evidence from two winters|Sigrún Hallsdóttir;Jonas Weber|2017|Annals of Ice Physics|Ann. Ice Phys.|52|1101
Binding of copper to the prion-like domain of SGT4|Mei-Ling Hsu;Ravi Chandrasekhar;Anna Lindqvist|2009|Protein Letters|Protein Lett.|21|77
On the width of spectral lines in magnetised dwarfs|José Peñalver;Zoë Müller|2003|Stellar Atmospheres Quarterly|Stellar Atmos. Q.|9|412
Reading speed after early cataract surgery: a cohort of 412 children|Hélène Durand;François Lefèvre;Karl Östberg|2016|Paediatric Vision|Paediatr. Vis.|30|5
Mapping soil salinity from aerial thermography in the Ebro delta|Joaquín Núñez;Piet van der Berg|2019|Remote Sensing of Soils|Remote Sens. Soils|11|900
The lace weaver spider repairs its web by counting threads|Agnieszka Łukasiewicz;Tom O'Hara|2012|Behaviour of Small Animals|Behav. Small Anim.|4|18
Enantioselective opening of strained epoxides by a zinc salen catalyst|Dieter Große;Yuki Tanaka;Laura Bianchi|2008|Chemical Synthesis Reports|Chem. Synth. Rep.|17|2231
Phase noise of optoelectronic oscillators with two coupled loops|Sébastien Roy;Olga Petrova|2015|Optical Circuits|Opt. Circuits|3|145
Do managers learn from failed mergers? Evidence from Nordic banks|Astrid Håkansson;Mikkel Sørensen|2010|Review of Firm Behaviour|Rev. Firm Behav.|22|61
Early onset of sleep spindles in preterm infants|Ji-Woo Park;Emma Clarke;Daniel Fischer;Chiara Russo|2018|Infant Neurology|Infant Neurol.|6|301
A lattice proof of the Erdmann inequality for convex bodies|Gábor Szűcs;Nikolai Ivanov|2006|Transactions in Convexity|Trans. Convexity|41|88
Sampling rare transitions with reversible umbrella chains|Priya Raman;Lukas Steiner|2013|Computational Statistical Physics|Comput. Stat. Phys.|19|5501
Vaccination coverage and clinic distance in rural Malawi|Chikondi Banda;Ruth Mwale;Peter Hughes|2020|Global Clinic Health|Glob. Clin. Health|5|e40
Dust lanes of the lenticular galaxy UGC 9917 in polarised light|Marta Kowalczyk;Ian Fraser|2005|Extragalactic Observations|Extragal. Obs.|28|1330
Gut fermentation by Bacteroides ovatus under low iron|Sunita Rao;Elif Yıldız;Maarten de Vries|2021|Microbial Nutrition|Microb. Nutr.|2|14
Automatic dating of charters from their handwriting|Claire Beaumont;Johannes Richter|2014|Digital Palaeography|Digit. Palaeogr.|7|210
Fatigue cracks in welded bridge decks: a field study over nine years|Hiroshi Yamamoto;Bengt Åkesson|2002|Structures in Service|Struct. Serv.|13|455
Tidal mixing and plankton blooms off the coast of Namibia|Abel Shikongo;Greta Holm;Luis Ferreira|2007|Coastal Oceanography|Coast. Oceanogr.|35|701
Working memory load changes pupil size in bilingual speakers|Núria Soler;Alice Bennett|2016|Journal of Cognitive Pupillometry|J. Cogn. Pupillom.|1|9
Superconducting gaps of layered bismuthates measured by tunnelling|Andrej Novák;Feng Liu;Sven Möller|2004|Physics of Layered Matter|Phys. Layer. Matter|70|4504
An open corpus of spoken Frisian with aligned transcripts|Froukje Dijkstra;Bram Hoekstra|2018|Resources for Small Languages|Resour. Small Lang.|3|44
Pollen limitation in alpine gentians along a snowmelt gradient|Urs Zürcher;Beatriz Gómez|2011|Alpine Plant Biology|Alp. Plant Biol.|27|350
Catalytic cracking of waste polyethylene over acid clay|Temitope Adeyemi;Oluwaseun Bello;Jan Novotný|2019|Waste and Energy|Waste Energy|15|819
Risk of falls after cataract surgery: a randomised trial of second-eye timing|Graham Lloyd;Fiona Murray;Ahmed Hassan|2013|Trials of Ageing|Trials Ageing|10|25
Kinetics of oxygen uptake in trained harbour seals|Liv Nygård;Samuel Brooks|2009|Comparative Exercise Physiology Letters|Comp. Exerc. Physiol. Lett.|12|188
Fast hashing of sparse genomic sketches on graphics cards|Wenjie Zhao;Alberto Conti|2020|Bioinformatics Engineering|Bioinform. Eng.|4|71
Gender and the rhetoric of petitions in early modern Bristol|Margaret Ashdown;Eleanor Pryce|2001|Social History of Towns|Soc. Hist. Towns|18|240
Wetting of rough titanium by molten glass|Kenji Mori;Claudia Schäfer|2010|Interfaces at High Temperature|Interfaces High Temp.|6|97
Frost heave of railway embankments under repeated thaw|Aino Virtanen;Pekka Mäkinen;Igor Sokolov|2015|Cold Regions Geotechnics|Cold Reg. Geotech.|33|512
Cardiac output from finger plethysmography in sepsis|Rachel Stein;Omar Farouk;Julia König|2017|Bedside Monitoring|Bedside Monit.|9|66
Magnetic anisotropy of cobalt islands on rhenium|Patrick Dubois;Ewa Zielińska|2012|Surface Magnetism|Surf. Magn.|24|3007
Learning to route packets with delayed rewards|Arjun Mehta;Sofia Lindgren;Carlos Ibáñez|2019|Networks and Learning|Netw. Learn.|2|130
Isotopic evidence for fish consumption at a Mesolithic lagoon site|Henrik Lauridsen;Rosa Alvarez|2008|Archaeological Isotopes|Archaeol. Isot.|5|19
Hidden Markov models of whale song across three oceans|Tane Rewi;Isabelle Morin|2014|Acoustics of Animals|Acoust. Anim.|16|402
The price of parking: household cars and kerb permits in Lyon|Benoît Girard;Amélie Rousseau|2016|Urban Transport Economics|Urban Transp. Econ.|29|73
Mid-infrared variability of embedded protostars in Lupus|Catarina Sousa;David Keller;Ming Zhang|2018|Young Stellar Objects|Young Stellar Obj.|7|1210
Regeneration of zebrafish barbels requires Notch3|Ana Torres;Vikram Singh;Katrin Vogel|2011|Developmental Regeneration|Dev. Regen.|138|51
Trust in tax offices and compliance of small traders|Kwame Boateng;Ingrid Sandvik|2013|Public Finance Behaviour|Public Financ. Behav.|11|320
Airborne lidar detects charcoal kilns under beech forest|Sabine Krüger;Michał Wójcik|2020|Landscape Archaeology Methods|Landsc. Archaeol. Methods|3|17
Buckling of thin shells with a random thickness|Émile Fournier;Robert Hayes|2003|Mechanics of Shells|Mech. Shells|8|233
A vector field with exactly eleven limit cycles|Paulo Cardoso;Xiu Chen|2007|Qualitative Dynamics|Qual. Dyn.|20|1
Oxytocin receptor density and grooming in captive macaques|Hannah Goldberg;Kofi Mensah|2015|Primate Endocrinology|Primate Endocrinol.|4|88
Rapid sorting of red cells by standing acoustic waves|Lars Petersen;Zeynep Demir;Noah Williams|2012|Microfluidic Devices|Microfluid. Devices|5|611
Ammonia slip of marine engines with urea injection|Kjell Strand;Despina Georgiou|2017|Clean Shipping|Clean Shipp.|4|55
Inheritance of awn length in two-rowed barley|Ewan McLeod;Bożena Nowak;Diyar Aslan|2006|Cereal Genetics|Cereal Genet.|31|270
Small talk in call centres: a conversation analysis|Louise Perret;Chidi Okafor|2015|Language at Work|Lang. Work|12|141
""".strip().splitlines()
"""title|authors|year|journal|its abbreviation|volume|first page"""

_PLAIN = str.maketrans(
    {"é": "e", "è": "e", "ö": "o", "ø": "o", "ü": "u", "ñ": "n", "á": "a", "å": "a", "ź": "z", "ń": "n", "ç": "c"}
)
_TEX = {"ö": r"{\"o}", "ü": r"{\"u}", "é": r"{\'e}", "á": r"{\'a}", "ñ": r"{\~n}"}


def _initials(name: str, *, comma: bool) -> str:
    given, _, family = name.partition(" ")
    return f"{family}, {given[0]}." if comma else f"{family} {given[0]}"


def _spellings() -> Iterator[Pair]:
    """Pairs of each work, with a common identifier or without one, as different services spell it."""
    for number, line in enumerate(WORKS):
        title, people, year, venue, brief, volume, page = line.split("|")
        names, doi, when = people.split(";"), f"10.5555/inv.{number:04}", int(year)
        place = {"venue": venue, "volume": volume, "pages": f"{page}-{page}9", "type": "article-journal"}
        crossref = work("crossref", title, people, when, doi=doi, **place)
        tex = title.replace(" of ", " {of} ", 1).replace(" and ", r" \& ", 1)
        pubmed = work(
            "pubmed", f"{title}.", ";".join(_initials(n, comma=False) for n in names), when, pmid=str(30_000_000 + number),
            venue=brief, volume=volume, pages=page, type="article-journal",
        )  # fmt: skip
        ads = work(
            "ads", title.replace(" in ", " <i>in</i> ", 1), ";".join(_initials(n, comma=True) for n in names),
            when, venue=venue, volume=volume, pages=page, bibcode=f"{year}Inven..{volume:>2}..{number:03}Z".replace(" ", "."),
        )  # fmt: skip
        s2 = work("semanticscholar", title.upper(), people.translate(_PLAIN), when, s2=f"{number:040x}", venue=venue)
        openalex = work("openalex", title.partition(":")[0], people, when, openalex=f"W{700_000 + number}", **place)
        late = work("europepmc", title, people, when + 1, doi=doi, pmcid=f"PMC{number + 9000}", venue=brief)
        bib = work("zotero", tex, ";".join(_initials(n, comma=True) for n in names), when, doi=doi.upper())
        by_number = (
            [("same DOI, year off by one", crossref, late), ("abbreviated", crossref, pubmed), ("capitals", ads, s2)],
            [("same DOI, TeX", crossref, bib), ("markup", ads, pubmed), ("subtitle missing", crossref, openalex)],
            [("in print a year later", crossref, ads | {"year": when + 1}), ("plain letters", pubmed, s2),
             ("same DOI, no authors", crossref, late | {"authors": []})],
        )  # fmt: skip
        for kind, one, other in by_number[number % 3]:
            yield Pair(kind, one, other, True)


A = "Ottilie Brandauer; Pascal Vermeulen; Ines Falk"
T = "Thermal drift of quartz gauges below ten kelvin"
J = {"venue": "Journal of Cryogenic Metrology", "type": "article-journal"}
LONG = (
    "We report measurements of the resonance frequency of quartz gauges between two and ten kelvin in a dilution cryostat "
    "with a stability of one part in ten million over nine weeks and compare two cuts of the crystal."
)
ELSE = (
    "Charters of the twelfth century were written by many hands, and scribes moved between monasteries; here a network of "
    "forms of letters is trained on dated pieces, and its dates agree with those of editors within fifteen years."
)

_BY_HAND = [
    ("arXiv id in both", work("arxiv", T, A, 2010, arxiv_id="1005.0001"), work("ads", T, A, 2011, doi="10.5555/q.1", arxiv_id="1005.0001", **J)),
    ("arXiv DOI and arXiv id", work("datacite", T, A, 2010, doi="10.48550/arXiv.1005.0001", type="preprint"), work("arxiv", T, A, 2010, arxiv_id="1005.0001")),
    ("arXiv record with the article's DOI", work("arxiv", T, A, 2010, arxiv_id="1005.0001", doi="10.5555/q.1"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("versions names it", work("crossref", T, A, 2010, doi="10.1101/2010.01.02", type="preprint", versions={"published": "10.5555/q.1"}), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("versions names the preprint", work("europepmc", T, A, 2011, doi="10.5555/q.1", versions={"preprint": "10.1101/2010.01.02"}), work("openalex", T, A, 2010, doi="10.1101/2010.01.02", openalex="W5")),
    ("versions names an arXiv id", work("crossref", T, A, 2011, doi="10.5555/q.1", versions={"preprint": "arXiv:1005.0001v2"}), work("arxiv", T, A, 2010, arxiv_id="1005.0001")),
    ("versions names an address", work("crossref", T, A, 2011, doi="10.5555/q.1", versions={"preprint": "https://doi.org/10.1101/2010.01.02"}), work("crossref", T, A, 2010, doi="10.1101/2010.01.02", type="preprint")),
    ("discussion paper named by its article", work("crossref", T, A, 2020, doi="10.5194/acp-20-1-2020", versions={"preprint": "10.5194/acp-2019-1"}, **J), work("crossref", T, A, 2019, doi="10.5194/acp-2019-1", type="preprint")),
    ("marked as retracted", work("crossref", f"RETRACTED: {T}", A, 2011, doi="10.5555/q.1", **J), work("openalex", T, A, 2011, doi="10.5555/q.1")),
    ("marked as retracted article", work("crossref", f"RETRACTED ARTICLE: {T}", A, 2011, doi="10.5555/q.1", **J), work("pubmed", f"{T}.", A, 2011, doi="10.5555/q.1")),
    ("marked at its end", work("openalex", f"{T} [Retracted]", A, 2011, doi="10.5555/q.1"), work("pubmed", f"{T}.", A, 2011, doi="10.5555/q.1")),
    ("withdrawn", work("crossref", f"WITHDRAWN: {T}", A, 2011, doi="10.5555/q.1"), work("pubmed", T, A, 2011, doi="10.5555/q.1")),
    ("same PMCID", work("pmc", T, A, 2011, pmcid="PMC77"), work("europepmc", T, A, 2011, pmcid="PMC77", doi="10.5555/q.1")),
    ("same PMCID, small letters", work("pmc", T, A, 2011, pmcid="pmc77"), work("europepmc", T, A, 2011, pmcid="PMC77")),
    ("same bibcode", work("ads", T, A, 2011, bibcode="2011JCryM..14..201B"), work("crossref", f"{T}.", A, 2011, bibcode="2011JCryM..14..201B", doi="10.5555/q.1")),
    ("same OpenAlex id", work("openalex", T, A, 2011, openalex="W5"), work("unpaywall", T, A, 2011, openalex="W5", doi="10.5555/q.1")),
    ("same Semantic Scholar id", work("semanticscholar", T, A, 2011, s2="ab12"), work("arxiv", T, A, 2010, s2="ab12", arxiv_id="1005.0001")),
    ("same PMID", work("pubmed", T, "Brandauer O; Vermeulen P", 2011, pmid="41"), work("europepmc", T, A, 2012, pmid="41")),
    ("initials of a journal", work("ads", T, A, 2011, venue="JCM"), work("semanticscholar", T, A, 2011, venue="Journal of Cryogenic Metrology")),
    ("place behind the journal", work("europepmc", T, A, 2011, venue="Journal of cryogenic metrology (London, England)"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("umlauts written out", work("crossref", T, "Ursula Müller; Pascal Vermeulen", 2011, doi="10.5555/q.1", **J), work("pubmed", T, "Mueller U; Vermeulen P", 2011, pmid="41", venue="J. Cryog. Metrol.")),
    ("family name first", work("crossref", T, "Wenjie Zhao; Pascal Vermeulen", 2011, doi="10.5555/q.1", **J), work("semanticscholar", T, "Zhao Wenjie; Pascal Vermeulen", 2011, s2="ab12")),
    ("Greek letters", work("crossref", "Folding of β-turns in the TGF-α family", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "Folding of beta-turns in the TGF-alpha family.", A, 2011, pmid="41")),
    ("formula", work("arxiv", "Ordering of water in the $\\mathrm{CaCO_3}$ pores of shells", A, 2011, doi="10.5555/q.1"), work("crossref", "Ordering of water in the CaCO<sub>3</sub> pores of shells", A, 2011, doi="10.5555/q.1")),
    ("entities", work("crossref", "Salt &amp; ice in the firn of two small glaciers", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "Salt and ice in the firn of two small glaciers", A, 2011, pmid="41")),
    ("middle names", work("crossref", T, "Ottilie M. K. Brandauer; Pascal Vermeulen", 2011, doi="10.5555/q.1", **J), work("pubmed", T, "Brandauer OMK; Vermeulen P", 2011, pmid="41")),
    ("many authors cut", work("ads", T, A + "; Jonas Weber; Anna Lindqvist; Ravi Rao", 2011, **J), work("semanticscholar", T, A, 2011, s2="ab12", venue="J. Cryog. Metrol.")),
    ("abstract agrees", work("semanticscholar", T, A, 2011, s2="ab12", abstract=LONG), work("openalex", T, A, 2011, openalex="W5", abstract=f"Abstract: {LONG}")),
    ("hyphens", work("crossref", "A meta-analysis of x-ray dose in long-term follow-up", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "A metaanalysis of X ray dose in long term followup", A, 2011, pmid="41")),
    ("DOI in capitals", work("crossref", T, A, 2011, doi="10.5555/Q.1"), work("pubmed", T, A, 2011, doi="10.5555/q.1", pmid="41")),
    ("subtitle missing, same DOI", work("crossref", f"{T}: nine weeks in a cryostat", A, 2011, doi="10.5555/q.1"), work("openalex", T, A, 2011, doi="10.5555/q.1")),
    ("title in two languages, same DOI", work("crossref", "Тепловой дрейф кварцевых датчиков", A, 2011, doi="10.5555/q.1"), work("openalex", T, A, 2011, doi="10.5555/q.1")),
]  # fmt: skip

B = "Henrik Lauridsen; Rosa Alvarez"
_UNLIKE = [
    # series
    ("series I and II", work("crossref", "Dark halos of spiral galaxies. I", B, 2010, doi="10.5555/h.1"), work("ads", "Dark halos of spiral galaxies. II", B, 2010, bibcode="2010Inven..14..201L")),
    ("series I and II, same year and venue", work("crossref", "Dark halos of spiral galaxies. I. Method", B, 2010, doi="10.5555/h.1", **J), work("ads", "Dark halos of spiral galaxies. II. Results", B, 2010, **J)),
    ("series, one id by mistake", work("semanticscholar", "Dark halos of spiral galaxies. I", B, 2010, s2="aa"), work("openalex", "Dark halos of spiral galaxies. II", B, 2010, s2="aa")),
    ("series and its first part", work("crossref", "Dark halos of spiral galaxies", B, 2010, doi="10.5555/h.1", **J), work("ads", "Dark halos of spiral galaxies. II. Results", B, 2010, **J)),
    ("part 1 and part 2", work("crossref", "Frost heave of embankments, part 1", B, 2010, doi="10.5555/h.1", **J), work("openalex", "Frost heave of embankments, part 2", B, 2010, openalex="W6", **J)),
    ("parts with titles", work("crossref", "Frost heave of embankments: Part A. Theory", B, 2010, **J), work("openalex", "Frost heave of embankments: Part B. Field tests", B, 2010, **J)),
    ("III and IV", work("ads", "A catalogue of emission line stars. III", B, 1998, **J), work("crossref", "A catalogue of emission line stars. IV", B, 1999, doi="10.5555/h.4", **J)),
    ("V without its number", work("ads", "A catalogue of emission line stars. V", B, 1999, **J), work("crossref", "A catalogue of emission line stars", B, 1999, doi="10.5555/h.4", **J)),
    ("first and second", work("pubmed", "First report of the cryostat working group on gauges", B, 2001, **J), work("crossref", "Second report of the cryostat working group on gauges", B, 2001, **J)),
    ("numbers in words", work("pubmed", "Results at one year of the vineyard bee trial", B, 2001, **J), work("crossref", "Results at two years of the vineyard bee trial", B, 2001, **J)),
    ("years in titles", work("pubmed", "Bird counts of the Ebro delta in 2010", B, 2011, **J), work("crossref", "Bird counts of the Ebro delta in 2011", B, 2011, **J)),
    # titles of many
    ("Preface", work("crossref", "Preface", "Jan Novotný", 2010, doi="10.5555/p.10"), work("openalex", "Preface", "Jan Novotný", 2012, openalex="W7")),
    ("Preface, same year", work("crossref", "Preface", "Jan Novotný", 2010, doi="10.5555/p.10"), work("openalex", "Preface", "Jan Novotný", 2010, openalex="W7")),
    ("Preface, one id by mistake", work("semanticscholar", "Preface", "Jan Novotný", 2010, s2="aa"), work("openalex", "Preface", "Olga Petrova", 2012, s2="aa")),
    ("Preface to a volume", work("crossref", "Preface to the special volume on cold matter", "Jan Novotný", 2010, **J), work("openalex", "Preface to the special volume on cold matter", "Jan Novotný", 2010, **J, volume="2")),
    ("Short notices", work("crossref", "Short notices", "", 1990, doi="10.5555/s.1", **J), work("openalex", "Short notices", "", 1990, openalex="W8", **J)),
    ("Short notices with reviewers", work("crossref", "Short notices", "M. Ashdown", 1990, doi="10.5555/s.1", **J), work("openalex", "Short notices", "M. Ashdown", 1990, openalex="W8", **J)),
    ("Short notices, one id", work("openalex", "Short notices", "M. Ashdown", 1990, openalex="W8"), work("crossref", "Short notices", "E. Pryce", 1995, openalex="W8", doi="10.5555/s.2")),
    ("Editorial", work("crossref", "Editorial", "Jan Novotný", 2010, doi="10.5555/e.1", **J), work("pubmed", "Editorial.", "Novotný J", 2010, pmid="51", **J)),
    ("Editorial of a kind", work("crossref", "Editorial: new horizons in cold metrology", "Jan Novotný", 2010, **J, volume="3"), work("pubmed", "Editorial: new horizons in cold metrology", "Novotný J", 2010, pmid="51", volume="4", **J)),
    ("Introduction to an issue", work("crossref", "Introduction to the special issue on cold matter", "Jan Novotný", 2010, **J), work("openalex", "Introduction to the special issue on cold matter", "Jan Novotný", 2011, **J)),
    ("Book reviews", work("crossref", "Book reviews and new publications received", "Eleanor Pryce", 2001, **J), work("openalex", "Book reviews and new publications received", "Eleanor Pryce", 2001, **J)),
    ("Letter to the editor", work("crossref", "Letter to the editor", "Ahmed Hassan", 2013, **J), work("pubmed", "Letter to the editor.", "Hassan A", 2013, pmid="52", **J)),
    ("Letters by others", work("crossref", "Letters to the editor of this journal", "Ahmed Hassan", 2013, **J), work("pubmed", "Letters to the editor of this journal", "Hassan A", 2013, pmid="52", **J)),
    ("Introduction", work("crossref", "Introduction", "Ahmed Hassan", 2013, doi="10.5555/c.1", type="chapter"), work("openalex", "Introduction", "Ahmed Hassan", 2013, openalex="W9", type="chapter")),
    ("Obituary", work("crossref", "Obituary of a teacher and friend", "Ahmed Hassan", 2013, **J), work("openalex", "Obituary of a teacher and friend", "Ahmed Hassan", 2013, **J)),
    ("Author index", work("crossref", "Author index to volume fourteen of this journal", "Editors", 2013, **J), work("openalex", "Author index to volume fourteen of this journal", "Editors", 2013, **J)),
    ("Conclusions", work("crossref", "Conclusions and outlook", "Ahmed Hassan", 2013, type="chapter"), work("openalex", "Conclusions and outlook", "Ahmed Hassan", 2013, type="chapter")),
    ("Abstracts", work("crossref", "Abstracts of the ninth meeting on cold matter", "Jan Novotný", 2010, **J), work("openalex", "Abstracts of the ninth meeting on cold matter", "Jan Novotný", 2010, **J)),
    ("Annual report", work("crossref", "Annual report of the cryostat committee", "Jan Novotný", 2010, **J), work("openalex", "Annual report of the cryostat committee", "Jan Novotný", 2011, **J)),
    ("Data of the same name", work("crossref", "Data from the cryostat of Graz", "Jan Novotný", 2010), work("datacite", "Data from the cryostat of Graz", "Jan Novotný", 2010)),
    ("Index of a journal", work("crossref", "In this issue", "Jan Novotný", 2010, **J), work("openalex", "In this issue", "Jan Novotný", 2010, **J)),
    # notices
    ("erratum", work("crossref", T, A, 2011, doi="10.5555/q.1", **J), work("pubmed", f"Erratum: {T}.", A, 2011, pmid="53", **J)),
    ("erratum with the same PMID by mistake", work("crossref", T, A, 2011, pmid="41", **J), work("openalex", f"Erratum to: {T}", A, 2011, pmid="41", **J)),
    ("erratum behind", work("crossref", T, A, 2011, doi="10.5555/q.1", **J), work("ads", f"{T} (Erratum)", A, 2011, **J)),
    ("corrigendum behind, one id", work("crossref", T, A, 2011, openalex="W5", **J), work("openalex", f"{T} (Corrigendum)", A, 2011, openalex="W5", **J)),
    ("corrigendum with a dash", work("crossref", T, A, 2011, doi="10.5555/q.1", **J), work("ads", f"{T} — Corrigendum", A, 2011, **J)),
    ("author correction", work("crossref", T, A, 2011, doi="10.5555/q.1", **J), work("pubmed", f"Author Correction: {T}", A, 2012, pmid="53", **J)),
    ("publisher correction", work("crossref", f"Publisher Correction: {T}", A, 2011, doi="10.5555/q.2", **J), work("pubmed", T, A, 2011, pmid="53", **J)),
    ("retraction note", work("crossref", f"Retraction Note: {T}", A, 2013, doi="10.5555/q.3", **J), work("pubmed", T, A, 2013, pmid="41", **J)),
    ("retraction that names the paper", work("pubmed", f"Retraction: {T}", A, 2011, pmid="54", versions={"published": "10.5555/q.1"}), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("retraction by its own DOI", work("crossref", f"Retracted: {T}", A, 2013, doi="10.5555/q.9", **J), work("pubmed", T, A, 2012, pmid="41", **J)),
    ("expression of concern", work("crossref", f"Expression of Concern: {T}", A, 2011, doi="10.5555/q.4", **J), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("notice of retraction", work("pubmed", f"Notice of Retraction. {T}", A, 2011, pmid="54", **J), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("withdrawal notice", work("crossref", f"Withdrawal: {T}", A, 2011, doi="10.5555/q.5", **J), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("addendum", work("crossref", f"Addendum: {T}", A, 2011, doi="10.5555/q.6", **J), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("two corrections", work("crossref", f"Correction to: {T}", A, 2011, doi="10.5555/q.7", **J), work("pubmed", f"Correction to: {T}", A, 2011, pmid="55", **J)),
    ("comment", work("crossref", T, A, 2011, doi="10.5555/q.1", **J), work("pubmed", f"Comment on '{T}'.", "Ravi Rao", 2011, pmid="56", **J)),
    ("comment by the same person", work("crossref", T, A, 2011, doi="10.5555/q.1", **J), work("ads", f"Comment on “{T}”", A, 2011, **J)),
    ("reply", work("crossref", f"Reply to comment on {T}", A, 2011, doi="10.5555/q.8", **J), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("reply behind", work("crossref", f"{T}: Reply", A, 2011, doi="10.5555/q.8", **J), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("comment and reply", work("crossref", f"{T}: comment", A, 2011, doi="10.5555/q.8", **J), work("ads", f"{T}: reply", A, 2011, **J)),
    ("author's response", work("pubmed", f"Authors' response to: {T}", A, 2011, pmid="57", **J), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("discussion behind", work("crossref", f"{T} – Discussion", A, 2011, doi="10.5555/q.8", **J), work("ads", T, A, 2011, **J)),
    ("referee comment", work("crossref", f"Review of {T}", "Ravi Rao", 2019, doi="10.5194/acp-2019-1-rc1"), work("openalex", T, A, 2019, openalex="W5")),
    ("comment that names the paper", work("crossref", f"Comment on {T}", A, 2011, doi="10.5555/q.8", versions={"published": "10.5555/q.1"}), work("ads", T, A, 2011, doi="10.5555/q.1")),
    # versions that stay two
    ("preprint and article", work("crossref", T, A, 2010, doi="10.1101/2010.01.02", type="preprint"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("preprint and article, same year", work("europepmc", T, A, 2011, doi="10.1101/2011.01.02", type="preprint"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("arXiv without a DOI and the article", work("arxiv", T, A, 2011, arxiv_id="1105.0001"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("arXiv DOI and the article", work("datacite", T, A, 2011, doi="10.48550/arXiv.1105.0001"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("server and server", work("crossref", T, A, 2011, doi="10.1101/2011.01.02", type="preprint"), work("openalex", T, A, 2011, doi="10.21203/rs.3.rs-1/v1", type="preprint")),
    ("preprint without a DOI", work("semanticscholar", T, A, 2011, s2="aa", venue="bioRxiv"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("preprint on SSRN", work("crossref", T, A, 2011, doi="10.2139/ssrn.1"), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("discussion and article", work("crossref", T, A, 2019, doi="10.5194/acp-2019-1"), work("crossref", T, A, 2020, doi="10.5194/acp-20-1-2020", **J)),
    ("discussion and article, same year", work("crossref", T, A, 2019, doi="10.5194/acp-2019-1"), work("openalex", T, A, 2019, openalex="W5", **J)),
    ("old discussion and article", work("crossref", T, A, 2009, doi="10.5194/acpd-9-1-2009"), work("ads", T, A, 2009, bibcode="2009ACP.....9..201B", **J)),
    ("EGUsphere and article", work("crossref", T, A, 2023, doi="10.5194/egusphere-2023-11"), work("openalex", T, A, 2023, openalex="W5", **J)),
    ("F1000 versions", work("crossref", T, A, 2016, doi="10.12688/f1000research.1.1", **J), work("pubmed", T, A, 2016, doi="10.12688/f1000research.1.2", **J)),
    ("F1000 versions, marked", work("crossref", f"{T} [version 1; peer review: 1 approved]", A, 2016, doi="10.12688/f1000research.1.1"), work("openalex", f"{T} [version 2; peer review: 2 approved]", A, 2016, doi="10.12688/f1000research.1.2")),
    ("eLife reviewed preprint and article", work("crossref", T, A, 2023, doi="10.7554/elife.1.1"), work("crossref", T, A, 2023, doi="10.7554/elife.1", **J)),
    ("Zenodo versions", work("datacite", T, A, 2018, doi="10.5281/zenodo.11", type="dataset"), work("openalex", T, A, 2018, doi="10.5281/zenodo.12", type="dataset")),
    ("one DOI, another work", work("arxiv", "Binding of copper to a prion-like domain", B, 2009, arxiv_id="0901.0002", doi="10.5555/q.1"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("one DOI, the preprint of another part", work("arxiv", f"{T} II", A, 2011, arxiv_id="1105.0002", doi="10.5555/q.1"), work("crossref", f"{T} I", A, 2011, doi="10.5555/q.1", **J)),
    ("versions names another work", work("crossref", "Binding of copper to a prion-like domain", B, 2009, doi="10.1101/2009.01.01", versions={"published": "10.5555/q.1"}), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("versions names a work of others", work("crossref", T, B, 2009, doi="10.1101/2009.01.01", versions={"published": "10.5555/q.1"}), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    # same title, another work
    ("conference and journal", work("semanticscholar", T, A, 2011, s2="aa", venue="Conference on Cold Matter", type="paper-conference"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("conference and journal a year later", work("semanticscholar", T, A, 2010, s2="aa", venue="Proceedings of Cold Matter"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("conference by its DOI", work("crossref", T, A, 2011, doi="10.1109/cold.2011.1", type="paper-conference"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("two conferences", work("openalex", T, A, 2011, openalex="W5", venue="Workshop on Gauges", type="paper-conference"), work("semanticscholar", T, A, 2011, s2="aa", venue="Symposium on Low Temperatures", type="paper-conference")),
    ("workshop and conference, no kinds", work("openalex", T, A, 2011, openalex="W5", venue="Gauges Workshop"), work("semanticscholar", T, A, 2011, s2="aa", venue="Symposium on Low Temperatures")),
    ("thesis and article", work("openalex", T, "Ottilie Brandauer", 2011, openalex="W5", type="thesis"), work("crossref", T, "Ottilie Brandauer", 2011, doi="10.5555/q.1", **J)),
    ("report and article", work("openalex", T, A, 2011, openalex="W5", venue="Reports of the Institute of Cold"), work("crossref", T, A, 2011, doi="10.5555/q.1", **J)),
    ("book and chapter", work("openalex", T, A, 2011, openalex="W5", type="book"), work("crossref", T, A, 2011, doi="10.5555/q.1_3", type="chapter")),
    ("book and its review", work("openalex", T, A, 2011, openalex="W5", type="book"), work("crossref", f"Review of: {T}", "Ravi Rao", 2011, doi="10.5555/q.1", **J)),
    ("chapters of one DOI", work("semanticscholar", "Gauges for very low temperatures", A, 2011, doi="10.5555/book"), work("openalex", "Cryostats without helium", B, 2011, doi="10.5555/book")),
    ("chapter and its book with one DOI", work("semanticscholar", "Gauges for very low temperatures", A, 2011, doi="10.5555/book"), work("crossref", "Handbook of the cold laboratory", B, 2011, doi="10.5555/book", type="book")),
    ("book in two editions", work("openalex", T, A, 2001, openalex="W5", type="book"), work("crossref", T, A, 2011, doi="10.5555/q.1", type="book")),
    ("dataset and paper", work("datacite", T, A, 2011, doi="10.5281/zenodo.11", type="dataset"), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("dataset without kind", work("datacite", f"Data for: {T}", A, 2011, doi="10.5281/zenodo.11"), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("dataset behind", work("datacite", f"{T}: dataset", A, 2011, doi="10.5281/zenodo.11"), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("supplement", work("datacite", f"{T} - Supplementary material", A, 2011, doi="10.5281/zenodo.11"), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("supplement before", work("datacite", f"Supplementary data from: {T}", A, 2011, doi="10.6084/m9.1"), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("appendix", work("crossref", f"{T}: Appendix", A, 2011, doi="10.5555/q.1a", **J), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("supporting information", work("crossref", f"{T}. Supporting Information", A, 2011, doi="10.5555/q.1s"), work("openalex", T, A, 2011, openalex="W5")),
    ("software", work("datacite", f"{T}: code", A, 2011, doi="10.5281/zenodo.11"), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("software of the same name", work("datacite", T, A, 2011, doi="10.5281/zenodo.11", type="software"), work("openalex", T, A, 2011, openalex="W5", **J)),
    ("figure of a paper", work("datacite", T, A, 2011, doi="10.6084/m9.2", type="figure"), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("poster", work("datacite", f"{T}: poster", A, 2011, doi="10.5281/zenodo.11"), work("openalex", T, A, 2011, openalex="W5")),
    ("protocol and trial", work("crossref", "Second-eye timing and falls: study protocol", A, 2011, doi="10.5555/t.1", **J), work("pubmed", "Second-eye timing and falls", A, 2011, pmid="58", **J)),
    ("protocol and results", work("crossref", "Timing of second-eye surgery: a study protocol", A, 2011, doi="10.5555/t.1", **J), work("pubmed", "Timing of second-eye surgery: results of a trial", A, 2011, pmid="58", **J)),
    ("two years by the same group", work("crossref", T, A, 2010, doi="10.5555/q.1", volume="13", **J), work("pubmed", T, A, 2011, pmid="41", volume="14", **J)),
    ("two years, no volumes", work("crossref", T, A, 2010, doi="10.5555/q.1", **J), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("five years apart", work("crossref", T, A, 2006, doi="10.5555/q.1", **J), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("same year, other pages", work("crossref", T, A, 2011, doi="10.5555/q.1", volume="14", pages="1-9", **J), work("pubmed", T, A, 2011, pmid="41", volume="14", pages="301-9", **J)),
    ("same year, other abstract", work("semanticscholar", T, A, 2011, s2="aa", abstract=LONG), work("openalex", T, A, 2011, openalex="W5", abstract=ELSE)),
    ("other authors", work("crossref", "Trust in tax offices and compliance", "Kwame Boateng", 2013, doi="10.5555/x.1", **J), work("openalex", "Trust in tax offices and compliance", "Ingrid Sandvik", 2013, openalex="W5", **J)),
    ("same surname, other initial", work("crossref", "Trust in tax offices and compliance", "Kwame Boateng", 2013, doi="10.5555/x.1", **J), work("openalex", "Trust in tax offices and compliance", "Ama Boateng", 2013, openalex="W5", **J)),
    ("authors in another order", work("crossref", T, "Ottilie Brandauer; Pascal Vermeulen", 2011, doi="10.5555/q.1", **J), work("openalex", T, "Pascal Vermeulen; Ottilie Brandauer", 2011, openalex="W5", venue="Cold Matter")),
    ("one author of the same name, others differ", work("crossref", T, "Wei Zhang; Ravi Rao; Ann Lee", 2011, doi="10.5555/q.1"), work("openalex", T, "Wei Zhang; Ines Falk; Jan Novotný", 2011, openalex="W5")),
    ("no year in one", work("crossref", T, A, 2011, doi="10.5555/q.1"), work("semanticscholar", T, A, None, s2="aa")),
    ("no authors in one", work("crossref", T, A, 2011, doi="10.5555/q.1"), work("semanticscholar", T, "", 2011, s2="aa")),
    ("two of one service", work("openalex", T, A, 2011, openalex="W5", **J), work("openalex", T, A, 2011, openalex="W6", **J)),
    ("two DOIs of one title", work("crossref", T, A, 2011, doi="10.5555/q.1", **J), work("pubmed", T, A, 2011, doi="10.5555/q.2", **J)),
    ("two PMIDs of one title", work("europepmc", T, A, 2011, pmid="41", **J), work("pubmed", T, A, 2011, pmid="42", **J)),
    ("translated", work("crossref", T, A, 2011, doi="10.5555/q.1", **J), work("openalex", "Thermische Drift von Quarzmanometern unter zehn Kelvin", A, 2011, openalex="W5", **J)),
    ("translated, by its language", work("crossref", "Quarz-Manometer in Kryostaten: Stand 2011", A, 2011, doi="10.5555/q.1", language="de"), work("openalex", "Quarz-Manometer in Kryostaten: Stand 2011", A, 2011, openalex="W5", language="en")),
    ("translated in a second journal", work("crossref", T, A, 2011, doi="10.5555/q.1", venue="Soviet Cryogenics"), work("openalex", T, A, 2011, openalex="W5", venue="Kriogennaya Tekhnika")),
    ("one word differs", work("crossref", "Oxidation of methane over zinc clusters", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "Oxidation of methanol over zinc clusters", A, 2011, pmid="41", **J)),
    ("opposite", work("crossref", "Copper is associated with falls in old age", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "Copper is not associated with falls in old age", A, 2011, pmid="41", **J)),
    ("two sexes", work("crossref", "Oxytocin and grooming in male macaques", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "Oxytocin and grooming in female macaques", A, 2011, pmid="41", **J)),
    ("two subtitles", work("crossref", "Falls after cataract surgery: men", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "Falls after cataract surgery: women", A, 2011, pmid="41", **J)),
    ("short title", work("crossref", "On gauges", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "On gauges.", A, 2011, pmid="41", **J)),
    ("comment in a second journal", work("crossref", f"Some remarks on: {T}", A, 2011, doi="10.5555/q.1", **J), work("pubmed", T, A, 2011, pmid="41", **J)),
    ("isomers", work("crossref", "Synthesis of 2-chloro-butyl resins in water", A, 2011, doi="10.5555/q.1", **J), work("pubmed", "Synthesis of 3-chloro-butyl resins in water", A, 2011, pmid="41", **J)),
]  # fmt: skip

SAME = (*_spellings(), *(Pair(kind, one, other, True) for kind, one, other in _BY_HAND))
OTHER = tuple(Pair(kind, one, other, False) for kind, one, other in _UNLIKE)
PAIRS = (*SAME, *OTHER)
