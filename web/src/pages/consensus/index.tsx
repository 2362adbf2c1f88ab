/** Consensus: how far the papers agree with a claim, by the stance of each, with its sentences. */
import { useMutation } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "wouter";
import { begin, cancel, useJob } from "../../api/jobs";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { ModelFirst, NeedsModel } from "../../parts/NoModel";
import { Progress } from "../../parts/Progress";
import { toastError } from "../../parts/toast";
import { useReadOnly } from "../../shell/health";
import { useTitle } from "../../shell/title";
import "./consensus.css";
import { collectProgress } from "./survey";
import { Outcome } from "./Outcome";
import { Stances } from "./Stances";

export default function ConsensusPage() {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const isReadOnly = useReadOnly();
  const job = search.get("job") ?? undefined;
  const request = { question: search.get("q") ?? "", claim: search.get("claim") ?? "", k: search.get("k") ?? "" };
  const { events, state, error } = useJob(job);
  const now = collectProgress(events);
  const start = useMutation({
    mutationFn: ({ question, claim, k }: SurveyRequest) =>
      begin("/consensus", { question: question || claim, claim, ...(k ? { k: Number(k) } : {}) }),
    onSuccess: (newJob, { question, claim, k }) => {
      const entries = Object.entries({ q: question, claim, k, job: newJob }).filter(([, value]) => value);
      set(new URLSearchParams(entries));
    },
  });
  useTitle(request.question || now.consensus?.question || now.claim || undefined);
  const isRunning = job !== undefined && state === "running" && !start.error;
  return (
    <div className="page consensus">
      <h1>{t("page.consensus")}</h1>
      {!isReadOnly && !start.error && !error && <ModelFirst />}
      {isReadOnly ? (
        <p className="muted">{t("shell.read_only_hint")}</p>
      ) : (
        <Form key={search.toString()} request={request} isBusy={isRunning || start.isPending} onAsk={start.mutate} />
      )}
      {start.error && <NeedsModel error={start.error} />}
      {error && <NeedsModel error={error} onRetry={() => start.mutate(request)} />}
      {state === "cancelled" && <p className="muted">{t("consensus.cancelled")}</p>}
      {!job && !start.error && (
        <Empty icon={Scale} title={t("consensus.empty")}>
          <p>{t("consensus.empty_hint")}</p>
        </Empty>
      )}
      {now.claim && <Claim claim={now.claim} />}
      {isRunning && (
        <div className="card going" role="status">
          <Progress
            label={t(now.total ? "consensus.judging" : now.claim ? "consensus.searching" : "consensus.restating")}
            done={now.read}
            total={now.total}
          />
          <button type="button" onClick={() => cancel(job).catch(toastError)}>
            {t("cancel")}
          </button>
        </div>
      )}
      {now.consensus && <Outcome consensus={now.consensus} />}
      {job && <Stances stances={now.stances} unjudged={now.consensus?.unjudged ?? []} />}
    </div>
  );
}

interface SurveyRequest {
  question: string;
  claim: string;
  k: string;
}

function Claim({ claim }: { claim: string }) {
  const { t } = useWords();
  return (
    <p className="claim">
      <span className="muted">{t("consensus.claim_is")}</span> <q>{claim}</q>
    </p>
  );
}

function Form({ request, isBusy, onAsk }: { request: SurveyRequest; isBusy: boolean; onAsk: (request: SurveyRequest) => void }) {
  const { t } = useWords();
  const [values, set] = useState(request);
  const change = (name: keyof SurveyRequest) => (event: { target: { value: string } }) =>
    set({ ...values, [name]: event.target.value });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy && (values.question.trim() || values.claim.trim())) onAsk(values);
  };
  return (
    <form className="card asking" onSubmit={submit}>
      <label>
        {t("consensus.question")}
        <input value={values.question} onChange={change("question")} placeholder={t("consensus.example")} />
      </label>
      <details open={Boolean(request.claim || request.k)}>
        <summary>{t("consensus.more")}</summary>
        <label>
          {t("consensus.claim")}
          <input value={values.claim} onChange={change("claim")} aria-describedby="claim-hint" />
          <small id="claim-hint" className="muted">
            {t("consensus.claim_hint")}
          </small>
        </label>
        <label>
          {t("consensus.k")}
          <input type="number" min={1} max={200} value={values.k} onChange={change("k")} placeholder="20" />
        </label>
      </details>
      <button type="submit" className="primary" disabled={isBusy || !(values.question.trim() || values.claim.trim())}>
        {t("consensus.ask")}
      </button>
    </form>
  );
}
