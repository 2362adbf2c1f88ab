/** Labels of all reviewers: how far they agree, what they disagree on, who said what when; and as files. */
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { get } from "../../../api/call";
import { address, api, body } from "../../../api/client";
import type { LabelImport, Paper, Screening } from "../../../api/types";
import { moment, number, useWords } from "../../../i18n";
import { Loading } from "../../../parts/Loading";
import { PaperLine } from "../../../parts/PaperLine";
import { save } from "../../../parts/save";
import { toast, toastError } from "../../../parts/toast";
import { Trouble } from "../../../parts/Trouble";
import { IfWritable } from "../../../shell/health";
import { pathOf, useChange } from "../reviews";
import { Failures } from "../Failures";
import { TextFile } from "../TextFile";
import { Criteria } from "./Criteria";
import { ScreenProgress } from "./ScreenProgress";
import { type ScreeningLabel, type Stage, useScreening, type Who } from "./screening";

/** Labels that are listed, the last ones. */
const PAGE_SIZE = 50;

export function Labels({ id, who }: { id: string; who: Who }) {
  const { t } = useWords();
  const { data, error, refetch } = useScreening(id, who.reviewer);
  if (error) return <Trouble error={error} onRetry={refetch} />;
  if (!data) return <Loading as="rows" />;
  return (
    <div className="screening">
      <div className="one">
        {data.agreement && <Agreement agreement={data.agreement} />}
        {data.disputed.length > 0 && <Conflicts id={id} who={who} now={data} />}
        <section className="card" aria-label={t("screen.audit")}>
          <h2>{t("screen.audit")}</h2>
          {!data.labels.length && <p className="muted">{t("screen.audit.none")}</p>}
          <ul className="audit">
            {data.labels.slice(-PAGE_SIZE).toReversed().map((entry) => (
              <li key={entry.key}>
                <span className={`badge ${entry.label === "include" ? "good" : ""}`}>{t(entry.label === "include" ? "screen.included" : "screen.excluded")}</span> <PaperOf id={entry.paper} />
                <small className="muted">{[entry.reason, entry.reviewer, entry.resolves ? t("screen.resolved") : "", moment(entry.made)].filter(Boolean).join(" · ")}</small>
              </li>
            ))}
          </ul>
          {data.labels.length > PAGE_SIZE && <p className="muted">{t("screen.audit.more", { n: data.labels.length - PAGE_SIZE })}</p>}
          <FilesOfLabels id={id} who={who} />
        </section>
      </div>
      <aside className="beside-it">
        <Criteria criteria={data.criteria} />
        <ScreenProgress id={id} now={data} />
      </aside>
    </div>
  );
}

function PaperOf({ id }: { id: string }) {
  const { data } = useQuery({ queryKey: ["paper", id, "line"], queryFn: () => body(api.GET("/api/v1/papers/{paper}", { params: { path: { paper: id } } })) });
  return data ? <PaperLine paper={data.paper as Paper} /> : <span>{id}</span>;
}

const FIGURES = { kappa: "Cohen’s κ", ac1: "Gwet’s AC1", alpha: "Krippendorff’s α" };
/** Papers with two labels from which on these are shown: of fewer their intervals say nothing. */
const LEAST_TWICE = 5;
const short = (value: number) => number(value, { maximumFractionDigits: 2, minimumFractionDigits: 2 });

function Agreement({ agreement: { reviewers, papers, same, figures } }: { agreement: NonNullable<Screening["agreement"]> }) {
  const { t } = useWords();
  return (
    <section className="card" aria-label={t("screen.agreement")}>
      <h2>{t("screen.agreement")}</h2>
      <p>{t("screen.agreement.of", { names: reviewers.join(", "), same, n: papers })}</p>
      {papers < LEAST_TWICE ? (
        <p className="muted">{t("screen.agreement.few", { n: LEAST_TWICE })}</p>
      ) : (
        <ul className="figures">
          {figures.map(({ name, value, low, high }) => (
            <li key={name}>
              {FIGURES[name as keyof typeof FIGURES] ?? name} <strong>{value === null ? "–" : short(value)}</strong>{" "}
              {low !== null && high !== null && <span className="muted">{`${short(low)} – ${short(high)}`}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Papers that reviewers disagree on; a label that settles it counts, whoever gives it. */
function Conflicts({ id, who, now }: { id: string; who: Who; now: Screening }) {
  const { t } = useWords();
  const change = useChange();
  const settle = (paper: string, stage: Stage, label: ScreeningLabel) =>
    change.mutate({ method: "POST", path: pathOf("screen", id, "/labels"), body: { paper, label, resolve: true, reviewer: who.reviewer, stage } });
  const title = t("screen.conflicts", { n: Math.max(now.conflicts.length, now.disputed.length) });
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <p className="muted">{t("screen.conflicts.how")}</p>
      <ul className="audit">
        {now.disputed.map(({ paper, stage, labels }) => (
          <li key={`${paper.id} ${stage}`}>
            <PaperLine paper={paper} />
            {stage === "full-text" && <span className="badge">{t("screen.by.full-text")}</span>}
            <ul className="opinions">
              {labels.map((entry) => (
                <li key={entry.key}>
                  {entry.reviewer} <span className={`badge ${entry.label === "include" ? "good" : ""}`}>{t(entry.label === "include" ? "screen.included" : "screen.excluded")}</span>{" "}
                  <small className="muted">{[entry.reason, moment(entry.made)].filter(Boolean).join(" · ")}</small>
                </li>
              ))}
            </ul>
            <IfWritable>
              <div className="tools">
                <button type="button" disabled={change.isPending} onClick={() => settle(paper.id, stage, "include")}>
                  {t("screen.include")}
                </button>
                <button type="button" disabled={change.isPending} onClick={() => settle(paper.id, stage, "exclude")}>
                  {t("screen.exclude")}
                </button>
              </div>
            </IfWritable>
          </li>
        ))}
      </ul>
    </section>
  );
}

function FilesOfLabels({ id, who }: { id: string; who: Who }) {
  const { t } = useWords();
  const change = useChange<LabelImport>();
  const take = async (to: "csv" | "ris") => save(`labels.${to}`, new Blob([(await get<{ text: string }>(address(pathOf("screen", id, "/labels"), { to }))).text]));
  const read = (labels_text: string) =>
    labels_text &&
    change.mutate({ method: "POST", path: pathOf("screen", id, "/labels/file"), body: { labels_text, reviewer: who.reviewer } }, {
      onSuccess: ({ labels, known }) => toast(t("screen.imported", { n: labels, known }), { kind: "info" }),
    });
  return (
    <>
      <div className="tools">
        {(["csv", "ris"] as const).map((to) => (
          <button key={to} type="button" onClick={() => void take(to).catch(toastError)}>
            <Download size={16} aria-hidden /> {to.toUpperCase()}
          </button>
        ))}
        <IfWritable>
          <TextFile label={t("screen.import")} hint={t("screen.import.hint")} accept=".csv,.ris,text/csv" onText={read} />
        </IfWritable>
      </div>
      {change.data && (
        <div role="status">
          {Object.entries(change.data.new_reasons).map(([reason, n]) => (
            <p key={reason}>{t("screen.reason.new", { reason, n })}</p>
          ))}
          <Failures failed={change.data.failed} />
        </div>
      )}
    </>
  );
}
