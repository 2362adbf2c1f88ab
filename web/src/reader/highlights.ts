/** Words of papers that people mark: how they come, change and go, each change with its undo. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { get, send } from "../api/call";
import { address } from "../api/client";
import type { components } from "../api/schema";
import { useWords } from "../i18n";
import { dismiss, toast, toastError } from "../parts/toast";
import type { Block } from "./lines";

export type Highlight = components["schemas"]["Highlight"];
export type Color = Highlight["color"];
/** Those that are offered; Zotero has three more, which are shown where they come from there. */
export const COLORS: readonly Color[] = ["yellow", "green", "blue", "red", "purple"];

/** What is to be marked: words, or whole sentences by their ids. */
export interface Wish {
  quote?: string;
  before?: string;
  sentences?: string[];
  color?: Color;
  note?: string;
}

interface HighlightFilter {
  paper?: string;
  q?: string;
  color?: string;
  limit?: number;
}

export const useHighlights = (filters: HighlightFilter, enabled = true) =>
  useQuery({
    queryKey: ["highlights", filters],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await get<{ highlights: Highlight[] }>(address("/highlights", { ...filters, limit: filters.limit?.toString() }), signal)).highlights,
  });

/** What was told of the last change. */
let lastToast = 0;
const pathOf = (id: string) => `/highlights/${encodeURIComponent(id)}`;

/** How to mark, change and remove; each says so with an undo. `all`: those that are known, by which a change is undone. */
export function useHighlightActions(all: readonly Highlight[]) {
  const { t } = useWords();
  const queries = useQueryClient();
  const change = useCallback(
    async (method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown) => {
      dismiss(lastToast); // its undo is of the change before
      const { highlight } = await send<{ highlight: Highlight }>(method, path, body);
      await queries.invalidateQueries({ queryKey: ["highlights"] });
      return highlight;
    },
    [queries],
  );
  /** Only the last change is told, lest they cover what is read. */
  const done = (text: string, undo: () => Promise<unknown>) => {
    dismiss(lastToast);
    lastToast = toast(text, { action: { name: t("undo"), run: () => void undo().catch(toastError) } });
  };
  const back = ({ id, color, note }: Highlight) => change("PATCH", pathOf(id), { color, note });
  const add = async (paper: string, wish: Wish, isTold = true) => {
    const highlight = await change("POST", "/highlights", { paper, ...wish });
    const before = all.find((other) => other.id === highlight.id);
    if (isTold) done(t("marks.made"), () => (before ? back(before) : change("DELETE", pathOf(highlight.id))));
    return highlight;
  };
  const edit = async (highlight: Highlight, to: Partial<Pick<Highlight, "color" | "note">>) => {
    const changed = await change("PATCH", pathOf(highlight.id), to);
    done(t(to.note === undefined ? "marks.coloured" : "marks.noted"), () => back(highlight));
    return changed;
  };
  const remove = async (highlight: Highlight) => {
    await change("DELETE", pathOf(highlight.id));
    done(t("marks.removed"), () => change("POST", `${pathOf(highlight.id)}/restore`));
  };
  return { add, edit, remove };
}

/** A stretch of a block that is marked. */
export interface MarkedRange {
  block: number;
  start: number;
  end: number;
  mark: Highlight;
}

/** Where highlights are in the text of a paper. */
export function locateMarks(highlights: readonly Highlight[], blocks: readonly Block[]): MarkedRange[] {
  return highlights.flatMap((mark) =>
    mark.sentences.flatMap(({ start, end, text }) => {
      const same = blocks.flatMap((block, at) =>
        block.sentences
          .filter((sentence) => block.text.slice(sentence.start + start, Math.min(sentence.end, sentence.start + end)) === text)
          .map((sentence) => ({ block: at, start: sentence.start + start, end: sentence.start + end, places: sentence.places })),
      );
      const isThere = (places: Block["sentences"][number]["places"]) =>
        places.some((place) => mark.places.some((other) => other.page === place.page && other.rect[1] === place.rect[1]));
      const stretch = same.find((candidate) => isThere(candidate.places)) ?? same[0];
      return stretch ? [{ block: stretch.block, start: stretch.start, end: stretch.end, mark }] : [];
    }),
  );
}
