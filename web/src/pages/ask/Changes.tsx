import { useQueryClient } from "@tanstack/react-query";
import { Square } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import { cancel, useJob } from "../../api/jobs";
import type { JobEvent, Paper, Rerun } from "../../api/types";
import { useWords } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { PaperLine } from "../../parts/PaperLine";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { AnswerView, More } from "./AnswerView";
import { refusalOf } from "./RefusalNotice";
import { addressOf } from "./questions";
import { collectAnswer } from "./progress";
import { HISTORY } from "./queries";
import { Stages } from "./AnswerProgress";
import { Statements } from "./Statements";

/** What a rerun that is done has found. */
export function rerunResult(events: readonly JobEvent[]): Rerun | undefined {
  const last = events.findLast((event) => event.kind === "done");
  return last && (last.result as Rerun);
}

interface Props {
  job: string;
  onClose: () => void;
  /** The answer before. */
  children: ReactNode;
}

/** The same question asked again: how far it is; then the new answer in place of the one before, which is a click away. */
export function RerunProgress({ job, onClose, children }: Props) {
  const { t } = useWords();
  const queries = useQueryClient();
  const top = useRef<HTMLElement>(null);
  const { events, state, error } = useJob(job);
  const outcome = rerunResult(events);
  const isDone = !!outcome;
  useEffect(() => {
    if (isDone) queries.invalidateQueries({ queryKey: HISTORY });
  }, [isDone, queries]);
  useEffect(() => {
    top.current?.scrollIntoView?.({ block: "start" }); // newer browsers give a promise, which is no way to clean up
  }, [isDone]);
  return (
    <>
      <section ref={top} className="changes card" aria-label={t("ask.changes")} role="status">
        <h3>{t(outcome ? "ask.again.done" : "ask.again.running")}</h3>
        {error && <Trouble error={error} />}
        {state === "running" && (
          <>
            <Stages stages={collectAnswer(events.filter((event) => event.kind !== "done")).stages} isRunning />
            <button type="button" onClick={() => cancel(job).catch(toastError)}>
              <Square size={14} aria-hidden />
              {t("cancel")}
            </button>
          </>
        )}
        {state === "cancelled" && <p>{t("ask.cancelled")}</p>}
        {outcome && !outcome.changed && <p>{t("ask.changes.none")}</p>}
        {outcome?.changed && (
          <More name={t("ask.changes")}>
            <Difference rerun={outcome} />
          </More>
        )}
        {state !== "running" && (
          <div className="actions">
            {outcome?.answer.id && (
              <Link className="button" href={addressOf(outcome.answer.id)}>
                {t("ask.changes.open")}
              </Link>
            )}
            <button type="button" onClick={onClose}>
              {t(outcome ? "ask.again.back" : "close")}
            </button>
          </div>
        )}
      </section>
      {outcome ? (
        <>
          <AnswerView answer={outcome.answer} isBrief isKept={!!outcome.answer.id} />
          <More name={t("ask.again.before")}>{children}</More>
        </>
      ) : (
        children
      )}
    </>
  );
}

export function Difference({ rerun }: { rerun: Rerun }) {
  const { t } = useWords();
  if (!rerun.changed) return <p>{t("ask.changes.none")}</p>;
  return (
    <>
      {!rerun.answer.answered && !refusalOf(rerun.answer.reason) && <p><Remedy text={translateText(t, rerun.answer.reason)} /></p>}
      {rerun.new.length > 0 && (
        <>
          <h4>{t("ask.changes.new", { n: rerun.new.length })}</h4>
          <Statements statements={rerun.new} />
        </>
      )}
      {rerun.gone.length > 0 && (
        <>
          <h4>{t("ask.changes.gone", { n: rerun.gone.length })}</h4>
          <Statements statements={rerun.gone} />
        </>
      )}
      <Sources name={t("ask.changes.sources", { n: rerun.new_sources.length })} papers={rerun.new_sources} />
      <Sources name={t("ask.changes.lost", { n: rerun.gone_sources.length })} papers={rerun.gone_sources} />
    </>
  );
}

function Sources({ name, papers }: { name: string; papers: readonly Paper[] }) {
  if (!papers.length) return null;
  return (
    <>
      <h4>{name}</h4>
      <ul className="papers">
        {papers.map((paper) => (
          <li key={paper.id}>
            <PaperLine paper={paper} />
          </li>
        ))}
      </ul>
    </>
  );
}
