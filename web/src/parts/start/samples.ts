/** The sample papers that come with the program: whether the library has them, adding and removing them. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, send } from "../../api/call";
import { address } from "../../api/client";
import { begin } from "../../api/jobs";
import type { LedgerRow } from "../../api/types";
import { useWords } from "../../i18n";
import { toast, toastError } from "../toast";
import { watch } from "../uploads";

const KEY = ["samples"];

/** Whether the library has sample papers; false as long as nobody knows. */
export function useHasSamples(): boolean {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await get<{ files: LedgerRow[] }>(address("/samples"), signal)).files.length > 0,
  });
  return data ?? false;
}

export function useAddSamples(onBegun?: () => void) {
  const { t } = useWords();
  return useMutation({
    mutationFn: () => begin("/samples"),
    onSuccess: (job) => {
      watch(job, t("samples.name"));
      onBegun?.();
    },
    onError: toastError,
  });
}

export function useRemoveSamples() {
  const { t } = useWords();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => send("DELETE", "/samples"),
    onSuccess: () => toast(t("samples.removed")),
    onError: toastError,
    onSettled: () => queries.invalidateQueries(),
  });
}
