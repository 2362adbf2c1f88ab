/** Removing papers, and bringing them back exactly as they were, which the server can while it runs. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { send } from "../../api/call";
import { useWords } from "../../i18n";
import { toast, toastError } from "../../parts/toast";

export interface RemovalState {
  /** Removals that can be undone, the last first. */
  undo: string[];
  removed: number;
  /** Why some were not. */
  error: Error | null;
}

/** Remove papers one after the other; what fails stops no other. */
export async function removeAll(ids: readonly string[]): Promise<RemovalState> {
  const result: RemovalState = { undo: [], removed: 0, error: null };
  for (const id of ids) {
    try {
      const { undo } = await send<{ undo: string }>("DELETE", `/papers/${encodeURIComponent(id)}`);
      result.removed += 1;
      if (undo) result.undo.unshift(undo);
    } catch (error) {
      result.error = error as Error;
    }
  }
  return result;
}

/** Bring removed papers back, by their removals; what fails is told and stops no other. */
export function useUndo() {
  const queries = useQueryClient();
  const [isBusy, busy] = useState(false);
  const undo = useCallback(
    async (removals: readonly string[]) => {
      busy(true);
      for (const removal of removals) await send("POST", `/removals/${encodeURIComponent(removal)}/undo`).catch(toastError);
      await queries.invalidateQueries();
      busy(false);
    },
    [queries],
  );
  return { undo, isBusy };
}

/** The papers that are being removed, and how to remove some. */
export function useRemoval() {
  const { t } = useWords();
  const queries = useQueryClient();
  const { undo: bringBack } = useUndo();
  const [gone, hide] = useState<ReadonlySet<string>>(new Set<string>());
  const remove = useCallback(
    async (ids: readonly string[]) => {
      hide(new Set(ids));
      const { undo, removed, error } = await removeAll(ids);
      await queries.invalidateQueries();
      hide(new Set());
      if (error) toastError(error);
      const action = undo.length ? { name: t("undo"), run: () => void bringBack(undo) } : undefined;
      if (removed) toast(t("library.removed", { n: removed }), { action });
    },
    [queries, t, bringBack],
  );
  return { gone, remove };
}
