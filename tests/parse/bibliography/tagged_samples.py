"""Tagged text and RIS as databases export them, in our own words, with what each record says."""

# ruff: noqa: E501
from __future__ import annotations

from export_record import Record, record

TAGGED_FILES: dict[str, tuple[str, list[Record]]] = {
    "refer.enw": (
        "%0 Journal Article\n%A Lund, Ada\n%A van der Meer, Per\n%T Moss on slate roofs: how long\n  it can wait\n"
        "%J Roof Ecology\n%V 5\n%N 2\n%P 11-19\n%D 2014\n%8 March 5, 2014\n%X Moss holds water.\n\nIt gives it back.\n"
        "%K moss\nroofs\n%R 10.1234/moss.7\n%U https://x.example/m\n%@ 1234-5679\n\n"
        "%0 Book Section\n%A Roth, Eva\n%E Blum, Dora\n%T Slate dust\n%B Handbook of Roofs\n%I Roof Press\n%C Oslo\n"
        "%D 2015\n",
        [
            record(
                "Moss on slate roofs: how long it can wait",
                "Ada Lund; Per van der Meer",
                2014,
                venue="Roof Ecology",
                volume="5",
                number="2",
                pages="11-19",
                doi="10.1234/moss.7",
                keywords=("moss", "roofs"),
                abstract="Moss holds water.\n\nIt gives it back.",
                type="article-journal",
                date="2014-03-05",
            ),
            record(
                "Slate dust",
                "Eva Roth",
                2015,
                venue="Handbook of Roofs",
                editor=["Dora Blum"],
                type="chapter",
                publisher="Roof Press",
                address="Oslo",
            ),
        ],
    ),
    "refer_without_kind": (
        "%A Ada Lund\n%A World Health Organization\n%T Moss on slate roofs\n%J Roof Ecology\n%D 2014\n\n"
        "%A Roth, Eva\n%T Slate dust\n%D 2015\n",
        [
            record("Moss on slate roofs", "Ada Lund; World Health Organization", 2014, venue="Roof Ecology"),
            record("Slate dust", "Eva Roth", 2015),
        ],
    ),
    "refer.ris": (
        "%0 Conference Paper\n%T Moss on slate roofs\n%A Lund, Ada\n%B Proc. Roofs\n%D 2014\n",
        [record("Moss on slate roofs", "Ada Lund", 2014, type="paper-conference", venue="Proc. Roofs")],
    ),
    "savedrecs.txt": (
        "\ufeffFN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Lund, A\n   van der Meer, P\nAF Lund, Ada\n"
        "   van der Meer, Per\nCA Roof Study Grp\nTI Moss on slate roofs: how long\n   it can wait\nSO ROOF ECOLOGY\n"
        "DE moss; slate\n   roofs\nAB Moss holds\n   water.\nCR Roth E, 1999, ROOF ECOL, V1, P1\n   Blum D, 1971, SOIL\n"
        "TC 9\nSN 1234-5679\nPD MAR 5\nPY 2014\nVL 5\nIS 2\nBP 11\nEP 19\nDI 10.1234/moss.7\nPM 24000001\n"
        "UT WOS:0001\nER\n\nPT S\nAU Roth, E\nTI Slate dust\nSE HANDBOOK OF ROOFS\nPY 2015\nER\n\nEF",
        [
            record(
                "Moss on slate roofs: how long it can wait",
                "Ada Lund; Per van der Meer; Roof Study Grp",
                2014,
                venue="ROOF ECOLOGY",
                abstract="Moss holds water.",
                keywords=("moss", "slate roofs"),
                references=("Roth E, 1999, ROOF ECOL, V1, P1", "Blum D, 1971, SOIL"),
                citation_count=9,
                date="2014-03-05",
                pages="11-19",
                pmid="24000001",
                external_id="WOS:0001",
            ),
            record("Slate dust", "E Roth", 2015),
        ],
    ),
    "wos_without_head.ciw": (
        "PT J\nAU Lund, A\nTI Moss on slate roofs\nSO ROOF ECOLOGY\nPY 2014\nER\n\n"
        "PT J\nAU Roth, E\nTI Slate dust\nPY 2015\nER\n",
        [record("Moss on slate roofs", "A Lund", 2014), record("Slate dust", "E Roth", 2015)],
    ),
    "wos_as.ris": (
        "FN Thomson Reuters Web of Knowledge\nVR 1.0\nPT J\nAU Lund, A\nTI Moss\nPY 2014\nER\n\nEF\n",
        [record("Moss", "A Lund", 2014)],
    ),
    "refworks.txt": (
        "RT Journal Article\nSR Print(0)\nID 77\nA1 Lund,Ada\nA1 van der Meer,Per\nT1 Moss on slate roofs\n"
        "JF Roof Ecology\nYR 2014\nFD MAR 5\nVO 5\nIS 2\nSP 11\nOP 19\nK1 moss\nK1 roofs\nAB Moss holds water.\n"
        "DO 10.1234/moss.7\nUL https://x.example/m\n\n"
        "RT Book, Section\nSR Electronic(1)\nID 78\nA1 Roth,Eva\nA2 Blum,Dora\nT1 Slate dust\nT2 Handbook of Roofs\n"
        "YR 2015\n",
        [
            record(
                "Moss on slate roofs",
                "Ada Lund; Per van der Meer",
                2014,
                venue="Roof Ecology",
                pages="11-19",
                keywords=("moss", "roofs"),
                doi="10.1234/moss.7",
                type="article-journal",
                number="2",
            ),
            record("Slate dust", "Eva Roth", 2015, venue="Handbook of Roofs", editor=["Dora Blum"], type="chapter"),
        ],
    ),
    "refworks_export": (
        "<Start of RefWorks export>\n\nRT Journal Article\nA1 Lund, Ada\nT1 Moss on slate roofs\nYR 2014\n\n"
        "RT Journal Article\nA1 Roth, Eva\nT1 Slate dust\nYR 2015\n",
        [record("Moss on slate roofs", "Ada Lund", 2014), record("Slate dust", "Eva Roth", 2015)],
    ),
    "ovid.txt": (
        "<1>\nUnique Identifier\n  24000001\nTitle\n  Moss on slate roofs: how long\n  it can wait.\nAuthors\n"
        "  Lund A; van der Meer P.\nSource\n  Roof Ecology. 5(2):11-9, 2014 Mar.\nAbstract\n  Moss holds water.\n"
        "Year of Publication\n  2014\n\n<2>\nUnique Identifier\n  24000002\nTitle\n  Slate dust.\nAuthors\n  Roth E.\n"
        "Abstract\n  Dust.\nYear of Publication\n  2015\n",
        [
            record(
                "Moss on slate roofs: how long it can wait",
                "A Lund; P van der Meer",
                2014,
                abstract="Moss holds water.",
                external_id="24000001",
            ),
            record("Slate dust", "E Roth", 2015, abstract="Dust."),
        ],
    ),
    "ovid_tags.txt": (
        "<1>\nUI  - 24000001\nTI  - Moss on slate roofs.\nAU  - Lund A\nAU  - van der Meer P\nJN  - Roof Ecology\n"
        "YR  - 2014\nAB  - Moss holds water.\n\n<2>\nUI  - 24000002\nTI  - Slate dust.\nAU  - Roth E\nYR  - 2015\n",
        [
            record("Moss on slate roofs", "A Lund; P van der Meer", 2014, venue="Roof Ecology"),
            record("Slate dust", "E Roth", 2015),
        ],
    ),
    "cochrane.txt": (
        "Record #1 of 2\nID: CN-001\nAU: Lund A\nAU: van der Meer P\nTI: Moss on slate roofs: a trial\nSO: Roof Ecology\n"
        "YR: 2014\nVL: 5\nNO: 2\nPG: 11-19\nPM: PUBMED 24000001\nDOI: 10.1234/moss.7\nAB: Moss holds: water.\n\n\n"
        "Record #2 of 2\nID: CN-002\nAU: Roth E\nTI: Slate dust\nYR: 2015\n",
        [
            record(
                "Moss on slate roofs: a trial",
                "A Lund; P van der Meer",
                2014,
                venue="Roof Ecology",
                abstract="Moss holds: water.",
                doi="10.1234/moss.7",
                external_id="CN-001",
            ),
            record("Slate dust", "E Roth", 2015),
        ],
    ),
    "eric.nbib": (
        "OWN - ERIC\nTI  - Moss in schools\nAU  - Lund, Ada\nAU  - Meer, Per van der\nJT  - Roof Lessons\nDP  - 2014\n"
        "AB  - Children water\n      moss.\nOT  - Moss\n\nOWN - ERIC\nTI  - Slate in schools\nAU  - Roth, Eva\nDP  - 2015\n\n"
        "OWN - ERIC\nTI  - Dust in schools\nAU  - Blum, Dora\nDP  - 2016\n",
        [
            record("Moss in schools", "Ada Lund; Per van der Meer", 2014, abstract="Children water moss."),
            record("Slate in schools", "Eva Roth", 2015),
            record("Dust in schools", "Dora Blum", 2016),
        ],
    ),
    "pubmed-moss-set.txt": (
        "PMID- 24000001\nOWN - NLM\nTI  - Moss on slate roofs.\nAU  - Lund A\nAU  - King ML 3rd\nDP  - 2014 Mar 5\n\n"
        "PMID- 24000002\nTI  - Slate dust.\nFAU - Roth, Eva Sr\nAU  - Roth E Sr\nDP  - 2015 Winter\n",
        [
            record("Moss on slate roofs", "A Lund; ML King 3rd", 2014, pmid="24000001", date="2014-03-05"),
            record("Slate dust", "Eva Roth Sr", 2015),
        ],
    ),
    "medline_without_ending": (
        "\n\nPMID- 24000001\nTI  - Moss\nFAU - Lund, Ada\nFAU - King, Martin L Jr\nCN  - Roof Study Group\nDP  - 2014\n",
        [record("Moss", "Ada Lund; Martin L King Jr; Roof Study Group", 2014)],
    ),
    "refer_odd.txt": (
        "%0 Thesis\n%A Lund, Ada, Jr.\n%A Ministry of Roofs,\n%T Moss: 100% water\n%I University of Oslo\n%D March 2014\n"
        "%X It is\n%not a tag.\n\n\n\n%0 Web Page\n%T Slate\n%D n.d.\n",
        [
            record("Moss: 100% water", "Ada Lund Jr.; Ministry of Roofs", 2014, date="2014-03", type="thesis"),
            record("Slate", "", None, type="webpage"),
        ],
    ),
    "wos_plain.txt": (
        "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Lund, A\n   Ostby, P\nTI Moss\nSO ROOF ECOLOGY\nPD DEC\nPY 2014\n"
        "ER\n\nPT C\nAU Roth, E\nCA Roof Study Grp\nTI PT J is a code of slate\nPY 2015\nER\n\nEF\n",
        [
            record("Moss", "A Lund; P Ostby", 2014, date="2014-12"),
            record("PT J is a code of slate", "E Roth; Roof Study Grp", 2015),
        ],
    ),
    "refworks_wrapped.txt": (
        "RT Journal Article\nSR Print(0)\nA1 Lund, Ada\nT1 Moss on slate\nroofs\nAB Moss holds\nwater and gives it.\nYR 2014\n\n"
        "RT Report\nA1 World Health Organization\nT1 Slate\nYR 2015\n",
        [
            record("Moss on slate roofs", "Ada Lund", 2014, abstract="Moss holds water and gives it."),
            record("Slate", "World Health Organization", 2015, type="report"),
        ],
    ),
    "refworks_with_a_title.txt": (
        "Exported on 3 May 2020\n\nRT Journal Article\nA1 Lund, Ada\nT1 Moss\nYR 2014\n\nRT Report\nA1 Roth, Eva\nT1 Slate\n",
        [record("Moss", "Ada Lund", 2014), record("Slate", "Eva Roth", None)],
    ),
    "ovid_without_numbers.txt": (
        "VN  - Ovid Technologies\nUI  - 24000001\nTI  - Moss on slate\n      roofs.\nVI  - 1\nAU  - Lund A\nFA  - Lund, Ada\n"
        "SO  - Roof Ecology. 5(2):11-9, 2014 Mar.\nYR  - 2014\n\nVN  - Ovid Technologies\nUI  - 24000002\nTI  - Slate.\n"
        "AU  - Roth E\nYR  - 2015\n",
        [
            record("Moss on slate roofs", "Ada Lund", 2014, venue="Roof Ecology", volume="5"),
            record("Slate", "E Roth", 2015),
        ],
    ),
    "ovid_lines.txt": (
        "<1. >\nAuthors\n  Lund A\n  van der Meer P\nTitle\n  Moss on slate roofs. [Review]\nSource\n"
        "  Roof Ecology. 5(2):11-9, 2014 Mar.\nLocal Messages\n  In the attic\nAbstract\n  Moss holds\n  water.\n\n"
        "<2. >\nAuthors\n  Roth E\nTitle\n  Slate dust\nSource\n  Roof Ecology. 6:1-2, 2015.\n",
        [
            record(
                "Moss on slate roofs. [Review]",
                "A Lund; P van der Meer",
                2014,
                venue="Roof Ecology",
                pages="11-9",
                abstract="Moss holds water.",
                volume="5",
            ),
            record("Slate dust", "E Roth", 2015, venue="Roof Ecology"),
        ],
    ),
    "eric_other_order.nbib": (
        "TI  - Moss in schools\nAU  - Lund, Ada\nDP  - 2014\n\nAU  - Roth, Eva\nTI  - Slate in schools\nDP  - 2015\n",
        [record("Moss in schools", "Ada Lund", 2014), record("Slate in schools", "Eva Roth", 2015)],
    ),
}

