/** Beside the map: its regions with how they grow, gaps, and trends. It says in words what the map shows. */
import { useState } from "react";
import type { Gap, GapPattern, MapHead, Overlay, Topic } from "../../api/types";
import { type Key, number, useWords } from "../../i18n";
import { type Colour, css } from "../../map/colours";
import { Loading } from "../../parts/Loading";
import { Remedy } from "../../parts/Remedy";
import { SearchBox } from "../../parts/SearchBox";
import { Trouble } from "../../parts/Trouble";
import { type MapPageState, PANELS, useGaps, useTopics, useTrend } from "./queries";

interface Props {
  view: MapPageState;
  map: MapHead;
  overlay: Overlay | undefined;
  colours: ReadonlyMap<number, Colour>;
  /** Texts of the years that are shown, by regions; null: of all. */
  counts: ReadonlyMap<number, number> | null;
  onRegion: (id: number) => void;
  onChange: (values: Record<string, string | number | null>) => void;
}

export function Panel(props: Props) {
  const { t } = useWords();
  const { view, onChange } = props;
  const names = view.of === "papers" ? PANELS : PANELS.slice(0, 1);
  return (
    <>
      <div className="views" role="group" aria-label={t("map.panels")}>
        {names.map((name) => (
          <button key={name} type="button" className="quiet" aria-pressed={view.panel === name} onClick={() => onChange({ panel: name === "regions" ? null : name })}>
            {t(`map.panel.${name}`)}
          </button>
        ))}
      </div>
      {view.panel === "trends" && view.of === "papers" ? (
        <Trends view={view} onChange={onChange} />
      ) : (
        <>
          <label className="level">
            <span>{t("map.level")}</span>
            <select value={view.level} onChange={(event) => onChange({ level: event.target.value === "1" ? null : event.target.value })}>
              {([0, 1, 2] as const).map((level) => (
                <option key={level} value={level}>
                  {t(`map.level.${level}`)}
                </option>
              ))}
            </select>
          </label>
          {view.panel === "gaps" && view.of === "papers" ? <Gaps {...props} /> : <Regions {...props} />}
        </>
      )}
    </>
  );
}

/** Growth, or its inverse, from which it is told: nearer to 1 a few papers make it. */
const CLEAR = 1.15;

export function useGrowth() {
  const { t } = useWords();
  return (growth: number | null) => {
    if (growth === null) return "";
    if (growth < 1 / CLEAR) return t("map.growth.behind");
    return growth < CLEAR ? t("map.growth.same") : t("map.growth", { by: number(growth, { maximumSignificantDigits: 2 }) });
  };
}

/** How many papers a region has; of some years, how many texts. */
export function useSize(of: MapPageState["of"], counts: Props["counts"]) {
  const { t } = useWords();
  return (region: number, papers: number) => {
    const n = counts ? (counts.get(region) ?? 0) : papers;
    return t(counts && of === "passages" ? "map.texts" : "search.found", { n });
  };
}

