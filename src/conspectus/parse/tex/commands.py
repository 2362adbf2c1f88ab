"""What the commands of LaTeX take as arguments, and what of that is text."""

from __future__ import annotations

from conspectus.lexicon import words

_BY_SPEC: tuple[dict[str, str], ...] = (words("latex")["arguments"], words("latex")["environments"])
ARGUMENTS, ENVIRONMENT_ARGUMENTS = (
    {name: spec for spec, names in table.items() for name in names.split()} for table in _BY_SPEC
)
"""By command and by environment: `o` an optional argument and `d` an argument, both dropped; `k` one that is text."""

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
