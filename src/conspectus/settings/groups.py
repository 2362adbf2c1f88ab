"""The groups of settings: each a frozen dataclass, every field with its bounds and what it means."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_type_hints

from msgspec import Meta

from conspectus.core.disk import possible_path
from conspectus.records.models import DeviceName, Role
from conspectus.settings.fields import (
    limit_setting,
    service_address,
    service_key,
    setting,
    user_setting,
)
from conspectus.settings.secret import Secret

# every number has both bounds: what a slip or a stranger sets must not make a search, or a wait, that never ends
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Calls = Annotated[int, Meta(ge=1, le=10_000)]
Threads = Annotated[int, Meta(ge=0, le=1000)]
Tokens = Annotated[int, Meta(ge=0, le=10**9)]
Seconds = Annotated[float, Meta(gt=0, le=7 * 24 * 3600)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0, le=0.3)]
Codes = Annotated[str, Meta(pattern=r"^[A-Za-z0-9*, -]*$", max_length=200)]
NO_MODEL = "none"
"""The name that stands for no language model, in settings as empty is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSettings:
    """Where the catalog is: in the library's folder, or in a PostgreSQL database that a group shares."""

    url: Secret = user_setting(
        "`postgresql://USER@HOST/DATABASE` of a catalog for a group; empty: SQLite in the library's folder", Secret()
    )
    schema: str = user_setting("the schema in that database; each schema is a separate library", "conspectus")
    wait: Seconds = limit_setting("seconds to wait while another process or job writes", 3600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Which models are used, and where they are kept."""

    embedder: str = user_setting(
        "`minilm` (local), `minilm-float32` (local, for accelerators), `static` (local, quick and less exact), "
        "`openai:NAME`, `ollama:NAME`, `URL#NAME` of an OpenAI-compatible server, or one that an installed package "
        "brings",
        "minilm",
    )
    vectors: Literal["now", "after", "later"] = setting(
        "when a new library's passages get their vectors: `now`, as they are added; `after`, when all that is added "
        "can be searched by static vectors; `later`, by `library reindex`, and until then by static vectors",
        "now",
    )
    device: DeviceName = user_setting(
        "what `minilm-float32` computes on: `auto` takes `cuda`, `coreml` or `directml` where the onnxruntime that is "
        "installed offers one, else `cpu`",
        "auto",
    )
    encoder: str = user_setting(
        "what makes vectors of pictures: `efficientnet` (local), `onnx:FOLDER`, `sentence-transformers:NAME`, or one "
        "that an installed package brings",
        "efficientnet",
    )
    store: str = user_setting("folder of the model store; empty: the user's cache folder", "")
    api_key: Secret = user_setting(
        "key for the embedding service; empty: `OPENAI_API_KEY`, where `openai:` is used", Secret()
    )
    threads: Threads = user_setting("threads that embed and re-rank; 0: as many as there are processors", 0)
    rerank_key: Secret = user_setting(
        "key for the reranker; empty: `COHERE_API_KEY`, where `cohere:` is used", Secret()
    )
    timeout: Seconds = limit_setting("seconds to wait for an embedding service or a reranker", 60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """By what a library is searched."""

    engine: str = user_setting(
        "the index engine: `embedded`, with files on each machine; `postgres`, in the database of `catalog.url`, which "
        "needs the extension pgvector; or one that an installed package brings",
        "embedded",
    )
    foreign: Literal["rebuild", "open"] = user_setting(
        "an index that another user or another computer wrote: `rebuild` it from the catalog before it is searched, or "
        "`open` it as it is, for a folder that a group shares or that can only be read",
        "rebuild",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseSettings:
    """Limits of the child processes that read files."""

    workers: Threads = user_setting("processes that read files; 0: as many as there are processors, at most 8", 0)
    cluster: str = user_setting(
        "address of a Dask scheduler whose workers read files and embed texts, such as `tcp://HOST:8786` (needs "
        "`pip install 'conspectus[cluster]'`); empty: that is done here",
        "",
    )
    timeout: Seconds = user_setting(
        "seconds of processor time that one file may take without a sign of life, and in all as many, with as many "
        "again for each megabyte begun (four times that where pages are recognised). On the clock it may take ten "
        "times as long, since a busy machine reads more slowly",
        120.0,
    )
    memory: Annotated[int, Meta(ge=100, le=10**9)] = user_setting("MB of memory that reading one file may take", 2000)
    grobid_url: str = user_setting("address of a GROBID server that reads PDFs; empty: they are read here", "")
    grobid_away: Literal["fail", "wait", "embedded"] = setting(
        "when it does not answer: its files fail, are waited for, or are read by the embedded reader", "fail"
    )
    grobid_wait: Seconds = limit_setting("seconds to wait, at most, for a GROBID server that is busy or away", 300.0)
    ocr: Literal["no", "auto"] = setting(
        "recognise text in PDF pages that are pictures, such as scans (needs `pip install 'conspectus[ocr]'`): `no`, "
        "or `auto`: in pages without a text layer",
        "no",
    )
    linked: bool = setting("add the files that records name as the same paper (BibTeX `file`, RIS `L1`)", True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSettings:
    """How papers are cut into passages (S2); with other values all would have to be cut and embedded again."""

    chars: Annotated[int, Meta(ge=200, le=20000)] = setting("characters in a passage, about", 1400)
    overlap: Annotated[int, Meta(ge=0, le=10000)] = setting("characters shared by neighbouring passages, about", 280)


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularySettings:
    """What is read of vocabularies."""

    languages: Codes = setting("languages of the names that are read, divided by commas: `en`, `de`; `*`: all", "en")
    fuzzy: Annotated[float, Meta(ge=0.7, le=1)] = setting(
        "the least likeness (Levenshtein's) of a word to one of names by which linking by `fuzzy` takes it for that",
        0.9,
    )
    semantic: Annotated[float, Meta(ge=0.5, le=1)] = setting(
        "the least cosine of words with a name by which linking by `semantic` takes them for that", 0.95
    )

    @property
    def language_list(self) -> tuple[str, ...]:
        """The `languages`, one by one; `en` where none is named."""
        return tuple(name for part in self.languages.split(",") if (name := part.strip())) or ("en",)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How passages are found and ranked."""

    k: Annotated[int, Meta(ge=1, le=1_000_000)] = setting("papers that a search returns", 10)
    candidates: Annotated[int, Meta(ge=1, le=10000)] = setting(
        "passages taken from full text and from vectors, each, before fusion", 50
    )
    by_query: bool = setting(
        "the three weights `dense_weight`, `exact_weight` and `rerank_weight` follow the query: as set for a question, "
        "mostly exact words for words typed for something known; off where one of them is set",
        True,
    )
    dense_weight: Fraction = setting("weight of vector similarity in the fusion; full text has the rest", 0.7)
    exact_weight: Fraction = setting(
        "weight of the share of the query's words that a passage contains, including its paper's title, authors, "
        "year and identifiers; the rest is the fusion of vectors and full text",
        0.0,
    )
    reranker: str = user_setting(
        "what re-ranks: `late` (late interaction), `none`, `onnx:FOLDER`, `sentence-transformers:NAME`, "
        "`cohere:MODEL`, `URL#NAME` of a server, `judge` (the language model for that role), or one that an installed "
        "package brings",
        "late",
        "none",
        "judge",
    )
    rerank: Annotated[int, Meta(ge=0, le=1000)] = limit_setting("best passages re-ranked; 0: none", 30)
    rerank_weight: Fraction = setting("weight of late interaction among those; fusion has the rest", 0.3)
    reranker_weight: Fraction = setting("the same of another reranker", 1.0)
    spelling: bool = setting("search for the likely spelling of words that the library does not have, and say so", True)
    weighting: Literal["additive", "published"] = setting(
        "how weights by keywords, recency and citations are applied: `additive`, or as pathfinder published them "
        "(eq. 1 and 2, multiplied, over 1,000 candidates)",
        "additive",
    )
    keywords: bool = setting("prefer papers whose keywords the question names", False)
    recency: bool = setting("prefer newer papers", False)
    citations: bool = setting("prefer papers that are cited more", False)
    keyword_weight: Weight = setting("what all keywords together add to a score, which is 0 to 1 without it", 0.1)
    recency_weight: Weight = setting("what being the newest paper adds", 0.1)
    citation_weight: Weight = setting("what having the most citations adds", 0.1)
    half_life: Annotated[float, Meta(gt=0, le=10_000)] = setting(
        "years after which a paper has half the recency of the newest of those found", 5.0
    )
    saturation: Count = setting("citations from which on more add nothing", 300)
    mmr: Fraction = setting(
        "lambda of maximal marginal relevance: 1 ranks by relevance alone; lower values prefer papers unlike those "
        "above",
        1.0,
    )
    per_paper: Count = setting("passages of one paper that a search shows, at most", 4)
    expand: Literal["no", "feedback", "hyde", "rephrase"] = user_setting(
        "texts searched for besides the question: the best passages found (`feedback`), an abstract written by a "
        "language model (`hyde`), other wordings by a language model (`rephrase`), or none (`no`)",
        "no",
        "feedback",
    )
    expansions: Annotated[int, Meta(ge=0, le=20)] = limit_setting(
        "how many abstracts or wordings a model writes for that, or passages are taken; 0: one abstract, three of the "
        "others",
        0,
    )
    expand_share: Fraction = setting("their share in the vector that is searched for; the question has the rest", 0.5)
    conclusion: bool = setting("have such an abstract end with its paper's conclusion", False)
    use: Literal["raw", "summary", "both"] = setting(
        "what is searched: the papers' passages (`raw`), their summaries (`summary`), or `both`",
        "raw",
    )
    graph: Literal["no", "subgraph", "pagerank", "auto"] = setting(
        "also find passages by the entities that a question names: by the paths between them (`subgraph`), by a "
        "random walk from them (`pagerank`), or by the method that was measured to help on this library, if any "
        "(`auto`)",
        "no",
    )
    graph_weight: Fraction = setting("weight of passages found by the graph", 0.3)
    graph_near_ties: bool = setting(
        "if the two nearest passages are nearly tied, decide by their sentences that mention the question's entities",
        False,
    )
    outliers: bool = setting("mark papers that are far from the others found", False)
    outlier_gamma: Annotated[float, Meta(ge=-2, le=2)] = setting(
        "outliers are farther from the centroid of the others found than D95 less this; more: more outliers", -0.05
    )
    outlier_cut: Literal["midway", "published"] = setting(
        "that limit itself (`published`, with gamma 0.1), or halfway from it to the set's median (`midway`)", "midway"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How `ask` quotes."""

    probability: Fraction = setting(
        "minimum estimated probability that the papers answer a question; below it the question is not answered", 0.25
    )
    threshold: Fraction = setting(
        "below this support a question is not answered, with embedders that `answer.probability` is not made for", 0.6
    )
    statements: Count = setting("sentences that an answer without a language model quotes, at most", 5)
    per_paper: Count = setting("sentences that such an answer quotes from one paper, at most", 2)
    passages: Count = limit_setting("passages whose sentences are considered", 12)


def set_name(name: str) -> str:
    """The name of a language model as a setting gives it; "" for `none`, too."""
    return "" if name.strip() == NO_MODEL else name


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageSettings:
    """Which language models answer, and within what limits."""

    model: str = user_setting(
        "the language model, also written `model`: `PROVIDER:NAME` (openai, anthropic, google, mistral, openrouter, "
        "deepseek, groq, together, ollama), the URL of an OpenAI-compatible server (`URL#NAME` to name its model), or "
        "`local:FILE.gguf`; empty: answers are made of quotes. `conspectus models connect` tests and sets it",
        "",
        "none",
    )
    ask: str = user_setting(
        "the model that rewrites questions and writes background; empty: `language.model`", "", "none"
    )
    summarise: str = user_setting("the model that reads passages; empty: `language.model`", "", "none")
    write: str = user_setting("the model that writes answers; empty: `language.model`", "", "none")
    agent: str = user_setting("the model that chooses what to do next; empty: `language.model`", "", "none")
    judge: str = user_setting(
        "the model that judges whether sentences support a statement, or `onnx:FOLDER`, a model of entailment that "
        "does it on this machine; empty: `language.model`",
        "",
        "none",
    )
    vision: str = user_setting(
        "the model that reads figures where a question asks for it (`read_figures`), one that accepts images; empty: "
        "none does, whatever `language.model` is",
        "",
        "none",
    )
    api_key: Secret = user_setting(
        "key for the service; empty: the provider's own variable, such as `OPENAI_API_KEY`", Secret()
    )
    timeout: Seconds = limit_setting("seconds to wait for an answer", 120.0)
    concurrency: Annotated[int, Meta(ge=1, le=1000)] = limit_setting("calls at a time, for each provider", 10)
    requests_per_minute: Tokens = setting("calls per minute, for each provider; 0: no limit", 0)
    tokens_per_minute: Tokens = setting("tokens sent in a minute, for each provider, about; 0: no limit", 0)
    max_tokens: Annotated[int, Meta(ge=1, le=10**9)] = limit_setting("tokens of one answer, at most", 4000)
    context: Tokens = user_setting(
        "tokens that a prompt and its answer may have together; 0: as the model is known to", 0
    )
    threads: Threads = user_setting(
        "threads that a model in a file computes with; 0: as many as there are processors", 0
    )
    temperature: Annotated[float, Meta(ge=0, le=2)] = setting("how freely words are chosen", 0.0)
    effort: Literal["", "none", "minimal", "low", "medium", "high"] = user_setting(
        "how much a model that reasons does so before it answers: `none`, `minimal`, `low`, `medium` or `high`, if its "
        "provider supports it; empty: the provider's default",
        "",
        "none",
        "minimal",
        "low",
    )
    cache: bool = user_setting("store replies of models in the library, and do not ask the same again", True)

    def of(self, role: Role) -> str:
        """The name of the model for a role; "" where none is set. The name `none` is as empty.

        A model of entailment writes nothing: what else the judge is asked goes to `language.model`. That may take no
        pictures, and nobody is sent any unasked: `vision` has its own or none.
        """
        name: str = getattr(self, role) if role != "judge" or not self.entailment else ""
        return set_name(name) or (set_name(self.model) if role != "vision" else "")

    def none_for(self, role: Role, model: str) -> str:
        """Why no model has a role where a call asked for the `model` of a name, or for none: the end of a sentence."""
        is_set = model == NO_MODEL and self.of(role)
        return f"it was asked without one (model '{NO_MODEL}')" if is_set else "there is none"

    @property
    def entailment(self) -> str:
        """The folder of the model of entailment (`onnx:FOLDER`) that judges statements; "" if none does."""
        name = self.judge.strip()
        return name.removeprefix("onnx:") if name.startswith("onnx:") else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How passages are read for an answer that a language model writes (P3)."""

    read: Calls = limit_setting("passages that a language model reads for a question, at most", 20)
    keep: Calls = limit_setting("pieces of evidence that an answer is written from, at most", 8)
    per_paper: Count = setting(
        "most pieces of evidence from one paper while other papers have equally relevant ones", 3
    )
    least: Annotated[int, Meta(ge=0, le=10)] = setting("relevance (0 to 10) below which a passage is left out", 3)
    phrasings: Annotated[int, Meta(ge=0, le=1000)] = limit_setting("other phrasings of the question to search by", 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusSettings:
    """How many papers are asked for their stance on a claim (F10)."""

    papers: Calls = limit_setting("papers whose stance on a claim is judged", 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtlasSettings:
    """The map of the library (F12, S10)."""

    method: Literal["tsne", "umap", "pca"] = setting(
        "method that places papers on the map: `tsne`, `umap` or `pca`", "tsne"
    )
    perplexity: Annotated[float, Meta(ge=2, le=200)] = setting("about as many texts count as neighbours (t-SNE)", 30.0)
    sample: Annotated[int, Meta(ge=100, le=1_000_000)] = setting(
        "maximum number of texts to which the map is fitted; others are placed next to similar ones", 50_000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """When an agent (`--agent`) has done enough (P6)."""

    steps: Calls = limit_setting("calls of tools, at most", 12)
    pieces: Calls = limit_setting("pieces of evidence that are enough to answer", 5)
    papers: Calls = limit_setting("papers that they must come from; fewer if there are fewer", 2)
    idle: Calls = limit_setting("turns in a row without new evidence after which it has to answer", 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """What one answer may take; then it ends with what it has. 0: no limit."""

    cost: Annotated[float, Meta(ge=0, le=10**9)] = setting(
        "US dollars that one answer may cost, where prices are known; 0: no limit", 0.0
    )
    tokens: Tokens = setting("tokens of prompts and answers that one answer may take; 0: no limit", 0)
    seconds: Annotated[float, Meta(ge=0, le=7 * 24 * 3600)] = setting(
        "seconds that one answer may take; 0: no limit", 0.0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesSettings:
    """Where papers come from: services that know publications, which are asked only where `online` says so; folders."""

    online: bool = user_setting(
        "use services on the internet, such as Crossref and Europe PMC, to find and complete papers", False
    )
    mailto: str = user_setting(
        "your e-mail address, sent to the services, which then serve you better (Unpaywall needs it); empty: not sent",
        "",
    )
    max_age: Annotated[float, Meta(ge=0, le=3650)] = user_setting(
        "days for which an answer of a service is used again without asking", 7.0
    )
    max_cost: Annotated[float, Meta(ge=0, le=10_000)] = user_setting(
        "US dollars a day that a service with prices (OpenAlex) may cost; 0: free tier only", 0.0
    )
    crossref_url: str = service_address(
        "address of Crossref, or of a service that answers as it does", "api.crossref.org"
    )
    arxiv_url: str = service_address("address of arXiv", "export.arxiv.org")
    europepmc_url: str = service_address("address of Europe PMC", "www.ebi.ac.uk/europepmc/webservices/rest")
    pubmed_url: str = service_address(
        "address of NCBI's E-utilities, for PubMed and PMC", "eutils.ncbi.nlm.nih.gov/entrez/eutils"
    )
    pubmed_key: Secret = service_key("PubMed and PMC", "NCBI_API_KEY")
    pmc_url: str = service_address("address of PMC's open files", "pmc-oa-opendata.s3.amazonaws.com")
    openalex_url: str = service_address("address of OpenAlex", "api.openalex.org")
    openalex_key: Secret = service_key("OpenAlex", "OPENALEX_API_KEY")
    semanticscholar_url: str = service_address("address of Semantic Scholar", "api.semanticscholar.org/graph/v1")
    semanticscholar_key: Secret = service_key("Semantic Scholar", "SEMANTIC_SCHOLAR_API_KEY")
    ads_url: str = service_address("address of NASA ADS, or of SciX", "api.adsabs.harvard.edu/v1")
    ads_key: Secret = service_key("NASA ADS, which needs one", "ADS_API_TOKEN")
    unpaywall_url: str = service_address("address of Unpaywall", "api.unpaywall.org/v2")
    datacite_url: str = service_address("address of DataCite", "api.datacite.org")
    zotero_url: str = service_address("address of Zotero on this machine", "http://localhost:23119/api")
    zotero_web_url: str = service_address("address of Zotero's web library", "api.zotero.org")
    zotero_key: Secret = service_key("Zotero's web library", "ZOTERO_API_KEY")
    timeout: Seconds = limit_setting("seconds to wait for such a service", 30.0)
    patience: Seconds = limit_setting(
        "seconds that a question waits for services, and again for full texts; it is answered with what came", 20.0
    )
    max_file: Annotated[int, Meta(ge=1, le=10_000)] = limit_setting(
        "MB that a downloaded full text may have, packed and unpacked", 200
    )
    roots: str = user_setting(
        "folders, written as those of PATH are, whose files are added where a link in an added folder or a record of a "
        "bibliography elsewhere (as Zotero's) leads to them; from other places they are not",
        "",
    )

    @property
    def root_folders(self) -> tuple[str, ...]:
        """The `roots`, one by one."""
        return tuple(str(possible_path(folder)) for folder in self.roots.split(os.pathsep) if folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingGroups:
    """All groups, by the names that they have before the dot."""

    catalog: CatalogSettings = field(default_factory=CatalogSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    parse: ParseSettings = field(default_factory=ParseSettings)
    passages: PassageSettings = field(default_factory=PassageSettings)
    vocabulary: VocabularySettings = field(default_factory=VocabularySettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    language: LanguageSettings = field(default_factory=LanguageSettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)
    atlas: AtlasSettings = field(default_factory=AtlasSettings)
    consensus: ConsensusSettings = field(default_factory=ConsensusSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    sources: SourcesSettings = field(default_factory=SourcesSettings)


GROUPS: dict[str, type[Any]] = get_type_hints(SettingGroups)
