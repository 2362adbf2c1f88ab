/** Papers by category, each with the sentence that decided; corrected here, and compared with labels. */
import { useState } from "react";
import type { Classification, StoredReview } from "../../../api/types";
import { useWords } from "../../../i18n";
import { Loading } from "../../../parts/Loading";
import { useParams } from "../../../parts/params";
import { toast, toastError } from "../../../parts/toast";
import { Trouble } from "../../../parts/Trouble";
import { IfWritable } from "../../../shell/health";
import { pathOf, useBegin, useChange } from "../reviews";
import { Check } from "./Check";
import { ClassifyForm } from "./ClassifyForm";
import { NONE, useClassification, withCategory } from "./categories";
import { ClassifiedRow } from "./ClassifiedRow";

/** Papers that are drawn at first. */
const PAGE_SIZE = 50;

export function ClassifyView({ review }: { review: StoredReview }) {
  const { t } = useWords();
  const [params, change] = useParams();
  const [limit, show] = useState(PAGE_SIZE);
  const after = params.get("after") ?? "";
  const only = params.get("only") ?? "";
  const classificationQuery = useClassification(review.id, after);
  const start = useBegin();
  if (classificationQuery.error) return <Trouble error={classificationQuery.error} onRetry={classificationQuery.refetch} />;
  if (!classificationQuery.data) return <Loading as="rows" />;
  const papers = withCategory(classificationQuery.data.papers, only);
  return (
    <>
      <Counts classification={classificationQuery.data} only={only} onOnly={(name) => (change({ only: name }, true), show(PAGE_SIZE))} />
      <div className="folded">
        <IfWritable>
          <details>
            <summary>{t("classify.again")}</summary>
            <ClassifyForm review={review} isBusy={start.isPending} onBegin={(body) => start.mutate({ path: pathOf("classify"), body }, { onError: toastError })} />
          </details>
        </IfWritable>
        <details>
          <summary>{t("classify.check")}</summary>
          <Check id={review.id} />
        </details>
        <IfWritable>
          <Collect id={review.id} />
        </IfWritable>
      </div>
      <ul className="rows-of" aria-label={t("reviews.papers", { n: papers.length })}>
        {papers.slice(0, limit).map((row) => (
          <ClassifiedRow key={row.paper.id} id={review.id} row={row} classification={classificationQuery.data} />
        ))}
      </ul>
      <div className="tools turning">
        {papers.length > limit && (
          <button type="button" onClick={() => show(limit + PAGE_SIZE)}>
            {t("reviews.further")}
          </button>
        )}
        {papers.length <= limit && classificationQuery.data.next && (
          <button type="button" onClick={() => change({ after: classificationQuery.data.next })}>
            {t("reviews.next")}
          </button>
        )}
      </div>
    </>
  );
}

/** How many papers have each category; one of them narrows the list. */
function Counts({ classification, only, onOnly }: { classification: Classification; only: string; onOnly: (name: string) => void }) {
  const { t } = useWords();
  const most = Math.max(1, ...Object.values(classification.counts));
  const names = [...classification.categories.map((category) => category.name), NONE];
  return (
    <div className="counts" role="group" aria-label={t("classify.categories")}>
      <button type="button" className="quiet" aria-pressed={!only} onClick={() => onOnly("")}>
        <span>{t("classify.all")}</span> <span className="muted">{classification.total}</span>
      </button>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className="quiet"
          aria-pressed={only === name}
          title={classification.categories.find((category) => category.name === name)?.description || undefined}
          onClick={() => onOnly(only === name ? "" : name)}
        >
          <span>{name === NONE ? t("classify.none") : name}</span>
          <span className="bar" aria-hidden>
            <span style={{ inlineSize: `${(100 * (classification.counts[name] ?? 0)) / most}%` }} />
          </span>
          <span className="muted">{classification.counts[name] ?? 0}</span>
        </button>
      ))}
    </div>
  );
}

/** Put the papers of each category into a collection. */
function Collect({ id }: { id: string }) {
  const { t } = useWords();
  const change = useChange();
  const collect = () => change.mutate({ method: "POST", path: pathOf("classify", id, "/collections"), body: {} }, { onSuccess: () => toast(t("classify.collected")) });
  return (
    <button type="button" className="quiet" disabled={change.isPending} onClick={collect}>
      {t("classify.collect")}
    </button>
  );
}
