/** What sentences speak of: asked of many at once, and of none where the library was never linked. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useSearch } from "wouter";
import { get } from "../api/call";
import { address } from "../api/client";
import type { Mention } from "../api/types";

interface MentionsResult {
  linked: boolean;
  mentions: Mention[];
}
/** Sentences that one request asks for. */
const MOST = 100;
const WHILE = 300_000;
const ask = (span: string[], signal: AbortSignal) => get<MentionsResult>(address("/mentions", { span }), signal);

/** Whether anything of this library was ever linked. */
export const useIsLinked = () =>
  useQuery({
    queryKey: ["mentions", "any"],
    staleTime: WHILE,
    queryFn: async ({ signal }) => (await ask([], signal)).linked,
  }).data ?? false;

/** What sentences of any papers speak of, by the ids of these. */
export function useMentions(spans: readonly string[]): ReadonlyMap<string, Mention[]> {
  const isLinked = useIsLinked();
  return useQueries({
    queries: chunks([...new Set(spans)]).map((chunk) => ({
      queryKey: ["mentions", chunk],
      enabled: isLinked,
      staleTime: WHILE,
      queryFn: ({ signal }: { signal: AbortSignal }) => ask(chunk, signal),
    })),
    combine: (results) => by((mention) => mention.span_id, results.flatMap((result) => result.data?.mentions ?? [])),
  });
}

function chunks(all: string[]): string[][] {
  return Array.from({ length: Math.ceil(all.length / MOST) }, (_, at) => all.slice(at * MOST, (at + 1) * MOST));
}

/** The same entity of the same vocabulary. */
export const keyOf = ({ entity, vocabulary }: Pick<Mention, "entity" | "vocabulary">) => `${vocabulary} ${entity}`;

/** Each entity once, in their order. */
export const once = (mentions: readonly Mention[]) => [...new Map(mentions.toReversed().map((mention) => [keyOf(mention), mention])).values()].toReversed();

/** Where the graph shows an entity; what is read beside the page stays there. */
export function useGraphAddress() {
  const search = useSearch();
  return (entity: string) => {
    const params = [...new URLSearchParams(search)].filter(([name]) => ["read", "page", "span"].includes(name));
    return `/graph?${new URLSearchParams([["entity", entity], ...params])}`;
  };
}

/** Mentions by what they have in common, in their order. */
export function by(name: (mention: Mention) => string, mentions: readonly Mention[]): Map<string, Mention[]> {
  const groups = new Map<string, Mention[]>();
  for (const mention of mentions) {
    const group = groups.get(name(mention));
    if (group) group.push(mention);
    else groups.set(name(mention), [mention]);
  }
  return groups;
}
