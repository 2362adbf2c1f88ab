/** Where the words of a paper stand on its pages: from sentences with rectangles, one for each line. */
import { formulas, tex } from "../parts/tex";
import type { components } from "../api/schema";

export type Block = components["schemas"]["Block"];
export type Place = components["schemas"]["Place"];
export type Rect = Place["rect"];
type Sentence = Block["sentences"][number];

/** A stretch of a block's text on one line of a page: `block.text.slice(start, end)`. */
export interface Piece extends Place {
  block: number;
  start: number;
  end: number;
  text: string;
}

const NARROW = /[iljtfrI.,;:'’‘|!()[\]{}/\\\s-]/;
const WIDE = /[mwMW—@%]/;
const CAPITAL = /[A-Z\d&]/;
const width = (sign: string) => (NARROW.test(sign) ? 0.32 : WIDE.test(sign) ? 0.85 : CAPITAL.test(sign) ? 0.62 : 0.5);

/** About how wide a text is printed, in ems. */
export function wide(text: string): number {
  let sum = 0;
  for (const sign of text) sum += width(sign);
  return sum;
}

/** A sentence's words dealt out to its lines by how wide these are; words are never cut. */
export function piecesOf(blocks: Block[]): Piece[] {
  return blocks.flatMap((block, at) => block.sentences.flatMap((sentence) => splitSentence(block, at, sentence)));
}

function splitSentence(block: Block, at: number, { start, end, places }: Sentence): Piece[] {
  const room = (place: Place) => place.rect[2] - place.rect[0];
  const all = places.reduce((sum, place) => sum + room(place), 0);
  const perPoint = wide(block.text.slice(start, end)) / (all || 1);
  const pieces: Piece[] = [];
  let from = start;
  let points = 0;
  let before = 0;
  for (const [number, place] of places.entries()) {
    points += room(place);
    let to = number === places.length - 1 ? end : from;
    while (to < end) {
      const next = wordEnd(block.text, to, end);
      const word = wide(block.text.slice(to, next));
      if (before + word / 2 > points * perPoint) break;
      before += word;
      to = next;
    }
    if (to > from) pieces.push({ ...place, block: at, start: from, end: to, text: block.text.slice(from, to) });
    from = to;
  }
  return pieces;
}

/** The end of the word that begins at `from`, with the white space behind it. */
function wordEnd(text: string, from: number, end: number): number {
  let to = from;
  while (to < end && !/\s/.test(text[to]!)) to++;
  while (to < end && /\s/.test(text[to]!)) to++;
  return to;
}

/** What there is, by its page or its block, in its order. */
export function groupParts<K extends "page" | "block", T extends Record<K, number>>(all: readonly T[], by: K): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const part of all) {
    const group = groups.get(part[by]);
    if (group) group.push(part);
    else groups.set(part[by], [part]);
  }
  return groups;
}

/** Whether the next piece goes on in the same line. */
export function isSameLine(piece: Piece, next: Piece | undefined): boolean {
  if (!next || next.page !== piece.page) return false;
  const shared = Math.min(piece.rect[3], next.rect[3]) - Math.max(piece.rect[1], next.rect[1]);
  const low = Math.min(piece.rect[3] - piece.rect[1], next.rect[3] - next.rect[1]);
  return shared > low / 2 && next.rect[0] >= piece.rect[2] - 2;
}

/** Words found: where they stand in a block. */
export interface TextMatch {
  block: number;
  start: number;
  end: number;
}

/** Without accents, case and kinds of quotes; as long as it was. */
export function foldText(text: string): string {
  let result = "";
  for (const sign of text) {
    const plain = sign.normalize("NFKD")[0]!.toLowerCase();
    result += /\s/.test(sign) ? " ".repeat(sign.length) : plain.length === sign.length ? plain : sign;
  }
  return result.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/[‐‑–—]/g, "-");
}

/** So many places are told of: a single letter stands in a book a million times. */
const MOST = 5000;

/** Every place of the words, in reading order. */
export function find(folds: string[], words: string): TextMatch[] {
  const needle = foldText(words.trim()).replace(/\s+/g, " ");
  if (!needle) return [];
  const hits: TextMatch[] = [];
  for (const [block, text] of folds.entries())
    for (let at = text.indexOf(needle); at >= 0 && hits.length < MOST; at = text.indexOf(needle, at + needle.length))
      hits.push({ block, start: at, end: at + needle.length });
  return hits;
}

/** The rectangles of words found, about as wide as these are printed. */
export function placesOf({ block, start, end }: TextMatch, pieces: Map<number, Piece[]>): Place[] {
  return (pieces.get(block) ?? [])
    .filter((piece) => piece.start < end && start < piece.end)
    .map((piece) => {
      const [x0, y0, x1, y1] = piece.rect;
      const perEm = (x1 - x0) / (wide(piece.text.trimEnd()) || 1);
      const reach = (to: number) => x0 + perEm * wide(piece.text.slice(0, Math.max(0, to - piece.start)));
      return { page: piece.page, rect: [reach(start), y0, Math.min(x1, reach(end)), y1] as Rect };
    });
}

/** A text cut at the ends of stretches of it, each part with the names of the stretches that it lies in. */
export function cutText(text: string, stretches: { start: number; end: number; name: string }[]) {
  const ends = new Set([0, text.length]);
  for (const { start, end } of stretches) ends.add(Math.max(0, start)).add(Math.min(text.length, end));
  const sorted = [...ends].sort((a, b) => a - b);
  return sorted.slice(0, -1).map((start, at) => {
    const end = sorted[at + 1]!;
    const names = stretches.filter((stretch) => stretch.start <= start && end <= stretch.end).map((stretch) => stretch.name);
    return { start, text: text.slice(start, end), names };
  });
}

/**
 * The same with TeX as Unicode. A formula is a piece of its own (`isTex`), and stretches that would cut one take it whole;
 * other pieces are as long as the text from `start` to `end`.
 */
export function cutReadableText(text: string, stretches: { start: number; end: number; name: string }[]) {
  const ranges = formulas(text);
  const widened = ranges.length
    ? stretches.map((stretch) => {
        const first = ranges.find((other) => other.start < stretch.start && stretch.start < other.end);
        const last = ranges.find((other) => other.start < stretch.end && stretch.end < other.end);
        return { ...stretch, start: first?.start ?? stretch.start, end: last?.end ?? stretch.end };
      })
    : stretches;
  const starts = new Set(ranges.map((range) => range.start));
  return cutText(text, [...widened, ...ranges.map((range) => ({ ...range, name: "" }))]).map((piece) => ({
    ...piece,
    end: piece.start + piece.text.length,
    isTex: starts.has(piece.start),
    text: starts.has(piece.start) ? tex(piece.text) : piece.text,
    names: piece.names.filter(Boolean),
  }));
}
