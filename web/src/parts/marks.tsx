/** The words found, marked in a text. */
import { tex } from "./tex";

/** Words that say nothing: of English and of German questions. */
const SMALL = new Set(
  "a an the of in on at to for and or not is are was were be by with from as that this do does did how what which when where why who it its der die das und oder in im ist sind wie was wer ein eine von zu mit auf".split(
    " ",
  ),
);
const WORD = /[\p{L}\p{N}]+/gu;

/** A word without its ending, for comparing "cells" with "cell". */
function stem(word: string): string {
  const small = word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return small.length < 4 ? small : small.replace(/(?:ies|ing|ed|es|s|y|e)$/u, "");
}

/** What of a query is looked for, by stems: no signs, no fields, no small words. */
export function queryStems(query: string): Set<string> {
  const words = query.replace(/(^|\s)-\S+/g, " ").replace(/\b\w+:("[^"]*"|\S+)/g, " ");
  const terms = [...words.matchAll(WORD)].map(([word]) => word).filter((word) => !SMALL.has(word.toLowerCase()));
  return new Set(terms.filter((word) => !/^(AND|OR|NOT)$/.test(word)).map(stem));
}

export interface Piece {
  text: string;
  isMarked: boolean;
}

/** A text in pieces, those marked that were looked for; neighbours are one. Together they are the text. */
export function splitPieces(text: string, stems: ReadonlySet<string>): Piece[] {
  const parts: Piece[] = [];
  const add = (part: string, isMarked: boolean) => part && parts.push({ text: part, isMarked });
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    if (!stems.has(stem(match[0]))) continue;
    const between = text.slice(end, match.index);
    const last = parts.at(-1);
    end = match.index + match[0].length;
    if (last && /^[ -]$/.test(between)) last.text += between + match[0];
    else {
      add(between, false);
      add(match[0], true);
    }
  }
  add(text.slice(end), false);
  return parts;
}

/** How many different words of those looked for a text has. */
export function matches(text: string, stems: ReadonlySet<string>): number {
  return new Set([...text.matchAll(WORD)].map(([word]) => stem(word)).filter((word) => stems.has(word))).size;
}

export function MarkedText({ text, stems }: { text: string; stems: ReadonlySet<string> }) {
  return splitPieces(tex(text), stems).map((piece, at) => (piece.isMarked ? <mark key={at}>{piece.text}</mark> : piece.text));
}
