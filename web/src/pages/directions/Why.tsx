/** Why two papers, or a paper and a question, are near: the similarity as a sum of directions. */
import { type FormEvent, useState } from "react";
import type { SimilarityReport } from "../../api/types";
import { number, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Trouble } from "../../parts/Trouble";
import { useWhy } from "./asking";

export function Why() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const [one, other] = [params.get("paper") ?? "", params.get("other") ?? ""];
  const found = useWhy(one, other);
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
          <input name="paper" defaultValue={one} placeholder={t("directions.paper.how")} required />
        </label>
        <label className="above">
          <span>{t("directions.other")}</span>
          <input name="other" defaultValue={other} placeholder={t("directions.other.how")} />
        </label>
        <button type="submit" className="primary">
          {t("directions.explain")}
        </button>
      </form>
      {found.error && <Trouble error={found.error} onRetry={found.refetch} />}
      {one && found.isLoading && <Loading as="box" />}
      {found.data && <Sum found={found.data} />}
    </section>
  );
}

function Sum({ found }: { found: SimilarityReport }) {
  const { t } = useWords();
  const [isAll, all] = useState(false);
  const most = Math.max(found.shared, found.rest, ...found.parts.map((one) => one.value), 1e-9);
  const shown = isAll ? found.parts : found.parts.slice(0, 8);
  const rows: [string, number][] = [
    ...shown.map((one): [string, number] => [one.direction.label, one.value]),
    ...(isAll || found.parts.length <= 8
      ? []
      : [[t("directions.further", { n: found.parts.length - 8 }), found.parts.slice(8).reduce((sum, one) => sum + one.value, 0)] as [string, number]]),
    [t("directions.shared"), found.shared],
    [t("directions.rest"), found.rest],
  ];
  const [share, rest] = [(value: number) => `${Math.max(0, (100 * value) / most)}%`, (value: number) => number(value, { minimumFractionDigits: 3, maximumFractionDigits: 3, signDisplay: "negative" })];
  return (
    <div className="card sum">
      <p>
        <strong>{found.left}</strong>
        {found.right !== found.left && (
          <>
            {" · "}
            <strong>{found.right}</strong>
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
            <td>{rest(found.similarity)}</td>
          </tr>
        </tbody>
      </table>
      {found.parts.length > 8 && (
        <button type="button" className="link" aria-expanded={isAll} onClick={() => all(!isAll)}>
          {t(isAll ? "search.less" : "search.whole")}
        </button>
      )}
    </div>
  );
}
