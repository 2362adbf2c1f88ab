"""The words of a small paper about storm surges, and its first page."""

from variant_pdfs import BOLD, WIDTH, Drawing

TITLE = "Storm surges in narrow bays"
ABSTRACT = (
    "Storm surges are higher in narrow bays than on open coasts. We modelled nine bays with a grid of fifty metres. "
    "The width of the mouth explains most of the difference."
)
PARTS = [
    "Storms push water into a bay faster than it can leave. The mouth of the bay acts as a valve. Old engineers knew "
    "this and built their harbours in wide bays. Newer harbours were built where land was cheap.",
    "We used a model of shallow water with friction at the bottom. The wind was that of four storms. Each run lasted "
    "six days of model time. The first two days were left out because the model had to settle.",
    "Bays with a mouth of less than a kilometre had surges of two metres. Wider bays had surges of one metre. The "
    "depth of the bay mattered less than we had expected. Rivers did not matter at all in our runs.",
    "A simple rule follows for planners. The height of a surge is inversely proportional to the width of the mouth "
    "where that is small. The rule fails for bays with islands. It should be tested with measurements.",
]


def front(page: Drawing) -> float:
    page.centre(90, TITLE, 17, BOLD)
    page.centre(114, "Greta Holm and Tomás Ruiz", 11)
    page.text(70, 145, "Abstract", 11, BOLD)
    y = page.paragraph(70, 160, WIDTH - 140, ABSTRACT)
    page.text(70, y + 16, "1 Introduction", 12, BOLD)
    return y + 34
