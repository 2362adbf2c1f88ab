"""What the commands of LaTeX take as arguments, and what of that is text."""

from __future__ import annotations

ARGUMENTS: dict[str, str] = {}
"""By command: `o` an optional argument and `d` an argument, both dropped; `k` an argument that is text."""

for _spec, _names in {
    "": (
        "maketitle centering clearpage newpage pagebreak tableofcontents listoffigures listoftables "
        "hline toprule midrule bottomrule small large Large LARGE huge Huge tiny footnotesize scriptsize "
        "normalsize bf it em rm sf tt sc sl bfseries itshape rmfamily sffamily ttfamily scshape upshape "
        "mdseries normalfont selectfont raggedright raggedleft protect par hfill vfill indent frontmatter "
        "mainmatter backmatter onecolumn balance sloppy fussy smallskip medskip bigskip leavevmode null break "
        "nobreak allowbreak unskip ignorespaces FloatBarrier printbibliography nonumber notag qed qedhere "
        "flushbottom doublespacing singlespacing onehalfspacing linenumbers peerreviewmaketitle "
        "IEEEpeerreviewmaketitle bgroup egroup begingroup endgroup makeatletter makeatother twocolumn "
        "correspondingauthor"
    ),
    "od": (
        "usepackage RequirePackage documentclass documentstyle bibliographystyle includepdf "
        "PassOptionsToPackage thispagestyle pagestyle addbibresource bibliography hypersetup graphicspath "
        "geometry vspace hspace label nocite color pagecolor linespread cline cmidrule stepcounter "
        "refstepcounter hyphenation CSLLeftMargin index glsaddall setstretch captionsetup lstset acmConference acmISBN "
        "acmPrice acmDOI acmYear setcopyright received accepted published offprints authorrunning "
        "titlerunning runningtitle runningauthor shorttitle shortauthors slugcomment pubyear vol "
        "submitjournal journal journalinfo volume pagerange ead tnotetext cortext corref fntext tnoteref "
        "fnref todo missingfigure deleted definechangesauthor"
    ),
    "o": ("listoftodos listofchanges"),
    "ok": ("added highlight"),
    "okd": ("replaced"),
    "odd": (
        "setlength addtolength setcounter addtocounter newcounter markboth markright addcontentsline fontsize "
        "titleformat newcolumntype DeclareGraphicsRule DeclareUnicodeCharacter rule"
    ),
    "oddd": ("definecolor contentsline"),
    "ddd": ("DeclarePairedDelimiter"),
    "d": ("newlength newif newdimen newcount newsavebox"),
    "k": (
        "textbf textit emph texttt textsc textrm textsf textup textmd textsl textnormal text mbox hbox fbox "
        "underline uline uppercase lowercase MakeUppercase MakeLowercase centerline leftline hl so st sout "
        "nolinkurl path code textnumero abbrev acro ac gls Gls glspl acs acf acp ce mathrm IEEEauthorblockN "
        "IEEEauthorblockA CSLRightInline CSLBlock CSLIndent"
    ),
    "odk": ("textcolor colorbox parbox raisebox makebox foreignlanguage rotatebox scalebox"),
    "oddk": ("resizebox multirow fcolorbox"),
    "ddk": ("adjustbox"),
    "dk": ("hypertarget"),
}.items():
    ARGUMENTS |= dict.fromkeys(_names.split(), _spec)

ENVIRONMENT_ARGUMENTS = {
    "minipage": "od", "multicols": "d", "wrapfigure": "odod", "wraptable": "odod", "tabular": "od", "tabular*": "dod",
    "tabularx": "dod", "longtable": "od", "array": "od", "thebibliography": "d", "adjustbox": "d", "figure": "o",
    "figure*": "o", "table": "o", "table*": "o", "subfigure": "od", "SCfigure": "oo", "sidewaysfigure": "o",
    "sidewaystable": "o", "deluxetable": "d", "deluxetable*": "d", "itemize": "o", "enumerate": "o", "description": "o",
    "tabulary": "dd", "threeparttable": "o", "spacing": "d", "adjustwidth": "dd", "algorithm": "o", "CJK": "odd",
    "CJK*": "odd", "subtable": "od", "resizebox": "dd", "list": "dd",
}  # fmt: skip

SECTIONS = {
    "part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6,
    "begin_section": 2,
}  # fmt: skip
EQUATIONS = frozenset("equation align eqnarray gather multline displaymath math flalign alignat dmath".split())
FLOATS = frozenset(
    "figure table wrapfigure wraptable SCfigure sidewaysfigure sidewaystable longtable deluxetable algorithm"
    " floatingfigure longrotatetable landscapetable marginfigure margintable teaserfigure".split()
)
TABULARS = frozenset("tabular tabularx tabulary longtable array supertabular deluxetable tabu".split())
THEOREMS = {
    "theorem": "Theorem", "lemma": "Lemma", "proposition": "Proposition", "corollary": "Corollary",
    "definition": "Definition", "remark": "Remark", "proof": "Proof", "example": "Example", "conjecture": "Conjecture",
}  # fmt: skip
HEADED = {
    "acknowledgments": "Acknowledgments", "acknowledgements": "Acknowledgements", "acknowledgment": "Acknowledgment",
    "acknowledgement": "Acknowledgement", "ack": "Acknowledgments",
}  # fmt: skip
