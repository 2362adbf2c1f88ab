/** Removing papers, with some seconds in which it can be undone: until then they are only hidden. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { send } from "../../api/call";
import { API } from "../../api/client";
import { useWords } from "../../i18n";
import { dismiss, toast, toastError } from "../../parts/toast";

const UNDO = 10_000;
let hidden: ReadonlySet<string> = new Set();
const waiting = new Map<number, { ids: readonly string[]; timer: ReturnType<typeof setTimeout> }>();
const watchers = new Set<() => void>();
let number = 0;

function hide(ids: readonly string[], isHidden: boolean) {
  const after = new Set(hidden);
  ids.forEach((id) => (isHidden ? after.add(id) : after.delete(id)));
  hidden = after;
  watchers.forEach((watch) => watch());
}

const place = (id: string) => `/papers/${encodeURIComponent(id)}`;

/** Who leaves the page meant it: what waits is removed. */
if (typeof window !== "undefined")
  window.addEventListener("pagehide", () => {
    for (const { ids } of waiting.values()) ids.forEach((id) => fetch(API + place(id), { method: "DELETE", keepalive: true }));
    waiting.clear();
  });

/** Remove papers soon; `after` when they are gone, or some could not be. The way back until then. */
export function removeSoon(ids: readonly string[], after: (failed: Error | null) => void, soon = UNDO): () => void {
  const key = ++number;
  hide(ids, true);
  const run = async () => {
    waiting.delete(key);
    let failed: Error | null = null;
    for (const id of ids) await send("DELETE", place(id)).catch((error: Error) => (failed = error));
    after(failed);
    hide(ids, false);
  };
  waiting.set(key, { ids, timer: setTimeout(run, soon) });
  return () => {
    clearTimeout(waiting.get(key)?.timer);
    if (waiting.delete(key)) hide(ids, false);
  };
}

/** The papers that are as good as removed, and how to remove some. */
export function useRemoval() {
  const { t } = useWords();
  const queries = useQueryClient();
  const gone = useSyncExternalStore(
    (watch) => {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
    () => hidden,
  );
  const remove = useCallback(
    (ids: readonly string[]) => {
      const back = removeSoon(ids, (failed) => {
        dismiss(told);
        if (failed) toastError(failed);
        void queries.invalidateQueries();
      });
      const told = toast(t("library.removed", { n: ids.length }), { action: { name: t("undo"), run: back } });
    },
    [queries, t],
  );
  return { gone, remove };
}
