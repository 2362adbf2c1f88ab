/** Asking the server for figures. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "../../api/call";
import { address, Problem, reach } from "../../api/client";
import type { FigureHit, FigureResult } from "../../api/types";
import { type FigureSearch, type Figure, request } from "./figureSearch";
import { type DroppedPicture, pictureOf } from "./droppedPictures";

async function searchByPicture(picture: DroppedPicture, query: ReturnType<typeof request>, signal: AbortSignal): Promise<FigureResult> {
  const form = new FormData();
  form.set("file", picture.file, picture.name);
  const answer = await reach(address("/figures/like", query), { method: "POST", body: form, signal });
  return (await answer.json()) as FigureResult;
}

/** The figures that are asked for; nothing is asked where a picture is no longer held. */
export function useFigureResults(search: FigureSearch) {
  const query = request(search);
  const picture = pictureOf(search.picture);
  return useQuery({
    queryKey: ["figures", query, search.picture],
    queryFn: ({ signal }) => (picture ? searchByPicture(picture, query, signal) : get<FigureResult>(address("/figures", query), signal)),
    enabled: !search.picture || !!picture,
    placeholderData: keepPreviousData,
    // the server has said what is wrong with a picture: it says the same again
    retry: (count, error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
  });
}

/** A figure by its id: `here`, if it is among these; else the server is asked. */
export function useFigure(id: string, hits: readonly FigureHit[]): Figure | undefined {
  const here = hits.find((hit) => hit.figure.id === id)?.figure;
  const figureQuery = useQuery({
    queryKey: ["figure", id],
    queryFn: async ({ signal }) => (await get<{ figure: Figure }>(address(`/figures/${encodeURIComponent(id)}`), signal)).figure,
    enabled: !!id && !here,
    initialData: here,
    retry: false,
  });
  return here ?? figureQuery.data;
}
