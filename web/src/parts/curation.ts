/** What people keep about papers: tags, collections, notes. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, send } from "../api/call";
import { address } from "../api/client";
import type { PaperCuration, PaperSet } from "../api/types";
import { toastError } from "./toast";

/** Papers that one request names. */
const AT_ONCE = 10_000;
const encode = encodeURIComponent;

export const useCollections = () =>
  useQuery({
    queryKey: ["collections"],
    queryFn: async ({ signal }) => (await get<{ collections: PaperSet[] }>(address("/collections"), signal)).collections,
  });

export const useTags = () =>
  useQuery({
    queryKey: ["tags"],
    queryFn: async ({ signal }) => (await get<{ tags: PaperSet[] }>(address("/tags"), signal)).tags,
  });

export const useCuration = (paper: string) =>
  useQuery({
    queryKey: ["kept", paper],
    queryFn: ({ signal }) => get<PaperCuration>(address(`/papers/${encode(paper)}/kept`), signal),
  });

export const keep = {
  tag: (papers: readonly string[], add: readonly string[], remove: readonly string[] = []) =>
    send("POST", "/tags", { papers, add, remove }),
  collect: async (name: string, papers: readonly string[] = []) => {
    const put = async (batch: readonly string[]) => (await send<{ collection: PaperSet }>("POST", "/collections", { name, papers: batch })).collection;
    let paperSet = await put(papers.slice(0, AT_ONCE));
    for (let start = AT_ONCE; start < papers.length; start += AT_ONCE) paperSet = await put(papers.slice(start, start + AT_ONCE));
    return paperSet;
  },
  change: (id: string, change: { rename?: string; add?: readonly string[]; remove?: readonly string[] }) =>
    send("PATCH", `/collections/${encode(id)}`, change),
  dissolve: (id: string) => send("DELETE", `/collections/${encode(id)}`),
  note: (paper: string, text: string) => send("POST", "/notes", { paper, text }),
  rewrite: (id: string, text: string) => send("PATCH", `/notes/${encode(id)}`, { text }),
  forget: (id: string) => send("DELETE", `/notes/${encode(id)}`),
};

/** Change something that is kept, and look at all of it again; what fails is told. */
export function useCurationChange() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onError: toastError,
    onSettled: () => Promise.all(["collections", "tags", "kept", "papers"].map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  });
}
