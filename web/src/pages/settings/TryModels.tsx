/** Whether the language models that are set answer. */
import { useMutation } from "@tanstack/react-query";
import { CircleAlert, CircleCheck } from "lucide-react";
import { useSearchParams } from "wouter";
import { begin, useJob } from "../../api/jobs";
import { useWords } from "../../i18n";
import { ConnectModel } from "../../parts/connect/ConnectModel";
import { NeedsModel } from "../../parts/NoModel";
import { useModelTitles } from "../../parts/modelTitles";
import { Remedy } from "../../parts/Remedy";
import { useReadOnly } from "../../shell/health";

interface ModelTrial {
  model: string;
  ok: boolean;
  detail: string;
  remedy: string;
}

export function TryModels() {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const job = search.get("tried") ?? undefined;
  const { events, state, error } = useJob(job);
  const end = events.at(-1);
  const tried = end?.kind === "done" && Array.isArray(end.result) ? (end.result as ModelTrial[]) : null;
  const title = useModelTitles((tried ?? []).map((trial) => trial.model));
  const start = useMutation({
    mutationFn: () => begin("/models/try"),
    onSuccess: (newJob) =>
      set((before) => {
        const after = new URLSearchParams(before);
        after.set("tried", newJob);
        return after;
      }),
  });
  const isBusy = start.isPending || (job !== undefined && state === "running");
  if (useReadOnly()) return null;
  const failed = start.error ?? error;
  return (
    <div className="try">
      <div className="head">
        <p>{t("settings.try_hint")}</p>
        <div className="tools">
          <ConnectModel />
          <button type="button" disabled={isBusy} onClick={() => start.mutate()}>
            {t(isBusy ? "settings.trying" : "settings.try")}
          </button>
        </div>
      </div>
      {failed && <NeedsModel error={failed} />}
      <div role="status">
        {tried && (
          <ul>
            {tried.map((trial) => (
              <li key={trial.model} className={trial.ok ? "good" : "bad"}>
                {trial.ok ? <CircleCheck size={18} aria-hidden /> : <CircleAlert size={18} aria-hidden />}
                <span>
                  <strong>{title(trial.model)}</strong> {t(trial.ok ? "settings.answers" : "settings.silent")} <span className="muted">
                    {trial.detail} <Remedy text={trial.remedy} />
                  </span>
                </span>
              </li>
            ))}
            {!tried.length && <li>{t("model.none")}</li>}
          </ul>
        )}
      </div>
    </div>
  );
}
