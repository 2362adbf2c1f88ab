/** Where the works of a citation graph are drawn: by year from left to right, those without one at the left edge. */
import type { CitationGraph, CitationNode } from "../../../api/types";
import { tex } from "../../../parts/tex";

export interface PlacedWork {
  work: CitationNode;
  /** Of its middle, and half its width, in pixels. */
  x: number;
  y: number;
  r: number;
}
export interface Plan {
  works: PlacedWork[];
  /** Years that are written, and where; year 0: works without one. */
  years: { year: number; x: number }[];
}

const MARGIN = 34;
const FOOT = 34;
const GAP = 5;
/** Places that are tried from top to bottom. */
const TRIES = 60;
/** Pixels of height that touching another work costs, and each pixel by which it lies on it. */
const TOUCH = 40;
/** Pixels within which works push each other away, and how much, and how much works that are connected pull. */
const ROOM = 130;
const PUSH = 0.9;
const PULL = 0.5;
/** Pixels of width below which marks are smaller. */
const SMALL = 600;
const LABEL_EVERY = 64;

/** Half the width of a work's mark: by the logarithm of its citations. */
export const radius = (work: CitationNode): number => Math.min(24, 8 + 3.2 * Math.log10(1 + (work.citation_count ?? 0)));

/** Seeds in the middle first, then the most connected: each where it lies on no other, near to what it is connected with. */
export function planLayout({ nodes, edges }: Pick<CitationGraph, "nodes" | "edges">, width: number, height: number): Plan {
  const known = nodes.flatMap(({ year }) => (year === null ? [] : [year]));
  const [first, last] = [Math.min(...known), Math.max(...known)];
  const hasUnknown = known.length < nodes.length;
  const edge = Math.max(MARGIN, Math.min(70, width * 0.1));
  const left = hasUnknown && known.length ? 2 * edge : MARGIN;
  const right = width - MARGIN;
  const atYear = (year: number) => (first === last ? (left + right) / 2 : left + ((year - first) / (last - first)) * (right - left));
  const neighbours = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { source, target } of edges) {
    neighbours.get(source)?.push(target);
    neighbours.get(target)?.push(source);
  }
  const placed = new Map<string, PlacedWork>();
  const bottom = height - FOOT;
  const order = [...nodes].sort((work, other) => Number(other.relation === "seed") - Number(work.relation === "seed") || other.links - work.links);
  for (const work of order) {
    const r = radius(work) * (width < SMALL ? 0.7 : 1);
    const x = work.year === null ? (known.length ? edge : width / 2) : atYear(work.year);
    const near = neighbours.get(work.id)!.flatMap((id) => placed.get(id) ?? []);
    const targetY = near.length ? near.reduce((sum, neighbour) => sum + neighbour.y, 0) / near.length : bottom / 2;
    let best = { y: bottom / 2, cost: Infinity };
    for (let at = 0; at < TRIES; at++) {
      const y = MARGIN + (at / (TRIES - 1)) * (bottom - 2 * MARGIN);
      let cost = PULL * Math.abs(y - targetY);
      for (const other of placed.values()) {
        const away = Math.hypot(other.x - x, other.y - y);
        if (away < ROOM) cost += PUSH * (ROOM - away);
        const over = r + other.r + GAP - away;
        if (over > 0) cost += TOUCH + over * TOUCH;
      }
      if (cost < best.cost) best = { y, cost };
    }
    placed.set(work.id, { work, x, y: best.y, r });
  }
  return { works: nodes.map(({ id }) => placed.get(id)!), years: years(first, last, right - left, atYear, hasUnknown && known.length > 0 ? edge : 0) };
}

function years(first: number, last: number, width: number, atYear: (year: number) => number, unknown: number) {
  const ticks = unknown ? [{ year: 0, x: unknown }] : [];
  if (!Number.isFinite(first)) return ticks;
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500];
  const step = steps.find((candidate) => ((last - first) / candidate) * LABEL_EVERY <= width) ?? 1000;
  if (first === last) return [...ticks, { year: first, x: atYear(first) }];
  for (let year = Math.ceil(first / step) * step; year <= last; year += step) ticks.push({ year, x: atYear(year) });
  return ticks;
}

/** The works whose names are written: seeds, then the most connected, where a name lies on no other. */
export function chooseLabels(works: readonly PlacedWork[], width: number, spell: (work: CitationNode) => string): Set<string> {
  const boxes: { x: number; y: number; half: number }[] = [];
  const ids = new Set<string>();
  const order = [...works].sort((placed, other) => Number(other.work.relation === "seed") - Number(placed.work.relation === "seed") || other.work.links - placed.work.links);
  for (const { work, x, y, r } of order) {
    const box = { x, y: y + r + 9, half: spell(work).length * 3.6 + 4 };
    if (x < box.half || x > width - box.half) continue;
    if (boxes.some((other) => Math.abs(other.x - box.x) < other.half + box.half && Math.abs(other.y - box.y) < 16)) continue;
    boxes.push(box);
    ids.add(work.id);
  }
  return ids;
}

/** How a work is called in the picture: its first author and year, else its identifier. */
export function short(work: CitationNode): string {
  const name = [work.byline, work.year ?? ""].filter(Boolean).join(" ") || tex(work.title) || work.id;
  return name.length > 26 ? `${name.slice(0, 25)}…` : name;
}
