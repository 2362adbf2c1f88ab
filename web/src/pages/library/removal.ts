/** Removing papers, and bringing them back exactly as they were, which the server can while it runs. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { send } from "../../api/call";
import { useWords } from "../../i18n";
import { toast, toastError } from "../../parts/toast";

export interface Removed {
  /** Removals that can be undone, the last first. */
  undo: string[];
  removed: number;
  /** Why some were not. */
  error: Error | null;
}

/** Remove papers one after the other; what fails stops no other. */
export async function removeAll(ids: readonly string[]): Promise<Removed> {
  const found: Removed = { undo: [], removed: 0, error: null };
  for (const id of ids) {
    try {
      const { undo } = await send<{ undo: string }>("DELETE", `/papers/${encodeURIComponent(id)}`);
      found.removed += 1;
      if (undo) found.undo.unshift(undo);
    } catch (error) {
      found.error = error as Error;
    }
  }
  return found;
}

/** The papers that are being removed, and how to remove some. */
export function useRemoval() {
  const { t } = useWords();
  const queries = useQueryClient();
  const [gone, hide] = useState<ReadonlySet<string>>(new Set<string>());
  const remove = useCallback(
    async (ids: readonly string[]) => {
      const look = () => queries.invalidateQueries();
      hide(new Set(ids));
      const { undo, removed, error } = await removeAll(ids);
      await look();
      hide(new Set());
      if (error) toastError(error);
      const back = async () => {
        for (const one of undo) await send("POST", `/removals/${encodeURIComponent(one)}/undo`).catch(toastError);
        await look();
      };
      const action = undo.length ? { name: t("undo"), run: () => void back() } : undefined;
      if (removed) toast(t("library.removed", { n: removed }), { action });
    },
    [queries, t],
  );
  return { gone, remove };
}
