"""Which services there are: those built in, in the order in which they are asked, and those of installed packages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from conspectus.core import entry_points
from conspectus.core.errors import UsageError

if TYPE_CHECKING:
    from conspectus.services.protocol import Service

GROUP = "services"
BUILT_IN = {
    "europepmc": "conspectus.services.europepmc:EuropePMC",
    "arxiv": "conspectus.services.arxiv:Arxiv",
    "pubmed": "conspectus.services.pubmed:PubMed",
    "pmc": "conspectus.services.pmc:PMC",
    "crossref": "conspectus.services.crossref:Crossref",
    "openalex": "conspectus.services.openalex:OpenAlex",
    "semanticscholar": "conspectus.services.semanticscholar:SemanticScholar",
    "ads": "conspectus.services.ads:Ads",
    "datacite": "conspectus.services.datacite:DataCite",
    "unpaywall": "conspectus.services.unpaywall:Unpaywall",
}


def service_names() -> tuple[str, ...]:
    """All of them."""
    return tuple(entry_points.offered(GROUP, BUILT_IN))


@cache
def service(name: str) -> Service:
    """The service of this name.

    Raises:
        UsageError: there is none.
        UnavailableError: its package cannot be imported.
    """
    offered = entry_points.offered(GROUP, BUILT_IN)
    if name not in offered:
        raise UsageError(f"There is no service '{name}'.", f"There are: {', '.join(offered)}.")
    made: Service = entry_points.make(offered[name])
    return made
