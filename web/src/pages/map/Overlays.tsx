/** What is shown on the map: chosen, and what its colours mean. */
import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { MapRegion, Overlay } from "../../api/types";
import { number, useWords } from "../../i18n";
import { css, legendEntries } from "../../map/colours";
import { useDark } from "../../shell/theme";
import { type MapPageState, type Kind, KINDS, nameOf, overlayOf, PLAIN } from "./queries";

interface ChooseProps {
  view: MapPageState;
  onChange: (values: Record<string, string | number | null>) => void;
}

export function ChooseOverlay({ view, onChange }: ChooseProps) {
  const { t } = useWords();
  const overlay = overlayOf(view.overlay);
  const [kind, choose] = useState<Kind | "">(overlay.kind);
  const [words, type] = useState(overlay.words);
  const [since, date] = useState(String(view.since ?? ""));
  const isWords = kind !== "" && kind !== "query" && !PLAIN.includes(kind); // a query has the page's own box
  const offered = KINDS.filter((name) => name !== "query" || overlay.kind === "query");
  const take = (next: Kind | "") => {
    choose(next);
    if (next === "" || PLAIN.includes(next)) onChange({ overlay: nameOf(next, ""), since: next ? view.since : null });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ overlay: nameOf(kind, words), since: since || null });
  };
  return (
    <form className="overlay" onSubmit={submit}>
      <label>
        <span>{t("map.colour")}</span>
        <select value={kind} onChange={(event) => take(event.target.value as Kind | "")}>
          <option value="">{t("map.overlay.regions")}</option>
          {offered.map((name) => (
            <option key={name} value={name}>
              {t(`map.overlay.${name}`)}
            </option>
          ))}
        </select>
      </label>
      {isWords && (
        <input
          value={words}
          onChange={(event) => type(event.target.value)}
          aria-label={t(`map.overlay.${kind}`)}
          placeholder={t(`map.words.${kind}` as "map.words.keyword")}
          spellCheck={false}
          autoComplete="off"
        />
      )}
      {kind !== "" && kind !== "answer" && (
        <label>
          <span>{t("map.since")}</span>
          <input
            type="number"
            min={1}
            max={9999}
            value={since}
            onChange={({ target: { value } }) => {
              date(value);
              if (value.length === 4 || !value) onChange({ since: value || null });
            }}
          />
        </label>
      )}
      {isWords && (
        <button type="submit" disabled={!words.trim()}>
          {t("map.show")}
        </button>
      )}
    </form>
  );
}

interface LegendProps {
  overlay: Overlay;
  regions: readonly MapRegion[];
  lit: number;
  onRegion: (id: number) => void;
  onClose: () => void;
}

const short = (value: number) => number(value, { maximumSignificantDigits: 4, useGrouping: Math.abs(value) >= 10_000 });

export function Legend({ overlay, regions, lit, onRegion, onClose }: LegendProps) {
  const { t } = useWords();
  const isDark = useDark();
  const entries = legendEntries(overlay, isDark, short);
  const isRamp = overlay.kind === "number";
  const names = new Map(regions.map((region) => [region.id, region.name]));
  return (
    <section className="legend" aria-label={t("map.legend")}>
      <header>
        <p>{overlay.kind === "lit" ? `${overlay.legend.meaning}: ${number(lit)}` : overlay.legend.meaning}</p>
        <button type="button" className="plain" aria-label={t("map.overlay.close")} onClick={onClose}>
          <X size={16} aria-hidden />
        </button>
      </header>
      {isRamp && entries.length > 0 && (
        <>
          <span className="ramp" aria-hidden style={{ background: `linear-gradient(to right, ${entries.map((entry) => css(entry.colour)).join()})` }} />
          <p className="ends">
            <span>{entries[0]!.text}</span>
            <span>{entries.at(-1)!.text}</span>
          </p>
        </>
      )}
      {overlay.kind === "category" && (
        <ul className="categories">
          {entries.map((entry) => (
            <li key={entry.text}>
              <span className="swatch" aria-hidden style={{ background: css(entry.colour) }} />
              {entry.text}
            </li>
          ))}
        </ul>
      )}
      {overlay.modes && (
        <p title={overlay.modes.method}>
          {t(`map.modes.${overlay.modes.kind}`)}{" "}
          {overlay.modes.groups.map((group) => (
            <button key={`${group.x} ${group.y}`} type="button" className="chip" onClick={() => onRegion(group.region)}>
              {names.get(group.region) ?? group.region} · {number(group.texts)}
            </button>
          ))}
        </p>
      )}
      {overlay.path.length > 1 && <p className="muted">{t("map.path", { first: String(overlay.path[0]!.year), last: String(overlay.path.at(-1)!.year) })}</p>}
      {overlay.notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
    </section>
  );
}
