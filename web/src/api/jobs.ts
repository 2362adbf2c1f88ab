/** Jobs: begun with a POST, followed by server-sent events; the browser asks again where the connection is lost. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { API, api, body, parseObject, Problem, reach } from "./client";
import { reportConnection } from "./connection";
import type { JobEvent, JobState } from "./types";

const KINDS = [
  ...["started", "progress", "note", "file", "searching", "found", "reading", "evidence", "step", "text", "citation"],
  ...["statement", "answer", "claim", "stance", "consensus", "part", "done", "failed", "cancelled", "reset"],
];
const ENDS: Record<string, JobState> = { done: "done", failed: "failed", cancelled: "cancelled" };

export interface FollowedJob {
  events: JobEvent[];
  state: JobState;
  /** Why it failed, or why it cannot be followed. */
  error: Problem | null;
  /** Whether the connection is lost at the moment; the browser tries again by itself. */
  isAway: boolean;
}

const NONE: FollowedJob = { events: [], state: "running", error: null, isAway: false };

/** Follow a job from its beginning; `undefined`: none. */
export function follow(job: string, hear: (followed: FollowedJob) => void): () => void {
  let now = NONE;
  const tell = (change: Partial<FollowedJob>) => hear((now = { ...now, ...change }));
  const source = new EventSource(`${API}/jobs/${encodeURIComponent(job)}/events`);
  const take = (message: MessageEvent<string>) => {
    const event = parseObject<JobEvent>(message.data) as JobEvent;
    if (!event.kind) return; // no event of ours: it costs nothing but itself
    if (now.events.some((other) => other.seq === event.seq)) return;
    const state = ENDS[event.kind] ?? now.state;
    const failed = event.kind === "failed" ? event.error : null;
    const error = failed ? new Problem(failed.message, failed.hint, failed.status, failed.type, failed.retry) : now.error;
    tell({ events: event.kind === "reset" ? [] : [...now.events, event], state, error, isAway: false });
  };
  KINDS.forEach((kind) => source.addEventListener(kind, take as EventListener));
  source.addEventListener("end", () => source.close());
  source.onopen = () => {
    reportConnection("well");
    tell({ isAway: false });
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED && now.state === "running")
      tell({ state: "failed", error: Problem.ofKind("Gone", 404) });
    else {
      reportConnection("lost");
      tell({ isAway: true });
    }
  };
  return () => source.close();
}

/** A job's events as they come, its state and its error. */
export function useJob(job: string | undefined): FollowedJob {
  const [followed, set] = useState<{ job: string; now: FollowedJob }>();
  useEffect(() => (job ? follow(job, (now) => set({ job, now })) : undefined), [job]);
  return followed && followed.job === job ? followed.now : NONE;
}

const startedJobs = new EventTarget();

/** Begin a job, with values or a form of files; its id. */
export async function begin(path: string, values: unknown = {}): Promise<string> {
  const options = values instanceof FormData ? { body: values } : { headers: { "content-type": "application/json" }, body: JSON.stringify(values) };
  const answer = await reach(`${API}${path}`, { method: "POST", ...options });
  const { job } = (await answer.json()) as { job: string };
  startedJobs.dispatchEvent(new Event("begun"));
  return job;
}

export async function cancel(job: string): Promise<void> {
  await reach(`${API}/jobs/${encodeURIComponent(job)}`, { method: "DELETE" });
}

const BUSY = 5000;
const IDLE = 60_000;

/** The jobs that run, and the last that ended, the newest first; the shared feed tells when to look again (`liveUpdates`). */
export function useJobs() {
  const queries = useQueryClient();
  useEffect(() => {
    const look = () => void queries.invalidateQueries({ queryKey: ["jobs"] });
    startedJobs.addEventListener("begun", look);
    return () => startedJobs.removeEventListener("begun", look);
  }, [queries]);
  return useQuery({
    queryKey: ["jobs"],
    queryFn: async () => (await body(api.GET("/api/v1/jobs"))).jobs.toReversed(),
    refetchInterval: ({ state }) => (state.data?.some((job) => job.state === "running") ? BUSY : IDLE),
  });
}
