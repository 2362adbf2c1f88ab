/** What the reader asks the server for. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { api, body } from "../api/client";
import type { components } from "../api/schema";
import type { Paper } from "../api/types";
import { tex } from "../parts/tex";

type Schemas = components["schemas"];
/** With its long fields. */
export type FullPaper = Schemas["WholePaper"];
export type Figure = Schemas["Figure"];
export type Reference = Schemas["CitedReference"];

export type PageSize = Schemas["PageSize"];

const paperParams = (paper: string) => ({ params: { path: { paper } } });
const HOUR = 3_600_000;

export const usePaper = (name: string) =>
  useQuery({
    queryKey: ["paper", name],
    queryFn: async () => (await body(api.GET("/api/v1/papers/{paper}", paperParams(name)))).paper,
  });

export const useStructure = (name: string, enabled: boolean) =>
  useQuery({
    queryKey: ["structure", name],
    enabled,
    staleTime: HOUR,
    // the client's own type has lists of numbers where the description has four
    queryFn: () => body(api.GET("/api/v1/papers/{paper}/structure", paperParams(name))) as Promise<unknown> as Promise<Schemas["StructureResult"]>,
  });

export const useReferences = (name: string, enabled: boolean) =>
  useQuery({
    queryKey: ["references", name],
    enabled,
    queryFn: async () => (await body(api.GET("/api/v1/papers/{paper}/references", paperParams(name)))).references,
  });

/** The sizes of its pages; an error where there are none to show. */
export const usePages = (name: string, isPdf: boolean) =>
  useQuery({
    queryKey: ["pages", name],
    enabled: isPdf,
    staleTime: HOUR,
    queryFn: async () => (await body(api.GET("/api/v1/papers/{paper}/pages", paperParams(name)))).pages,
  });

/** The sentences by their ids, as far as they are here; `error` where one of them is not known. */
export function useSentences(spans: string[]) {
  return useQueries({
    queries: spans.map((span) => ({
      queryKey: ["span", span],
      staleTime: HOUR,
      queryFn: () =>
        body(api.GET("/api/v1/spans/{span}", { params: { path: { span } } })) as Promise<unknown> as Promise<Schemas["SpanResult"]>,
    })),
    combine: (results) => ({
      cited: results.flatMap((result) => (result.data ? [result.data] : [])),
      isPending: results.some((result) => result.isPending),
      error: results.find((result) => result.error)?.error ?? null,
    }),
  });
}

type CitedPaper = Pick<Paper, "id" | "title" | "authors" | "year" | "doi">;

/** "(Hafting et al. 2005, p. 2)", behind what is quoted. */
export function citationOf(paper: CitedPaper, page?: number | null): string {
  const names = (paper.authors ?? []).map((author) => author.family || author.name);
  const who = names.length > 2 ? `${names[0]} et al.` : names.join(" & ") || tex(paper.title) || paper.id;
  return `(${[[who, paper.year].filter(Boolean).join(" "), page && `p. ${page}`].filter(Boolean).join(", ")})`;
}

/** What is quoted with its citation, title and DOI, as text and as HTML. */
export function formatQuote(paper: CitedPaper, words: string, page?: number | null) {
  const [quote, cited, title] = [`“${tex(words)}”`, citationOf(paper, page), paper.title ? `${tex(paper.title).replace(/\.$/, "")}.` : ""];
  const link = paper.doi ? `https://doi.org/${paper.doi}` : "";
  const html = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
  const linked = link && `<a href="${html(encodeURI(link))}">${html(link)}</a>`;
  return {
    text: [`${quote} ${cited}.`, title, link].filter(Boolean).join(" "),
    html: [`${html(quote)} ${html(cited)}.`, title && `<i>${html(title)}</i>`, linked].filter(Boolean).join(" "),
  };
}
