"""Tables as databases export them, in our own words, with what each record says."""

# ruff: noqa: E501
from __future__ import annotations

from export_record import Record, record

TABLES: dict[str, tuple[str, list[Record]]] = {
    "zotero.csv": (
        '\ufeff"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN","ISSN","DOI","Url",'
        '"Abstract Note","Date","Date Added","Pages","Issue","Volume","Manual Tags","Automatic Tags","Editor"\n'
        '"QW12ER34","journalArticle","2014","Lund, Ada; Østby, Per; World Health Organization","Moss on slate roofs",'
        '"Roof Ecology","","1234-5679","10.1234/moss.7","https://x.example/m","Moss holds water.","2014-03-02",'
        '"2020-01-01 10:00:00","11-19","2","5","moss; roofs","Bryophyta",""\n'
        '"ZX98CV76","bookSection","2009","de Vries, Jan","Peat","Handbook of Soils","978-3-16-148410-0","","","",'
        '"","2009","2020-01-01 10:00:00","","","","","soil; peat","Roth, Eva"\n',
        [
            record(
                "Moss on slate roofs", "Ada Lund; Per Østby; World Health Organization", 2014, venue="Roof Ecology",
                abstract="Moss holds water.", doi="10.1234/moss.7", keywords=("moss", "roofs"), volume="5", number="2",
                pages="11-19", type="article-journal", url="https://x.example/m", date="2014-03-02",
            ),
            record("Peat", "Jan de Vries", 2009, venue="Handbook of Soils", type="chapter", keywords=("soil", "peat")),
        ],
    ),
    "scopus_old.csv": (
        'Authors,Author(s) ID,Title,Year,Source title,Volume,Issue,Art. No.,Page start,Page end,Page count,Cited by,DOI,'
        'Link,Affiliations,Abstract,Author Keywords,Index Keywords,Document Type,Source,EID\n'
        '"Lund A., Østby P.M., van der Meer K.","5;6;7",Moss on slate roofs,2014,Roof Ecology,5,2,,11,19,,17,'
        '10.1234/moss.7,https://x.example/m,Univ A,Moss holds water.,Moss; Roof,Bryophyta; Housing,Article,Scopus,'
        '2-s2.0-77\n'
        '"[No author name available]","[No author id available]",Roofs at risk,2015,Roof Ecology,6,1,,1,,,,,,,,,,'
        'Editorial,Scopus,2-s2.0-78\n',
        [
            record(
                "Moss on slate roofs", "A. Lund; P.M. Østby; K. van der Meer", 2014, venue="Roof Ecology",
                citation_count=17, keywords=("Moss", "Roof"), pages="11-19", external_id="2-s2.0-77",
                abstract="Moss holds water.",
            ),
            record("Roofs at risk", "", 2015, citation_count=None),
        ],
    ),
    "scopus_new.csv": (
        '"Authors","Author full names","Author(s) ID","Title","Year","Source title","Cited by","DOI","Abstract",'
        '"References","PubMed ID","Document Type"\n'
        '"Lund A.; Østby P.; Smith J., Jr.","Lund, Ada (571); Østby, Per (572); Smith, John, Jr. (573)","571;572;573",'
        '"Moss, or the art of waiting","2014","Roof Ecology","0","10.1234/moss.8","Waiting.",'
        '"Roth E., Old moss, Roof Ecology, 1, (1999); Blum D., Older moss, (1971)","24000001","Review"\n',
        [
            record(
                "Moss, or the art of waiting", "Ada Lund; Per Østby; John Smith Jr.", 2014, citation_count=0,
                pmid="24000001", references=("Roth E., Old moss, Roof Ecology, 1, (1999)", "Blum D., Older moss, (1971)"),
            )
        ],
    ),
    "wos_tab.txt": (
        "\ufeffPT\tAU\tAF\tTI\tSO\tDE\tID\tAB\tCR\tTC\tSN\tJ9\tPD\tPY\tVL\tIS\tBP\tEP\tDI\tPM\tUT\r\n"
        "J\tLund, A; Ostby, PM\tLund, Ada; Ostby, Per Martin\tMoss on slate roofs\tROOF ECOLOGY\tmoss; roofs\tWATER\t"
        "Moss holds water.\tRoth E, 1999, ROOF ECOL, V1, P1; Blum D, 1971, SOIL, V2, P3\t9\t1234-5679\tROOF ECOL\t"
        "MAR\t2014\t5\t2\t11\t19\t10.1234/moss.7\t24000001\tWOS:0001\r\n"
        "C\tRoth, E\t\tSlate in rain\tPROC ROOFS\t\tRAIN; SLATE\t\t\t0\t\t\t\t2010\t\t\t7\t\t\t\tWOS:0002\r\n",
        [
            record(
                "Moss on slate roofs", "Ada Lund; Per Martin Ostby", 2014, venue="ROOF ECOLOGY", citation_count=9,
                keywords=("moss", "roofs"), pmid="24000001", pages="11-19", date="2014-03", external_id="WOS:0001",
                abstract="Moss holds water.", type="article-journal",
            ),
            record("Slate in rain", "E Roth", 2010, keywords=("RAIN", "SLATE"), pages="7", type="paper-conference"),
        ],
    ),
    "wos_excel.csv": (
        "Publication Type,Authors,Author Full Names,Article Title,Source Title,Document Type,Author Keywords,"
        "Keywords Plus,Abstract,\"Times Cited, WoS Core\",\"Times Cited, All Databases\",Publication Date,"
        "Publication Year,Volume,Issue,Start Page,End Page,DOI,Pubmed Id,UT (Unique WOS ID)\n"
        "J,\"Lund, A; Ostby, P\",\"Lund, Ada; Ostby, Per\",Moss on slate roofs,ROOF ECOLOGY,Article,moss; roofs,WATER,"
        "Moss holds water.,9,11,MAR 5,2014,5,2,11,19,10.1234/moss.7,24000001,WOS:0001\n",
        [
            record(
                "Moss on slate roofs", "Ada Lund; Per Ostby", 2014, venue="ROOF ECOLOGY", citation_count=9,
                keywords=("moss", "roofs"), date="2014-03-05", pmid="24000001", external_id="WOS:0001",
            )
        ],
    ),
    "ieee.csv": (
        '"Document Title",Authors,"Author Affiliations","Publication Title",Date Added To Xplore,"Publication Year",'
        '"Volume","Issue","Start Page","End Page","Abstract","ISSN",ISBNs,"DOI",Funding Information,PDF Link,'
        '"Author Keywords","IEEE Terms","Article Citation Count","Publisher",Document Identifier\n'
        '"Sensing moss","A. Lund; P. van der Meer; J. Smith","Univ A; Univ B; Univ C","2014 Int. Conf. on Roofs",'
        '"1 May 2014","2014","","","11","19","Moss is sensed.","1","","10.1234/CONF.2014.7","",'
        '"https://x.example/p.jsp?a=1","moss;sensor","Roofs;Sensors","4","IEEE","IEEE Conferences"\n',
        [
            record(
                "Sensing moss", "A. Lund; P. van der Meer; J. Smith", 2014, venue="2014 Int. Conf. on Roofs",
                keywords=("moss", "sensor"), citation_count=4, doi="10.1234/conf.2014.7", pages="11-19",
                type="paper-conference", publisher="IEEE",
            )
        ],
    ),
    "embase_columns.csv": (
        '"Embase export of 2 records, 3 May 2020"\n\n'
        '"Title","Author Names","Source title","Publication Year","Volume","Issue","First Page","Last Page",'
        '"Date of Publication","Publication Type","Abstract","Author Keywords","DOI","Medline PMID","PUI"\n'
        '"Moss in the ward","Lund A., Ostby P.","Hospital Roofs","2014","5","2","11","19","March 2014","Article",'
        '"Moss grows.","moss, ward","10.1234/moss.9","24000003","L1001"\n'
        '"Slate dust","Roth E.","Hospital Roofs","2015","","","","","","Article in Press","","","","",""\n',
        [
            record(
                "Moss in the ward", "A. Lund; P. Ostby", 2014, venue="Hospital Roofs", pmid="24000003",
                date="2014-03", keywords=("moss", "ward"), pages="11-19", abstract="Moss grows.",
            ),
            record("Slate dust", "E. Roth", 2015),
        ],
    ),
    "embase_rows.csv": (
        '"TITLE","Moss in the ward"\n"AUTHOR NAMES","Lund A.","Ostby P."\n"SOURCE TITLE","Hospital Roofs"\n'
        '"PUBLICATION YEAR","2014"\n"ABSTRACT","Moss grows."\n"DOI","10.1234/moss.9"\n"MEDLINE PMID","24000003"\n\n'
        '"TITLE","Slate dust"\n"AUTHOR NAMES","Roth E."\n"PUBLICATION YEAR","2015"\n',
        [
            record(
                "Moss in the ward", "A. Lund; P. Ostby", 2014, venue="Hospital Roofs", doi="10.1234/moss.9",
                pmid="24000003", abstract="Moss grows.",
            ),
            record("Slate dust", "E. Roth", 2015),
        ],
    ),
    "pubmed.csv": (
        '\ufeffPMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI\n'
        '24000003,Moss in the ward.,"Lund A, van der Meer PM, O\'Neil J Jr, Roof Study Group.",'
        '"Hosp Roofs. 2014 Mar;5(2):11-9. doi: 10.1234/moss.9.",Lund A,Hosp Roofs,2014,2014/02/01,PMC77,,'
        "10.1234/moss.9\n"
        "24000004,Slate dust,Roth E.,,Roth E,Hosp Roofs,2015,2015/02/01,,,\n",
        [
            record(
                "Moss in the ward", "A Lund; PM van der Meer; J O'Neil Jr; Roof Study Group", 2014, pmid="24000003",
                venue="Hosp Roofs", doi="10.1234/moss.9", pmcid="PMC77",
            ),
            record("Slate dust", "E Roth", 2015, pmid="24000004"),
        ],
    ),
    "lens.csv": (
        '\ufeff"Lens ID","Title","Date Published","Publication Year","Publication Type","Source Title","ISSNs",'
        '"Publisher","Author/s","Abstract","Volume","Issue Number","Start Page","End Page","Fields of Study","Keywords",'
        '"PMID","DOI","PMCID","References","Citing Works Count","Is Open Access"\n'
        '"001-002","Moss on slate roofs","2014-03-05","2014","journal article","Roof Ecology","12345679","Roof Press",'
        '"Ada Lund; Per van der Meer","Moss holds water.","5","2","11","19","Biology; Housing","moss; roofs","24000001",'
        '"10.1234/moss.7","PMC77","003-004; 005-006","17","true"\n',
        [
            record(
                "Moss on slate roofs", "Ada Lund; Per van der Meer", 2014, venue="Roof Ecology", citation_count=17,
                keywords=("moss", "roofs"), date="2014-03-05", external_id="001-002", type="article-journal",
                references=("003-004", "005-006"), publisher="Roof Press",
            )
        ],
    ),
    "dimensions.csv": (
        '"About the data: Exported on May 03, 2020. Criteria: ""moss"" in full data."\n'
        "Rank,Publication ID,DOI,PMID,PMCID,Title,Abstract,Source title,Anthology title,MeSH terms,Publication Date,"
        "PubYear,Volume,Issue,Pagination,Open Access,Publication Type,Authors,Times cited,Dimensions URL\n"
        '500,pub.1001,10.1234/moss.7,24000001,PMC77,Moss on slate roofs,Moss holds water.,Roof Ecology,,,2014-03-05,'
        '2014,5,2,11-19,Closed,Article,"Lund, Ada; van der Meer, Per",17,https://x.example/pub.1001\n',
        [
            record(
                "Moss on slate roofs", "Ada Lund; Per van der Meer", 2014, venue="Roof Ecology", citation_count=17,
                date="2014-03-05", pages="11-19", external_id="pub.1001", url="https://x.example/pub.1001",
            )
        ],
    ),
    "covidence.csv": (
        "Title,Authors,Abstract,Published Year,Published Month,Journal,Volume,Issue,Pages,Accession Number,DOI,Ref,"
        "Covidence #,Study,Notes,Tags\n"
        'Moss on slate roofs,"Lund, A.; van der Meer, P.",Moss holds water.,2014,March,Roof Ecology,5,2,11-19,24000001,'
        "10.1234/moss.7,1,#77,Lund 2014,,pilot\n",
        [
            record(
                "Moss on slate roofs", "A. Lund; P. van der Meer", 2014, venue="Roof Ecology", date="2014-03",
                abstract="Moss holds water.", external_id="#77",
            )
        ],
    ),
    "rayyan.csv": (
        "key,title,year,month,day,journal,issn,volume,issue,pages,authors,url,language,publisher,location,abstract,"
        "notes,pubmed_id,pmc_id\n"
        'rayyan-1,Moss on slate roofs,2014,3,5,Roof Ecology,1234-5679,5,2,11-19,"Lund, Ada and van der Meer, Per",'
        "https://x.example/m,eng,Roof Press,,Moss holds water.,,24000001,PMC77\n"
        'rayyan-2,Slate dust,2015,,,Roof Ecology,,,,,"Roth, Eva",,,,,,,,\n',
        [
            record(
                "Moss on slate roofs", "Ada Lund; Per van der Meer", 2014, date="2014-03-05", pmid="24000001",
                venue="Roof Ecology", external_id="rayyan-1", abstract="Moss holds water.", number="2",
            ),
            record("Slate dust", "Eva Roth", 2015),
        ],
    ),
    "sep.csv": (
        "sep=;\r\nTitle;Authors;Published Year;Abstract\r\nMoss on slate roofs;Lund, A.;2014;Moss holds; water.\r\n"
        .replace("holds; water", '"holds; water"').replace('Moss "holds; water".', '"Moss holds; water."'),
        [record("Moss on slate roofs", "A. Lund", 2014, abstract="Moss holds; water.")],
    ),
    "sep_tab.csv": (
        "sep=\t\ntitle\tauthors\tyear\tabstract\nMoss, slate, roofs\tAda Lund\t2014\tMoss holds, keeps, gives.\n",
        [record("Moss, slate, roofs", "Ada Lund", 2014, abstract="Moss holds, keeps, gives.")],
    ),
    "own.csv": (
        "id,title,authors,year,site\nr1,Moss on slate roofs,Ada Lund; Per Østby,2014,north\n",
        [record("Moss on slate roofs", "Ada Lund; Per Østby", 2014, external_id="r1", site="north")],
    ),
    "ieee_with_address.csv": (
        '"https://x.example/search?q=moss","2015/01/01 10:00:00"\n'
        '"Document Title","Authors","Publication Title","Publication_Year","Abstract","DOI","Document Identifier"\n'
        '"Sensing moss","Lund, A.;Meer, P. van der","Roof Sensors","2014","Moss is sensed.","10.1234/c.7","IEEE Journals"\n',
        [record("Sensing moss", "A. Lund; P. van der Meer", 2014, venue="Roof Sensors", abstract="Moss is sensed.")],
    ),
    "covidence_initials.csv": (
        "Title,Authors,Abstract,Published Year,Published Month,Journal,DOI,Covidence #\n"
        'Moss on slate roofs,"Lund A, van der Meer PM",Moss holds water.,2014,,Roof Ecology,,#7\n'
        'Roofs of the world,World Health Organization,,2015,,,,#8\n',
        [
            record("Moss on slate roofs", "A Lund; PM van der Meer", 2014),
            record("Roofs of the world", "World Health Organization", 2015),
        ],
    ),
    "embase_source.csv": (
        "Title,Author Names,Source,Publication Year,Abstract,PUI\n"
        '"Moss in the ward","Lund A., Ostby P.","Hospital Roofs (2014) 5:2 (11-19). Date of Publication: 1 Mar 2014",2014,'
        "Moss grows.,L1\n",
        [
            record(
                "Moss in the ward", "A. Lund; P. Ostby", 2014, venue="Hospital Roofs", volume="5", number="2",
                pages="11-19",
            )
        ],
    ),
    "pubmed_citation.csv": (
        "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI\n"
        '5,Moss in the ward,Lund A.,"Hosp Roofs. 2014 Mar;5(2):11-9. doi: 10.1234/moss.9.",Lund A,Hosp Roofs,2014,'
        "2014/02/01,,,\n",
        [record("Moss in the ward", "A Lund", 2014, volume="5", number="2", pages="11-9")],
    ),
    "wos_quotes.tsv": (
        "PT\tAU\tTI\tSO\tPY\tUT\n"
        'J\tLund, A; Ostby, P\t"Moss", or "Bryophyta" on roofs\tROOF ECOLOGY\t2014\tWOS:1\n'
        'J\tRoth, E\t"Dust of slate\tROOF ECOLOGY\t2015\tWOS:2\n',
        [record('"Moss", or "Bryophyta" on roofs', "A Lund; P Ostby", 2014), record('"Dust of slate', "E Roth", 2015)],
    ),
    "ebsco.csv": (
        '"Article Title","Author","Journal Title","ISSN","Publication Date","Volume","Issue","First Page",'
        '"Accession Number","DOI","Doctype","Keywords","Abstract"\n'
        '"Moss on slate roofs.","Lund, Ada; Østby, Per","Roof Ecology","12345679","Mar2014","5","2","11","77",'
        '"10.1234/moss.7","Article","moss; roofs","Moss holds water."\n',
        [record("Moss on slate roofs", "Ada Lund; Per Østby", 2014, venue="Roof Ecology", date="2014-03", pages="11")],
    ),
    "publish_or_perish.csv": (
        'Cites,Authors,Title,Year,Source,Publisher,ArticleURL,CitesURL,GSRank,DOI,ISSN,Volume,Issue,StartPage,EndPage,Abstract\n'
        '17,"A Lund, P Østby","Moss on slate roofs",2014,"Roof Ecology","Roof Press","https://x.example/m",,1,,,5,2,11,19,'
        '"Moss …"\n',
        [record("Moss on slate roofs", "A Lund; P Østby", 2014, venue="Roof Ecology", citation_count=17, pages="11-19")],
    ),
    "scopus_capitals.csv": (
        "AUTHORS,TITLE,YEAR,SOURCE TITLE,CITED BY,DOI,LINK,ABSTRACT,DOCUMENT TYPE,EID\n"
        '"van der Meer, P., Lund, A.B.",Moss on slate roofs,2014,Roof Ecology,"1,204",https://doi.org/,,Moss.,Article,2-s2.0-9\n',
        [record("Moss on slate roofs", "P. van der Meer; A.B. Lund", 2014, citation_count=1204, doi="")],
    ),
    "zotero_organisation.csv": (
        '"Key","Item Type","Publication Year","Author","Title","Publication Title","Url","Abstract Note","Date"\n'
        '"K1","report","1999","European Space Agency; Lund, Ada, Jr.","Roofs seen from above","","https://doi.org/","","c1999"\n',
        [record("Roofs seen from above", "European Space Agency; Ada Lund Jr.", 1999, url="", type="report")],
    ),
    "export_without_ending": (
        'Authors,Title,Year,Source title,Cited by,DOI,Abstract,EID\n"Lund A.",Moss on slate roofs,2014,Roof Ecology,3,,M.,2-s2.0-1\n',
        [record("Moss on slate roofs", "A. Lund", 2014, citation_count=3)],
    ),
}  # fmt: skip
