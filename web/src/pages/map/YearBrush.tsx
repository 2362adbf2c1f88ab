/** Which years are shown: two handles below how many texts each year has. */
import { useMemo, useState } from "react";
import { useWords } from "../../i18n";
import { type Points, span, type Years } from "../../map/points";

interface Props {
  points: Points;
  years: Years | null;
  /** As the handles move. */
  onMove: (years: Years | null) => void;
  /** Where they are let go; a step of the keys is none of the address. */
  onChange: (years: Years | null, isStep?: boolean) => void;
}

/** How many texts each year has, from the first to the last. */
export function countYears(points: Pick<Points, "years">): { first: number; counts: number[] } | null {
  const all = span(points);
  if (!all) return null;
  const counts = new Array<number>(all[1] - all[0] + 1).fill(0);
  for (const year of points.years) if (year > 0) counts[year - all[0]]!++;
  return { first: all[0], counts };
}

export function YearBrush({ points, years, onMove, onChange }: Props) {
  const { t } = useWords();
  const all = useMemo(() => countYears(points), [points]);
  const [moved, move] = useState<Years | null | undefined>(undefined);
  if (!all || all.counts.length < 2) return null;
  const last = all.first + all.counts.length - 1;
  const clamp = (year: number) => Math.min(last, Math.max(all.first, year));
  const range = moved === undefined ? years : moved;
  const [low, high] = range ? [clamp(range[0]), clamp(range[1])] : [all.first, last];
  const most = Math.max(...all.counts);
  const set = (edge: number, other: number): Years | null => {
    const [from, to] = [Math.min(edge, other), Math.max(edge, other)];
    return from <= all.first && to >= last ? null : [from, to];
  };
  const drag = (next: Years | null) => {
    move(next);
    onMove(next);
  };
  const done = (isStep = false) => {
    if (moved === undefined) return;
    onChange(moved, isStep);
    move(undefined);
  };
  const handle = (value: number, other: number, label: string) => (
    <input
      type="range"
      min={all.first}
      max={last}
      value={value}
      aria-label={label}
      onChange={(event) => drag(set(Number(event.target.value), other))}
      onPointerUp={() => done()}
      onKeyUp={() => done(true)}
      onBlur={() => done()}
    />
  );
  return (
    <div className="brush" role="group" aria-label={t("map.years")}>
      <output>
        {low}–{high}
      </output>
      <div className="bars">
        <svg viewBox={`0 0 ${all.counts.length} 1`} preserveAspectRatio="none" aria-hidden>
          {all.counts.map((count, at) => {
            const tall = Math.max(count ? 0.04 : 0, count / most);
            const year = all.first + at;
            return <rect key={year} x={at + 0.08} y={1 - tall} width={0.84} height={tall} className={year >= low && year <= high ? "in" : ""} />;
          })}
        </svg>
        {handle(low, high, t("map.years.first"))}
        {handle(high, low, t("map.years.last"))}
      </div>
      {range && (
        <button
          type="button"
          className="quiet"
          onClick={() => {
            onMove(null);
            onChange(null);
          }}
        >
          {t("map.years.all")}
        </button>
      )}
    </div>
  );
}
