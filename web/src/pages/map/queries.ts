/** What the page asks of the map, and how that stands in its address. */
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { get, getBuilt, send } from "../../api/call";
import { address, Problem, reach } from "../../api/client";
import type { GapList, MapHead, MapRegion, MapText, Overlay, Topic, Trend } from "../../api/types";
import { decodePoints, isIn, parseLine, type Points, type Spot, rowsInside, type Years } from "../../map/points";
import { rangeOf, years } from "../search/searchState";
import { tex } from "../../parts/tex";

export type TextKind = "papers" | "passages";
export const KINDS = ["density", "year", "citations", "reviews", "outliers", "keyword", "author", "query", "entity", "direction", "vocabulary", "answer"] as const;
export type Kind = (typeof KINDS)[number];
/** These are complete without words. */
export const PLAIN: readonly Kind[] = ["density", "year", "citations", "reviews", "outliers"];
export const PANELS = ["regions", "gaps", "trends"] as const;
export type Panel = (typeof PANELS)[number];
/** Texts that one request names. */
const BATCH = 10_000;
/** Texts of a selection that are read at once; more are when they are asked. */
export const MOST = 2000;

export interface MapPageState {
  of: TextKind;
  overlay: string;
  since: number | null;
  years: Years | null;
  region: number | null;
  line: Spot[];
  panel: Panel;
  level: number;
  trend: string;
}

const parseInteger = (text: string | null) => (text && /^\d{1,9}$/.test(text) ? Number(text) : null);

export function readView(params: URLSearchParams): MapPageState {
  const [first, last] = years(params.get("years") ?? "");
  const level = parseInteger(params.get("level"));
  return {
    of: params.get("of") === "passages" ? "passages" : "papers",
    overlay: params.get("overlay") ?? "",
    since: parseInteger(params.get("since")),
    years: first === null && last === null ? null : [first ?? 1, last ?? 9999],
    region: parseInteger(params.get("region")),
    line: parseLine(params.get("line")),
    panel: PANELS.find((panel) => panel === params.get("panel")) ?? "regions",
    level: level !== null && level < 3 ? level : 1,
    trend: params.get("trend") ?? "",
  };
}

/** `keyword:ALMA` as its kind and its words; of what is none, nothing. */
export function overlayOf(name: string): { kind: Kind | ""; words: string } {
  const [first = "", ...others] = name.split(":");
  const kind = KINDS.find((candidate) => candidate === first) ?? "";
  return { kind, words: kind ? others.join(":") : "" };
}

export const nameOf = (kind: Kind | "", words: string) =>
  kind && (PLAIN.includes(kind) ? kind : words.trim() ? `${kind}:${words.trim()}` : "");

/** What the server says is not there, or cannot be asked, it says again. */
const retry = (count: number, error: Error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500);

const readable = (map: MapHead): MapHead => ({ ...map, regions: map.regions.map((region) => ({ ...region, name: tex(region.name) })) });

export const useMap = (of: TextKind) =>
  useQuery({
    queryKey: ["map", of],
    queryFn: ({ signal }) => getBuilt<MapHead>("maps", of, address("/map", { of, points: false }), signal),
    select: readable,
    retry,
  });

/** Where the texts of the map in this state stand; where what came first is of another one, both are read anew. */
export function usePoints(of: TextKind, map: { data?: MapHead | undefined; isFetching: boolean }) {
  const queries = useQueryClient();
  const state = map.data?.state;
  const tried = useRef("");
  const pointsQuery = useQuery({
    queryKey: ["points", of],
    queryFn: async ({ signal }) => {
      const answer = await reach(address("/map/points", { of }), { signal });
      return { tag: answer.headers.get("etag") ?? "", points: decodePoints(await answer.arrayBuffer()) };
    },
    enabled: !!map.data, // without a map there are no points to ask for
    staleTime: Infinity,
    structuralSharing: false, // megabytes would be compared
    retry,
  });
  const tag = pointsQuery.data?.tag;
  const isSame = state !== undefined && (tag === "" || (tag?.includes(`"${state}"`) ?? false)); // "": who is between dropped it
  const isOther = state !== undefined && tag !== undefined && !isSame && !pointsQuery.isFetching && !map.isFetching;
  useEffect(() => {
    const both = `${of} ${state} ${tag}`;
    if (!isOther || tried.current === both) return;
    tried.current = both; // what comes again as it was is not asked for for ever
    for (const key of ["points", "map"]) void queries.invalidateQueries({ queryKey: [key, of] });
  }, [isOther, state, tag, of, queries]);
  // the numbers of texts are of this state alone: those of another one are not shown meanwhile
  return { points: isSame ? pointsQuery.data?.points : undefined, error: pointsQuery.isFetching ? null : pointsQuery.error, refetch: pointsQuery.refetch };
}

/** Years as a query has them. */
const yearOf = (years: Years | null) => (years ? rangeOf(years[0], years[1]) : undefined);

