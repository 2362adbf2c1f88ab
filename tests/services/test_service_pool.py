"""Which services of a run can be asked, and what the user reads where one cannot."""

from __future__ import annotations

import pytest

from conspectus.core.errors import UsageError
from conspectus.core.job_context import Notice, listen
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


def test_the_cost_is_told_before_it_is_spent() -> None:
    """A user would learn what a thousand works cost when the day's money is gone."""
    nobody = {f"{name}_url": "http://127.0.0.1:9" for name in ("openalex", "crossref")}
    pool = ServicePool(SourcesSettings(**nobody))
    identifiers = [Identifier("doi", f"10.1000/{number}") for number in range(101)]
    told: list[str] = []
    with listen(lambda notice: told.append(notice.text), Notice):
        pool.find(["openalex", "crossref"], WORDS, 1000)
        pool.find(["openalex"], WorkQuery(citing=identifiers[0]), 10)
        pool.look_up_at("openalex", identifiers)
        pool.look_up_at("openalex", identifiers[:1])
    left = "$0.10 can still be spent today."
    assert [text for text in told if "can still" in text] == [
        f"OpenAlex: 10 requests for about $0.01; {left}",
        f"OpenAlex: 1 request for about $0.0001; {left}",
        f"OpenAlex: 3 requests for about $0.0003; {left}",
    ]


def test_services_by_their_names() -> None:
    """A slip in a name would search elsewhere, or nowhere."""
    assert chosen_services(["arxiv", "ads", "arxiv"]) == ("arxiv", "ads")
    assert chosen_services([]) == DEFAULT_SEARCH
    with pytest.raises(UsageError, match="'arxvi'"):
        chosen_services(["arxvi"])
