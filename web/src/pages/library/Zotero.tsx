/** Zotero: which one is read and written, its collections to import, and what came of them. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, FolderInput } from "lucide-react";
import { useEffect } from "react";
import { api, body } from "../../api/client";
import { begin, useJob } from "../../api/jobs";
import type { ZoteroStatus } from "../../api/types";
import { moment, useWords } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { GoOnline } from "../../parts/GoOnline";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { useReadOnly } from "../../shell/health";
import { AddedReport } from "./Works";

export const useZotero = () => useQuery({ queryKey: ["zotero"], queryFn: () => body(api.GET("/api/v1/zotero")) });

export function Zotero() {
  const { t } = useWords();
  const zotero = useZotero();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const isReadOnly = useReadOnly();
  const job = params.get("job") ?? undefined;
  const followed = useJob(job);
  const isBusy = !!job && followed.state === "running";
  const notes = [...new Set(followed.events.flatMap((event) => (event.kind === "note" ? [event.text] : [])))];
  useEffect(() => {
    if (job && followed.state === "done") void queries.invalidateQueries({ queryKey: ["zotero"] });
  }, [job, followed.state, queries]);
  const take = (collection: string) => begin("/zotero/import", { collection }).then((begun) => change({ job: begun }), toastError);
  if (isReadOnly) return <p role="status">{t("zotero.read_only")}</p>;
  if (zotero.error) return <Trouble error={zotero.error} onRetry={zotero.refetch} />;
  if (!zotero.data) return <Loading as="rows" />;
  const { reads, collections } = zotero.data;
  return (
    <section className="view online" aria-label={t("library.zotero")}>
      <header className="tools">
        <h2>{t("zotero.title")}</h2>
        {reads !== "none" && (
          <button type="button" className="primary" disabled={isBusy} onClick={() => take("")}>
            <Download size={16} aria-hidden />
            {t("zotero.import.all")}
          </button>
        )}
      </header>
      <State status={zotero.data} />
      {reads === "none" && <GoOnline />}
      <AddedReport adding={{ job, followed }} name={t("zotero.importing")}>
        {notes.length > 0 && (
          <ul className="reasons">
            {notes.map((text) => (
              <li key={text}>
                <Remedy text={text} />
              </li>
            ))}
          </ul>
        )}
      </AddedReport>
      {reads !== "none" && !collections.length && <p className="muted">{t("zotero.none")}</p>}
      <ul className="kept-searches" aria-label={t("zotero.collections")}>
        {collections.map((collection) => (
          <li key={collection.path} className="card">
            <div>
              <h3>{collection.path}</h3>
              <p className="muted">{[collection.items === null ? "" : t("zotero.items", { n: collection.items }), collection.imported ? t("zotero.imported") : ""].filter(Boolean).join(" · ")}</p>
            </div>
            <button type="button" disabled={isBusy} onClick={() => take(collection.path)} aria-label={t(collection.imported ? "zotero.again.one" : "zotero.import.one", { name: collection.path })}>
              <FolderInput size={16} aria-hidden />
              {t(collection.imported ? "zotero.again" : "zotero.import")}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is read, when it was last, and what can be written. */
function State({ status }: { status: ZoteroStatus }) {
  const { t } = useWords();
  const { reads, writes, version, imported, why, why_not } = status;
  return (
    <div className="card state-of">
      <p>{reads === "none" ? <Remedy text={translateText(t, why)} /> : t(`zotero.reads.${reads}`, { file: status.zotero, program: ["Zotero", version].filter(Boolean).join(" ") })}</p>
      <p>{imported ? t("zotero.last", { at: moment(imported) }) : t("zotero.never")}</p>
      {writes !== "none" ? <p>{t(`zotero.writes.${writes}`)}</p> : reads !== "none" && <Remedy text={translateText(t, why_not)} />}
    </div>
  );
}
