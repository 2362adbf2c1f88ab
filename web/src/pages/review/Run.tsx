/** The job of a review: how far it is, and what it could not do. */
import { X } from "lucide-react";
import { useEffect } from "react";
import { cancel, useJob } from "../../api/jobs";
import { useWords } from "../../i18n";
import { ConnectModel } from "../../parts/connect/ConnectModel";
import { JobState, progressOf } from "../../parts/JobLine";
import { NeedsModel } from "../../parts/NoModel";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { type Kind, remarksOf, type RunResult, useRefresh } from "./reviews";

/** How often a review is looked at again while it is made. */
const LOOKS = 20;

export function Run({ job, kind }: { job: string; kind: Kind }) {
  const { t } = useWords();
  const [, change] = useParams();
  const refresh = useRefresh();
  const followed = useJob(job);
  const { state, error, events } = followed;
  const step = Math.floor((progressOf(followed).share ?? 0) * LOOKS);
  const end = events.at(-1);
  const result = end?.kind === "done" ? (end.result as RunResult) : null;
  useEffect(() => void refresh(), [step, state]); // eslint-disable-line react-hooks/exhaustive-deps -- `refresh` is the same
  return (
    <div className={error ? "run" : "card run"} role="status">
      {error ? <NeedsModel error={error} /> : <JobState followed={followed} name={t(`reviews.${kind}.running`)} onCancel={() => cancel(job).catch(toastError)} />}
      {result && <Remarks result={result} />}
      {result && kind === "table" && !result.model && !result.stopped && (
        <p>
          {t("table.by_words", { n: result.read ?? 0 })} <ConnectModel isPlain />
        </p>
      )}
      {state === "cancelled" && <p className="muted">{t("reviews.cancelled")}</p>}
      {state !== "running" && (
        <button type="button" className="plain away" onClick={() => change({ job: null }, true)} aria-label={t("close")}>
          <X size={16} aria-hidden />
        </button>
      )}
    </div>
  );
}

function Remarks({ result }: { result: RunResult }) {
  const { t } = useWords();
  const failed = Object.entries(result.failed ?? {});
  return (
    <>
      {remarksOf(result).map((remark) => (
        <p key={remark}>
          <Remedy text={remark} />
        </p>
      ))}
      {Boolean(result.left) && <p>{t("reviews.left", { n: result.left! })}</p>}
      {failed.length > 0 && (
        <details>
          <summary>{t("reviews.failed", { n: failed.length })}</summary>
          <ul>
            {failed.map(([what, why]) => (
              <li key={what}>
                {what}: <Remedy text={why} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
