/** How many of the papers found are of each year, venue …: what filters offer. */
import type { Facets, FacetsResult, Hit } from "../../api/types";
import { useQueries } from "@tanstack/react-query";
import { get } from "../../api/call";
import { address } from "../../api/client";
import { type SearchState, filters, isSimilar } from "./searchState";
import { facetsOf } from "./hits";

const COUNTED_FACETS = ["year", "venue", "keyword", "language", "kind"] as const;
type CountedFacet = (typeof COUNTED_FACETS)[number];
const MOST = 40;

/** Of one facet its own filter is left out, so that other values can be chosen beside those that are. */
export function requests(search: SearchState): { facets: CountedFacet[]; query: ReturnType<typeof filters> }[] {
  const { q, plain } = search;
  const all = { q: q || undefined, plain: plain ? "true" : undefined, most: String(MOST), ...filters(search) };
  const set = COUNTED_FACETS.filter((name) => search[name].length > 0);
  const others = COUNTED_FACETS.filter((name) => !set.includes(name));
  return [{ facets: others, query: all }, ...set.map((name) => ({ facets: [name], query: { ...all, [name]: undefined } }))];
}

/** Among which papers it was counted. */
export type CountScope = "all" | "best" | "shown";

/** Among which papers answers count, and how many these are at most. */
export function countScope(counts: readonly Pick<FacetsResult, "best" | "papers">[]): { among: CountScope; most: number } {
  return { among: counts.some((count) => count.best) ? "best" : "all", most: Math.max(0, ...counts.map((count) => count.papers)) };
}

/** Counts over the library; for what is similar to something, over the papers that are shown. */
export function useFacets(search: SearchState, hits: readonly Hit[]): { facets: Facets; among: CountScope; most: number } {
  const isCounted = !isSimilar(search);
  const facetRequests = requests(search);
  const facetQueries = useQueries({
    queries: facetRequests.map(({ query }) => ({
      queryKey: ["facets", query],
      enabled: isCounted,
      retry: false,
      queryFn: ({ signal }: { signal: AbortSignal }) => get<FacetsResult>(address("/facets", query), signal),
    })),
  });
  const counts = facetQueries.flatMap((query) => query.data ?? []);
  if (!isCounted || !counts.length) return { facets: facetsOf(hits), among: "shown", most: hits.length };
  const parts = facetRequests.flatMap(({ facets }, at) => facets.map((name) => [name, facetQueries[at]?.data?.[name] ?? []]));
  return { facets: Object.fromEntries(parts) as Facets, ...countScope(counts) };
}
