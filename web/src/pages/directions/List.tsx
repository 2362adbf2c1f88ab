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
import { Certainty } from "./Certainty";
import { useDirection, useMatches } from "./queries";

export function List({ list, children }: { list: DirectionList; children: ReactNode }) {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const [typed, type] = useState("");
  const q = useDeferredValue(typed.trim());
  const matches = useMatches(q);
  const chosen = params.get("direction") ?? "";
  const directions = q ? (matches.data?.matches.map((match) => match.direction) ?? []) : list.directions;
  return (
    <div className="both">
      <section aria-label={t("directions.view.list")}>
        <label className="find">
          <Search size={16} aria-hidden />
          <input type="search" value={typed} onChange={(event) => type(event.target.value)} aria-label={t("directions.find")} placeholder={t("directions.find")} />
        </label>
        <p className="muted">
          {t("directions.told", { n: list.directions.length, papers: list.trained })} {list.hidden > 0 && t("directions.hidden", { n: list.hidden })}
        </p>
        <ol className="all">
          {directions.map((direction) => (
            <li key={direction.id}>
              <button type="button" className="link" aria-current={String(direction.id) === chosen || undefined} onClick={() => setParams({ direction: String(direction.id) })}>
                {direction.label}
              </button>
              <span className="muted">
                {t("search.found", { n: direction.texts })} <Certainty of={direction} />
              </span>
            </li>
          ))}
        </ol>
        {children}
      </section>
      <section aria-label={t("directions.one")}>{chosen ? <DirectionItem id={chosen} /> : <p className="muted">{t("directions.choose")}</p>}</section>
    </div>
  );
}

function DirectionItem({ id }: { id: string }) {
  const { t } = useWords();
  const [, setParams] = useParams();
  const directionQuery = useDirection(id);
  if (directionQuery.error) return <Trouble error={directionQuery.error} onRetry={directionQuery.refetch} />;
  if (!directionQuery.data) return <Loading as="cards" />;
  const { direction, strongest, near_misses, related } = directionQuery.data;
  return (
    <article className="card one">
      <h2>
        {direction.label} <Certainty of={direction} />
      </h2>
      <p className="muted">
        {[direction.terms.filter((term) => term !== direction.label).join(", "), direction.auc === null ? "" : t("directions.auc", { auc: number(direction.auc, { maximumFractionDigits: 2 }) })]
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
            {related.map((neighbour) => (
              <button key={neighbour.id} type="button" className="chip" onClick={() => setParams({ direction: String(neighbour.id) })}>
                {neighbour.label} {number(neighbour.share, { style: "percent" })} <Certainty of={neighbour} />
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
      {texts.map((text) => (
        <li key={text.paper + text.unit}>
          {text.sentence && <q>{text.sentence}</q>}
          <button type="button" className="link" onClick={() => open({ paper: text.paper, spans: text.span ? [text.span] : [] })}>
            {text.title}
          </button>{" "}
          <span className="muted">{text.year}</span>
        </li>
      ))}
    </ul>
  );
}
