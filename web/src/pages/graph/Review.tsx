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
import { Changing } from "../../shell/health";
import { EntityBox } from "./Box";
import { type State, STATES, useMerge, useReview, useVerdict } from "./reviewing";

const PAGE = 50;

export function Review() {
  const { t } = useWords();
  const [params, change] = useParams();
  const state = STATES.find((one) => one === params.get("state")) ?? "new";
  const limit = Math.min(Number(params.get("k")) || PAGE, 1000);
  const found = useReview(state, limit);
  return (
    <section aria-label={t("review.title")}>
      <div className="views" role="group" aria-label={t("review.state")}>
        {STATES.map((one) => (
          <button key={one} type="button" className="quiet" aria-pressed={one === state} onClick={() => change({ state: one === "new" ? null : one, k: null })}>
            {t(`review.${one}`)}
          </button>
        ))}
      </div>
      {found.error && <Trouble error={found.error} onRetry={found.refetch} />}
      {found.isLoading && <Loading as="cards" />}
      {found.data && !found.data.total && (
        <Empty icon={ListChecks} title={t(`review.none.${state}`)}>
          {state === "new" && <p>{t("review.none.how")}</p>}
        </Empty>
      )}
      {found.data && found.data.total > 0 && (
        <>
          <p role="status" className="muted">
            {t("review.count", { n: found.data.total })}
          </p>
          <ul className="new-entities">
            {found.data.entities.map((one) => (
              <li key={one.id} className="card">
                <One one={one} state={state} />
              </li>
            ))}
          </ul>
          {found.data.entities.length < found.data.total && limit < 1000 && (
            <button type="button" className="further" onClick={() => change({ k: limit * 2 })}>
              {t("graph.further")}
            </button>
          )}
        </>
      )}
    </section>
  );
}

function One({ one, state }: { one: NewEntity; state: State }) {
  const { t } = useWords();
  const others = one.names.filter((name) => name !== one.name);
  return (
    <>
      <h3>{one.name}</h3>
      <p className="muted">
        {[one.id, ...(others.length ? [others.join(", ")] : []), t("graph.count", { n: one.sentences, papers: one.papers })].join(" · ")}
      </p>
      <ul>
        {one.examples.map((said) => (
          <li key={said.spans[0]?.id}>
            <blockquote>{said.quote}</blockquote> <CitationChip citation={said} />
          </li>
        ))}
      </ul>
      <Changing>
        <Verdicts one={one} state={state} />
      </Changing>
    </>
  );
}

function Verdicts({ one, state }: { one: NewEntity; state: State }) {
  const { t } = useWords();
  const [isMerging, merging] = useState(false);
  const say = useVerdict();
  const merge = useMerge();
  const isBusy = say.isPending || merge.isPending;
  const button = (verdict: "accept" | "reject" | "undo") => (
    <button type="button" disabled={isBusy} onClick={() => say.mutate({ entity: one, verdict })} aria-label={t(`review.${verdict}.of`, { name: one.name })}>
      {t(`review.${verdict}`)}
    </button>
  );
  if (state !== "new") return <p className="verdicts">{button("undo")}</p>;
  return (
    <div className="verdicts">
      {button("accept")}
      {button("reject")}
      <button type="button" aria-expanded={isMerging} onClick={() => merging(!isMerging)} aria-label={t("review.merge.of", { name: one.name })}>
        {t("review.merge")}
      </button>
      {isMerging && <EntityBox label={t("review.merge.into", { name: one.name })} onChoose={(into) => merge.mutate({ entity: one.id, into, name: one.name })} />}
    </div>
  );
}
