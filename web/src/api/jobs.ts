/** Jobs: begun with a POST, followed by server-sent events; the browser asks again where the connection is lost. */
import { useEffect, useState } from "react";
import { API, Problem } from "./client";
import type { JobEvent, JobState } from "./types";

const KINDS = [
  ...["started", "progress", "note", "file", "searching", "found", "reading", "evidence", "step", "text", "citation"],
  ...["statement", "answer", "claim", "stance", "consensus", "part", "done", "failed", "cancelled", "reset"],
];
const ENDS: Record<string, JobState> = { done: "done", failed: "failed", cancelled: "cancelled" };

export interface Followed {
  events: JobEvent[];
  state: JobState;
  /** Why it failed, or why it cannot be followed. */
  error: Problem | null;
  /** Whether the connection is lost at the moment; the browser tries again by itself. */
  isAway: boolean;
}

const NONE: Followed = { events: [], state: "running", error: null, isAway: false };

/** Follow a job from its beginning; `undefined`: none. */
export function follow(job: string, hear: (followed: Followed) => void): () => void {
  let now = NONE;
  const tell = (change: Partial<Followed>) => hear((now = { ...now, ...change }));
  const source = new EventSource(`${API}/jobs/${encodeURIComponent(job)}/events`);
  const take = (message: MessageEvent<string>) => {
    const event = JSON.parse(message.data) as JobEvent;
    if (now.events.some((other) => other.seq === event.seq)) return;
    const state = ENDS[event.kind] ?? now.state;
    const failed = event.kind === "failed" ? event.error : null;
    const error = failed ? new Problem(failed.message, failed.hint, failed.status, failed.type, failed.retry) : now.error;
    tell({ events: event.kind === "reset" ? [] : [...now.events, event], state, error, isAway: false });
  };
  KINDS.forEach((kind) => source.addEventListener(kind, take as EventListener));
  source.addEventListener("end", () => source.close());
  source.onopen = () => tell({ isAway: false });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED && now.state === "running")
      tell({ state: "failed", error: new Problem("This job is not known any more.", "Begin it again.", 404, "Gone") });
    else tell({ isAway: true });
  };
  return () => source.close();
}

/** A job's events as they come, its state and its error. */
export function useJob(job: string | undefined): Followed {
  const [followed, set] = useState<{ job: string; now: Followed }>();
  useEffect(() => (job ? follow(job, (now) => set({ job, now })) : undefined), [job]);
  return followed && followed.job === job ? followed.now : NONE;
}

/** Begin a job; its id. */
export async function begin(path: string, given: unknown = {}): Promise<string> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${API}${path}`, { method: "POST", headers, body: JSON.stringify(given) });
  if (!answer.ok) throw await Problem.of(answer);
  return ((await answer.json()) as { job: string }).job;
}

export async function cancel(job: string): Promise<void> {
  const answer = await fetch(`${API}/jobs/${encodeURIComponent(job)}`, { method: "DELETE" });
  if (!answer.ok) throw await Problem.of(answer);
}
