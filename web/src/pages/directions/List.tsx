/** All directions, to be found by words; of one its strongest sentences, near misses, and what goes with it. */
import { Map as MapIcon, Search } from "lucide-react";
import { type ReactNode, useDeferredValue, useState } from "react";
import { Link } from "wouter";
import type { DirectionList, DirectionText } from "../../api/types";
import { number, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";
import { useDirection, useMatches } from "./asking";

/** Below it a label is not to be trusted without its sentences. */
const SURE = 0.8;

export function List({ found, children }: { found: DirectionList; children: ReactNode }) {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const [typed, type] = useState("");
  const q = useDeferredValue(typed.trim());
  const matches = useMatches(q);
  const chosen = params.get("direction") ?? "";
  const shown = q ? (matches.data?.matches.map((one) => one.direction) ?? []) : found.directions;
  return (
    <div className="both">
      <section aria-label={t("directions.view.list")}>
        <label className="find">
          <Search size={16} aria-hidden />
          <input type="search" value={typed} onChange={(event) => type(event.target.value)} aria-label={t("directions.find")} placeholder={t("directions.find")} />
        </label>
        <p className="muted">
          {t("directions.told", { n: found.directions.length, papers: found.trained })} {found.hidden > 0 && t("directions.hidden", { n: found.hidden })}
        </p>
        <ol className="all">
          {shown.map((one) => (
            <li key={one.id}>
              <button type="button" className="link" aria-current={String(one.id) === chosen || undefined} onClick={() => setParams({ direction: String(one.id) })}>
                {one.label}
              </button>
              <span className="muted">
                {t("search.found", { n: one.texts })}{" "}
                {one.auc !== null && one.auc < SURE && <span className="badge warn">{t("directions.unsure")}</span>}
              </span>
            </li>
          ))}
        </ol>
        {children}
      </section>
      <section aria-label={t("directions.one")}>{chosen ? <One id={chosen} /> : <p className="muted">{t("directions.choose")}</p>}</section>
    </div>
  );
}

function One({ id }: { id: string }) {
  const { t } = useWords();
  const [, setParams] = useParams();
  const found = useDirection(id);
  if (found.error) return <Trouble error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <Loading as="cards" />;
  const { direction, strongest, near_misses, related } = found.data;
  return (
    <article className="card one">
      <h2>{direction.label}</h2>
      <p className="muted">
        {[direction.terms.filter((one) => one !== direction.label).join(", "), direction.auc === null ? "" : t("directions.auc", { auc: number(direction.auc, { maximumFractionDigits: 2 }) })]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <p>
        <Link className="button quiet" href={`/search?q=${encodeURIComponent(direction.label)}&more=${direction.id}`}>
          <Search size={15} aria-hidden />
          {t("directions.search")}
        </Link>
        <Link className="button quiet" href={`/map?overlay=direction:${encodeURIComponent(direction.label)}`}>
          <MapIcon size={15} aria-hidden />
          {t("directions.map")}
        </Link>
      </p>
      <h3>{t("directions.strongest")}</h3>
      <Texts texts={strongest} />
      {near_misses.length > 0 && (
        <details>
          <summary>{t("directions.near")}</summary>
          <Texts texts={near_misses} />
        </details>
      )}
      {related.length > 0 && (
        <>
          <h3>{t("directions.related")}</h3>
          <p className="chips">
            {related.map((one) => (
              <button key={one.id} type="button" className="chip" onClick={() => setParams({ direction: String(one.id) })}>
                {one.label} {number(one.share, { style: "percent" })}
              </button>
            ))}
          </p>
        </>
      )}
    </article>
  );
}

function Texts({ texts }: { texts: readonly DirectionText[] }) {
  const { open } = useReading();
  return (
    <ul className="texts">
      {texts.map((one) => (
        <li key={one.paper + one.unit}>
          {one.sentence && <q>{one.sentence}</q>}
          <button type="button" className="link" onClick={() => open({ paper: one.paper, spans: one.span ? [one.span] : [] })}>
            {one.title}
          </button>{" "}
          <span className="muted">{one.year}</span>
        </li>
      ))}
    </ul>
  );
}
