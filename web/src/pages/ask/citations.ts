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
  for (const citation of statements.flatMap((statement) => statement.citations ?? [])) {
    const citations = papers.get(citation.paper.id) ?? [];
    if (!citations.some((other) => keyOf(other) === keyOf(citation))) papers.set(citation.paper.id, [...citations, citation]);
  }
  return [...papers.values()].map((cited, at) => ({
    paper: cited[0]!.paper,
    number: at + 1,
    quotes: cited.map((citation, among) => ({ label: `${at + 1}${cited.length > 1 ? letter(among) : ""}`, citation })),
  }));
}

/** What each citation is called. */
export const labelsOf = (sources: readonly Source[]) =>
  new Map(sources.flatMap((source) => source.quotes.map(({ label, citation }) => [keyOf(citation), label])));

/** a, b, …, z, aa, ab */
function letter(at: number): string {
  const last = String.fromCharCode(97 + (at % 26));
  return at < 26 ? last : letter(Math.floor(at / 26) - 1) + last;
}
