/** What a job that answers a question has told, as stages. */
import type { Answer, Evidence, JobEvent, Statement, Step } from "../../api/types";

export type Stage =
  | { name: "searching"; phrasings: number }
  | { name: "found"; passages: number; papers: number }
  | { name: "reading"; done: number; total: number }
  | { name: "evidence"; count: number }
  | { name: "acting"; count: number }
  | { name: "writing" }
  | { name: "checking"; count: number };

export interface AnswerState {
  /** Those that were reached, in their order; the last is what happens now. */
  stages: Stage[];
  evidence: Evidence[];
  steps: Step[];
  notes: string[];
  /** What the model writes, not yet checked; "" as soon as there are statements. */
  draft: string;
  statements: Statement[];
  answer?: Answer;
}

const ORDER: Stage["name"][] = ["searching", "found", "reading", "evidence", "acting", "writing", "checking"];

/** A job's events, told in any number, as what a reader sees of them. */
export function collectAnswer(events: readonly JobEvent[]): AnswerState {
  const stages = new Map<Stage["name"], Stage>();
  const progress: AnswerState = { stages: [], evidence: [], steps: [], notes: [], draft: "", statements: [] };
  let phrasings = 0;
  for (const event of events) {
    if (event.kind === "searching") stages.set("searching", { name: "searching", phrasings: ++phrasings });
    else if (event.kind === "found")
      stages.set("found", { name: "found", passages: event.passages, papers: event.papers });
    else if (event.kind === "reading") {
      const { done, total } = event;
      stages.set("reading", { name: "reading", done, total });
      if (done >= total && progress.evidence.length) stages.set("writing", { name: "writing" });
    } else if (event.kind === "evidence") progress.evidence.push(event.evidence);
    else if (event.kind === "step") progress.steps.push(event.step);
    else if (event.kind === "note") progress.notes.push(event.text);
    else if (event.kind === "text") {
      if (event.fresh) progress.statements = [];
      progress.draft = event.fresh ? event.text : progress.draft + event.text;
      stages.set("writing", { name: "writing" });
    } else if (event.kind === "statement") progress.statements.push(event.statement);
    else if (event.kind === "answer") progress.answer = event.answer;
    else if (event.kind === "done" && !progress.answer) progress.answer = event.result as Answer;
  }
  if (progress.evidence.length) stages.set("evidence", { name: "evidence", count: progress.evidence.length });
  if (progress.steps.length) stages.set("acting", { name: "acting", count: progress.steps.length });
  if (progress.statements.length) {
    progress.draft = "";
    stages.set("checking", { name: "checking", count: progress.statements.length });
  }
  progress.stages = ORDER.map((name) => stages.get(name)).filter((stage) => stage !== undefined);
  return progress;
}
