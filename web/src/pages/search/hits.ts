/** What a search found, and what can be told of it without asking again. */
import type { Facets, Hit, Passage, Span, Value } from "../../api/types";
import { titleOf } from "../../parts/PaperLine";
import { matches } from "../../parts/marks";
import type { Sort } from "./searchState";

const KEYS: Record<Sort, (hit: Hit) => number | string> = {
  best: (hit) => hit.rank,
  newest: (hit) => -(hit.paper.year ?? -Infinity),
  oldest: (hit) => hit.paper.year ?? Infinity,
  cited: (hit) => -(hit.paper.citation_count ?? -1),
  title: (hit) => titleOf(hit.paper).toLocaleLowerCase(),
};

/** The hits in another order; equal ones as they were. Papers of which it is not known come last. */
export function sortHits(hits: readonly Hit[], by: Sort): Hit[] {
  const key = KEYS[by];
  return [...hits].sort((hit, other) => {
    const [first, second] = [key(hit), key(other)];
    return first < second ? -1 : first > second ? 1 : hit.rank - other.rank;
  });
}

/** The sentence of a passage that has most of the words: where the reader opens. */
export function bestSpan(passage: Passage, stems: ReadonlySet<string>): Span | undefined {
  let best: Span | undefined;
  let most = -1;
  for (const span of passage.spans) {
    const number = matches(span.text ?? "", stems);
    if (number > most) [best, most] = [span, number];
  }
  return best;
}

/** So much of a passage as is shown at first: whole sentences around the best one, about `most` characters. */
export function excerpt(passage: Passage, stems: ReadonlySet<string>, most = 420): { text: string; isCut: boolean } {
  if (passage.text.length <= most * 1.3 || !passage.spans.length) return { text: passage.text, isCut: false };
  const best = bestSpan(passage, stems);
  let first = Math.max(0, passage.spans.findIndex((span) => span === best));
  let last = first;
  const length = () => passage.spans[last]!.end - passage.spans[first]!.start;
  while (length() < most && (last + 1 < passage.spans.length || first > 0)) {
    if (last + 1 < passage.spans.length) last += 1;
    else first -= 1;
  }
  const cut = passage.text.slice(passage.spans[first]!.start, passage.spans[last]!.end);
  const isCut = cut.length < passage.text.trim().length;
  return { text: `${first > 0 ? "… " : ""}${cut}${last + 1 < passage.spans.length ? " …" : ""}`, isCut };
}

/** Counts of what the papers found are, where the library is not asked for them. */
export function facetsOf(hits: readonly Hit[]): Facets {
  const counted = (values: (hit: Hit) => readonly (string | number | null | undefined)[]): Value[] => {
    const counts = new Map<string, number>();
    for (const hit of hits)
      for (const value of new Set(values(hit)))
        if (value !== null && value !== undefined && value !== "") counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
    return [...counts].map(([value, papers]) => ({ value, papers })).sort((entry, other) => other.papers - entry.papers);
  };
  return {
    year: counted((hit) => [hit.paper.year]),
    venue: counted((hit) => [hit.paper.venue]),
    keyword: counted((hit) => hit.paper.keywords ?? []),
    kind: counted((hit) => [hit.passage.kind]),
  };
}

/** What the server says of a query that it does not understand: what is wrong, where, and what to do. */
export function parseQueryError(message: string, hint: string): { what: string; where: string; remedy: string; instead: string } {
  const [what = "", ...where] = message.split("\n");
  const remedy = hint.replace(/\s*With `plain=True`.*$/, "").trim();
  return { what, where: where.map((line) => line.replace(/^ {2}/, "")).join("\n"), remedy, instead: /mean (\w+):…/.exec(hint)?.[1] ?? "" };
}
