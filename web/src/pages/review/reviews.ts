/** Reviews that are kept: what the server is asked of them, and which one the address names. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, send } from "../../api/call";
import { address } from "../../api/client";
import { begin } from "../../api/jobs";
import type { StoredReview } from "../../api/types";
import { useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";

export const KINDS = ["rank", "classify", "screen", "table", "report"] as const;
export type Kind = (typeof KINDS)[number];

/** Where the reviews of a kind are in the API. */
const PLACES: Record<Kind, string> = {
  rank: "/reviews/rankings",
  classify: "/reviews/classifications",
  screen: "/reviews/screenings",
  table: "/reviews/tables",
  report: "/reviews/reports",
};

/** What of the address belongs to one review, and goes with it. */
const OF_ONE = { review: null, new: null, job: null, sort: null, where: null, offset: null, only: null, after: null, stage: null, view: null };

export const kindAt = (path: string): Kind => KINDS.find((kind) => kind === path.split("/")[2]) ?? "rank";

/** The path of a review, or of something of it. */
export const pathOf = (kind: Kind, id = "", rest = "") => `${PLACES[kind]}${id && `/${encodeURIComponent(id)}`}${rest}`;

/** The review that is named; without a name the one that was changed last. */
export const chooseReview = (reviews: readonly StoredReview[], id: string | null) =>
  reviews.find((review) => review.id === id) ?? reviews.toSorted((review, other) => (review.updated < other.updated ? 1 : -1))[0];

export const useReviews = (kind: Kind) =>
  useQuery({
    queryKey: ["reviews", kind],
    queryFn: async ({ signal }) => (await get<{ reviews: StoredReview[] }>(address("/reviews", { kind }), signal)).reviews,
  });

/** Look again at all that is shown of reviews. */
export function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["reviews"] });
}

/** Change something of a review, then look again; what fails is reported. */
export function useChange<T = unknown>() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ method, path, body }: { method: "POST" | "PATCH" | "DELETE"; path: string; body?: unknown }) => send<T>(method, path, body),
    onError: toastError,
    onSettled: refresh,
  });
}

/** Begin a job of a review, whose id is then in the address; `isNew`: the review itself begins with it. */
export function useBegin() {
  const [, change] = useParams();
  return useMutation({
    mutationFn: ({ path, body }: { path: string; body: unknown; isNew?: boolean }) => begin(path, body),
    onSuccess: (job, { isNew }) => change({ ...(isNew ? OF_ONE : {}), job }),
  });
}

/** Show another review, or none and the form that begins one. */
export function useShow() {
  const [, change] = useParams();
  return (review: string | null) => change({ ...OF_ONE, review, new: review === null });
}

/** Papers and lines that a run could not use, each with the reason; and what else there is to say of it. */
export interface RunResult {
  id?: string;
  failed?: Record<string, string>;
  stopped?: string;
  notes?: readonly string[];
  note?: string;
  left?: number;
  /** Of a table: cells that were read, and the model that read them; "": none did. */
  read?: number;
  model?: string;
}

/** What is to be said of a run that has ended, a sentence each. */
export const remarksOf = ({ stopped, notes = [], note }: RunResult) => [stopped, note, ...notes].filter((remark): remark is string => Boolean(remark));
