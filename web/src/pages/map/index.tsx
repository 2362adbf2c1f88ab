/** The map: where the library's papers stand, what is shown on them, and what the map says in words beside it. */
import { useQueryClient } from "@tanstack/react-query";
import { CircleQuestionMark, Lasso, Map as MapIcon, Maximize, Minus, Plus, X } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Problem } from "../../api/client";
import type { MapHead } from "../../api/types";
import { useWords } from "../../i18n";
import { translateText, translateOverlay } from "../../i18n/translation";
import { ancestorsAtLevel, byOverlay, byRegion, colourRegions } from "../../map/colours";
import { type Marks, warmUp } from "../../map/drawing";
import { placeCard, type MapHandle, MapView, type HoveredPoint } from "../../map/MapView";
import { boxOf, type Points, type Spot, formatLine, type Years } from "../../map/points";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { SearchBox } from "../../parts/SearchBox";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { useReadOnly } from "../../shell/health";
import { useKeys } from "../../shell/keys";
import { useDark } from "../../shell/theme";
import { rangeOf } from "../search/searchState";
import { type MapPageState, chosenOf, countsOf, litOf, type TextKind, overlayOf, readView, fetchTexts, textsOf, useMap, useOverlay, usePoints, useTexts } from "./queries";
import { MakeFirst, BuildProgress, Remake } from "./BuildMap";
import "./map.css";
import { ChooseOverlay, Legend } from "./Overlays";
import { Panel } from "./Panel";
import { RegionView } from "./RegionView";
import { Texts, useOpenText } from "./Texts";
import { YearBrush } from "./YearBrush";

const ACCENT = { light: [0.04, 0.36, 0.42, 1], dark: [0.55, 0.87, 0.95, 1] } as const;
const PAUSE = 70;

export default function MapPage() {
  const { t } = useWords();
  const [params, change] = useParams();
  const view = readView(params);
  const isReadOnly = useReadOnly();
  const map = useMap(view.of);
  const points = usePoints(view.of, map);
  const isNone = map.error instanceof Problem && map.error.status === 404;
  const box = useRef<HTMLInputElement>(null);
  useEffect(warmUp, []);
  useKeys([{ keys: "/", does: "map.key.box", run: () => box.current?.select() }]);
  const overlay = overlayOf(view.overlay);
  return (
    <div className="page wide map">
      <h1>{t("page.map")}</h1>
      {map.data && (
        <div className="asked">
          <SearchBox
            key={view.overlay}
            inputRef={box}
            q={overlay.kind === "query" ? overlay.words : ""}
            label={t("map.box")}
            placeholder={t("map.box.placeholder")}
            onSearch={(q) => change({ overlay: q ? `query:${q}` : null, since: null })}
          />
          <ChooseOverlay key={`o${view.overlay}`} view={view} onChange={change} />
          <label className="of">
            <span>{t("map.of")}</span>
            <select value={view.of} onChange={(event) => change({ of: event.target.value === "papers" ? null : (event.target.value as TextKind), line: null, region: null, at: null })}>
              <option value="papers">{t("map.of.papers")}</option>
              <option value="passages">{t("map.of.passages")}</option>
            </select>
          </label>
          <Remake of={view.of} />
        </div>
      )}
      <BuildProgress />
      {isNone && (
        <Empty icon={MapIcon} title={t("map.none")}>
          <p>{t(isReadOnly ? "map.none.readonly" : "map.none.how")}</p>
          <MakeFirst of={view.of} />
          {view.of === "passages" && (
            <button type="button" onClick={() => change({ of: null })}>
              {t("map.of.back")}
            </button>
          )}
        </Empty>
      )}
      {map.error && !isNone && <Trouble error={map.error} onRetry={map.refetch} />}
      {points.error && !isNone && <Trouble error={points.error} onRetry={points.refetch} />}
      {!map.error && !points.error && (!map.data || !points.points) && <Loading as="box" what={t("map.loading")} />}
      {map.data && points.points && !isNone && <LoadedMap view={view} map={map.data} points={points.points} />}
    </div>
  );
}

