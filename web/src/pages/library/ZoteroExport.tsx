/** Chosen papers are written to Zotero: what became of them, and where both sides changed something. */
import { BookUp } from "lucide-react";
import { useState } from "react";
import { begin, cancel, useJob } from "../../api/jobs";
import type { ZoteroExport } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { Dialog } from "../../parts/Dialog";
import { JobState } from "../../parts/JobLine";
import { Loading } from "../../parts/Loading";
import { NameDialog } from "../../parts/NameDialog";
import { titleOf } from "../../parts/PaperLine";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { usePaper } from "../../reader/paper";
import { IfWritable } from "../../shell/health";
import { resultOf } from "./sources";
import { Reasons } from "./Works";
import { useZotero } from "./Zotero";

/** A button that asks for the collection; where nothing can be written it says why. */
export function WriteButton({ papers }: { papers: readonly string[] }) {
  const { t } = useWords();
  const [isOpen, open] = useState(false);
  return (
    <IfWritable>
      <button type="button" onClick={() => open(true)}>
        <BookUp size={16} aria-hidden />
        {t("zotero.write")}
      </button>
      {isOpen && <CollectionChooser papers={papers} onClose={() => open(false)} />}
    </IfWritable>
  );
}

function CollectionChooser({ papers, onClose }: { papers: readonly string[]; onClose: () => void }) {
  const { t } = useWords();
  const [, change] = useParams();
  const zotero = useZotero();
  const title = t("zotero.write");
  const write = (collection: string) => {
    onClose();
    begin("/zotero/export", { collection, papers }).then((writing) => change({ writing }, true), toastError);
  };
  if (zotero.data && zotero.data.writes !== "none")
    return <NameDialog isOpen title={title} label={t("zotero.write.into")} known={zotero.data.collections.filter((collection) => !collection.group).map((collection) => collection.path)} onClose={onClose} onSave={write} />;
  return (
    <Dialog isOpen title={title} onClose={onClose}>
      {zotero.error ? <Trouble error={zotero.error} onRetry={zotero.refetch} /> : zotero.data ? <Remedy text={zotero.data.why_not} /> : <Loading as="line" />}
    </Dialog>
  );
}

/** How far it is; then what was written, what was refused, and both values of each conflict. */
export function ExportReport() {
  const { t } = useWords();
  const [params, change] = useParams();
  const job = params.get("writing") ?? undefined;
  const followed = useJob(job);
  const report = resultOf<ZoteroExport>(followed);
  if (!job) return null;
  return (
    <section className="card completing" aria-label={t("zotero.write")}>
      <JobState followed={followed} name={t("zotero.write")} onCancel={() => cancel(job).catch(toastError)} />
      {report && (
        <>
          <p role="status">{t("zotero.wrote", { name: report.collection, n: report.made, changed: report.changed, unchanged: report.unchanged, notes: report.notes })}</p>
          <Reasons title={t("zotero.refused", { n: report.failed.length })} reasons={report.failed} />
          {report.conflicts.length > 0 && (
            <>
              <h3>{t("zotero.conflicts", { n: report.conflicts.length })}</h3>
              <p className="muted">{t("zotero.conflicts.how")}</p>
              <ul className="conflicts">
                {report.conflicts.map((conflict) => (
                  <Conflict key={conflict.item + conflict.field} {...conflict} />
                ))}
              </ul>
            </>
          )}
        </>
      )}
      {followed.state !== "running" && (
        <button type="button" onClick={() => change({ writing: null }, true)}>
          {t("close")}
        </button>
      )}
    </section>
  );
}

function Conflict({ paper, field, ours, theirs }: ZoteroExport["conflicts"][number]) {
  const { t } = useWords();
  const record = usePaper(paper).data;
  return (
    <li>
      <strong>{record ? titleOf(record) : paper}</strong>: {t(`zotero.field.${field}` as Key)}
      <dl>
        <dt>{t("zotero.ours")}</dt>
        <dd>{ours || "–"}</dd>
        <dt>{t("zotero.theirs")}</dt>
        <dd>{theirs || "–"}</dd>
      </dl>
    </li>
  );
}
