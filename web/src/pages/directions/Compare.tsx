/** Two selections of papers compared, and what goes with citations: differences, and no causes. */
import { type FormEvent, useState } from "react";
import { number, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { Trouble } from "../../parts/Trouble";
import { Certainty } from "./Certainty";
import { useAssociations, useComparison } from "./queries";

const percent = (value: number) => number(value, { style: "percent", maximumFractionDigits: 1 });
const ratio = (value: number | null) => (value === null ? "–" : number(value, { maximumSignificantDigits: 3 }));

export function Compare() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const [left, right] = [params.get("left") ?? "", params.get("right") ?? ""];
  const isWithin = params.has("within");
  const comparisonQuery = useComparison(left, right, isWithin ? ["year"] : []);
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setParams({ left: String(form.get("left")).trim() || null, right: String(form.get("right")).trim() || null, within: form.get("within") ? "year" : null });
  };
  return (
    <section aria-label={t("directions.view.compare")}>
      <form className="asking" onSubmit={ask}>
        <label className="above">
          <span>{t("directions.left")}</span>
          <input name="left" defaultValue={left} placeholder="year:..2010" required />
        </label>
        <label className="above">
          <span>{t("directions.right")}</span>
          <input name="right" defaultValue={right} placeholder="year:2011.." required />
        </label>
        <label className="check">
          <input type="checkbox" name="within" defaultChecked={isWithin} /> <span>{t("directions.within")}</span>
        </label>
        <button type="submit" className="primary">
          {t("directions.compare")}
        </button>
      </form>
      <p className="muted">{t("directions.compare.how")}</p>
      {comparisonQuery.error && <Trouble error={comparisonQuery.error} onRetry={comparisonQuery.refetch} />}
      {left && right && comparisonQuery.isLoading && <Loading as="box" />}
      {comparisonQuery.data && (
        <>
          <p role="status">{t("directions.differences", { n: comparisonQuery.data.differences.length, all: comparisonQuery.data.tested, fdr: percent(comparisonQuery.data.fdr) })}</p>
          {comparisonQuery.data.notes.map((note) => (
            <p key={note} className="muted">
              <Remedy text={note} />
            </p>
          ))}
          {comparisonQuery.data.differences.length > 0 && (
            <div className="scrolling">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("page.directions")}</th>
                    <th scope="col">{t("directions.share", { side: comparisonQuery.data.left, n: comparisonQuery.data.left_papers })}</th>
                    <th scope="col">{t("directions.share", { side: comparisonQuery.data.right, n: comparisonQuery.data.right_papers })}</th>
                    <th scope="col">{t("directions.more")}</th>
                    <th scope="col">{t("directions.odds")}</th>
                  </tr>
                </thead>
                <tbody>
                  {comparisonQuery.data.differences.map((difference) => (
                    <tr key={difference.direction.id}>
                      <th scope="row">
                        <button type="button" className="link" onClick={() => setParams({ view: null, direction: String(difference.direction.id) })}>
                          {difference.direction.label} <Certainty of={difference.direction} />
                        </button>
                      </th>
                      <td>{percent(difference.left_share)}</td>
                      <td>{percent(difference.right_share)}</td>
                      <td>{comparisonQuery.data[difference.more]}</td>
                      <td>
                        {ratio(difference.odds_ratio)} <span className="muted">({`${ratio(difference.low)}–${ratio(difference.high)}`})</span>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </>
      )}
      <Citations />
    </section>
  );
}

function Citations() {
  const { t } = useWords();
  const [, setParams] = useParams();
  const [isAsked, ask] = useState(false);
  const associationsQuery = useAssociations(isAsked);
  return (
    <section aria-label={t("directions.citations")}>
      <h2>{t("directions.citations")}</h2>
      <p className="muted">{t("directions.citations.how")}</p>
      {!isAsked && (
        <button type="button" onClick={() => ask(true)}>
          {t("directions.citations.do")}
        </button>
      )}
      {associationsQuery.error && <Trouble error={associationsQuery.error} onRetry={associationsQuery.refetch} />}
      {associationsQuery.isLoading && <Loading as="box" />}
      {associationsQuery.data && !associationsQuery.data.associations.length && <p role="status">{t("directions.citations.none")}</p>}
      {associationsQuery.data && associationsQuery.data.associations.length > 0 && (
        <div className="scrolling">
          <table>
            <thead>
              <tr>
                <th scope="col">{t("page.directions")}</th>
                <th scope="col">{t("directions.ratio")}</th>
                <th scope="col">{t("directions.held")}</th>
                <th scope="col">{t("directions.later")}</th>
                <th scope="col">{t("directions.confirmed")}</th>
              </tr>
            </thead>
            <tbody>
              {associationsQuery.data.associations.map((association) => (
                <tr key={association.direction.id}>
                  <th scope="row">
                    <button type="button" className="link" onClick={() => setParams({ view: null, direction: String(association.direction.id) })}>
                      {association.direction.label} <Certainty of={association.direction} />
                    </button>
                  </th>
                  <td>{ratio(association.ratio)}</td>
                  <td>{ratio(association.held_out)}</td>
                  <td>{ratio(association.later)}</td>
                  <td>{t(association.confirmed ? "yes" : "no")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