function LoadedMap({ view, map, points }: { view: MapPageState; map: MapHead; points: Points }) {
  const { t } = useWords();
  const isDark = useDark();
  const open = useOpenText();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const viewRef = useRef<MapHandle>(null);
  const [isDrawing, draw] = useState(false);
  const [pointed, point] = useState<HoveredPoint | null>(null);
  const [highlightedRow, name] = useState<number | null>(null);
  const [moved, move] = useState<Years | null | undefined>(undefined);
  const years = moved === undefined ? view.years : moved;
  const [first, last] = view.years ?? [0, 0];
  const settled = useMemo<Years | null>(() => (first || last ? [first, last] : null), [first, last]);
  const overlay = useOverlay(view.of, view.overlay, view.since, settled, map.state);
  const isOf = view.overlay !== "" && overlay.data?.state === map.state;
  const wordedOverlay = useMemo(() => (isOf && overlay.data ? translateOverlay(t, overlay.data) : undefined), [t, isOf, overlay.data]);
  const isFit = wordedOverlay?.values.length === points.count;
  const counts = useMemo(() => countsOf(points, map.regions, settled), [points, map.regions, settled]);

  const colours = useMemo(
    () => (wordedOverlay && isFit ? byOverlay(points, wordedOverlay, isDark) : byRegion(points, map.regions, isDark, view.level, view.region)),
    [points, map.regions, wordedOverlay, isFit, isDark, view.level, view.region],
  );
  const swatches = useMemo(() => colourRegions(map.regions, isDark, view.level), [map.regions, isDark, view.level]);
  const lit = useMemo(() => (wordedOverlay && isFit ? litOf(wordedOverlay, points, settled) : []), [wordedOverlay, isFit, points, settled]);
  const line = params.get("line") ?? "";
  // the line of an address is the same as long as its words are
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const drawn = useMemo(() => view.line, [line]);
  const chosen = useMemo(() => chosenOf(points, drawn, settled), [points, drawn, settled]);
  const region = map.regions.find((other) => other.id === view.region);
  const inside = useMemo(
    () => (region ? textsOf(points, ancestorsAtLevel(map.regions, region.level), region.id, settled) : []),
    [points, map.regions, region, settled],
  );
  const marks = useMemo<Marks[]>(() => {
    const tint = ACCENT[isDark ? "dark" : "light"];
    return [
      { rows: Uint32Array.from(lit), larger: 1.9 },
      { rows: Uint32Array.from(chosen), larger: 1.25, tint },
      { rows: Uint32Array.from(highlightedRow === null ? [] : [highlightedRow]), larger: 3, tint },
    ].filter((mark) => mark.rows.length > 0);
  }, [lit, chosen, highlightedRow, isDark]);

  const go = useCallback(
    (id: number | null) => {
      change({ region: id, line: null, panel: null });
      const target = map.regions.find((other) => other.id === id);
      if (target) viewRef.current?.show(boxOf(points, trimOutliers(points, textsOf(points, ancestorsAtLevel(map.regions, target.level), target.id, null))));
    },
    [change, map.regions, points],
  );
  const lines = (spots: Spot[]) => {
    draw(false);
    change({ line: formatLine(spots), region: null });
  };
  const sentences = useMemo(() => map.regions.filter((other) => other.name), [map.regions]);
  useKeys([
    { keys: "l", does: "map.key.line", run: () => draw(!isDrawing) },
    ...(isDrawing ? [{ keys: "Escape", does: "map.key.line.not" as const, run: () => draw(false) }] : []),
  ]);

  return (
    <div className="room">
    <div className="both">
      <div className="left">
        <MapView
          viewRef={viewRef}
          points={points}
          colours={colours}
          marks={marks}
          regions={sentences}
          level={view.level}
          years={years}
          path={wordedOverlay?.path}
          line={drawn}
          isDrawing={isDrawing}
          look={params.get("at")}
          name={t(`map.picture.${view.of}`, { n: points.count })}
          none={<p className="none">{t("map.no.webgl")}</p>}
          onLook={(at) => change({ at }, true)}
          onPoint={point}
          onRegion={go}
          onLine={lines}
          onOpen={(row) => void fetchTexts(queries, view.of, map.state, [row]).then(([text]) => text && open(text), toastError)}
        >
          {pointed && <Card key={pointed.row} of={view.of} map={map} points={points} pointed={pointed} />}
        </MapView>
        <div className="map-tools" role="group" aria-label={t("map.tools")}>
          <button type="button" aria-label={t("map.near")} title={t("map.near")} onClick={() => viewRef.current?.near(1.6)}>
            <Plus size={17} aria-hidden />
          </button>
          <button type="button" aria-label={t("map.far")} title={t("map.far")} onClick={() => viewRef.current?.near(1 / 1.6)}>
            <Minus size={17} aria-hidden />
          </button>
          <button type="button" aria-label={t("map.fit")} title={t("map.fit")} onClick={() => viewRef.current?.fit()}>
            <Maximize size={16} aria-hidden />
          </button>
          <button type="button" aria-label={t("map.line")} title={t("map.line")} aria-pressed={isDrawing} onClick={() => draw(!isDrawing)}>
            <Lasso size={17} aria-hidden />
          </button>
        </div>
        {wordedOverlay && (
          <Legend overlay={wordedOverlay} regions={map.regions} lit={lit.length} onRegion={go} onClose={() => change({ overlay: null, since: null })} />
        )}
        {view.overlay && overlay.isLoading && <Loading as="line" what={t("map.loading.overlay")} />}
        {view.overlay && overlay.error && <Trouble error={overlay.error} onRetry={overlay.refetch} />}
        <YearBrush
          points={points}
          years={view.years}
          onMove={move}
          onChange={(range, isStep) => {
            move(undefined);
            change({ years: range ? rangeOf(range[0], range[1]) : null }, isStep);
          }}
        />
        <p className="muted method">
          <CircleQuestionMark size={14} aria-hidden /> {t("map.how")} {map.left_out > 0 && t("map.left.out", { n: map.left_out })}{" "}
          {map.notes.map((note) => translateText(t, note)).join(" ")}
        </p>
      </div>
      <aside aria-label={t("map.words")}>
        {chosen.length > 0 || drawn.length > 0 ? (
          <section aria-label={t("selection")}>
            <h2>
              <span role="status">{t(`map.chosen.${view.of}`, { n: chosen.length })}</span>
              <button type="button" className="plain" aria-label={t("selection.clear")} onClick={() => change({ line: null })}>
                <X size={17} aria-hidden />
              </button>
            </h2>
            <Texts key={line} of={view.of} state={map.state} rows={chosen} name={t("map.chosen.name")} onPoint={name} />
          </section>
        ) : region ? (
          <RegionView view={view} map={map} id={region.id} rows={inside} overlay={wordedOverlay} counts={counts} onRegion={go} onPoint={name} />
        ) : (
          <>
            {view.region !== null && <p role="status">{t("map.region.none", { id: String(view.region) })}</p>}
            {wordedOverlay?.kind === "lit" && (
              <details className="lit-list" open>
                <summary>{t(`map.lit.${view.of}`, { n: lit.length })}</summary>
                <Texts key={view.overlay} of={view.of} state={map.state} rows={lit} name={overlayOf(view.overlay).words || t("map.chosen.name")} onPoint={name} />
              </details>
            )}
            <Panel view={view} map={map} overlay={wordedOverlay} colours={swatches} counts={counts} onRegion={go} onChange={change} />
          </>
        )}
      </aside>
    </div>
    </div>
  );
}

