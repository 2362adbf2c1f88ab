/** What the dialog that connects a language model knows: whether one is set, what was found, how its test went. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, body } from "../../api/client";
import { begin, cancel, type FollowedJob, useJob } from "../../api/jobs";
import type { components } from "../../api/schema";
import { toastError } from "../toast";

export type Connection = components["schemas"]["ModelConnection"];
export type Offer = components["schemas"]["ModelOffer"];
export type RecommendedModel = components["schemas"]["RecommendedModel"];
export type ModelTest = components["schemas"]["ModelTest"];
export type Role = "ask" | "summarise" | "write" | "agent" | "judge" | "vision";
export const ROLES: readonly Role[] = ["ask", "summarise", "write", "agent", "judge", "vision"];
/** Roles without which nothing is written: a model that judges or sees does not answer. */
const WRITING_ROLES = ["language.model", "language.ask", "language.summarise", "language.write"];

export interface Wish {
  name: string;
  key?: string;
  role?: Role;
  /** Set it though its test failed. */
  untested?: boolean;
}

/** Whether a language model is set; undefined as long as nobody knows. */
export function useHasModel(): boolean | undefined {
  const { data } = useQuery({ queryKey: ["settings"], queryFn: () => body(api.GET("/api/v1/settings")) });
  return data?.settings?.some((row) => WRITING_ROLES.includes(row.name) && row.value !== "" && row.value !== "none");
}

export interface ModelConnection {
  followed: FollowedJob;
  isBusy: boolean;
  /** What came of the last call; null: nothing yet, or it failed. */
  connection: Connection | null;
  error: Error | null;
  start: (wish: Wish) => void;
  end: () => void;
  /** Forget what came of the last call. */
  clear: () => void;
}

/** A call of `models connect`, followed to its end. What is sent is kept nowhere: there may be a key in it. */
export function useModelConnection(): ModelConnection {
  const queries = useQueryClient();
  const [job, setJob] = useState<string>();
  const [isBeginning, setBeginning] = useState(false);
  const [failed, fail] = useState<Error | null>(null);
  const followed = useJob(job);
  const end = followed.events.at(-1);
  const connection = end?.kind === "done" ? (end.result as Connection) : null;
  const isSet = Boolean(connection?.tested);
  useEffect(() => {
    if (isSet) void queries.invalidateQueries({ queryKey: ["settings"] });
  }, [isSet, queries]);
  const start = (wish: Wish) => {
    setBeginning(true);
    fail(null);
    setJob(undefined);
    begin("/models/connect", wish)
      .then(setJob, fail)
      .finally(() => setBeginning(false));
  };
  const clear = () => {
    fail(null);
    setJob(undefined);
  };
  const isBusy = isBeginning || (job !== undefined && followed.state === "running");
  return { followed, isBusy, connection, error: failed ?? followed.error, start, end: () => job && cancel(job).catch(toastError), clear };
}
