/** Asking the server for figures. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "../../api/call";
import { address, Problem, reach } from "../../api/client";
import type { FigureHit, FoundFigures } from "../../api/types";
import { type Asked, type Figure, request } from "./asked";
import { type Held, heldOf } from "./held";

async function like(held: Held, query: ReturnType<typeof request>, signal: AbortSignal): Promise<FoundFigures> {
  const form = new FormData();
  form.set("file", held.file, held.name);
  const answer = await reach(address("/figures/like", query), { method: "POST", body: form, signal });
  return (await answer.json()) as FoundFigures;
}

/** The figures that are asked for; nothing is asked where a picture is no longer held. */
export function useFound(one: Asked) {
  const query = request(one);
  const held = heldOf(one.picture);
  return useQuery({
    queryKey: ["figures", query, one.picture],
    queryFn: ({ signal }) => (held ? like(held, query, signal) : get<FoundFigures>(address("/figures", query), signal)),
    enabled: !one.picture || !!held,
    placeholderData: keepPreviousData,
    // the server has said what is wrong with a picture: it says the same again
    retry: (count, error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
  });
}

/** A figure by its id: `here`, if it is among these; else the server is asked. */
export function useFigure(id: string, hits: readonly FigureHit[]): Figure | undefined {
  const here = hits.find((hit) => hit.figure.id === id)?.figure;
  const found = useQuery({
    queryKey: ["figure", id],
    queryFn: async ({ signal }) => (await get<{ figure: Figure }>(address(`/figures/${encodeURIComponent(id)}`), signal)).figure,
    enabled: !!id && !here,
    initialData: here,
    retry: false,
  });
  return here ?? found.data;
}