/** Of many the middle ones, so that those far away do not decide what is looked at. */
function trimOutliers(points: Points, rows: number[]): number[] {
  if (rows.length < 20) return rows;
  const bounds = [0, 1].map((axis) => {
    const all = Float32Array.from(rows, (row) => points.spots[2 * row + axis]!).sort();
    return [all[Math.floor(all.length * 0.04)]!, all[Math.ceil(all.length * 0.96) - 1]!] as const;
  });
  return rows.filter((row) => bounds.every(([low, high], axis) => points.spots[2 * row + axis]! >= low && points.spots[2 * row + axis]! <= high));
}

interface CardProps {
  of: TextKind;
  map: MapHead;
  points: Points;
  pointed: HoveredPoint;
}

/** What is pointed at; with a click it opens. */
function Card({ of, map, points, pointed }: CardProps) {
  const { t } = useWords();
  const [isAsked, ask] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => ask(true), PAUSE);
    return () => clearTimeout(timer);
  }, []);
  const text = useTexts(of, map.state, isAsked ? [pointed.row] : []).data?.find((other) => other.row === pointed.row);
  if (!text) return null;
  const region = map.regions.find((other) => other.id === points.regions[pointed.row]);
  return (
    <div className="map-card" style={placeCard(pointed)}>
      <p className="title">{text.title || text.paper}</p>
      <p className="muted">
        {[text.byline, text.year, text.citations !== null ? t("map.citations", { n: text.citations }) : ""].filter(Boolean).join(" · ")}
      </p>
      {region && <p className="muted">{region.name}</p>}
    </div>
  );
}
