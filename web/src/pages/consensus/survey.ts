/** A consensus as it comes: what a job has told so far, as one. */
import type { Consensus, JobEvent, Stance } from "../../api/types";
import type { Key } from "../../i18n";

export const LEVELS = [
  "Strong Disagreement",
  "Moderate Disagreement",
  "Weak Disagreement",
  "No Clear Consensus",
  "Weak Agreement",
  "Moderate Agreement",
  "Strong Agreement",
] as const;
export type Level = (typeof LEVELS)[number];
export const STANCES = ["supports", "opposes", "mixed", "not about it"] as const;
export type StanceKind = (typeof STANCES)[number];

export interface SurveyState {
  claim: string;
  /** By their rank in the search. */
  stances: Stance[];
  read: number;
  /** Papers to be read; 0: not known yet. */
  total: number;
  notes: string[];
  consensus: Consensus | null;
}

export function collectProgress(events: readonly JobEvent[]): SurveyState {
  const now: SurveyState = { claim: "", stances: [], read: 0, total: 0, notes: [], consensus: null };
  for (const event of events) {
    if (event.kind === "claim") now.claim = event.claim;
    else if (event.kind === "stance") now.stances.push(event.stance);
    else if (event.kind === "note") now.notes.push(event.text);
    else if (event.kind === "reading") [now.read, now.total] = [event.done, event.total];
    else if (event.kind === "consensus") now.consensus = event.consensus;
    else if (event.kind === "done") now.consensus = event.result as Consensus;
  }
  if (now.consensus) [now.claim, now.stances] = [now.consensus.claim, [...now.consensus.stances]];
  now.stances.sort((a, b) => a.rank - b.rank);
  return now;
}

export const countsOf = (stances: readonly Stance[]): Record<StanceKind, number> =>
  Object.fromEntries(STANCES.map((kind) => [kind, stances.filter((stance) => stance.stance === kind).length])) as Record<
    StanceKind,
    number
  >;

export const wordOf = (kind: StanceKind) => `stance.${kind.replaceAll(" ", "_")}` as Key;
