/** What the server is asked, and told, of entities that wait for review, and of merges. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, send } from "../../api/call";
import { address } from "../../api/client";
import type { EntityMerge, NewEntity } from "../../api/types";
import { useWords } from "../../i18n";
import { toast, toastError } from "../../parts/toast";

export const STATES = ["new", "accepted", "rejected"] as const;
export type State = (typeof STATES)[number];
type Verdict = "accept" | "reject" | "undo";

export const useReview = (state: State, limit: number) =>
  useQuery({
    queryKey: ["entities", "review", state, limit],
    queryFn: ({ signal }) => get<{ entities: NewEntity[]; total: number }>(address("/entities/review", { state, limit, examples: 2 }), signal),
    placeholderData: keepPreviousData,
  });

/** How many wait. */
export const useWaitingCount = () =>
  useQuery({
    queryKey: ["entities", "review", "waiting"],
    queryFn: async ({ signal }) => (await get<{ total: number }>(address("/entities/review", { limit: 1, examples: 0 }), signal)).total,
  }).data ?? 0;

export const useMerges = () =>
  useQuery({
    queryKey: ["entities", "merges"],
    queryFn: async ({ signal }) => (await get<{ merges: EntityMerge[] }>(address("/entities/merges"), signal)).merges,
  });

/** What is known of entities is other than it was. */
function useEntityRefresh() {
  const queries = useQueryClient();
  return () => ["entities", "graph", "mentions", "discover", "concepts"].forEach((name) => void queries.invalidateQueries({ queryKey: [name] }));
}

/** Say what an entity is; what was said can be taken back at once. */
export function useVerdict() {
  const { t } = useWords();
  const changed = useEntityRefresh();
  const say = (entity: string, verdict: Verdict) => send("POST", `/entities/${verdict}`, { entities: [entity] });
  return useMutation({
    mutationFn: ({ entity, verdict }: { entity: NewEntity; verdict: Verdict }) => say(entity.id, verdict),
    onSuccess: (_, { entity, verdict }) => {
      changed();
      const action = { name: t("review.undo"), run: () => void say(entity.id, "undo").then(changed).catch(toastError) };
      toast(t(`review.${verdict}.done`, { name: entity.name }), verdict === "undo" ? {} : { action });
    },
    onError: toastError,
  });
}

/** Take an entity for another one. */
export function useMerge() {
  const { t } = useWords();
  const changed = useEntityRefresh();
  return useMutation({
    mutationFn: ({ entity, into }: { entity: string; into: string; name: string }) => send("POST", "/entities/merge", { entity, into }),
    onSuccess: (_, { entity, name }) => {
      changed();
      const run = () => void send("POST", "/entities/unmerge", { entity }).then(changed).catch(toastError);
      toast(t("merges.done", { name }), { action: { name: t("merges.undo"), run } });
    },
    onError: toastError,
  });
}

export function useUnmerge() {
  const { t } = useWords();
  const changed = useEntityRefresh();
  return useMutation({
    mutationFn: (entity: string) => send("POST", "/entities/unmerge", { entity }),
    onSuccess: () => {
      changed();
      toast(t("merges.undone"));
    },
    onError: toastError,
  });
}