function Regions({ view, overlay, colours, counts, onRegion }: Props) {
  const { t } = useWords();
  const sized = useSize(view.of, counts);
  const grown = useGrowth();
  const topics = useTopics(view.of, view.level, null, view.years);
  if (topics.error) return <Trouble error={topics.error} onRetry={topics.refetch} />;
  if (!topics.data) return <Loading />;
  return (
    <ol className="regions" aria-label={t("map.panel.regions")}>
      {topics.data.map(({ region, papers, growth }: Topic) => (
        <li key={region.id}>
          <span className="swatch" aria-hidden style={{ background: css(colours.get(region.id) ?? [150, 150, 150]) }} />
          <div>
            <button type="button" className="link" onClick={() => onRegion(region.id)}>
              {region.name}
            </button>
            <span className="muted">{[sized(region.id, papers), grown(growth), describeOverlay(t, overlay, region.id)].filter(Boolean).join(" · ")}</span>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** What an overlay says of a region. */
export function describeOverlay(t: ReturnType<typeof useWords>["t"], overlay: Overlay | undefined, id: number): string {
  const row = overlay?.regions.find((region) => region.id === id);
  if (!overlay || !row || row.value === null) return "";
  const percent = (value: number) => number(value, { style: "percent", maximumFractionDigits: 1 });
  const sign = (value: number) => number(value, { style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" });
  if (overlay.kind === "category") return `${row.category} ${percent(row.value)}`;
  if (row.before !== null && row.after !== null) return `${percent(row.before)} → ${percent(row.after)} (${sign(row.value)})`;
  if (overlay.kind === "lit") return `${percent(row.value)} (${number(row.texts)})`;
  const value = `${number(row.value, { maximumSignificantDigits: 4, useGrouping: false })} ${overlay.legend.unit}`.trim();
  return t(overlay.name === "reviews" ? "map.value.reviews" : "map.value", { value });
}

/** The numbers behind what is unusual of a region's citations. */
function explain(t: ReturnType<typeof useWords>["t"], { kind, value, usual, citations }: GapPattern): string {
  const format = (of: number) => number(of, { style: kind === "not followed up" ? "decimal" : "percent", maximumFractionDigits: 0 });
  return t(`map.gap.${kind}.why` as Key, { value: format(value), usual: format(usual), n: citations });
}

function Gaps({ view, onRegion }: Props) {
  const { t } = useWords();
  const grown = useGrowth();
  const gaps = useGaps(view.level, view.years);
  if (gaps.error) return <Trouble error={gaps.error} onRetry={gaps.refetch} />;
  if (!gaps.data) return <Loading />;
  return (
    <>
      <p className="muted">
        {t("map.gaps.how")} {view.years && t(gaps.data.regions.length ? "map.gaps.years" : "map.years.none")}
      </p>
      {gaps.data.notes.map((note) => (
        <p key={note} className="muted">
          <Remedy text={note} />
        </p>
      ))}
      <ol className="regions" aria-label={t("map.panel.gaps")}>
        {gaps.data.regions.map((gap: Gap) => (
          <li key={gap.id}>
            <div>
              <button type="button" className="link" onClick={() => onRegion(gap.id)}>
                {gap.name}
              </button>
              <span className="muted">
                {[
                  gap.last_review === null
                    ? t("map.gap.none", { n: gap.papers })
                    : t("map.gap.since", { n: gap.papers_since_review, year: String(gap.last_review) }),
                  grown(gap.growth),
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </span>
              {gap.patterns.map((pattern) => (
                <p key={pattern.kind} className="muted">
                  <span className="badge">{t(`map.gap.${pattern.kind}` as Key)}</span> {explain(t, pattern)}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

function Trends({ view, onChange }: Pick<Props, "view" | "onChange">) {
  const { t } = useWords();
  return (
    <>
      <SearchBox key={view.trend} q={view.trend} label={t("map.trend.of")} placeholder="JWST" onSearch={(trend) => onChange({ trend })} />
      <TrendChart of={view.trend} years={view.years} />
    </>
  );
}

/** Papers of something by years, as bars with their shares; of some years, or of all. */
export function TrendChart({ of, years: range }: { of: string; years: MapPageState["years"] }) {
  const { t } = useWords();
  const trend = useTrend(of, range);
  const [at, point] = useState<number | null>(null);
  if (!of) return <p className="muted">{t("map.trend.how")}</p>;
  if (trend.error) return <Trouble error={trend.error} onRetry={trend.refetch} />;
  if (!trend.data) return <Loading />;
  const { years, papers } = trend.data;
  if (!years.length) return <p className="muted">{t(range ? "map.years.none" : papers ? "map.trend.none" : "map.trend.nothing")}</p>;
  // of years with few papers in all, an interval may reach beyond
  const most = 1.25 * Math.max(...years.map((row) => row.share), 1e-9);
  const current = (years[at ?? -1] ?? years.at(-1))!;
  const percent = (value: number) => number(value, { style: "percent", maximumSignificantDigits: 2 });
  return (
    <figure className="trend">
      <figcaption>
        {!of.startsWith("topic:") && `${t("search.found", { n: papers })} · `}
        {current.year}: {t("map.trend.year", { n: current.papers, share: percent(current.share), low: percent(current.low), high: percent(current.high) })}
      </figcaption>
      <svg viewBox={`0 0 ${years.length} 1`} preserveAspectRatio="none" aria-hidden>
        {years.map((row, number) => (
          <g key={row.year} onPointerEnter={() => point(number)}>
            <rect className="all" x={number} y={0} width={1} height={1} />
            <rect x={number + 0.1} y={1 - row.share / most} width={0.8} height={row.share / most} />
            <line x1={number + 0.5} x2={number + 0.5} y1={1 - row.high / most} y2={1 - row.low / most} />
          </g>
        ))}
      </svg>
      <p className="ends">
        <span>{years[0]!.year}</span>
        <span>{years.at(-1)!.year}</span>
      </p>
      <details>
        <summary>{t("map.trend.table")}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("map.year")}</th>
              <th scope="col">{t("map.papers")}</th>
              <th scope="col">{t("map.share")}</th>
            </tr>
          </thead>
          <tbody>
            {years.map((row) => (
              <tr key={row.year}>
                <th scope="row">{row.year}</th>
                <td>{number(row.papers)}</td>
                <td>{percent(row.share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
