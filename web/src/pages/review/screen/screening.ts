/** Screenings: what the server is asked, and labels that are given one after the other. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { get, send } from "../../../api/call";
import { address } from "../../../api/client";
import type { StoredReview, Paper, Screening } from "../../../api/types";
import { toastError } from "../../../parts/toast";
import { pathOf } from "../reviews";

export const STAGES = ["abstract", "full-text"] as const;
export type Stage = (typeof STAGES)[number];
export type ScreeningLabel = "include" | "exclude";

export interface Criteria {
  question: string;
  include: string[];
  exclude: Record<string, string>;
  reviewers: number;
  decides: string;
}
const NO_CRITERIA: Criteria = { question: "", include: [], exclude: {}, reviewers: 1, decides: "" };

/** Lines of a text that say something. */
export const linesOf = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** Reasons of lines `reason: what it means`. */
export const readReasons = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf(":");
      return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );

export const writeReasons = (reasons: Record<string, string>) =>
  Object.entries(reasons)
    .map(([reason, meaning]) => (meaning ? `${reason}: ${meaning}` : reason))
    .join("\n");

/** As the server reads them; what JSON calls a text, TOML does, too. */
export function tomlOf({ question, include, exclude, reviewers, decides }: Criteria): string {
  const text = JSON.stringify;
  const reasons = Object.entries(exclude).map(([reason, meaning]) => `${text(reason)} = ${text(meaning)}`);
  return [`question = ${text(question)}`, `include = ${text(include)}`, `reviewers = ${reviewers}`, `decides = ${text(decides)}`, "[exclude]", ...reasons].join("\n");
}

/** The criteria of a review, as it was asked. */
export const criteriaOf = (review: StoredReview | undefined): Criteria => ({ ...NO_CRITERIA, ...(review?.spec as { criteria?: Partial<Criteria> } | undefined)?.criteria });

const REVIEWER = "conspectus.reviewer";

/** Who screens in this browser. */
export function useReviewer() {
  const [name, set] = useState(() => localStorage.getItem(REVIEWER) ?? "user");
  const change = (to: string) => {
    set(to);
    localStorage.setItem(REVIEWER, to);
  };
  return [name, change] as const;
}

export interface Who {
  reviewer: string;
  stage: Stage;
}

const keyOf = (id: string, who: Who) => ["reviews", "screen", id, "next", who];

export const useNext = (id: string, who: Who) =>
  useQuery({ queryKey: keyOf(id, who), queryFn: ({ signal }) => get<Screening>(address(pathOf("screen", id, "/next"), { ...who }), signal) });

export const useScreening = (id: string, reviewer: string) =>
  useQuery({ queryKey: ["reviews", "screen", id, "status", reviewer], queryFn: ({ signal }) => get<Screening>(address(pathOf("screen", id), { reviewer, audit: true }), signal) });

export interface LabelEntry {
  paper: Paper;
  label: ScreeningLabel;
  reason: string;
}

/**
 * Labels, one after the other. `back` shows the paper before again: labelling it anew adds a label, none is overwritten.
 */
export function useLabels(id: string, who: Who) {
  const queries = useQueryClient();
  const next = useNext(id, who);
  const [pastLabels, keep] = useState<LabelEntry[]>([]);
  const [reopened, showAgain] = useState<LabelEntry>();
  const label = useMutation({
    mutationFn: ({ paper, label, reason }: LabelEntry) => send<Screening>("POST", pathOf("screen", id, "/labels"), { paper: paper.id, label, reason, ...who }),
    onError: toastError,
    onSuccess: (after, newLabel) => {
      queries.setQueryData(keyOf(id, who), after);
      keep((before) => [...before.filter((other) => other.paper.id !== newLabel.paper.id), newLabel]);
      showAgain(undefined);
      void queries.invalidateQueries({ queryKey: ["reviews", "screen", id, "status"] });
    },
  });
  const back = () => {
    const last = pastLabels.filter((pastLabel) => pastLabel.paper.id !== reopened?.paper.id).at(-1);
    if (!last) return;
    keep((before) => before.filter((pastLabel) => pastLabel.paper.id !== last.paper.id));
    showAgain(last);
  };
  return { next, paper: reopened?.paper ?? next.data?.paper ?? null, reopened, canGoBack: pastLabels.length > 0, back, label };
}
