/** How many of the papers found are of each year, venue …: what filters offer. */
import type { Facets, Hit } from "../../api/types";
import { useQueries } from "@tanstack/react-query";
import { get } from "../../api/call";
import { address } from "../../api/client";
import { type Asked, filters, isSimilar } from "./asked";
import { facetsOf } from "./hits";

const COUNTED = ["year", "venue", "keyword", "language", "kind"] as const;
type Counted = (typeof COUNTED)[number];
const MOST = 40;

/** Of one facet its own filter is left out, so that other values can be chosen beside those that are. */
export function requests(one: Asked): { facets: Counted[]; query: ReturnType<typeof filters> }[] {
  const { q, plain } = one;
  const all = { q: q || undefined, plain: plain ? "true" : undefined, most: String(MOST), ...filters(one) };
  const set = COUNTED.filter((name) => one[name].length > 0);
  const others = COUNTED.filter((name) => !set.includes(name));
  return [{ facets: others, query: all }, ...set.map((name) => ({ facets: [name], query: { ...all, [name]: undefined } }))];
}

/** Counts over the library; for what is similar to something, over the papers that are shown. */
export function useFacets(one: Asked, hits: readonly Hit[]): Facets {
  const isCounted = !isSimilar(one);
  const asked = requests(one);
  const found = useQueries({
    queries: asked.map(({ query }) => ({
      queryKey: ["facets", query],
      enabled: isCounted,
      retry: false,
      queryFn: ({ signal }: { signal: AbortSignal }) => get<Facets>(address("/facets", query), signal),
    })),
  });
  if (!isCounted || found.every((one) => !one.data)) return facetsOf(hits);
  const parts = asked.flatMap(({ facets }, at) => facets.map((name) => [name, found[at]?.data?.[name] ?? []]));
  return Object.fromEntries(parts) as Facets;
}
