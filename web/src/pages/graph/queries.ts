/** What the page is asked for, and asking the server for it. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "../../api/call";
import { address, Problem } from "../../api/client";
import type { Concept, Discovery, Edge, Entity, Subgraph, Vocabulary } from "../../api/types";

/** Neighbours, or ways, at first, and at most. */
export const FIRST_COUNT = 12;
export const MOST = 96;
/** Sentences of an edge. */
const SENTENCES = 30;

export interface GraphSearch {
  /** Ids: of one its neighbours are shown, of two the ways between them. */
  entities: string[];
  k: number;
  /** Two ids, whose sentences are shown. */
  edge: string[];
}

export function readSearch(params: URLSearchParams): GraphSearch {
  const k = Number(params.get("k"));
  const edge = params.getAll("edge");
  return {
    entities: [...new Set(params.getAll("entity").filter(Boolean))].slice(0, 2),
    k: Number.isInteger(k) && k > 0 ? Math.min(k, MOST) : FIRST_COUNT,
    edge: edge.length === 2 ? edge : [],
  };
}

/** What the server has said is wrong with a name: it says the same again. */
const retry = (count: number, error: Error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500);

export function useGraph({ entities, k }: GraphSearch) {
  const query = { name: entities, depth: entities.length > 1 ? 2 : 1, k, examples: 0 };
  return useQuery({
    queryKey: ["graph", query],
    queryFn: ({ signal }) => get<Subgraph>(address("/graph", query), signal),
    enabled: entities.length > 0,
    placeholderData: keepPreviousData,
    retry,
  });
}

/** What joins two, with the sentences. */
export function useSentences(edge: string[]) {
  const query = { name: edge, depth: 1, k: 1, examples: SENTENCES };
  return useQuery({
    queryKey: ["graph", query],
    queryFn: ({ signal }) => get<Subgraph>(address("/graph", query), signal),
    enabled: edge.length === 2,
    retry,
  });
}

/** A year, if it is one. */
export function yearOf(text: string | null): number | undefined {
  const year = Number(text);
  return Number.isInteger(year) && year > 0 && year < 10_000 ? year : undefined;
}

/** What may be worth looking into, beside what is said of an entity. */
export function useDiscovery({ entity, k, until, apart }: { entity: string; k: number; until?: number; apart: boolean }) {
  const query = { name: entity, k, until, apart: apart || undefined };
  return useQuery({
    queryKey: ["discover", query],
    queryFn: ({ signal }) => get<Discovery>(address("/graph/discover", query), signal),
    placeholderData: keepPreviousData,
    retry,
  });
}

export const useRankedEntities = (rare: boolean) =>
  useQuery({
    queryKey: ["entities", rare],
    queryFn: async ({ signal }) => (await get<{ entities: Entity[] }>(address("/entities", { top: 15, rare }), signal)).entities,
  });

export const useVocabularies = () =>
  useQuery({
    queryKey: ["vocabularies"],
    queryFn: async ({ signal }) => (await get<{ vocabularies: Vocabulary[] }>(address("/vocabularies"), signal)).vocabularies,
  });

/** The entities that papers mention and that have a name which begins so, those first that most sentences mention. */
export function useEntitySuggestions(words: string) {
  const concepts = useQuery({
    queryKey: ["concepts", words],
    queryFn: async ({ signal }) =>
      (await get<{ concepts: Concept[] }>(address("/concepts", { q: words, mentioned: true, limit: 8 }), signal)).concepts,
    enabled: words.length > 1,
    placeholderData: keepPreviousData,
  });
  const isSettled = !!concepts.data && !concepts.isPlaceholderData;
  return { isSettled, concepts: concepts.data && words.length > 1 ? concepts.data : [] };
}

/** Two entities with all that joins them. */
export interface Pair {
  ends: [Entity, Entity];
  edges: Edge[];
  sentences: number;
}

/** The edges by their ends, in their order; of one entity it comes first. */
export function pairs({ nodes, edges, asked }: Pick<Subgraph, "nodes" | "edges" | "asked">): Pair[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const byEnds = new Map<string, Pair>();
  for (const edge of edges) {
    const turned = asked.length === 1 && edge.target === asked[0];
    const ids = turned ? [edge.target, edge.source] : [edge.source, edge.target];
    const ends = ids.map((id) => known.get(id));
    const key = JSON.stringify(ids);
    const pair = byEnds.get(key);
    if (pair) pair.edges.push(edge);
    else if (ends[0] && ends[1]) byEnds.set(key, { ends: [ends[0], ends[1]], edges: [edge], sentences: edge.sentences });
  }
  return [...byEnds.values()];
}

export interface PlacedEntity {
  entity: Entity;
  /** Per cent of the width and the height. */
  x: number;
  y: number;
}

/** One in the middle and the others around it; two at the sides and the others between them. */
export function placeEntities({ nodes, asked }: Pick<Subgraph, "nodes" | "asked">, most = FIRST_COUNT): PlacedEntity[] {
  const ends = asked.map((id) => nodes.find((node) => node.id === id)).filter((node) => !!node);
  const others = nodes.filter((node) => !asked.includes(node.id)).slice(0, most);
  if (ends.length > 1) {
    // an even number of places: what joins the two themselves goes through the middle
    const step = 100 / (others.length + (others.length % 2) + 1);
    return [
      ...ends.map((entity, at) => ({ entity, x: at ? 87 : 13, y: 50 })),
      ...others.map((entity, at) => ({ entity, x: 50, y: step * (at + 1) })),
    ];
  }
  const turn = (2 * Math.PI) / (others.length || 1);
  return [
    ...ends.map((entity) => ({ entity, x: 50, y: 50 })),
    ...others.map((entity, at) => ({
      entity,
      x: 50 + 38 * Math.sin(turn * at),
      y: 50 - 43 * Math.cos(turn * at),
    })),
  ];
}
