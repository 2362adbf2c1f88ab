/** What is searched for, as it stands in the address. */
import { PAPER_FILTERS } from "../../parts/filters";
import { changeParams, type Values } from "../../parts/params";

export const SORTS = ["best", "newest", "oldest", "cited", "title"] as const;
export type Sort = (typeof SORTS)[number];
/** Filters of which several values may hold, any of them. */
export const FACETS = [...PAPER_FILTERS, "kind"] as const;
export type Facet = (typeof FACETS)[number];
export const WEIGHTS = ["keywords", "recency", "citations"] as const;
export const EXPANSIONS = ["feedback", "hyde", "rephrase"] as const;
export const USUAL_K = 20;
export const MOST_K = 200;

export interface SearchState extends Record<Facet, string[]> {
  q: string;
  /** Papers, or a text, that others are to be like; then there is no `q`. */
  like: string[];
  text: string;
  /** Only these papers, by their ids. */
  among: string[];
  k: number;
  year: string;
  /** "1": with full text only, "0": without only. */
  full: string;
  weight: string[];
  /** Directions that the search is turned towards, and away from, each `id:weight`. */
  more: string[];
  less: string[];
  prefer: string[];
  expand: string;
  mmr: number | null;
  use: string;
  outliers: boolean;
  auto: boolean;
  plain: boolean;
  sort: Sort;
}

const number = (text: string | null, low: number, high: number) => {
  const value = Number(text);
  return text && Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : null;
};

export function readSearch(params: URLSearchParams): SearchState {
  const text = (name: string) => params.get(name) ?? "";
  const sort = text("sort") as Sort;
  return {
    q: text("q"),
    like: params.getAll("like"),
    text: text("text"),
    among: params.getAll("among"),
    k: Math.round(number(params.get("k"), 1, MOST_K) ?? USUAL_K),
    year: text("year"),
    ...(Object.fromEntries(FACETS.map((name) => [name, params.getAll(name)])) as Record<Facet, string[]>),
    full: text("full"),
    weight: params.getAll("weight"),
    more: params.getAll("more"),
    less: params.getAll("less"),
    prefer: params.getAll("prefer"),
    expand: text("expand"),
    mmr: number(params.get("mmr"), 0, 1),
    use: text("use"),
    outliers: params.has("outliers"),
    auto: params.has("auto"),
    plain: params.has("plain"),
    sort: SORTS.includes(sort) ? sort : "best",
  };
}

export const isSimilar = (search: SearchState) => search.like.length > 0 || search.text !== "";
export const hasCriteria = (search: SearchState) => isSimilar(search) || search.q !== "" || isFiltered(search);
export const isFiltered = (search: SearchState) => !!search.year || !!search.full || search.among.length > 0 || FACETS.some((name) => search[name].length > 0);

/** Which papers, as the API's filters have it. */
export function filters(search: SearchState): Record<string, string | string[] | undefined> {
  const chosen = Object.fromEntries(FACETS.map((name) => [name, search[name].length ? search[name] : undefined]));
  return { ...chosen, among: search.among.length ? search.among : undefined, year: search.year || undefined, full_text: search.full ? String(search.full === "1") : undefined };
}

/** The query of `/search` or `/similar`. */
export function request(search: SearchState): Record<string, string | number | boolean | string[] | undefined> {
  if (isSimilar(search)) return { paper: search.like, text: search.text || undefined, k: search.k, ...filters(search) };
  const { q, k, weight, prefer, more: towards, less } = search;
  const more = { use: search.use || undefined, expand: search.expand || undefined, mmr: search.mmr ?? undefined };
  const flags = Object.fromEntries((["outliers", "auto", "plain"] as const).map((name) => [name, search[name] || undefined]));
  return { q, k, weight, prefer, more: towards, less, ...more, ...flags, ...filters(search) };
}

/** The address of the search with the same filters and ranking, and this besides. */
export const searchAddress = (params: URLSearchParams, values: Values) => `/search?${changeParams(params, values)}`;

/** The years of `2005..2015`, `2005..`, `..2015` or `2010`. */
export function years(text: string): [number | null, number | null] {
  const match = /^(\d{1,4})?(\.\.|-)?(\d{1,4})?$/.exec(text.trim());
  if (!match) return [null, null];
  const [, first, between, last] = match;
  const low = first ? Number(first) : null;
  return [low, last ? Number(last) : between ? null : low];
}

export function rangeOf(low: number | null, high: number | null): string {
  if (low !== null && low === high) return String(low);
  return low === null && high === null ? "" : `${low ?? ""}..${high ?? ""}`;
}
