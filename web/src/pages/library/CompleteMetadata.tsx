/** What services know of papers, added to what their files say: asked for papers that are chosen, or for all. */
import { Sparkles } from "lucide-react";
import { useState } from "react";
import { begin, cancel, useJob } from "../../api/jobs";
import type { EnrichReport } from "../../api/types";
import { number, useWords } from "../../i18n";
import { Dialog } from "../../parts/Dialog";
import { GoOnline, useOnline } from "../../parts/GoOnline";
import { JobState } from "../../parts/JobLine";
import { useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";
import { IfWritable } from "../../shell/health";
import { fieldOf, resultOf } from "./sources";
import { ServicesInUse, ServiceReports } from "./Services";
import { Unread } from "./Works";

interface Props {
  /** None: all of the library. */
  papers: readonly string[];
  /** How many the library has. */
  total: number;
}

/** A button that says what it does before anything is sent. */
export function CompleteButton({ papers, total }: Props) {
  const { t } = useWords();
  const [, change] = useParams();
  const [isOpen, open] = useState(false);
  const [isFull, full] = useState(false);
  const isOnline = useOnline();
  const start = () =>
    begin("/sources/enrich", { papers, full_text: isFull }).then((job) => {
      open(false);
      change({ completing: job }, true);
    }, toastError);
  return (
    <IfWritable>
      <button type="button" onClick={() => open(true)}>
        <Sparkles size={16} aria-hidden />
        {t("online.complete")}
      </button>
      <Dialog
        isOpen={isOpen}
        onClose={() => open(false)}
        title={t("online.complete")}
        actions={
          <button type="button" className="primary" disabled={!isOnline} onClick={start}>
            {papers.length ? t("online.complete.some", { n: papers.length }) : t("online.complete.all", { n: total })}
          </button>
        }
      >
        <p>{t("online.complete.what")}</p>
        <GoOnline />
        <label className="check">
          <input type="checkbox" checked={isFull} onChange={(event) => full(event.target.checked)} />
          {t("online.full")}
        </label>
        <ServicesInUse />
      </Dialog>
    </IfWritable>
  );
}

/** How far it is, and for how many papers each field is new. */
export function CompletionReport() {
  const { t } = useWords();
  const [params, change] = useParams();
  const job = params.get("completing") ?? undefined;
  const followed = useJob(job);
  const report = resultOf<EnrichReport>(followed);
  if (!job) return null;
  return (
    <section className="card completing" aria-label={t("online.complete")}>
      <JobState followed={followed} name={t("online.complete")} onCancel={() => cancel(job).catch(toastError)} />
      {report && (
        <>
          <p role="status">
            {t("online.completed", { n: report.papers, known: report.known })} {report.unknown.length > 0 && t("online.unknown", { n: report.unknown.length })}
          </p>
          <dl className="field-counts" aria-label={t("online.fields")}>
            {Object.entries(report.fields).map(([name, papers]) => (
              <div key={name}>
                <dt>{fieldOf(name, t)}</dt>
                <dd>{number(papers)}</dd>
              </div>
            ))}
          </dl>
          <ServiceReports reports={report.services} />
          <Unread unread={report.unread} />
        </>
      )}
      {followed.state !== "running" && (
        <button type="button" onClick={() => change({ completing: null }, true)}>
          {t("close")}
        </button>
      )}
    </section>
  );
}
