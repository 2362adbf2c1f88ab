/** Rankings: what the server is asked, and where intervals are drawn. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, send } from "../../../api/call";
import { address } from "../../../api/client";
import type { PairVerdict, Ranking, RankPair } from "../../../api/types";
import { toastError } from "../../../parts/toast";
import { pathOf } from "../reviews";

export type Preference = PairVerdict["preferred"];

/** Papers that are shown at first, and with each "show more". */
export const PAGE_SIZE = 100;

export const useRanking = (id: string, limit: number) =>
  useQuery({
    queryKey: ["reviews", "rank", id, "papers", limit],
    queryFn: ({ signal }) => get<Ranking>(address(pathOf("rank", id), { limit }), signal),
    placeholderData: keepPreviousData,
  });

export const useVerdicts = (id: string, paper: string, isWanted: boolean) =>
  useQuery({
    queryKey: ["reviews", "rank", id, "verdicts", paper],
    queryFn: async ({ signal }) => (await get<{ verdicts: PairVerdict[] }>(address(pathOf("rank", id, `/papers/${encodeURIComponent(paper)}/verdicts`)), signal)).verdicts,
    enabled: isWanted,
  });

/** The pair to judge next, and what is said of it; the answer brings the next pair. */
export function usePair(id: string) {
  const queries = useQueryClient();
  const key = ["reviews", "rank", id, "next"];
  const pair = useQuery({ queryKey: key, queryFn: ({ signal }) => get<RankPair>(address(pathOf("rank", id, "/next")), signal), staleTime: Infinity });
  const judge = useMutation({
    mutationFn: ({ preferred, reason }: { preferred: Preference; reason: string }) =>
      send<RankPair>("POST", pathOf("rank", id, "/verdicts"), { first: pair.data?.first?.paper, second: pair.data?.second?.paper, preferred, reason }),
    onError: toastError,
    onSuccess: (next) => {
      queries.setQueryData(key, next);
      void queries.invalidateQueries({ queryKey: ["reviews", "rank", id, "papers"] });
    },
  });
  return { pair, judge };
}

/** Where an interval of ranks and its middle stand, in percent of all ranks. */
export function barOf({ rank, low, high }: Pick<Ranking["ranking"][number], "rank" | "low" | "high">, papers: number) {
  const at = (place: number) => (papers > 1 ? (100 * (place - 1)) / (papers - 1) : 0);
  const [from, to] = [at(low ?? rank), at(high ?? rank)];
  return { from, width: to - from, at: at(rank) };
}

/** A closed ring of papers: "A over B over C over A". */
export const ringOf = (cycle: readonly string[], nameOf: (paper: string) => string) => [...cycle, ...cycle.slice(0, 1)].map(nameOf);
