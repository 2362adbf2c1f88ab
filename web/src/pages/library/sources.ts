/** Papers online: what a text asks for, by what a work is named, and whether services may be asked. */
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { FollowedJob } from "../../api/jobs";
import type { OnlineWork } from "../../api/types";
import type { Key, Translate } from "../../i18n";
import en from "../../i18n/en.json";

/** Identifiers that one request adds. */
export const MOST = 1000;
/** Characters that a search takes. */
const LONGEST = 2000;

/** How identifiers and links look; the server says which of them are none (`services/identifiers.py`). */
const IDENTIFIERS = [
  /^https?:\/\/\S+$/i,
  /^(?:doi|arxiv|pmid|pmcid|bibcode|openalex|s2):\S+$/i,
  /^(?:(?:dx\.)?doi\.org\/)?10\.\d{4,9}\/\S+$/i,
  /^(?:arxiv\.org\/[a-z]+\/)?(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})(?:v\d+)?$/i,
  /^PMC\d+(?:\.\d+)?$/i,
  /^(?:1[5-9]|20)\d\d[a-z][\w.&+-]{13}[a-z.]$/i,
  /^W\d{5,15}$/i,
  /^[0-9a-f]{40}$/i,
];
const PREFIX = /\b(doi|arxiv|pmid|pmcid|bibcode)\s*:\s+(?=\S)/gi;

export interface TypedText {
  /** Identifiers and links, each once. */
  names: string[];
  /** What stands among them and is none. */
  others: string[];
  /** What is searched, where there are no identifiers. */
  words: string;
}

/** What was typed: identifiers, or words. Words of a title may look like an identifier, lines of a list may not. */
export function readTyped(text: string): TypedText {
  const pieces = text.replace(PREFIX, "$1:").split(/\s+/).map((piece) => piece.replace(/[,;]+$/, "")).filter(Boolean);
  const names = [...new Set(pieces.filter((piece) => IDENTIFIERS.some((pattern) => pattern.test(piece))))];
  const others = pieces.filter((piece) => !names.includes(piece));
  if (names.length && (!others.length || text.trim().includes("\n"))) return { names, others, words: "" };
  return { names: [], others: [], words: text.trim().replace(/\s+/g, " ").slice(0, LONGEST) };
}

type Work = OnlineWork["paper"];
const extra = (paper: Work, name: string) => {
  const value = paper.extra[name];
  return typeof value === "string" ? value : "";
};

/** The identifier by which a work is added; "" where it has none. */
export function nameOf(paper: Work): string {
  const known = [
    ["doi", paper.doi],
    ["pmid", paper.pmid],
    ["pmcid", extra(paper, "pmcid")],
    ["arxiv", paper.arxiv_id],
    ["bibcode", paper.bibcode],
    ["openalex", extra(paper, "openalex")],
    ["s2", extra(paper, "s2")],
  ].find(([, value]) => value);
  return known ? known.join(":") : "";
}

/** Where a work is to be seen on the web; made of its identifiers, never an address that a service gives. */
export function addressOf(paper: Work): string {
  const to = (place: string, value: string) => place + value.split("/").map(encodeURIComponent).join("/");
  if (paper.doi) return to("https://doi.org/", paper.doi);
  if (paper.arxiv_id) return to("https://arxiv.org/abs/", paper.arxiv_id);
  return paper.pmid ? to("https://pubmed.ncbi.nlm.nih.gov/", paper.pmid) : "";
}

/** A range of years as the server reads it: `2005..2015`, `2005..`; "" without any. */
export const yearsOf = (first: string, last: string) => (first || last ? `${first}..${last}` : "");

/** What a search is made of, as it stands in the address. */
export function requestOf(params: URLSearchParams) {
  const text = (name: string) => params.get(name) ?? "";
  return {
    words: text("q"),
    from_services: params.getAll("from"),
    ...(text("year") && { year: text("year") }),
    author: text("author"),
    venue: text("venue"),
    mesh: text("mesh"),
  };
}

/** What a job that is done gave. */
export function resultOf<T>({ events }: Pick<FollowedJob, "events">): T | null {
  const end = events.at(-1);
  return end?.kind === "done" ? (end.result as T) : null;
}

/** A field of a record as people call it. */
export const fieldOf = (name: string, t: Translate): string => (`online.field.${name}` in en ? t(`online.field.${name}` as Key) : name.replaceAll("_", " "));

export const useServices = () => useQuery({ queryKey: ["services"], queryFn: async () => (await body(api.GET("/api/v1/sources"))).services });
