/** How the library is: numbers, what it is searched with, what the checks found, and the remedies. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, Hammer, RefreshCw, Stethoscope } from "lucide-react";
import { get } from "../../api/call";
import { address } from "../../api/client";
import { begin } from "../../api/jobs";
import type { Finding, Status } from "../../api/types";
import { type Key, moment, number, type Translate, useWords } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { JobLine } from "../../parts/JobLine";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { IfWritable, useReadOnly } from "../../shell/health";

const COUNTS = ["papers", "full_text", "passages", "summaries", "files", "failed", "missing", "stale"];

/** What the server has as a route, and how the button is called. */
const REMEDIES: Record<string, { path: string; name: Key }> = {
  "library reindex": { path: "/reindex", name: "library.doing.reindex" },
  retry: { path: "/files/retry", name: "library.doing.files.retry" },
  "retry everything=True": { path: "/files/retry?everything=true", name: "library.doing.files.retry" },
  "doctor fix=True": { path: "/doctor", name: "library.doing.doctor" },
};
const nameOf = (path: string | null): Key => Object.values(REMEDIES).find((remedy) => remedy.path === path)?.name ?? "library.health";

/** The remedy of a finding that a button can do: where the server has the first of the verbs in backticks that it has. */
export function remedyOf({ ok, remedy }: Finding): string | null {
  const remedies = ok ? [] : [...remedy.matchAll(/`([^`]+)`/g)].map(([, words]) => REMEDIES[words!]);
  return remedies.find(Boolean)?.path ?? null;
}

/** How long something took, as people say it. */
const formatDuration = (seconds: number, t: Translate) =>
  seconds < 90 ? t("connect.seconds", { n: Math.max(1, Math.round(seconds)) }) : seconds < 5400 ? t("library.minutes", { n: Math.round(seconds / 60) }) : t("library.hours", { n: Math.round(seconds / 3600) });

export function Health() {
  const { t } = useWords();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const job = params.get("job");
  const status = useQuery({ queryKey: ["status"], queryFn: ({ signal }) => get<Status>(address("/status", { failed: true }), signal) });
  const doctor = useQuery({
    queryKey: ["doctor"],
    queryFn: ({ signal }) => get<{ ok: boolean; findings: Finding[] }>(address("/doctor"), signal),
  });
  const run = (path: string) =>
    begin(path)
      .then((id) => change({ job: id, doing: path }))
      .catch(toastError);
  const ended = () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "job" });
  const { counts = {}, space = {}, last_add: last = {} } = status.data ?? {};
  const troubles = doctor.data?.findings.filter((finding) => !finding.ok) ?? [];
  const well = doctor.data?.findings.filter((finding) => finding.ok) ?? [];
  return (
    <section className="health" aria-label={t("library.health")}>
      {job && <div className="card">{<JobLine job={job} name={t(nameOf(params.get("doing")))} onEnd={ended} />}</div>}
      {status.error && <Trouble error={status.error} onRetry={status.refetch} />}
      {status.data && (
        <>
          <dl className="numbers">
            {COUNTS.filter((name, at) => at < 3 || counts[name]).map((name) => (
              <div key={name} className={name === "failed" || name === "missing" ? "card bad" : "card"}>
                <dt>{t(`library.count.${name}` as Key)}</dt>
                <dd>{number(counts[name] ?? 0)}</dd>
              </div>
            ))}
          </dl>
          {!!counts.stale && <p className="muted">{t("library.stale.how", { n: counts.stale })}</p>}
          <dl className="about">
            <div>
              <dt>{t("library.path")}</dt>
              <dd>{status.data.path}</dd>
            </div>
            <div>
              <dt>{t("library.embedder")}</dt>
              <dd>{status.data.embedder}</dd>
            </div>
            <div>
              <dt>{t("library.index")}</dt>
              <dd>{translateText(t, status.data.index)}</dd>
            </div>
            <div>
              <dt>{t("library.space")}</dt>
              <dd>
                {t("library.space.of", { catalog: number(space.catalog ?? 0), index: number(space.index ?? 0), free: number(Math.round((space.free ?? 0) / 1024)) })}
              </dd>
            </div>
            {last.at && (
              <div>
                <dt>{t("library.last")}</dt>
                <dd>
                  {t("library.last.of", { at: moment(last.at), n: last.files ?? 0, time: formatDuration(last.seconds ?? 0, t) })}
                </dd>
              </div>
            )}
          </dl>
        </>
      )}
      <header>
        <h2>{t("library.checks")}</h2>
        <div className="doing">
          <button type="button" onClick={() => doctor.refetch()} disabled={doctor.isFetching}>
            <Stethoscope size={16} aria-hidden />
            {t("library.check")}
          </button>
          <IfWritable>
            <button type="button" onClick={() => run("/doctor")}>
              <Hammer size={16} aria-hidden />
              {t("library.mend")}
            </button>
            <button type="button" onClick={() => run("/reindex")}>
              <RefreshCw size={16} aria-hidden />
              {t("library.reindex")}
            </button>
          </IfWritable>
        </div>
      </header>
      {doctor.error && <Trouble error={doctor.error} onRetry={doctor.refetch} />}
      {!doctor.data && !doctor.error && <Loading as="rows" what={t("library.checking")} />}
      {doctor.data && (
        <p role="status" className={troubles.length ? "verdict bad" : "verdict good"}>
          {troubles.length ? <CircleAlert size={18} aria-hidden /> : <CircleCheck size={18} aria-hidden />}
          {troubles.length ? t("library.ill", { n: troubles.length }) : t("library.well", { n: well.length })}
        </p>
      )}
      <ul className="findings">
        {troubles.map((finding) => (
          <FindingItem key={finding.check} finding={finding} onRun={run} />
        ))}
      </ul>
      {well.length > 0 && (
        <details>
          <summary>{t(troubles.length ? "library.fine" : "library.checks", { n: well.length })}</summary>
          <ul className="findings">
            {well.map((finding) => (
              <FindingItem key={finding.check} finding={finding} onRun={run} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function FindingItem({ finding, onRun }: { finding: Finding; onRun: (path: string) => void }) {
  const { t } = useWords();
  const isReadOnly = useReadOnly();
  const path = remedyOf(finding);
  return (
    <li>
      {finding.ok ? <CircleCheck size={16} className="good" aria-label={t("library.ok")} /> : <CircleAlert size={16} className="bad" aria-label={t("library.not.ok")} />}
      <div>
        <strong>{translateText(t, finding.check)}</strong> <span>{translateText(t, finding.detail)}</span>
        {finding.remedy && (
          <p className="muted">
            <Remedy text={translateText(t, finding.remedy)} />
          </p>
        )}
      </div>
      {path && !isReadOnly && (
        <button type="button" onClick={() => onRun(path)}>
          {t(nameOf(path))}
        </button>
      )}
    </li>
  );
}