/** What is shown, of some years; where it is of another map than the one here, that is read anew. */
export function useOverlay(of: TextKind, name: string, since: number | null, years: Years | null, state: string) {
  const queries = useQueryClient();
  const year = yearOf(years);
  return useQuery({
    queryKey: ["overlay", of, name, since, state, year],
    queryFn: async ({ signal }) => {
      const overlay = await get<Overlay>(address("/map/overlay", { of, name, since: since ?? undefined, year }), signal);
      if (overlay.state !== state) void queries.invalidateQueries({ queryKey: ["map"] });
      return overlay;
    },
    enabled: name !== "",
    staleTime: Infinity,
    placeholderData: (before, query) => (query?.queryKey[2] === name ? before : undefined), // while other years come
    retry,
  });
}

/** What texts are; where the map has become another one, that is read. */
export async function fetchTexts(queries: QueryClient, of: TextKind, state: string, rows: readonly number[]): Promise<MapText[]> {
  const mapTexts: MapText[] = [];
  try {
    for (let start = 0; start < rows.length; start += BATCH)
      mapTexts.push(...(await send<{ texts: MapText[] }>("POST", "/map/texts", { of, state, rows: rows.slice(start, start + BATCH) })).texts);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) void queries.invalidateQueries({ queryKey: ["map"] });
    throw error;
  }
  return mapTexts;
}

export function useTexts(of: TextKind, state: string, rows: readonly number[]) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["texts", of, state, rows],
    queryFn: () => fetchTexts(queries, of, state, rows),
    enabled: rows.length > 0,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    retry,
  });
}

export const useTopics = (of: TextKind, level: number, region: number | null, years: Years | null) =>
  useQuery({
    queryKey: ["topics", of, region === null ? level : null, region, yearOf(years)],
    queryFn: async ({ signal }) =>
      (await get<{ topics: Topic[] }>(address("/map/topics", { of, level, region: region ?? undefined, year: yearOf(years) }), signal)).topics,
    placeholderData: (before, query) => (region === query?.queryKey[3] ? before : undefined), // while other years come
    retry,
  });

export const useGaps = (level: number, years: Years | null) =>
  useQuery({
    queryKey: ["gaps", level, yearOf(years)],
    queryFn: ({ signal }) => get<GapList>(address("/map/gaps", { level, k: 1000, year: yearOf(years) }), signal),
    placeholderData: (before, query) => (query?.queryKey[2] === yearOf(years) ? before : undefined),
    retry,
  });

/** Of words, or of a region, as `topic:7`, or somebody, as `author:Faber`; of some years. */
export const useTrend = (of: string, years: Years | null) => {
  const [kind = "", ...others] = of.split(":");
  const isNamed = ["topic", "author"].includes(kind) && others.length > 0;
  const query = isNamed ? { [kind]: others.join(":") } : { words: of };
  return useQuery({
    queryKey: ["trends", of, yearOf(years)],
    queryFn: ({ signal }) => get<Trend>(address("/map/trends", { ...query, year: yearOf(years) }), signal),
    enabled: of !== "",
    placeholderData: (before, last) => (last?.queryKey[1] === of ? before : undefined), // while other years come
    retry,
  });
};

/** The numbers of the texts of a region, of those years. */
export function textsOf(points: Points, smallest: ReadonlyMap<number, number>, region: number, years: Years | null): number[] {
  const rows: number[] = [];
  for (let row = 0; row < points.count; row++)
    if (smallest.get(points.regions[row]!) === region && isIn(points.years[row]!, years)) rows.push(row);
  return rows;
}

/** How many texts of those years each region has; null: all years are shown. */
export function countsOf(points: Points, regions: readonly MapRegion[], years: Years | null): ReadonlyMap<number, number> | null {
  if (!years) return null;
  const counts = new Map(regions.map((region) => [region.id, 0]));
  const parents = new Map(regions.map((region) => [region.id, region.parent]));
  for (let row = 0; row < points.count; row++)
    if (isIn(points.years[row]!, years))
      for (let at: number | null | undefined = points.regions[row]!; at !== null && at !== undefined; at = parents.get(at)) counts.set(at, (counts.get(at) ?? 0) + 1);
  return counts;
}

/** The texts that are lit, the brightest first. */
export function litOf(overlay: Overlay, points: Points, years: Years | null): number[] {
  if (overlay.kind !== "lit") return [];
  const { values } = overlay;
  const rows: number[] = [];
  values.forEach((value, row) => value !== null && isIn(points.years[row] ?? -1, years) && rows.push(row));
  return rows.sort((a, b) => values[b]! - values[a]!);
}

export const chosenOf = (points: Points, line: readonly Spot[], years: Years | null) => (line.length ? rowsInside(points, line, years) : []);

export const rename = (region: MapRegion["id"], name: string) => send("PUT", `/map/regions/${region}`, { name });
