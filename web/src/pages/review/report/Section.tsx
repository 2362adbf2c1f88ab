/** A section of a report: its statements with their sentences; kept, expanded, written again, deleted. */
import { Lock, LockOpen, Maximize2, RefreshCw, Trash2 } from "lucide-react";
import type { ReportSection, Statement } from "../../../api/types";
import { useWords } from "../../../i18n";
import { CitationChip } from "../../../parts/CitationChip";
import { confirm } from "../../../parts/confirm";
import { toastError } from "../../../parts/toast";
import { IfWritable } from "../../../shell/health";
import { STATUSES } from "../../ask/Statements";
import { useBegin, useChange } from "../reviews";
import { anchorOf, sectionPath } from "./reportQueries";

export function Section({ id, section }: { id: string; section: ReportSection }) {
  const { t } = useWords();
  return (
    <section className="card part" id={anchorOf(section)} aria-label={section.title}>
      <header>
        <h3>{section.title}</h3>
        {section.kept && <span className="badge good">{t("report.kept")}</span>}
        {section.state === "quoted" && <span className="badge">{t("report.quoted")}</span>}
        <IfWritable>
          <Care id={id} section={section} />
        </IfWritable>
      </header>
      <ul>
        {(section.answer.statements ?? []).map((statement, at) => (
          <StatementLine key={at} statement={statement} />
        ))}
      </ul>
      {section.answer.note && <p className="muted">{section.answer.note}</p>}
    </section>
  );
}

/** A statement; that the check found it supported goes without saying. */
function StatementLine({ statement: { text, status, why, citations = [] } }: { statement: Statement }) {
  const { t } = useWords();
  const { icon: Icon, word, look } = STATUSES[status];
  return (
    <li>
      {text}{" "}
      {status !== "quoted" && status !== "supported" && (
        <span className={`badge ${look}`} title={why || undefined}>
          <Icon size={12} aria-hidden /> {t(word)}
        </span>
      )}{" "}
      {citations.map((citation, at) => (
        <CitationChip key={at} citation={citation} />
      ))}
      {!citations.length && <span className="muted">{t("ask.nosource")}</span>}
    </li>
  );
}

function Care({ id, section: { number, title, kept: isKept } }: { id: string; section: ReportSection }) {
  const { t } = useWords();
  const change = useChange();
  const start = useBegin();
  const run = (verb: "expand" | "rewrite") => start.mutate({ path: sectionPath(id, number, `/${verb}`), body: {} }, { onError: toastError });
  const isBusy = change.isPending || start.isPending;
  const remove = async () => {
    if (await confirm({ title: t("report.delete.sure", { title }), action: t("reviews.delete"), isDanger: true })) change.mutate({ method: "DELETE", path: sectionPath(id, number) });
  };
  const Keep = isKept ? LockOpen : Lock;
  return (
    <div className="care">
      <button type="button" className="quiet" disabled={isBusy} onClick={() => change.mutate({ method: "POST", path: sectionPath(id, number, "/keep"), body: { off: isKept } })}>
        <Keep size={15} aria-hidden /> {t(isKept ? "report.keep.off" : "report.keep")}
      </button>
      {!isKept && (
        <>
          <button type="button" className="quiet" disabled={isBusy} onClick={() => run("expand")}>
            <Maximize2 size={15} aria-hidden /> {t("report.expand")}
          </button>
          <button type="button" className="quiet" disabled={isBusy} onClick={() => run("rewrite")}>
            <RefreshCw size={15} aria-hidden /> {t("report.rewrite")}
          </button>
          <button type="button" className="quiet" disabled={isBusy} onClick={() => void remove()} aria-label={t("reviews.delete.of", { name: title })}>
            <Trash2 size={15} aria-hidden />
          </button>
        </>
      )}
    </div>
  );
}
