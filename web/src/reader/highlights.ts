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

interface Asked {
  paper?: string;
  q?: string;
  color?: string;
  limit?: number;
}

export const useHighlights = (asked: Asked, enabled = true) =>
  useQuery({
    queryKey: ["highlights", asked],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await get<{ highlights: Highlight[] }>(address("/highlights", { ...asked, limit: asked.limit?.toString() }), signal)).highlights,
  });

/** What was told of the last change. */
let told = 0;
const named = (id: string) => `/highlights/${encodeURIComponent(id)}`;

/** How to mark, change and remove; each says so with an undo. `all`: those that are known, by which a change is undone. */
export function useMarking(all: readonly Highlight[]) {
  const { t } = useWords();
  const queries = useQueryClient();
  const change = useCallback(
    async (method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown) => {
      dismiss(told); // its undo is of the change before
      const { highlight } = await send<{ highlight: Highlight }>(method, path, body);
      await queries.invalidateQueries({ queryKey: ["highlights"] });
      return highlight;
    },
    [queries],
  );
  /** Only the last change is told, lest they cover what is read. */
  const done = (text: string, undo: () => Promise<unknown>) => {
    dismiss(told);
    told = toast(text, { action: { name: t("undo"), run: () => void undo().catch(toastError) } });
  };
  const back = ({ id, color, note }: Highlight) => change("PATCH", named(id), { color, note });
  const add = async (paper: string, wish: Wish, isTold = true) => {
    const made = await change("POST", "/highlights", { paper, ...wish });
    const before = all.find((one) => one.id === made.id);
    if (isTold) done(t("marks.made"), () => (before ? back(before) : change("DELETE", named(made.id))));
    return made;
  };
  const edit = async (one: Highlight, to: Partial<Pick<Highlight, "color" | "note">>) => {
    const made = await change("PATCH", named(one.id), to);
    done(t(to.note === undefined ? "marks.coloured" : "marks.noted"), () => back(one));
    return made;
  };
  const remove = async (one: Highlight) => {
    await change("DELETE", named(one.id));
    done(t("marks.removed"), () => change("POST", `${named(one.id)}/restore`));
  };
  return { add, edit, remove };
}

/** A stretch of a block that is marked. */
export interface Marked {
  block: number;
  start: number;
  end: number;
  mark: Highlight;
}

/** Where highlights are in the text of a paper. */
export function markedIn(highlights: readonly Highlight[], blocks: readonly Block[]): Marked[] {
  return highlights.flatMap((mark) =>
    mark.sentences.flatMap(({ start, end, text }) => {
      const same = blocks.flatMap((block, at) =>
        block.sentences
          .filter((one) => block.text.slice(one.start + start, Math.min(one.end, one.start + end)) === text)
          .map((one) => ({ block: at, start: one.start + start, end: one.start + end, places: one.places })),
      );
      const isThere = (places: Block["sentences"][number]["places"]) =>
        places.some((one) => mark.places.some((other) => other.page === one.page && other.rect[1] === one.rect[1]));
      const found = same.find((one) => isThere(one.places)) ?? same[0];
      return found ? [{ block: found.block, start: found.start, end: found.end, mark }] : [];
    }),
  );
}