RIS: dict[str, tuple[str, list[Record]]] = {
    "tags_first.ris": (
        "ID  - 5\nT1  - Moss on slate roofs\nA1  - Lund, Ada\nTY  - JOUR\nPY  - 2014\nAB  - Moss holds water.\nER  - \n"
        "ID  - 6\nT1  - Slate dust\nA1  - Roth, Eva\nTY  - JOUR\nPY  - 2015\nER  - \n",
        [
            record("Moss on slate roofs", "Ada Lund", 2014, abstract="Moss holds water."),
            record("Slate dust", "Eva Roth", 2015),
        ],
    ),
    "between.ris": (
        "Provider: Roof Base\nContent: text/plain\n\n1.\nTY  - JOUR\nTI  - Moss on slate roofs\nAU  - Lund, Ada\n"
        "PY  - 2014///\nER  - \n\n-- record 2 of 2 --\n2.\nTY  - JOUR\nTI  - Slate dust\nAU  - Roth, Eva\nY1  - 2015\n"
        "ER  - \n\nEnd of export\n",
        [record("Moss on slate roofs", "Ada Lund", 2014), record("Slate dust", "Eva Roth", 2015)],
    ),
    "empty_jf.ris": (
        "TY  - JOUR\nTI  - Moss\nT2  - \nJF  - \nJO  - Roof Ecol\nPY  - \nY1  - 2014\nDO  - \nER  - \n",
        [record("Moss", "", 2014, venue="Roof Ecol", doi="")],
    ),
    "ebsco.ris": (
        "TY  - JOUR\nID  - 77\nT1  - Moss on slate roofs.\nT2  - How long can it wait?\nAU  - Lund, Ada\nJF  - Roof Ecology\n"
        "JO  - Roof Ecology\nY1  - 2014/03//\nVL  - 5\nER  - \n",
        [record("Moss on slate roofs.", "Ada Lund", 2014, venue="Roof Ecology", date="2014-03")],
    ),
    "chapter.ris": (
        "TY  - CHAP\nTI  - Peat\nT2  - Handbook of Soils\nAU  - de Vries, Jan\nPY  - 2009\nER  - \n",
        [record("Peat", "Jan de Vries", 2009, venue="Handbook of Soils", type="chapter")],
    ),
    "dates.ris": (
        "TY  - JOUR\nTI  - Moss\nPY  - 2014\nDA  - 2015/01/02/\nER  - \n"
        "TY  - JOUR\nTI  - Slate\nY1  - 2013/12/30\nDA  - 2013/12\nER  - \n"
        "TY  - JOUR\nTI  - Dust\nPY  - c2012\nER  - \nTY  - JOUR\nTI  - Roofs\nPY  - March 2011\nER  - \n",
        [
            record("Moss", "", 2014, date=""),
            record("Slate", "", 2013, date="2013-12-30"),
            record("Dust", "", 2012),
            record("Roofs", "", 2011),
        ],
    ),
    "organisations.ris": (
        "TY  - RPRT\nTI  - Roofs of the world\nAU  - World Health Organization\nAU  - Lund, Ada\n"
        "AU  - European Space Agency,\nPY  - 2014\nER  - \n",
        [record("Roofs of the world", "World Health Organization; Ada Lund; European Space Agency", 2014)],
    ),
    "no_end.ris": (
        "TY  - JOUR\nTI  - Moss\nAU  - Lund, Ada\nPY  - 2014\nTY  - JOUR\nTI  - Slate\nAU  - Roth, Eva\nPY  - 2015\n",
        [record("Moss", "Ada Lund", 2014), record("Slate", "Eva Roth", 2015)],
    ),
    "ris.txt": (
        "Exported from Roof Base\n\nTY  - JOUR\nTI  - Moss\nAU  - Lund, Ada, Jr.\nPY  - 2014\nER  - \n",
        [record("Moss", "Ada Lund Jr.", 2014)],
    ),
    "ris.enw": ("TY  - JOUR\nTI  - Moss\nAU  - Lund, Ada\nPY  - 2014\nER  - \n", [record("Moss", "Ada Lund", 2014)]),
    "single_spaces.ris": (
        "TY - JOUR\nT1 - Moss\nA1 - Lund, Ada\nA1 - Roof Study Group\nJO - J. Roof Ecol.\nT2 - Journal of Roof Ecology\nY1 - 2014/03/05/\nER -\n",
        [record("Moss", "Ada Lund; Roof Study Group", 2014, venue="Journal of Roof Ecology", date="2014-03-05")],
    ),
    "title_with_markup.ris": (
        "TY  - JOUR\nTI  - Growth of <i>Bryum</i> &amp; others\nAU  - Lund A\nPY  - 2014/spring\nDA  - MAR 5\nDO  - https://doi.org/\nER  - \n",
        [record("Growth of Bryum & others", "A Lund", 2014, date="2014-03-05", doi="")],
    ),
    "without_type.ris": (
        "TI  - Moss\nAU  - Lund, Ada\nPY  - 2014\nER  - \n\nTI  - Slate\nAU  - Roth, Eva\nPY  - 2015\nER  - \n",
        [record("Moss", "Ada Lund", 2014), record("Slate", "Eva Roth", 2015)],
    ),
}
