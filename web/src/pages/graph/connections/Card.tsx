/** A work that the library does not have: what is known of it, where it is, and how to add it. */
import { useQueryClient } from "@tanstack/react-query";
import { ExternalLink, Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { begin, useJob } from "../../../api/jobs";
import type { CitationNode } from "../../../api/types";
import { useWords } from "../../../i18n";
import { toastError } from "../../../parts/toast";
import { Trouble } from "../../../parts/Trouble";
import { IfWritable } from "../../../shell/health";

interface AddResult {
  failed: { path: string; reason: string }[];
}

export function Card({ work, onClose }: { work: CitationNode; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [job, set] = useState<string>();
  const { events, state, error } = useJob(job);
  const done = events.find((event) => event.kind === "done");
  const reason = done && (done.result as AddResult).failed[0]?.reason;
  useEffect(() => {
    if (job && state === "done") void queries.invalidateQueries({ queryKey: ["connections"] });
  }, [job, state, queries]);
  const add = () => void begin("/sources/papers", { papers: [work.id] }).then(set, toastError);
  const about = [work.byline, work.year ?? "", work.title ? work.id : ""].filter((part) => part && !String(part).startsWith("work:"));
  return (
    <aside className="work-card" aria-label={t("connections.outside")}>
      <div>
        <strong>{work.title || work.id}</strong>
        <p className="muted">{about.join(" · ")}</p>
        {work.citation_count !== null && (
          <p className="muted">{t("connections.cited", { n: work.citation_count, by: [work.counted_by, work.counted].filter(Boolean).join(", ") || "–" })}</p>
        )}
        {error && <Trouble error={error} />}
        {reason && <p role="alert">{reason}</p>}
        {done && !reason && <p role="status">{t("connections.added")}</p>}
      </div>
      <div className="doing">
        {work.link && (
          <a className="button" href={work.link} target="_blank" rel="noreferrer noopener">
            <ExternalLink size={16} aria-hidden />
            {t("connections.open")}
          </a>
        )}
        {!work.id.startsWith("work:") && (
          <IfWritable>
            <button type="button" onClick={add} disabled={!!job && state !== "failed"}>
              <Plus size={16} aria-hidden />
              {t("connections.add")}
            </button>
          </IfWritable>
        )}
        <button type="button" className="plain" onClick={onClose} aria-label={t("close")}>
          <X size={16} aria-hidden />
        </button>
      </div>
    </aside>
  );
}
