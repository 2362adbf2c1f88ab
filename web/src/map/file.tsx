/** A map in a file of its own, which asks nobody for anything: what it shows lies in the file (`wire/html.py`). */
import { StrictMode, useEffect, useMemo, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import type { MapHead, Overlay } from "../api/types";
import { LanguageProvider, number, useWords } from "../i18n";
import { translateOverlay } from "../i18n/translation";
import "../styles/base.css";
import { byOverlay, byRegion, css, legendEntries, colourRegions } from "./colours";
import type { Marks } from "./drawing";
import { foldText, findRows } from "./titleSearch";
import { placeCard, type MapHandle, MapView, type HoveredPoint } from "./MapView";
import { boxOf, decodePoints, isIn, type Points, span, type Years } from "./points";
import "./file.css";
import { tex } from "../parts/tex";

interface MapFileContents {
  /** What the map is of. */
  name: string;
  map: MapHead;
  titles: string[];
  /** As `GET /map/points` sends them, in base64. */
  points: string;
  overlay: Overlay | null;
}

const TEXT_LIMIT = 200;

const bytes = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function unpack(text: string): Promise<MapFileContents> {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as MapFileContents;
}

function MapFile({ contents }: { contents: MapFileContents }) {
  const { t } = useWords();
  const titles = useMemo(() => contents.titles.map(tex), [contents]);
  const map = useMemo(() => ({ ...contents.map, regions: contents.map.regions.map((region) => ({ ...region, name: tex(region.name) })) }), [contents]);
  const overlay = useMemo(() => contents.overlay && translateOverlay(t, contents.overlay), [contents, t]);
  const points = useMemo<Points>(() => decodePoints(bytes(contents.points).buffer), [contents]);
  const viewRef = useRef<MapHandle>(null);
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const [pointed, point] = useState<HoveredPoint | null>(null);
  const [highlightedRow, name] = useState<number | null>(null);
  const [words, type] = useState("");
  const [ends, choose] = useState<Years | null>(null);
  const years = useMemo<Years | null>(() => ends && [Math.min(...ends), Math.max(...ends)], [ends]);
  const all = useMemo(() => span(points), [points]);
  const letters = useMemo(() => titles.map(foldText), [titles]);
  const matchingRows = useMemo(() => findRows(letters, words).filter((row) => isIn(points.years[row]!, years)), [letters, words, points, years]);
  const colours = useMemo(
    () => (overlay ? byOverlay(points, overlay, isDark) : byRegion(points, map.regions, isDark)),
    [points, overlay, map, isDark],
  );
  const swatches = useMemo(() => colourRegions(map.regions, isDark), [map, isDark]);
  const marks = useMemo<Marks[]>(() => {
    const tint = isDark ? ([0.55, 0.87, 0.95, 1] as const) : ([0.04, 0.36, 0.42, 1] as const);
    const lit = overlay?.kind === "lit" ? overlay.values.flatMap((value, row) => (value === null ? [] : [row])) : [];
    const all = [
      { rows: Uint32Array.from(lit), larger: 1.9 },
      { rows: Uint32Array.from(matchingRows), larger: 1.7, tint },
      { rows: Uint32Array.from(highlightedRow === null ? [] : [highlightedRow]), larger: 3, tint },
    ];
    return all.filter((mark) => mark.rows.length > 0);
  }, [overlay, matchingRows, highlightedRow, isDark]);
  useEffect(() => {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    document.title = contents.name;
  }, [isDark, contents]);
  const names = new Map(map.regions.map((region) => [region.id, region.name]));
  const inRegion = (id: number) => {
    const ids = new Set(map.regions.filter((region) => region.id === id || region.parent === id || map.regions.find((other) => other.id === region.parent)?.parent === id).map((region) => region.id));
    const rows: number[] = [];
    for (let row = 0; row < points.count; row++) if (ids.has(points.regions[row]!)) rows.push(row);
    if (rows.length) viewRef.current?.show(boxOf(points, rows));
  };
  const entries = overlay ? legendEntries(overlay, isDark, (value) => number(value, { maximumSignificantDigits: 4, useGrouping: false })) : [];
  return (
    <main className="map-file">
      <header>
        <h1>{contents.name}</h1>
        <p className="muted">
          {number(points.count)} {t(map.of === "papers" ? "map.of.papers" : "map.of.passages")} · {map.method} · {map.made.slice(0, 10)}
        </p>
        <input
          type="search"
          value={words}
          onChange={(event) => type(event.target.value)}
          aria-label={t("map.file.search")}
          placeholder={t("map.file.search")}
          autoComplete="off"
          spellCheck={false}
        />
        <span role="status" className="muted">
          {words.trim() && t("map.file.found", { n: matchingRows.length })}
        </span>
      </header>
      <MapView
        viewRef={viewRef}
        points={points}
        colours={colours}
        marks={marks}
        regions={map.regions}
        years={years}
        path={overlay?.path}
        line={[]}
        isDrawing={false}
        look={null}
        name={t(`map.picture.${map.of}`, { n: points.count })}
        none={<p>{t("map.no.webgl")}</p>}
        onPoint={point}
        onOpen={name}
        onRegion={inRegion}
        onLine={() => undefined}
      >
        {pointed && (
          <div className="map-card" style={placeCard(pointed)}>
            <p className="title">{titles[pointed.row]}</p>
            <p className="muted">{[points.years[pointed.row]! > 0 ? points.years[pointed.row] : "", names.get(points.regions[pointed.row]!)].filter(Boolean).join(" · ")}</p>
          </div>
        )}
      </MapView>
      <aside>
        {overlay && (
          <section className="legend">
            <p>{overlay.legend.meaning}</p>
            <ul>
              {entries.filter((entry) => entry.text).map((entry) => (
                <li key={entry.text}>
                  <span className="swatch" style={{ background: css(entry.colour) }} />
                  {entry.text}
                </li>
              ))}
            </ul>
          </section>
        )}
        {all && all[0] < all[1] && (
          <p className="years">
            {([0, 1] as const).map((end) => (
              <label key={end}>
                {t(end ? "map.years.last" : "map.years.first")}{" "}
                <input
                  type="number"
                  min={all[0]}
                  max={all[1]}
                  defaultValue={all[end]}
                  onChange={({ target }) => {
                    const year = target.validity.valid && target.value ? Number(target.value) : all[end];
                    const [first, last] = ends ?? all;
                    choose(end ? [first, year] : [year, last]);
                  }}
                />
              </label>
            ))}
          </p>
        )}
        {words.trim() ? (
          <ol>
            {matchingRows.slice(0, TEXT_LIMIT).map((row) => (
              <li key={row}>
                <button type="button" className="link" onClick={() => (name(row), viewRef.current?.show(around(points, row)))}>
                  {titles[row]}
                </button>
              </li>
            ))}
          </ol>
        ) : (
          <ol>
            {map.regions
              .filter((region) => region.level === 1)
              .map((region) => (
                <li key={region.id}>
                  <span className="swatch" style={{ background: css(swatches.get(region.id) ?? [150, 150, 150]) }} />
                  <button type="button" className="link" onClick={() => inRegion(region.id)}>
                    {region.name}
                  </button>{" "}
                  <span className="muted">{number(region.size)}</span>
                </li>
              ))}
          </ol>
        )}
        <p className="muted">
          {t("map.how")} {t("map.file.made")}
        </p>
      </aside>
    </main>
  );
}

/** A little about one point. */
function around(points: Points, row: number) {
  const { low, high } = boxOf(points);
  const aside = Math.max(high[0] - low[0], high[1] - low[1]) / 16;
  const [x, y] = [points.spots[2 * row]!, points.spots[2 * row + 1]!];
  return { low: [x - aside, y - aside] as const, high: [x + aside, y + aside] as const };
}

const text = document.getElementById("map")?.textContent ?? "";
void unpack(text.trim()).then((contents) =>
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <LanguageProvider>
        <MapFile contents={contents} />
      </LanguageProvider>
    </StrictMode>,
  ),
  (error: unknown) => {
    document.getElementById("root")!.textContent = `This browser cannot read the map of this file: ${String(error)}`;
  },
);
