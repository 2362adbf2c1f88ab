/** What is open in the reader stands in the address: `?read=PAPER&page=3&span=SPAN`, so that it can be shared. */
import { useCallback, useSyncExternalStore } from "react";
import { useSearchParams } from "wouter";

export interface Reading {
  paper: string;
  page?: number;
  /** Sentences that are lit. */
  spans?: string[];
}

let openCount = 0;
const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** How often something was opened: again, where the same sentence is asked for a second time. */
export const useOpenCount = () => useSyncExternalStore(watch, () => openCount);

/** How many steps back the page is without the reader; undefined: it was not opened from here. */
const steps = (): number | undefined => (history.state as { reader?: number } | null)?.reader;

export function useReading() {
  const [search, set] = useSearchParams();
  const paper = search.get("read");
  const isOpen = paper !== null;
  const reading: Reading | null = paper
    ? { paper, page: Number(search.get("page")) || undefined, spans: search.getAll("span") }
    : null;
  const open = useCallback(
    ({ paper, page, spans = [] }: Reading) => {
      openCount++;
      watchers.forEach((tell) => tell());
      const before = isOpen ? steps() : 0;
      const state = before === undefined ? null : { reader: before + 1 };
      set((before) => {
        const after = new URLSearchParams(before);
        after.set("read", paper);
        after.delete("span");
        spans.forEach((span) => after.append("span", span));
        if (page) after.set("page", String(page));
        else after.delete("page");
        return after;
      }, { state });
    },
    [set, isOpen],
  );
  // back to where it was opened, so that "back" then leads on from there and does not open it again
  const close = useCallback(() => {
    const back = steps();
    if (back) return history.go(-back);
    const closed = (before: URLSearchParams) => {
      const after = new URLSearchParams(before);
      ["read", "page", "span"].forEach((name) => after.delete(name));
      return after;
    };
    set(closed, { replace: true });
  }, [set]);
  return { reading, open, close };
}
