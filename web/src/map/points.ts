/** The points of a map: columns of numbers, as `GET /map/points` sends them, and what lies where. */
import KDBush from "kdbush";

export type Spot = readonly [number, number];

export interface Points {
  count: number;
  /** x and y of each, in turn. */
  spots: Float32Array;
  /** The smallest region of each. */
  regions: Int32Array;
  /** -1: not known. */
  years: Int16Array;
}

export interface Box {
  low: Spot;
  high: Spot;
}

/** One column behind the other: float32 x and y, int32, int16. */
export function decodePoints(buffer: ArrayBuffer): Points {
  const count = Math.floor(buffer.byteLength / 14);
  return {
    count,
    spots: new Float32Array(buffer, 0, 2 * count),
    regions: new Int32Array(buffer, 8 * count, count),
    years: new Int16Array(buffer, 12 * count, count),
  };
}

/** The least box around some points, or all. */
export function boxOf({ spots, count }: Pick<Points, "spots" | "count">, rows?: ArrayLike<number>): Box {
  let [left, low, right, high] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < (rows?.length ?? count); at++) {
    const row = rows ? rows[at]! : at;
    const x = spots[2 * row]!;
    const y = spots[2 * row + 1]!;
    left = Math.min(left, x);
    right = Math.max(right, x);
    low = Math.min(low, y);
    high = Math.max(high, y);
  }
  return left > right ? { low: [0, 0], high: [1, 1] } : { low: [left, low], high: [right, high] };
}

/** The first and the last year that is known; null: none is. */
export function span({ years }: Pick<Points, "years">): [number, number] | null {
  let [first, last] = [Infinity, -Infinity];
  for (const year of years)
    if (year > 0) {
      first = Math.min(first, year);
      last = Math.max(last, year);
    }
  return first > last ? null : [first, last];
}

export type Years = readonly [number, number];
export const isIn = (year: number, years: Years | null) => !years || (year >= years[0] && year <= years[1]);

/** What lies within a line that was drawn around it, of years. */
export function rowsInside(points: Points, line: readonly Spot[], years: Years | null): number[] {
  const around = boxOf({ spots: new Float32Array(line.flat()), count: line.length });
  const rows: number[] = [];
  for (let row = 0; row < points.count; row++) {
    const [x, y] = [points.spots[2 * row]!, points.spots[2 * row + 1]!];
    const isNear = x >= around.low[0] && x <= around.high[0] && y >= around.low[1] && y <= around.high[1];
    if (isNear && isIn(points.years[row]!, years) && isInside(x, y, line)) rows.push(row);
  }
  return rows;
}

/** Whether a line that goes from here crosses the border an odd number of times. */
function isInside(x: number, y: number, line: readonly Spot[]): boolean {
  let inside = false;
  for (let at = 0, before = line.length - 1; at < line.length; before = at++) {
    const [ax, ay] = line[at]!;
    const [bx, by] = line[before]!;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** Points that are only compared: fewer take longer to be sorted before the first is found. */
const LEAF = 512;

/** Finds what lies nearest to a place. */
export class Nearest {
  private readonly tree: KDBush;

  constructor(private readonly points: Points) {
    this.tree = new KDBush(points.count, LEAF, Float32Array);
    for (let row = 0; row < points.count; row++) this.tree.add(points.spots[2 * row]!, points.spots[2 * row + 1]!);
    this.tree.finish();
  }

  of(x: number, y: number, far: number, years: Years | null): number | null {
    let best: number | null = null;
    let least = Infinity;
    for (const row of this.tree.within(x, y, far)) {
      const away = (this.points.spots[2 * row]! - x) ** 2 + (this.points.spots[2 * row + 1]! - y) ** 2;
      if (away < least && isIn(this.points.years[row]!, years)) [best, least] = [row, away];
    }
    return best;
  }
}

/** A line as it stands in an address, and back: at most 60 of its points. */
export function formatLine(line: readonly Spot[]): string {
  const every = Math.max(1, Math.ceil(line.length / 60));
  return line
    .filter((_, at) => at % every === 0)
    .map((spot) => spot.map((coordinate) => Number(coordinate.toPrecision(5))).join(","))
    .join(";");
}

export function parseLine(text: string | null): Spot[] {
  const spots = (text ?? "").split(";").map((part) => part.split(",").map(Number));
  const line = spots.filter((spot): spot is [number, number] => spot.length === 2 && spot.every(Number.isFinite));
  return line.length > 2 ? line : [];
}
