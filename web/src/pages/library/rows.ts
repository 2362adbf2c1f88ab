/** The papers of the table: pages of them, asked for as they come into view. */
import { type QueryClient, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { get } from "../../api/call";
import { address } from "../../api/client";
import type { Paper } from "../../api/types";
import { byline, titleOf } from "../../parts/PaperLine";
import { type Extent, extentOf } from "../../parts/TextBadge";

/** Rows of one request. */
export const PAGE = 200;
export const SORTS = ["added", "title", "year", "venue", "cited"] as const;
export type Sort = (typeof SORTS)[number];

export interface PaperCriteria {
  q: string;
  sort: Sort;
  order: "asc" | "desc";
  collection: string;
  tag: string;
  /** "1": with full text only, "0": without only. */
  full: string;
}

/** What the table shows of a paper; no more is kept of a hundred thousand. */
export interface Row {
  id: string;
  title: string;
  authors: string;
  year: number | null;
  venue: string;
  cited: number | null;
  extent: Extent;
  tags: readonly string[];
  status: Paper["publication_status"];
}

interface Page {
  rows: Row[];
  next: string | null;
  total: number | null;
}

export const rowOf = (paper: Paper & { tags?: readonly string[] }): Row => ({
  id: paper.id,
  title: titleOf(paper),
  authors: byline(paper),
  year: paper.year ?? null,
  venue: paper.venue ?? "",
  cited: paper.citation_count ?? null,
  extent: extentOf(paper),
  tags: paper.tags ?? [],
  status: paper.publication_status,
});

/** Numbers begin with the greatest, words with the first. */
export const usualOrder = (sort: Sort): "asc" | "desc" => (sort === "title" || sort === "venue" ? "asc" : "desc");

export function filters(criteria: PaperCriteria): Record<string, string | undefined> {
  const { collection, tag, full } = criteria;
  return { collection: collection || undefined, tag: tag || undefined, full_text: full ? String(full === "1") : undefined };
}

const keyOf = (criteria: PaperCriteria, page: number) => ["papers", criteria, page];

function request(queries: QueryClient, criteria: PaperCriteria, page: number) {
  return {
    queryKey: keyOf(criteria, page),
    staleTime: 60_000,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Page> => {
      const before = page ? queries.getQueryData<Page>(keyOf(criteria, page - 1)) : undefined;
      const place = before?.next ? { after: before.next } : { offset: page * PAGE || undefined };
      const { q, sort, order } = criteria;
      const query = { q: q || undefined, sort, order, limit: PAGE, ...place, ...filters(criteria) };
      const answer = await get<{ papers: Paper[]; next: string | null; total?: number | null }>(address("/papers", query), signal);
      return { rows: answer.papers.map(rowOf), next: answer.next, total: answer.total ?? null };
    },
  };
}

/** Pages that hold the rows from one to another. */
export function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(Math.max(0, first) / PAGE);
  return Array.from({ length: Math.floor(Math.max(0, last) / PAGE) - from + 1 }, (_, at) => from + at);
}

/** How many rows there are in all; unknown until the first have come. */
export function useTotal(criteria: PaperCriteria): number | undefined {
  const top = useQuery(request(useQueryClient(), criteria, 0));
  return top.data?.total ?? top.data?.rows.length;
}

/** The rows from `first` to `last` as far as they have come; `hasAny`: whether any of them, or of those near them, has a value. */
export function useRows(criteria: PaperCriteria, first: number, last: number) {
  const queries = useQueryClient();
  const pages = pagesOf(first, last);
  const pageQueries = useQueries({ queries: pages.map((page) => request(queries, criteria, page)) });
  const row = (index: number): Row | undefined => pageQueries[Math.floor(index / PAGE) - pages[0]!]?.data?.rows[index % PAGE];
  const hasAny = (name: keyof Row) => pageQueries.some((query) => query.data?.rows.some((row) => row[name] !== null && row[name] !== ""));
  const error = pageQueries.find((query) => query.error)?.error ?? null;
  const retry = () => pageQueries.forEach((query) => query.error && query.refetch());
  return { row, hasAny, error, retry };
}

/** The ids of the rows between two, both included; those that have not come yet are asked for. */
export async function idsBetween(queries: QueryClient, criteria: PaperCriteria, index: number, other: number): Promise<string[]> {
  const [first, last] = [Math.min(index, other), Math.max(index, other)];
  const ids: string[] = [];
  for (const page of pagesOf(first, last)) {
    const { rows } = await queries.fetchQuery(request(queries, criteria, page));
    ids.push(...rows.slice(Math.max(0, first - page * PAGE), last - page * PAGE + 1).map((row) => row.id));
  }
  return ids;
}
