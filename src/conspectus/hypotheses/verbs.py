"""List hypotheses that the papers of a library suggest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from conspectus.core.errors import UnavailableError, UsageError
from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Budget, PaperFilters, Progressing, UseCache, model_or_none
from conspectus.records import Filters
from conspectus.records.events import Progress
from conspectus.records.hypotheses import HypothesisReport, HypothesisSource

if TYPE_CHECKING:
    from conspectus.session.session import Session


Entities = Annotated[
    Sequence[str],
    Option(
        "Entities: names or ids; without one, all pairs are ranked.",
        max_length=500,
        max_items=10,
        metavar="ENTITY…",
        query="name",
        example=["hippocampus"],
    ),
]
Source = Annotated[
    HypothesisSource,
    Option(
        "Where hypotheses come from: pairs of entities that nothing joins, directions that grow together, "
        "contradictions of papers, or gaps of the map.",
        flag="from",
        query="from",
        example="directions",
    ),
]


class HypothesisVerbs(VerbGroup):
    """Hypotheses that the papers suggest."""

    @verb(http="POST /hypotheses", tool="hypotheses", job=True)
    def hypotheses(
        self,
        entities: Entities = (),
        *,
        source: Source = "entities",
        until: Annotated[
            int | None,
            Option("Only papers up to this year; shows what later ones say.", ge=1, le=9999, metavar="YEAR"),
        ] = None,
        k: Annotated[int, Option("Maximum number of results.", ge=1, le=200, short="k", metavar="N")] = 20,
        model: Annotated[
            str | None, model_or_none("Let a language model put each into words: the one in the settings, or NAME.")
        ] = None,
        filters: PaperFilters = None,
        cache: UseCache = True,
        budget: Budget = None,
        progress: Progressing = None,
    ) -> HypothesisReport:
        """Suggest pairs of entities that no sentence joins, although others join both, with the evidence.

        Pairs are ranked by what earlier years of the same papers foretold, and specific entities of different kinds
        go first. Each has the entities that join them (bridges) and a ledger: what has to hold, the sentence of each
        link, and whether it is stated or only mentioned. With `until`, later papers show which came true. These are
        suggestions where to look, and no findings.

        Raises:
            NotFoundError: no vocabulary has an entity of this name, or no paper that counts mentions it.
            UsageError: no paper is linked, or no paper is of these years; or entities or a model are named for a source
                that has no use for them.
            UnavailableError: no language model is set.
            ServiceError: the model cannot be asked.
        """
        from conspectus.graph.entities import check_linked
        from conspectus.hypotheses.report import make_report

        if not 1 <= k <= 200:
            raise UsageError(f"k is {k} but must be from 1 to 200.")
        session = self.session.with_settings(budget or {})
        if source != "entities":
            if entities:
                raise UsageError(
                    f"Hypotheses from {source} are of no entities, and some were given.",
                    "Leave the entities out, or take hypotheses from entities.",
                )
            with listen(progress, Progress):
                return self._lead(session, source, filters or Filters(), until, k, model, cache, budget)
        check_linked(session)
        names = [entities] if isinstance(entities, str) else list(entities)
        with listen(progress, Progress):
            return make_report(session, names, filters or Filters(), until=until, k=k, model=model, cache=cache)

    def _lead(
        self,
        session: Session,
        source: HypothesisSource,
        filters: Filters,
        until: int | None,
        k: int,
        model: str | None,
        cache: bool,
        budget: Any,
    ) -> HypothesisReport:
        """Hypotheses of another source, with what the verbs of other wings find."""
        from conspectus.graph.discovery import split_years
        from conspectus.hypotheses.contradiction_leads import lead_by_contradictions
        from conspectus.hypotheses.direction_leads import lead_by_directions
        from conspectus.hypotheses.gap_leads import lead_by_gaps
        from conspectus.hypotheses.lead_report import PapersInTime
        from conspectus.map.stored_map import build_map
        from conspectus.settings import NO_MODEL

        of = PapersInTime(*split_years(filters, until), until)
        if source != "contradictions" and model is not None:
            raise UsageError(
                f"No language model is asked for hypotheses from {source}, and one was named.", "Leave the model out."
            )
        if source == "directions":
            return lead_by_directions(session, of, k)
        if source == "gaps":
            gaps = self.owner.map.gaps(level=1, year=of.before.year, k=1000)
            return lead_by_gaps(session, build_map(session, "papers"), gaps, of, k)
        if (model or session.settings.language.of("judge")) in ("", NO_MODEL):
            why = session.settings.language.none_for("judge", model or "")
            raise UnavailableError(
                f"Whether papers contradict each other is judged by a language model, and {why}.",
                "Connect one (`models connect`), or name one with `model=NAME`.",
            )
        report = self.owner.review.contradictions(filters=of.before, model=model or "", cache=cache, budget=budget)
        return lead_by_contradictions(session, report, of, k)
