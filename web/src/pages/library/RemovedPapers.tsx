/** Papers that were removed and can come back: offered as long as the server holds them, in every tab. */
import { useQuery } from "@tanstack/react-query";
import { ArchiveRestore, Undo2 } from "lucide-react";
import { useState } from "react";
import { get } from "../../api/call";
import { address } from "../../api/client";
import type { Removal } from "../../api/types";
import { moment, number, useWords } from "../../i18n";
import { Dialog } from "../../parts/Dialog";
import { IfWritable } from "../../shell/health";
import { useUndo } from "./removal";

export function RemovedPapers() {
  const { t } = useWords();
  const removalsQuery = useQuery({
    queryKey: ["removals"],
    queryFn: async ({ signal }) => (await get<{ removals: Removal[] }>(address("/removals"), signal)).removals,
  });
  const [isOpen, open] = useState(false);
  const { undo, isBusy } = useUndo();
  const all = removalsQuery.data ?? [];
  if (!all.length) return null;
  return (
    <IfWritable>
      <button type="button" className="entry removed" onClick={() => open(true)}>
        <ArchiveRestore size={15} aria-hidden />
        <span>{t("library.removals")}</span>
        <span className="count">{number(all.length)}</span>
      </button>
      <Dialog isOpen={isOpen} onClose={() => open(false)} title={t("library.removals")}>
        <p className="muted">{t("library.removals.how")}</p>
        <ul className="removals">
          {all.map((removal) => (
            <li key={removal.id}>
              <div>
                <p>{removal.title || removal.paper}</p>
                <time className="muted" dateTime={removal.made}>
                  {moment(removal.made)}
                </time>
              </div>
              <button type="button" disabled={isBusy} onClick={() => void undo([removal.id])} aria-label={t("library.undo.one", { title: removal.title || removal.paper })}>
                <Undo2 size={15} aria-hidden />
                {t("undo")}
              </button>
            </li>
          ))}
        </ul>
        {all.length > 1 && (
          <button type="button" disabled={isBusy} onClick={() => void undo(all.map((removal) => removal.id))}>
            {t("library.undo.all", { n: all.length })}
          </button>
        )}
      </Dialog>
    </IfWritable>
  );
}
