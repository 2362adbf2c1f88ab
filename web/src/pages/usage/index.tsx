/** Usage: what language models took, by day, model, role, prompt or answer. */
import { useQuery } from "@tanstack/react-query";
import { ChartNoAxesColumn } from "lucide-react";
import { Link } from "wouter";
import { api, body } from "../../api/client";
import { type Key, number, useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { useModelTitles } from "../../parts/modelTitles";
import { Trouble } from "../../parts/Trouble";
import { Bars } from "./Bars";
import { amount, type By, chartRows, type Measure, MEASURES, formatFigure, sum, type Totals, defaultMeasure, WAYS } from "./sums";
import "./usage.css";

export default function UsagePage() {
  const { t } = useWords();
  const [params, change] = useParams();
  const by = WAYS.find((way) => way === params.get("by")) ?? "day";
  const since = params.get("since") ?? "";
  const usage = useQuery({
    queryKey: ["usage", by, since],
    queryFn: () => body(api.GET("/api/v1/usage", { params: { query: { by, since } } })),
  });
  const rows = usage.data?.rows;
  return (
    <div className="page usage">
      <h1>{t("page.usage")}</h1>
      <div className="wishes">
        <label>
          {t("usage.by")}
          <select value={by} onChange={(event) => change({ by: event.target.value })}>
            {WAYS.map((way) => (
              <option key={way} value={way}>
                {t(`usage.by_${way}` as Key)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("usage.since")}
          <input type="date" value={since} onChange={(event) => change({ since: event.target.value })} />
        </label>
      </div>
      {usage.error ? (
        <Trouble error={usage.error} onRetry={usage.refetch} />
      ) : !rows ? (
        <Loading as="tiles" />
      ) : rows.length ? (
        <UsageReport rows={rows} by={by} />
      ) : (
        <Empty icon={ChartNoAxesColumn} title={t("usage.none")}>
          <p>{t(since ? "usage.none_since" : "usage.none_hint")}</p>
        </Empty>
      )}
    </div>
  );
}

function UsageReport({ rows, by }: { rows: Totals[]; by: By }) {
  const { t } = useWords();
  const [params, change] = useParams();
  const measure = MEASURES.find((option) => option === params.get("of")) ?? defaultMeasure(rows);
  const unpriced = rows.reduce((all, row) => all + row.unpriced, 0);
  const saved = rows.reduce((all, row) => all + row.saved, 0);
  return (
    <>
      <div className="totals" role="group" aria-label={t("usage.measure")}>
        {MEASURES.map((option) => (
          <button key={option} type="button" aria-pressed={option === measure} onClick={() => change({ of: option }, true)}>
            <span className="muted">{t(`usage.${option}` as Key)}</span>
            <strong>{formatFigure(sum(rows, option), option)}</strong>
          </button>
        ))}
      </div>
      {(unpriced > 0 || saved > 0) && (
        <p className="muted">
          {unpriced > 0 && t("usage.unpriced", { n: unpriced })} {saved > 0 && t("usage.saved", { saved: formatFigure(saved, "cost") })}
        </p>
      )}
      <Chart rows={chartRows(rows, by, measure)} by={by} measure={measure} />
      <Table rows={rows} by={by} />
    </>
  );
}

/** What rows are called: models as people call them. */
function useNames(rows: readonly Totals[], by: By): (name: string) => string {
  const title = useModelTitles(by === "model" ? rows.map((row) => row.name) : []);
  return by === "model" ? title : (name) => name;
}

function Chart({ rows, by, measure }: { rows: Totals[]; by: By; measure: Measure }) {
  const title = useNames(rows, by);
  const bars = rows.map((row) => ({ name: title(row.name), value: amount(row, measure), text: formatFigure(amount(row, measure), measure) }));
  return <Bars bars={bars} />;
}

function Table({ rows, by }: { rows: Totals[]; by: By }) {
  const { t } = useWords();
  const title = useNames(rows, by);
  const numbers = ["calls", "from_cache", "failed", "prompt_tokens", "completion_tokens"] as const;
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled with keys
    <div className="table" tabIndex={0} role="region" aria-label={t("usage.table")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t(`usage.by_${by}` as Key)}</th>
            {numbers.map((column) => (
              <th key={column} scope="col">
                {t(`usage.${column}` as Key)}
              </th>
            ))}
            <th scope="col">{t("usage.cost")}</th>
            <th scope="col">{t("usage.seconds")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                {by === "answer" && row.name.startsWith("ans-") ? <Link href={`/ask/${row.name}`}>{row.name}</Link> : title(row.name) || t("usage.nothing")}
              </th>
              {numbers.map((column) => (
                <td key={column}>{number(row[column])}</td>
              ))}
              <td>{row.unpriced === row.calls && row.calls ? "–" : formatFigure(row.cost, "cost")}</td>
              <td>{formatFigure(row.seconds, "seconds")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
