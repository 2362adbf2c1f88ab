/** Entities that a model found and no vocabulary has: accepted, rejected, or taken for another one; all can be undone. */
import { ListChecks } from "lucide-react";
import { useState } from "react";
import type { NewEntity } from "../../api/types";
import { useWords } from "../../i18n";
import { CitationChip } from "../../parts/CitationChip";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Trouble } from "../../parts/Trouble";
import { IfWritable } from "../../shell/health";
import { EntityBox } from "./Box";
import { type State, STATES, useMerge, useReview, useVerdict } from "./reviewQueries";

const PAGE = 50;

export function Review() {
  const { t } = useWords();
  const [params, change] = useParams();
  const state = STATES.find((stateName) => stateName === params.get("state")) ?? "new";
  const limit = Math.min(Number(params.get("k")) || PAGE, 1000);
  const reviewQuery = useReview(state, limit);
  return (
    <section aria-label={t("review.title")}>
      <div className="views" role="group" aria-label={t("review.state")}>
        {STATES.map((stateName) => (
          <button key={stateName} type="button" className="quiet" aria-pressed={stateName === state} onClick={() => change({ state: stateName === "new" ? null : stateName, k: null })}>
            {t(`review.${stateName}`)}
          </button>
        ))}
      </div>
      {reviewQuery.error && <Trouble error={reviewQuery.error} onRetry={reviewQuery.refetch} />}
      {reviewQuery.isLoading && <Loading as="cards" />}
      {reviewQuery.data && !reviewQuery.data.total && (
        <Empty icon={ListChecks} title={t(`review.none.${state}`)}>
          {state === "new" && <p>{t("review.none.how")}</p>}
        </Empty>
      )}
      {reviewQuery.data && reviewQuery.data.total > 0 && (
        <>
          <p role="status" className="muted">
            {t("review.count", { n: reviewQuery.data.total })}
          </p>
          <ul className="new-entities">
            {reviewQuery.data.entities.map((entity) => (
              <li key={entity.id} className="card">
                <NewEntityItem entity={entity} state={state} />
              </li>
            ))}
          </ul>
          {reviewQuery.data.entities.length < reviewQuery.data.total && limit < 1000 && (
            <button type="button" className="further" onClick={() => change({ k: limit * 2 })}>
              {t("graph.further")}
            </button>
          )}
        </>
      )}
    </section>
  );
}

function NewEntityItem({ entity, state }: { entity: NewEntity; state: State }) {
  const { t } = useWords();
  const others = entity.names.filter((name) => name !== entity.name);
  return (
    <>
      <h3>{entity.name}</h3>
      <p className="muted">
        {[entity.id, ...(others.length ? [others.join(", ")] : []), t("graph.count", { n: entity.sentences, papers: entity.papers })].join(" · ")}
      </p>
      <ul>
        {entity.examples.map((citation) => (
          <li key={citation.spans[0]?.id}>
            <blockquote>{citation.quote}</blockquote> <CitationChip citation={citation} />
          </li>
        ))}
      </ul>
      <IfWritable>
        <Verdicts entity={entity} state={state} />
      </IfWritable>
    </>
  );
}

function Verdicts({ entity, state }: { entity: NewEntity; state: State }) {
  const { t } = useWords();
  const [isMerging, merging] = useState(false);
  const say = useVerdict();
  const merge = useMerge();
  const isBusy = say.isPending || merge.isPending;
  const button = (verdict: "accept" | "reject" | "undo") => (
    <button type="button" disabled={isBusy} onClick={() => say.mutate({ entity, verdict })} aria-label={t(`review.${verdict}.of`, { name: entity.name })}>
      {t(`review.${verdict}`)}
    </button>
  );
  if (state !== "new") return <p className="verdicts">{button("undo")}</p>;
  return (
    <div className="verdicts">
      {button("accept")}
      {button("reject")}
      <button type="button" aria-expanded={isMerging} onClick={() => merging(!isMerging)} aria-label={t("review.merge.of", { name: entity.name })}>
        {t("review.merge")}
      </button>
      {isMerging && <EntityBox label={t("review.merge.into", { name: entity.name })} onChoose={(into) => merge.mutate({ entity: entity.id, into, name: entity.name })} />}
    </div>
  );
}
