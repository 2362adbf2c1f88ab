/** Papers by year: a click chooses a year, dragging a range; the fields below take it from the keyboard. */
import type { Value } from "../../api/types";
import { useRef, useState } from "react";
import { useWords } from "../../i18n";
import { rangeOf, years } from "./searchState";

/** Bars: a year each, or several where there are more than about forty; with how many papers. */
export function bars(values: readonly Value[], most = 40): { low: number; high: number; papers: number }[] {
  const known = values.map((facetValue) => ({ year: Number(facetValue.value), papers: facetValue.papers })).filter((yearCount) => yearCount.year > 0);
  if (!known.length) return [];
  const first = Math.min(...known.map((yearCount) => yearCount.year));
  const last = Math.max(...known.map((yearCount) => yearCount.year));
  const step = [1, 2, 5, 10, 20, 50, 100].find((span) => (last - first + 1) / span <= most) ?? 200;
  const low = Math.floor(first / step) * step;
  const histogram = Array.from({ length: Math.floor((last - low) / step) + 1 }, (_, at) => ({
    low: Math.max(first, low + at * step),
    high: Math.min(last, low + at * step + step - 1),
    papers: 0,
  }));
  for (const count of known) histogram[Math.floor((count.year - low) / step)]!.papers += count.papers;
  return histogram;
}

interface Props {
  values: readonly Value[];
  year: string;
  onChange: (year: string) => void;
}

export function Years({ values, year, onChange }: Props) {
  const { t } = useWords();
  const [drag, setDrag] = useState<[number, number] | null>(null);
  const histogram = useRef<HTMLDivElement>(null);
  const all = bars(values);
  const highest = Math.max(1, ...all.map((bar) => bar.papers));
  const [low, high] = years(year);
  const at = (x: number) => {
    const box = histogram.current!.getBoundingClientRect();
    return Math.max(0, Math.min(all.length - 1, Math.floor(((x - box.left) / box.width) * all.length)));
  };
  const range = drag ? [all[Math.min(...drag)]!.low, all[Math.max(...drag)]!.high] : [low, high];
  const isIn = (bar: { low: number; high: number }) =>
    (range[0] == null || bar.high >= range[0]) && (range[1] == null || bar.low <= range[1]);
  const isSet = drag !== null || year !== "";
  return (
    <fieldset className="facet">
      <legend>{t("search.facet.year")}</legend>
      {all.length > 1 && (
        <div
          className="histogram"
          ref={histogram}
          aria-hidden
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag([at(event.clientX), at(event.clientX)]);
          }}
          onPointerMove={(event) => drag && setDrag([drag[0], at(event.clientX)])}
          onPointerUp={() => {
            if (!drag) return;
            const chosen = rangeOf(all[Math.min(...drag)]!.low, all[Math.max(...drag)]!.high);
            setDrag(null);
            onChange(chosen === year ? "" : chosen);
          }}
          onPointerCancel={() => setDrag(null)}
        >
          {all.map((bar) => (
            <span
              key={bar.low}
              className={isSet && isIn(bar) ? "in" : isSet ? "out" : ""}
              title={`${bar.low === bar.high ? bar.low : `${bar.low}–${bar.high}`}: ${bar.papers}`}
            >
              <span style={{ blockSize: bar.papers ? `${6 + (94 * bar.papers) / highest}%` : 0 }} />
            </span>
          ))}
        </div>
      )}
      {all.length > 1 && (
        <div className="ends" aria-hidden>
          <span>{all[0]!.low}</span>
          <span>{all.at(-1)!.high}</span>
        </div>
      )}
      <div className="range">
        <Year key={`low${low}`} label={t("search.from")} value={low} onChange={(value) => onChange(formatRange(value, high))} />
        <span aria-hidden>–</span>
        <Year key={`high${high}`} label={t("search.to")} value={high} onChange={(value) => onChange(formatRange(low, value))} />
      </div>
    </fieldset>
  );
}

const formatRange = (low: number | null, high: number | null) =>
  low !== null && high !== null && low > high ? rangeOf(high, low) : rangeOf(low, high);

function Year({ label, value, onChange }: { label: string; value: number | null; onChange: (value: number | null) => void }) {
  const take = (text: string) => {
    const year = /^\d{1,4}$/.test(text.trim()) ? Number(text) : null;
    if (year !== value) onChange(year);
  };
  return (
    <input
      inputMode="numeric"
      defaultValue={value ?? ""}
      placeholder={label}
      aria-label={label}
      maxLength={4}
      onBlur={(event) => take(event.target.value)}
      onKeyDown={(event) => event.key === "Enter" && take(event.currentTarget.value)}
    />
  );
}
