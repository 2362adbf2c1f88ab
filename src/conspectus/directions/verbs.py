"""What users do with directions: train, list and read them, and explain, compare and predict by them.

Modules that need SQLAlchemy or numpy are imported by the verbs, so that help is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from conspectus.core.errors import UsageError
from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Limit, PaperName, Progressing, model_or_none
from conspectus.records.atlas import Mapped
from conspectus.records.directions import (
    AssociationReport,
    DirectionComparison,
    DirectionList,
    DirectionMatch,
    DirectionReport,
    SimilarityReport,
    Stratum,
)
from conspectus.records.events import Progress

if TYPE_CHECKING:
    from conspectus.directions.sources import DirectionSources
    from conspectus.directions.stored_directions import LoadedDirections
    from conspectus.library import Library

DirectionsOf = Annotated[Mapped, Option("What the directions are of.")]
Hidden = Annotated[bool, Option("Also directions that another training does not find again.")]
DirectionName = Annotated[
    str,
    Option("A direction: its number, its label or a word of that.", metavar="NAME", max_length=200, example="1"),
]
Selected = "query with conditions (`year:..2010`), `collection:NAME`, words, or `region:NUMBER` of the map"
Within = Annotated[
    tuple[Stratum, ...],
    Option("Compare papers within the same year, topic (region of the map) or venue.", metavar="YEAR|TOPIC|VENUE"),
]
DiscoveryRate = Annotated[float, Option("False discovery rate.", ge=0.001, le=0.5, metavar="RATE")]
MOST_WORDS = 2000


class DirectionVerbs(VerbGroup, name="directions"):
    """Directions of the vectors: what they mean, why texts are near, and what differs."""

    def __init__(self, library: Library, sources: DirectionSources) -> None:
        super().__init__(library)
        self._sources = sources

    @verb(http="POST /directions", job=True, writes=True)
    def build(
        self,
        *,
        of: DirectionsOf = "papers",
        size: Annotated[
            int, Option("Number of directions; 0: by the number of texts.", ge=0, le=4096, metavar="N")
        ] = 0,
        seed: Annotated[
            int | None,
            Option(
                "Number that the training begins from (default: that of the last one; else 0).",
                ge=0,
                le=10**6,
                metavar="N",
            ),
        ] = None,
        refit: Annotated[bool, Option("Train again, and report which directions continue.")] = False,
        model: Annotated[
            str | None, model_or_none("Let a language model word the labels: the one in the settings, or NAME.")
        ] = None,
        progress: Progressing = None,
    ) -> DirectionList:
        """Train directions on the library's vectors and name them, or add new papers to them.

        Each text has few active directions, which together make up its vector. They are trained without a language
        model, in minutes on two cores for 350,000 papers, and from two seeds: directions that the second does not find
        are hidden by default. An interrupted training continues with the same command. Papers added later get their
        directions without training. With `model`, a language model words the labels; words that are not in the
        sentences that it was shown are refused, and the score of each label is measured again.

        Raises:
            UsageError: fewer than 200 texts, all vectors are the same, or a size that does not suit
                their number.
            BusyError: another process is writing to the library.
            UnavailableError: no language model is set.
            ServiceError: the model cannot be asked, or gives no labels.
        """
        from conspectus.directions.build import BuildOptions, build_directions

        with listen(progress, Progress):
            options = BuildOptions(of, size, seed, refit, model)
            return build_directions(self.session, self._sources.terms, options)

    @verb(http="GET /directions", tool="directions")
    def list(self, *, of: DirectionsOf = "papers", hidden: Hidden = False, limit: Limit = 1000) -> DirectionList:
        """List the directions of the library, the most frequent first.

        Raises:
            NotFoundError: there are none.
        """
        from conspectus.directions.stored_directions import list_directions

        return list_directions(self._load(of), hidden=hidden, limit=limit)

    @verb(http="GET /directions/search", key="matches")
    def search(
        self,
        words: Annotated[
            str,
            Option(
                "Words that say what is looked for.",
                metavar="WORDS…",
                words=True,
                query="q",
                max_length=MOST_WORDS,
                example="lensing",
            ),
        ],
        *,
        of: DirectionsOf = "papers",
        hidden: Hidden = False,
        limit: Limit = 10,
    ) -> tuple[DirectionMatch, ...]:
        """Find directions by words: by their labels, and by what the words mean.

        Raises:
            NotFoundError: the library has no directions.
            UsageError: there are no words.
        """
        from conspectus.directions.explain import search_directions

        if not words.strip():
            raise UsageError("There is nothing to look for: the words are empty.", "Give some words.")
        direction_set = self._load(of)
        matches = search_directions(self.session, direction_set, words)
        return tuple(match for match in matches if hidden or match.direction.recurs)[:limit]

    @verb(http="GET /directions/explain", tool="explain")
    def explain(
        self,
        paper: PaperName,
        other: Annotated[
            str,
            Option(
                "Another paper, or a question; without, the paper itself is taken apart.",
                metavar="PAPER|QUESTION",
                max_length=MOST_WORDS,
            ),
        ] = "",
    ) -> SimilarityReport:
        """Explain why two papers, or a paper and a question, are near: a sum of named directions.

        What all texts of the library share, the parts and the rest that no direction explains make up the cosine of the
        two vectors exactly. `other` is a paper if the library has one of this name, else a question.

        Raises:
            NotFoundError: there is no such paper, or the library has no directions.
            UsageError: a paper was not embedded, or by another embedder.
        """
        from conspectus.directions.explain import explain_similarity, read_explained

        direction_set = self._load("papers")
        left = read_explained(self.session, direction_set, paper)
        right = read_explained(self.session, direction_set, other, or_question=True) if other.strip() else left
        return explain_similarity(direction_set, left, right)

    @verb(http="GET /directions/compare")
    def compare(
        self,
        *,
        left: Annotated[
            str,
            Option(f"Papers on one side: a {Selected}.", metavar="QUERY", max_length=MOST_WORDS, example="year:..2010"),
        ],
        right: Annotated[
            str,
            Option(
                f"Papers on the other side: a {Selected}.",
                metavar="QUERY",
                max_length=MOST_WORDS,
                example="year:2011..",
            ),
        ],
        of: DirectionsOf = "papers",
        within: Within = (),
        fdr: DiscoveryRate = 0.1,
        hidden: Hidden = False,
    ) -> DirectionComparison:
        """Compare two selections of papers: which directions are more frequent in one of them.

        Differences are corrected for testing many directions (Benjamini and Hochberg). With `within`, only papers of
        the same year, topic or venue are compared with each other. Papers on both sides are left out.

        Raises:
            NotFoundError: the library has no directions, or no map to compare within topics.
            UsageError: a side has fewer than 10 papers.
        """
        from conspectus.directions.compare import Selection, compare_selections

        direction_set = self._load(of)
        sides = [Selection(text, self._sources.select_papers(text)) for text in (left, right)]
        return compare_selections(
            self.session, direction_set, sides[0], sides[1], within, fdr, self._sources.read_topics, hidden=hidden
        )

    @verb(http="GET /directions/predict/{number}")
    def predict(
        self,
        number: Annotated[Literal["citations"], Option("Number that papers have.", metavar="NUMBER")] = "citations",
        *,
        of: DirectionsOf = "papers",
        within: Within = ("year",),
        fdr: DiscoveryRate = 0.1,
        hidden: Hidden = False,
    ) -> AssociationReport:
        """Show which directions go with more or fewer citations than other papers of the same year or topic have.

        These are associations and say nothing about causes. Each is found by some papers and then looked for in papers
        that were held out, and in those of the latest years.

        Raises:
            NotFoundError: the library has no directions, or no map to compare within topics.
            UsageError: fewer than 200 papers have a number of citations.
        """
        from conspectus.directions.predict import find_associations

        assert number == "citations"
        topics = self._sources.read_topics
        return find_associations(self.session, self._load(of), within, fdr, topics, hidden=hidden)

    @verb(http="GET /directions/{name}")
    def show(
        self,
        name: DirectionName,
        *,
        of: DirectionsOf = "papers",
        limit: Annotated[int, Option("Texts of each kind.", ge=1, le=100, short="n", metavar="N")] = 8,
    ) -> DirectionReport:
        """Show a direction: its strongest sentences, near misses, and the directions that go with it.

        Raises:
            NotFoundError: there is no such direction.
        """
        from conspectus.directions.explain import report_direction

        direction_set = self._load(of)
        return report_direction(self.session, direction_set, direction_set.number_of(name), limit)

    def _load(self, of: Mapped) -> LoadedDirections:
        from conspectus.directions.stored_directions import load_directions

        return load_directions(self.session, of)
