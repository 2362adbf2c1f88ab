/** Whether the server answers: lost with the first request that does not reach it, well again with the next that does. */
import { useSyncExternalStore } from "react";

/** `refused`: it answers, and does not know this browser (no token, or a wrong one); `ended`: the page has ended it. */
export type Connection = "well" | "lost" | "refused" | "ended";
const HEALTH = "/api/v1/health";
const PAUSE = 2000;

let connection: Connection = "well";
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();

/** How the last request went. While it is lost, the server is asked again and again whether it is there. */
export function reportConnection(next: Connection) {
  if (next === connection || connection === "ended" || (connection === "refused" && next === "well")) return;
  connection = next;
  clearInterval(timer);
  if (next === "lost") timer = setInterval(look, PAUSE);
  watchers.forEach((watch) => watch());
}

/** Whether nothing is to be asked until the page is loaded again: the server does not know this browser, or was ended. */
export const isClosed = () => connection === "refused" || connection === "ended";

async function look() {
  try {
    if ((await fetch(HEALTH)).ok) reportConnection("well");
  } catch {
    // still away
  }
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (watch) => {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
    () => connection,
  );
}
