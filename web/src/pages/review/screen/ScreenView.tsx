/** A screening: the next paper beside the criteria, how far it is, and what reviewers and PRISMA say of it. */
import type { StoredReview } from "../../../api/types";
import { useWords } from "../../../i18n";
import { useParams } from "../../../parts/params";
import { IfWritable, useReadOnly } from "../../../shell/health";
import { pathOf, useChange } from "../reviews";
import { Labels } from "./Labels";
import { LabelForm } from "./LabelForm";
import { Prisma } from "./Prisma";
import { ScreenForm } from "./ScreenForm";
import { STAGES, type Stage, useReviewer } from "./screening";

const VIEWS = ["next", "labels", "prisma"] as const;

export function ScreenView({ review }: { review: StoredReview }) {
  const { t } = useWords();
  const [params, change] = useParams();
  const [reviewer, setReviewer] = useReviewer();
  const isReadOnly = useReadOnly();
  const view = VIEWS.find((viewName) => viewName === params.get("view")) ?? (isReadOnly ? "labels" : "next");
  const stage: Stage = STAGES.find((stageName) => stageName === params.get("stage")) ?? "abstract";
  const update = useChange();
  return (
    <>
      <div className="tools">
        <div className="views" role="group" aria-label={t("screen.views")}>
          {VIEWS.map((viewName) => (
            <button key={viewName} type="button" className="quiet" aria-pressed={view === viewName} onClick={() => change({ view: viewName })}>
              {t(`screen.view.${viewName}`)}
            </button>
          ))}
        </div>
        <label className="beside">
          {t("screen.reviewer")} <input value={reviewer} maxLength={100} size={10} onChange={(event) => setReviewer(event.target.value)} autoComplete="off" />
        </label>
        <label className="beside">
          {t("screen.by")}{" "}
          <select value={stage} onChange={(event) => change({ stage: event.target.value }, true)}>
            {STAGES.map((stageName) => (
              <option key={stageName} value={stageName}>
                {t(`screen.by.${stageName}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {view === "next" && <LabelForm key={`${reviewer} ${stage}`} id={review.id} who={{ reviewer: reviewer.trim() || "user", stage }} />}
      {view === "labels" && <Labels id={review.id} who={{ reviewer: reviewer.trim() || "user", stage }} />}
      {view === "prisma" && <Prisma review={review} />}
      <IfWritable>
        <details className="folded-form">
          <summary>{t("screen.change")}</summary>
          <ScreenForm review={review} isBusy={update.isPending} onBegin={(body) => update.mutate({ method: "POST", path: pathOf("screen"), body })} />
        </details>
      </IfWritable>
    </>
  );
}
