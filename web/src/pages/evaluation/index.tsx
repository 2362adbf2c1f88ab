/** Evaluation: how well the library is searched, measured with questions made of its own papers; before and after. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Gauge } from "lucide-react";
import { useEffect } from "react";
import { api, body } from "../../api/client";
import { begin, cancel, useJob } from "../../api/jobs";
import type { components } from "../../api/schema";
import { moment, number, useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Progress } from "../../parts/Progress";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { useReadOnly } from "../../shell/health";
import "./evaluation.css";

type Run = components["schemas"]["EvaluationRun"];
const figure = (value: number) => number(value, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const formatSigned = (value: number) => number(value, { signDisplay: "exceptZero", maximumFractionDigits: 3 });

export default function EvaluationPage() {
  const { t } = useWords();
  const [params, change] = useParams();
  const isReadOnly = useReadOnly();
  const runs = useQuery({ queryKey: ["runs"], queryFn: () => body(api.GET("/api/v1/eval/runs")) });
  const start = useMutation({ mutationFn: () => begin("/eval/self"), onSuccess: (job) => change({ job }) });
  const job = params.get("job") ?? undefined;
  const [first, second] = [params.get("first") ?? "", params.get("second") ?? ""];
  return (
    <div className="page evaluation">
      <h1>{t("page.evaluation")}</h1>
      <p className="muted">{t("evaluation.what")}</p>
      {!isReadOnly && (
        <button type="button" className="primary" disabled={start.isPending} onClick={() => start.mutate()}>
          {t("evaluation.begin")}
        </button>
      )}
      {start.error && <Trouble error={start.error} />}
      {job && <RunProgress key={job} job={job} />}
      {runs.error ? (
        <Trouble error={runs.error} onRetry={runs.refetch} />
      ) : !runs.data ? (
        <Loading as="cards" />
      ) : runs.data.results.length ? (
        <Runs runs={runs.data.results} first={first} second={second} />
      ) : (
        <Empty icon={Gauge} title={t("evaluation.none")} />
      )}
      {first && second && first !== second && <RunComparison first={first} second={second} />}
    </div>
  );
}

function RunProgress({ job }: { job: string }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const { events, state, error } = useJob(job);
  useEffect(() => {
    if (state !== "running") void queries.invalidateQueries({ queryKey: ["runs"] });
  }, [queries, state]);
  if (error) return <Trouble error={error} />;
  if (state !== "running") return null;
  const last = events.findLast((event) => event.kind === "progress");
  return (
    <div className="card going" role="status">
      <Progress label={last?.stage ?? t("evaluation.measuring")} done={last?.done ?? 0} total={last?.total ?? 0} />
      <button type="button" onClick={() => cancel(job).catch(toastError)}>
        {t("cancel")}
      </button>
    </div>
  );
}

function Runs({ runs, first, second }: { runs: Run[]; first: string; second: string }) {
  const { t } = useWords();
  const [, change] = useParams();
  const metrics = [...new Set(runs.flatMap((run) => run.metrics))].slice(0, 4);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled with keys
    <div className="scrolls" tabIndex={0} role="region" aria-label={t("evaluation.runs")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("evaluation.made")}</th>
            <th scope="col">{t("evaluation.configuration")}</th>
            {metrics.map((metric) => (
              <th key={metric} scope="col">
                {metric}
              </th>
            ))}
            <th scope="col">{t("evaluation.before")}</th>
            <th scope="col">{t("evaluation.after")}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">{moment(run.made)}</th>
              <td>
                {run.configuration.name} <small className="muted">{run.dataset}</small>
              </td>
              {metrics.map((metric) => (
                <td key={metric}>{run.aggregates[metric] ? figure(run.aggregates[metric].mean) : "–"}</td>
              ))}
              {(["first", "second"] as const).map((side) => (
                <td key={side}>
                  <input
                    type="radio"
                    name={side}
                    checked={(side === "first" ? first : second) === run.id}
                    aria-label={`${t(side === "first" ? "evaluation.before" : "evaluation.after")}: ${run.id}`}
                    onChange={() => change({ [side]: run.id })}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunComparison({ first, second }: { first: string; second: string }) {
  const { t } = useWords();
  const comparisonQuery = useQuery({
    queryKey: ["runs", first, second],
    queryFn: () => body(api.GET("/api/v1/eval/compare", { params: { query: { first, second } } })),
  });
  if (comparisonQuery.error) return <Trouble error={comparisonQuery.error} onRetry={comparisonQuery.refetch} />;
  if (!comparisonQuery.data) return <Loading as="cards" />;
  const { differences, warnings } = comparisonQuery.data.comparison;
  return (
    <section className="card">
      <h2>{t("evaluation.difference")}</h2>
      {warnings?.map((warning) => <p key={warning}>{warning}</p>)}
      <ul>
        {differences.map((difference) => (
          <li key={difference.metric}>
            <strong>{difference.metric}</strong> {formatSigned(difference.mean)}{" "}
            <span className="muted">
              {t("evaluation.interval", { low: formatSigned(difference.low), high: formatSigned(difference.high), p: figure(difference.p) })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
