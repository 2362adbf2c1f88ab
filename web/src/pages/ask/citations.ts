/** The numbers of what an answer cites: [1] a paper, [1a] and [1b] two quotes of it. */
import type { Citation, Paper, Statement } from "../../api/types";

export interface Source {
  paper: Paper;
  number: number;
  /** Its quotes, each once, with what they are called. */
  quotes: { label: string; citation: Citation }[];
}

export const keyOf = (citation: Citation) =>
  [citation.paper.id, ...citation.spans.map((span) => span.id), citation.spans.length ? "" : citation.quote].join(" ");

/** What statements cite, in the order in which it is read. */
export function sourcesOf(statements: readonly Statement[]): Source[] {
  const papers = new Map<string, Citation[]>();
  for (const citation of statements.flatMap((one) => one.citations ?? [])) {
    const own = papers.get(citation.paper.id) ?? [];
    if (!own.some((one) => keyOf(one) === keyOf(citation))) papers.set(citation.paper.id, [...own, citation]);
  }
  return [...papers.values()].map((own, at) => ({
    paper: own[0]!.paper,
    number: at + 1,
    quotes: own.map((citation, among) => ({ label: `${at + 1}${own.length > 1 ? letter(among) : ""}`, citation })),
  }));
}

/** What each citation is called. */
export const labelsOf = (sources: readonly Source[]) =>
  new Map(sources.flatMap((one) => one.quotes.map(({ label, citation }) => [keyOf(citation), label])));

/** a, b, …, z, aa, ab */
function letter(at: number): string {
  const last = String.fromCharCode(97 + (at % 26));
  return at < 26 ? last : letter(Math.floor(at / 26) - 1) + last;
}
