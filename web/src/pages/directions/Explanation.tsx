/** Why two papers, or a paper and a question, are near: the similarity as a sum of directions. */
import { type FormEvent, useState } from "react";
import type { SimilarityReport } from "../../api/types";
import { number, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Trouble } from "../../parts/Trouble";
import { useExplanation } from "./queries";

export function Explanation() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const [paper, other] = [params.get("paper") ?? "", params.get("other") ?? ""];
  const whyQuery = useExplanation(paper, other);
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setParams({ paper: String(form.get("paper")).trim() || null, other: String(form.get("other")).trim() || null });
  };
  return (
    <section aria-label={t("directions.view.why")}>
      <form className="asking" onSubmit={ask}>
        <label className="above">
          <span>{t("directions.paper")}</span>
          <input name="paper" defaultValue={paper} placeholder={t("directions.paper.how")} required />
        </label>
        <label className="above">
          <span>{t("directions.other")}</span>
          <input name="other" defaultValue={other} placeholder={t("directions.other.how")} />
        </label>
        <button type="submit" className="primary">
          {t("directions.explain")}
        </button>
      </form>
      {whyQuery.error && <Trouble error={whyQuery.error} onRetry={whyQuery.refetch} />}
      {paper && whyQuery.isLoading && <Loading as="box" />}
      {whyQuery.data && <SimilarityParts report={whyQuery.data} />}
    </section>
  );
}

function SimilarityParts({ report }: { report: SimilarityReport }) {
  const { t } = useWords();
  const [isAll, all] = useState(false);
  const most = Math.max(report.shared, report.rest, ...report.parts.map((part) => part.value), 1e-9);
  const parts = isAll ? report.parts : report.parts.slice(0, 8);
  const rows: [string, number][] = [
    ...parts.map((part): [string, number] => [part.direction.label, part.value]),
    ...(isAll || report.parts.length <= 8
      ? []
      : [[t("directions.further", { n: report.parts.length - 8 }), report.parts.slice(8).reduce((sum, part) => sum + part.value, 0)] as [string, number]]),
    [t("directions.shared"), report.shared],
    [t("directions.rest"), report.rest],
  ];
  const [share, rest] = [(value: number) => `${Math.max(0, (100 * value) / most)}%`, (value: number) => number(value, { minimumFractionDigits: 3, maximumFractionDigits: 3, signDisplay: "negative" })];
  return (
    <div className="card sum">
      <p>
        <strong>{report.left}</strong>
        {report.right !== report.left && (
          <>
            {" · "}
            <strong>{report.right}</strong>
          </>
        )}
      </p>
      <table>
        <caption className="hidden">{t("directions.view.why")}</caption>
        <thead className="hidden">
          <tr>
            <th scope="col">{t("page.directions")}</th>
            <th scope="col">{t("directions.similarity")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <span className="bar" aria-hidden>
                  <span style={{ inlineSize: share(value) }} />
                </span>
                {rest(value)}
              </td>
            </tr>
          ))}
          <tr className="all">
            <th scope="row">{t("directions.similarity")}</th>
            <td>{rest(report.similarity)}</td>
          </tr>
        </tbody>
      </table>
      {report.parts.length > 8 && (
        <button type="button" className="link" aria-expanded={isAll} onClick={() => all(!isAll)}>
          {t(isAll ? "search.less" : "search.whole")}
        </button>
      )}
    </div>
  );
}
