/** Contradictions: statements of different papers about the same thing that cannot both hold. */
import { useMutation } from "@tanstack/react-query";
import { Swords } from "lucide-react";
import { type FormEvent, useState } from "react";
import { begin, cancel, useJob } from "../../../api/jobs";
import type { ContradictionReport } from "../../../api/types";
import { useWords } from "../../../i18n";
import { Empty } from "../../../parts/Empty";
import { JobState } from "../../../parts/JobLine";
import { ModelFirst, NeedsModel } from "../../../parts/NoModel";
import { useParams } from "../../../parts/params";
import { Remedy } from "../../../parts/Remedy";
import { toastError } from "../../../parts/toast";
import { Which, type WhichPapers } from "../Which";
import { Pairs } from "./Pairs";

export function Contradictions() {
  const { t } = useWords();
  const [params, change] = useParams();
  const job = params.get("pairs") ?? undefined;
  const followed = useJob(job);
  const end = followed.events.at(-1);
  const report = end?.kind === "done" ? (end.result as ContradictionReport) : null;
  const start = useMutation({ mutationFn: (body: object) => begin("/reviews/contradictions", body), onSuccess: (pairs) => change({ pairs }) });
  return (
    <section aria-label={t("contradictions.title")}>
      {!start.error && !followed.error && <ModelFirst without={t("contradictions.no_model")} />}
      <Form paper={params.get("paper") ?? ""} isBusy={start.isPending || (job !== undefined && followed.state === "running")} onFind={start.mutate} />
      {start.error && <NeedsModel error={start.error} />}
      {job && !report && (
        <div className={followed.error ? "run" : "card run"} role="status">
          {followed.error ? <NeedsModel error={followed.error} /> : <JobState followed={followed} name={t("contradictions.title")} onCancel={() => cancel(job).catch(toastError)} />}
        </div>
      )}
      {!job && !start.error && (
        <Empty icon={Swords} title={t("contradictions.empty")}>
          <p>{t("contradictions.how")}</p>
        </Empty>
      )}
      {report && <PairList report={report} />}
    </section>
  );
}

function PairList({ report }: { report: ContradictionReport }) {
  const { t } = useWords();
  const { contradictions, candidates, papers, statements, judged, left, note } = report;
  return (
    <>
      <p role="status" className="muted">
        {t("contradictions.told", { papers, statements, judged })} {left > 0 && t("contradictions.left", { n: left })} {note && <Remedy text={note} />}
      </p>
      {judged > 0 && <h2>{t("contradictions.found", { n: contradictions.length })}</h2>}
      <Pairs pairs={contradictions} />
      {candidates.length > 0 && (
        <>
          <h2>{t("contradictions.candidates", { n: candidates.length })}</h2>
          <Pairs pairs={candidates} />
        </>
      )}
    </>
  );
}

function Form({ paper, isBusy, onFind }: { paper: string; isBusy: boolean; onFind: (body: object) => void }) {
  const { t } = useWords();
  const [name, setName] = useState(paper);
  const [pairs, setPairs] = useState(200);
  const [which, choose] = useState<WhichPapers>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onFind({ paper: name.trim(), pairs, ...which });
  };
  return (
    <form className="card asking" onSubmit={submit}>
      <div className="fields">
        <label className="above">
          {t("contradictions.paper")}
          <input value={name} maxLength={2000} size={30} onChange={(event) => setName(event.target.value)} placeholder={t("contradictions.paper.usual")} autoComplete="off" />
        </label>
        <label className="above">
          {t("contradictions.pairs")}
          <input type="number" min={1} max={100_000} value={pairs} onChange={(event) => setPairs(Math.max(1, Number(event.target.value) || 1))} />
        </label>
      </div>
      <Which which={which} onChange={choose} />
      <button type="submit" className="primary" disabled={isBusy}>
        {t("contradictions.find")}
      </button>
    </form>
  );
}
