/** Tables, counts and lists follow what happens in the library, also through other tabs and people. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { hear } from "../api/feed";
import type { TabMessage } from "../api/tabs";

const JOBS = ["jobs"];
/** What changes where a question is answered, and where a file is read. */
const ANSWERS = ["jobs", "history", "conversation", "usage"];
const FILES = ["papers", "files", "status", "facets"];
const ASK_VERBS = new Set(["ask", "answers.rerun", "consensus"]);
/** What nothing in the library changes, and the checks, which look at all of it. */
const STAYS = ["job", "health", "route", "settings", "doctor"];
/** Jobs tell of each file: what is on the page is asked for at most so often. */
const PAUSE = 1000;

/** Which of what is on the page may be otherwise now. */
export function affectedQueries({ kind, verb }: TabMessage): (name: string) => boolean {
  if (kind === "jobs" || kind === "started" || kind === "failed") return (name) => JOBS.includes(name);
  if (kind === "file") return (name) => FILES.includes(name);
  return ASK_VERBS.has(verb) ? (name) => ANSWERS.includes(name) : (name) => !STAYS.includes(name);
}

/** Follow it until the function that is returned is called. */
export function follow(queries: QueryClient): () => void {
  let waiting: ((name: string) => boolean)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    const all = waiting;
    waiting = [];
    timer = undefined;
    void queries.invalidateQueries({ predicate: ({ queryKey }) => all.some((isTouched) => isTouched(String(queryKey[0]))) });
  };
  const stop = hear((happened) => {
    waiting.push(affectedQueries(happened));
    timer ??= setTimeout(look, PAUSE);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

export function useLiveUpdates() {
  const queries = useQueryClient();
  useEffect(() => follow(queries), [queries]);
}
