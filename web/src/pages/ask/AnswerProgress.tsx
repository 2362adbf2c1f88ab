import { useQueryClient } from "@tanstack/react-query";
import { Check, Info, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { api, body } from "../../api/client";
import { cancel, useJob } from "../../api/jobs";
import type { AnswerRow } from "../../api/types";
import { useWords } from "../../i18n";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { AnswerView, More, Steps } from "./AnswerView";
import { addressOf, findAnswerSince } from "./questions";
import { EvidenceCards } from "./EvidenceCards";
import { type AnswerState, collectAnswer, type Stage } from "./progress";
import { HISTORY } from "./queries";
import { Statements } from "./Statements";
import { Remedy } from "../../parts/Remedy";

interface Props {
  job: string;
  question: string;
  onAgain: () => void;
  /** Back to the box, with the question in it. */
  onLeave: () => void;
}

/** An answer as it is made; when it is there, the address becomes its own. */
export function AnswerProgress({ job, question, onAgain, onLeave }: Props) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const { events, state, error } = useJob(job);
  const progress = collectAnswer(events);
  const answer = state === "done" ? progress.answer : undefined;
  const isLost = error?.kind === "Gone";
  const since = events[0]?.at ?? "";
  useEffect(() => {
    if (!answer?.id) return;
    queries.setQueryData(["answer", answer.id], (old: unknown) => old ?? { answer, options: {}, filters: {}, conversation: "", turn: 0, models: [] });
    ["answer", "conversation", ...HISTORY].forEach((name) => queries.invalidateQueries({ queryKey: [name] }));
    navigate(addressOf(answer.id), { replace: true });
  }, [answer, navigate, queries]);
  const latestOnAgain = useRef(onAgain);
  useEffect(() => {
    latestOnAgain.current = onAgain;
  });
  useEffect(() => {
    if (!isLost) return;
    let isHere = true;
    // The server has begun anew: the answer may have been kept before it ended; what was asked before our eyes is asked again.
    body(api.GET("/api/v1/answers", { params: { query: { limit: 100 } } }))
      .then((rows) => {
        const savedAnswer = findAnswerSince((rows as unknown as { answers: AnswerRow[] }).answers, question, since);
        if (!isHere) return;
        if (savedAnswer) navigate(addressOf(savedAnswer.id), { replace: true });
        else if (since) latestOnAgain.current();
      })
      .catch(() => undefined);
    return () => {
      isHere = false;
    };
  }, [isLost, question, since, navigate]);
  if (answer) return <AnswerView answer={answer} />;
  return (
    <div className="running">
      {error && <Trouble error={error} onRetry={onAgain} />}
      {state === "cancelled" && (
        <p className="note" role="status">
          <Info size={16} aria-hidden />
          {t("ask.cancelled")}
        </p>
      )}
      {state !== "running" && state !== "done" && (
        <div className="actions">
          {state === "cancelled" && (
            <button type="button" onClick={onAgain}>
              {t("ask.again")}
            </button>
          )}
          <button type="button" onClick={onLeave}>
            {t("ask.change")}
          </button>
        </div>
      )}
      <Stages stages={progress.stages} isRunning={state === "running"} />
      {state === "running" && (
        <button type="button" className="stop" onClick={() => cancel(job).catch(toastError)}>
          <Square size={14} aria-hidden />
          {t("cancel")}
        </button>
      )}
      <PartialAnswer progress={progress} />
    </div>
  );
}

/** What there is of an answer already. */
export function PartialAnswer({ progress: { notes, draft, statements, evidence, steps } }: { progress: AnswerState }) {
  const { t } = useWords();
  return (
    <>
      {notes.map((note, at) => (
        <p key={at} className="muted">
          <Remedy text={note} />
        </p>
      ))}
      {draft && (
        <div className="draft">
          <h3>{t("ask.draft")}</h3>
          <p className="text">{draft}</p>
        </div>
      )}
      {statements.length > 0 && <Statements statements={statements} />}
      <div className="behind">
        {evidence.length > 0 && (
          <More name={t("ask.evidence", { n: evidence.length })}>
            <EvidenceCards evidence={evidence} />
          </More>
        )}
        {steps.length > 0 && (
          <More name={t("ask.trace", { n: steps.length })}>
            <Steps steps={steps} />
          </More>
        )}
      </div>
    </>
  );
}

/** The stages that were reached; the last is what happens now. Each is said once, not with each count. */
export function Stages({ stages, isRunning }: { stages: readonly Stage[]; isRunning: boolean }) {
  const { t } = useWords();
  const last = stages.at(-1);
  const text = (stage: Stage) => t(`ask.stage.${stage.name}`, { ...stage });
  return (
    <>
      <ol className="stages">
        {!last && isRunning && (
          <li>
            <span className="spinner" aria-hidden />
            {t("ask.stage.begun")}
          </li>
        )}
        {stages.map((stage) => (
          <li key={stage.name} className={isRunning && stage === last ? "now" : undefined}>
            {isRunning && stage === last ? <span className="spinner" aria-hidden /> : <Check size={15} aria-hidden />}
            {text(stage)}
          </li>
        ))}
      </ol>
      <p className="hidden" role="status">
        {last && isRunning && <StableText key={last.name} text={text(last)} />}
      </p>
    </>
  );
}

function StableText({ text }: { text: string }) {
  const [firstText] = useState(text);
  return firstText;
}
