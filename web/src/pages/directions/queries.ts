/** What the page asks of directions. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get, getBuilt } from "../../api/call";
import { address } from "../../api/client";
import type { AssociationReport, DirectionComparison, DirectionList, DirectionMatch, DirectionReport, SimilarityReport } from "../../api/types";

const queryOf = <T,>(path: string, query: Record<string, string | string[] | number | undefined>, enabled = true) => ({
  queryKey: ["directions", path, query],
  queryFn: ({ signal }: { signal: AbortSignal }) => get<T>(address(`/directions${path}`, query), signal),
  enabled,
  retry: false,
});

export const useDirections = () =>
  useQuery({
    ...queryOf<DirectionList>("", { limit: 300 }),
    queryFn: ({ signal }) => getBuilt<DirectionList>("directions", "papers", address("/directions", { limit: 300 }), signal),
  });
export const useMatches = (q: string) => useQuery({ ...queryOf<{ matches: DirectionMatch[] }>("/search", { q, limit: 8 }, !!q), placeholderData: keepPreviousData });
export const useDirection = (id: string) => useQuery(queryOf<DirectionReport>(`/${encodeURIComponent(id)}`, {}, !!id));
export const useExplanation = (paper: string, other: string) => useQuery(queryOf<SimilarityReport>("/explain", { paper, other: other || undefined }, !!paper));
export const useComparison = (left: string, right: string, within: string[]) =>
  useQuery(queryOf<DirectionComparison>("/compare", { left, right, within }, !!left && !!right));
export const useAssociations = (enabled: boolean) => useQuery(queryOf<AssociationReport>("/predict/citations", { within: ["year"] }, enabled));
