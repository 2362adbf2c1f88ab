/** How long a job will still take, as its progress so far tells. */
import type { JobEvent } from "../api/types";
import type { Translate } from "../i18n";

type Progress = Extract<JobEvent, { kind: "progress" }>;

/** Seconds and share of the work from which on they tell how fast it goes. */
const LEAST_SECONDS = 2;
const LEAST_SHARE = 0.02;
/** Milliseconds that are looked back: what is in hand now goes as what was before it. */
const WINDOW = 60_000;

/** Seconds until the present stage is done; null: not known yet. Waits for others tell nothing. */
export function timeLeft(events: readonly JobEvent[]): number | null {
  const all = events.filter((event): event is Progress => event.kind === "progress");
  const last = all.at(-1);
  if (!last || !(last.total > last.done)) return null;
  const before = all.findLastIndex((event) => event.stage !== last.stage);
  const now = Date.parse(last.at);
  const stage = all.slice(before + 1);
  const first = stage.findLast((event) => now - Date.parse(event.at) >= WINDOW) ?? stage[0]!;
  const seconds = (now - Date.parse(first.at)) / 1000;
  const done = last.done - first.done;
  if (seconds < LEAST_SECONDS || done <= 0 || done < LEAST_SHARE * last.total) return null;
  return ((last.total - last.done) * seconds) / done;
}

/** A time in words. */
export function inWords(seconds: number, t: Translate): string {
  if (seconds < 55) return t("progress.left.s", { n: Math.max(1, seconds < 10 ? Math.ceil(seconds) : 5 * Math.round(seconds / 5)) });
  if (seconds < 55 * 60) return t("progress.left.min", { n: Math.max(1, Math.round(seconds / 60)) });
  return t("progress.left.h", { n: Math.round(seconds / 360) / 10 });
}
