/** What is open in the reader stands in the address: `?read=PAPER&page=3&span=SPAN`, so that it can be shared. */
import { useCallback, useSyncExternalStore } from "react";
import { useSearchParams } from "wouter";

export interface Reading {
  paper: string;
  page?: number;
  /** Sentences that are lit. */
  spans?: string[];
}

let opened = 0;
const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** How often something was opened: again, where the same sentence is asked for a second time. */
export const useOpened = () => useSyncExternalStore(watch, () => opened);

export function useReading() {
  const [search, set] = useSearchParams();
  const paper = search.get("read");
  const reading: Reading | null = paper
    ? { paper, page: Number(search.get("page")) || undefined, spans: search.getAll("span") }
    : null;
  const open = useCallback(
    ({ paper, page, spans = [] }: Reading) => {
      opened++;
      watchers.forEach((tell) => tell());
      set((before) => {
        const after = new URLSearchParams(before);
        after.set("read", paper);
        after.delete("span");
        spans.forEach((span) => after.append("span", span));
        if (page) after.set("page", String(page));
        else after.delete("page");
        return after;
      });
    },
    [set],
  );
  const close = useCallback(
    () =>
      set((before) => {
        const after = new URLSearchParams(before);
        ["read", "page", "span"].forEach((name) => after.delete(name));
        return after;
      }),
    [set],
  );
  return { reading, open, close };
}
