"""Which services of a run can be asked, and what the user reads where one cannot."""

from __future__ import annotations

import pytest

from conspectus.core.errors import UsageError
from conspectus.services.pool import DEFAULT_SEARCH, ServicePool, chosen_services
from conspectus.services.protocol import Identifier, WorkQuery
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.secret import Secret

SET = SourcesSettings(mailto="me@example.org", ads_key=Secret("key"))
WORDS = WorkQuery(words="moss")


@pytest.mark.parametrize(
    ("name", "settings", "query", "why"),
    [
        ("ads", SET, WORDS, ""),
        ("ads", SourcesSettings(), WORDS, "NASA ADS requires a key: set sources.ads.key."),
        ("unpaywall", SET, None, ""),
        ("unpaywall", SourcesSettings(), None, "Unpaywall requires an e-mail address: set sources.mailto."),
        ("unpaywall", SET, WORDS, "Unpaywall cannot be searched; it only looks up identifiers."),
        ("crossref", SET, WorkQuery(mesh="Moss"), "Crossref cannot be searched by MeSH heading."),
        ("arxiv", SET, WorkQuery(citing=Identifier("doi", "10.1000/a"), any_word=True), "arXiv cannot be searched for"),
    ],
)
def test_why_a_service_cannot_be_asked(
    name: str, settings: SourcesSettings, query: WorkQuery | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user would read that a service refuses, and not what is missing."""
    monkeypatch.delenv("ADS_API_TOKEN", raising=False)
    said = ServicePool(settings).cannot(name, query)
    assert said.startswith(why) and bool(said) == bool(why)


def test_services_by_their_names() -> None:
    """A slip in a name would search elsewhere, or nowhere."""
    assert chosen_services(["arxiv", "ads", "arxiv"]) == ("arxiv", "ads")
    assert chosen_services([]) == DEFAULT_SEARCH
    with pytest.raises(UsageError, match="'arxvi'"):
        chosen_services(["arxvi"])
