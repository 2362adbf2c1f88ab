/** Two selections of papers compared, and what goes with citations: differences, and no causes. */
import { type FormEvent, useState } from "react";
import { number, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { Trouble } from "../../parts/Trouble";
import { useAssociations, useComparison } from "./asking";

const percent = (value: number) => number(value, { style: "percent", maximumFractionDigits: 1 });
const ratio = (value: number | null) => (value === null ? "–" : number(value, { maximumSignificantDigits: 3 }));

export function Compare() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const [left, right] = [params.get("left") ?? "", params.get("right") ?? ""];
  const isWithin = params.has("within");
  const found = useComparison(left, right, isWithin ? ["year"] : []);
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
      {found.error && <Trouble error={found.error} onRetry={found.refetch} />}
      {left && right && found.isLoading && <Loading as="box" />}
      {found.data && (
        <>
          <p role="status">{t("directions.differences", { n: found.data.differences.length, all: found.data.tested, fdr: percent(found.data.fdr) })}</p>
          {found.data.notes.map((note) => (
            <p key={note} className="muted">
              <Remedy text={note} />
            </p>
          ))}
          {found.data.differences.length > 0 && (
            <div className="scrolling">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("page.directions")}</th>
                    <th scope="col">{t("directions.share", { side: found.data.left, n: found.data.left_papers })}</th>
                    <th scope="col">{t("directions.share", { side: found.data.right, n: found.data.right_papers })}</th>
                    <th scope="col">{t("directions.odds")}</th>
                  </tr>
                </thead>
                <tbody>
                  {found.data.differences.map((one) => (
                    <tr key={one.direction.id}>
                      <th scope="row">
                        <button type="button" className="link" onClick={() => setParams({ view: null, direction: String(one.direction.id) })}>
                          {one.direction.label}
                        </button>
                      </th>
                      <td>{percent(one.left_share)}</td>
                      <td>{percent(one.right_share)}</td>
                      <td>
                        {ratio(one.odds_ratio)} <span className="muted">({`${ratio(one.low)}–${ratio(one.high)}`})</span>
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
  const found = useAssociations(isAsked);
  return (
    <section aria-label={t("directions.citations")}>
      <h2>{t("directions.citations")}</h2>
      <p className="muted">{t("directions.citations.how")}</p>
      {!isAsked && (
        <button type="button" onClick={() => ask(true)}>
          {t("directions.citations.do")}
        </button>
      )}
      {found.error && <Trouble error={found.error} onRetry={found.refetch} />}
      {found.isLoading && <Loading as="box" />}
      {found.data && !found.data.associations.length && <p role="status">{t("directions.citations.none")}</p>}
      {found.data && found.data.associations.length > 0 && (
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
              {found.data.associations.map((one) => (
                <tr key={one.direction.id}>
                  <th scope="row">
                    <button type="button" className="link" onClick={() => setParams({ view: null, direction: String(one.direction.id) })}>
                      {one.direction.label}
                    </button>
                  </th>
                  <td>{ratio(one.ratio)}</td>
                  <td>{ratio(one.held_out)}</td>
                  <td>{ratio(one.later)}</td>
                  <td>{t(one.confirmed ? "yes" : "no")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
